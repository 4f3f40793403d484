"""Records of what every job read and wrote, by SHA-256, and of files that differ from them.

A job's record is one JSON file. It is removed before the job writes anything and put into place,
whole, after the job has ended well. A file without a record is therefore never taken for finished.
Beside the records each file's last maker is named, so that a job finds the few records it needs.

The code of a job is summed too (`attach_code`): its script, and all modules that this imports.
"""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache, cached_property
from hashlib import file_digest, sha256
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

from llm_power._errors import LLMPowerError, message_at
from llm_power._files import write_whole
from llm_power._plugins import READERS

FOLDER: Final = Path("results", ".sums")
# A file here has the name of the job that last made the file of that path.
_MAKERS: Final = FOLDER / "makers"
_LOCK: Final = Path(__file__).resolve().parents[2] / "requirements.lock"
# Seconds until a network file system shows the record of a file that it shows already.
_PATIENCE: Final = 10.0
# What jobs write. All other files come from elsewhere: printed numbers, code, downloads, boards.
_MADE: Final = ("results", "figures", "papers", "ro-crate-metadata.json", "codemeta.json")
_REMEDY: Final = "make reproduce, which makes it again"

Kind = Literal["changed", "missing", "unrecorded", "record", "input"]

# Of a whole module or of names from it, in parentheses or not, at the head or in a function.
_IMPORT: Final = re.compile(
    r"^ *(?:import|from) ([\w.]+)(?: import (\([^)]*\)|.*))?$", re.MULTILINE
)


class DamagedInput(LLMPowerError):
    """An input of a job is not what the job that made it recorded."""


@dataclass(frozen=True, slots=True)
class Record:
    """What one job read and wrote."""

    job: str
    inputs: dict[str, str]
    outputs: dict[str, str]
    # When, in ISO 8601; empty in a record that was made before times were kept.
    began: str = ""
    ended: str = ""
    lock: str = ""
    interpreter: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """One file that is not as it was recorded."""

    kind: Kind
    path: str
    job: str = ""

    @property
    def problem(self) -> str:
        """What is wrong, in one sentence that starts with the file."""
        words = {
            "changed": f"is not what job {self.job} made",
            "missing": f"is gone, which job {self.job} made",
            "unrecorded": "has no record of the job that made it",
            "record": "is no readable record",
            "input": f"has changed since job {self.job} read it",
        }
        return f"{self.path} {words[self.kind]}"


@dataclass(frozen=True)
class Ledger:
    """The records of all jobs in a folder."""

    root: Path
    records: tuple[Record, ...]
    unreadable: tuple[str, ...] = ()
    _sums: dict[str, str | None] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Path) -> Ledger:
        """Read every record under `root` whose files no other job has made since."""
        # Rules of an earlier version may have made the same files.
        paths = sorted((root / FOLDER).glob("*.json"))
        read = {path: _read(path) for path in paths}
        records = [record for record in read.values() if record is not None]
        last: dict[str, Record] = {}
        for record in sorted(records, key=lambda record: record.ended):
            last |= dict.fromkeys(record.outputs, record)
        return cls(
            root,
            tuple(x for x in records if all(last[path] is x for path in x.outputs)),
            tuple(str(path.relative_to(root)) for path, record in read.items() if record is None),
        )

    @classmethod
    def before(cls, inputs: Iterable[str], root: Path, *, patience: float = _PATIENCE) -> Ledger:
        """Read the records of the jobs that made these inputs, and no more than it must."""
        # A record that is not there is waited for, `patience` seconds in all.
        made = [path for path in inputs if is_made(path)]
        end = time.monotonic() + patience
        while True:
            names = sorted({_maker_of(path, root) for path in made} - {""})
            records = (_read(_place(job, root)) for job in names)
            ledger = cls(root, tuple(record for record in records if record is not None))
            if ledger.makers.keys() >= set(made):
                return ledger
            # Results may be older than the names of their makers.
            every = cls.read(root)
            if every.makers.keys() >= set(made) or time.monotonic() >= end:
                return every
            time.sleep(0.2)

    @cached_property
    def makers(self) -> dict[str, Record]:
        """The job that made each file."""
        return {path: record for record in self.records for path in record.outputs}

    def of(self, job: str) -> Record:
        """Return the record of a job."""
        return next(record for record in self.records if record.job == job)

    def behind(self, paths: Iterable[str]) -> list[Record]:
        """Return the record of every job that files were made by, their inputs' included."""
        records: dict[str, Record] = {}
        waiting = list(paths)
        while waiting:
            maker = self.makers.get(waiting.pop())
            if maker and maker.job not in records:
                records[maker.job] = maker
                waiting += maker.inputs
        return list(records.values())

    def check(self, inputs: Iterable[str]) -> dict[str, str]:
        """Return the SHA-256 of each input; refuse one that is not what its job recorded."""
        sums = {path: sum_of(self.root / path) for path in inputs}
        for path, now in sums.items():
            maker = self.makers.get(path)
            if is_made(path) and (maker is None or maker.outputs[path] != now):
                kind: Kind = "unrecorded" if maker is None else "changed"
                problem = Difference(kind, path, maker.job if maker else "").problem
                raise DamagedInput(message_at({}, problem, _REMEDY))
        return sums

    def differences(self) -> list[Difference]:
        """Name every file that is not as it was recorded, the inputs of jobs included."""
        return [
            *(Difference("record", path) for path in self.unreadable),
            *(one for record in self.records for one in self._of_outputs(record)),
            *(Difference("unrecorded", path) for path in self._unrecorded()),
            *(one for record in self.records for one in self._of_inputs(record)),
        ]

    def _of_outputs(self, record: Record) -> Iterator[Difference]:
        for path, expected in record.outputs.items():
            now = self._sum(path)
            if now is None:
                yield Difference("missing", path, record.job)
            elif now != expected:
                yield Difference("changed", path, record.job)

    def _unrecorded(self) -> Iterator[str]:
        for folder in _MADE:
            for path in sorted((self.root / folder).rglob("*")):
                name = str(path.relative_to(self.root))
                if path.is_file() and FOLDER not in Path(name).parents and name not in self.makers:
                    yield name

    def _of_inputs(self, record: Record) -> Iterator[Difference]:
        for path, read in record.inputs.items():
            maker = self.makers.get(path)
            # Damage to a made file is reported of that file; here it matters what its maker wrote.
            now = maker.outputs[path] if maker else read if is_made(path) else self._sum(path)
            if now != read:
                yield Difference("input", path, record.job)

    def _sum(self, path: str) -> str | None:
        if path not in self._sums:
            file = self.root / path
            self._sums[path] = sum_of(file) if file.is_file() else None
        return self._sums[path]

    def damaged_by(self, difference: Difference) -> set[str]:
        """Return the files that a run would not make again by itself, and should."""
        if difference.kind == "record":
            return set()
        if difference.kind != "input":
            return {difference.path}
        # Of an input that changed a run finds out where the file is newer than the outputs. Here
        # it is the other case that counts.
        outputs = self.of(difference.job).outputs
        return set() if self._is_newer(difference.path, outputs) else {*outputs}

    def first_of(self, damaged: set[str]) -> list[str]:
        """Return the damaged files that were made from no other damaged file."""
        return sorted(
            path
            for path in damaged
            if all(damaged.isdisjoint(maker.inputs) for maker in self.behind([path]))
        )

    def _is_newer(self, path: str, outputs: Iterable[str]) -> bool:
        files = [self.root / output for output in outputs]
        times = [file.stat().st_mtime for file in files if file.is_file()]
        source = self.root / path
        return not source.is_file() or any(source.stat().st_mtime > time for time in times)


def job_name(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return what a job is called: its rule, and its wildcards."""
    return " ".join([rule, *(f"{name}={value}" for name, value in wildcards.items())])


def is_made(path: str) -> bool:
    """Return whether a file is one that jobs write."""
    return Path(path).parts[0] in _MADE


def sum_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def forget(job: str, root: Path) -> None:
    """Remove the record of a job that is about to write."""
    _place(job, root).unlink(missing_ok=True)


def now() -> str:
    """Return the time, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def record(
    job: str, inputs: dict[str, str], outputs: Iterable[str], root: Path, *, began: str = ""
) -> None:
    """Record what a job that ends well here read and wrote; where it made nothing, do nothing."""
    made = {path: sum_of(root / path) for path in outputs if is_made(path)}
    if not made:
        return
    lock = sum_of(_LOCK) if _LOCK.is_file() else ""
    interpreter = f"{platform.python_implementation()} {platform.python_version()}"
    content = asdict(Record(job, inputs, made, began, now(), lock, interpreter))
    for path in made:
        named = root / _MAKERS / path
        named.parent.mkdir(parents=True, exist_ok=True)
        named.write_text(job, "utf-8")
    # Last, for with its record a job has ended well.
    sealed = content | {"sha256": _seal(content)}
    write_whole(_place(job, root), json.dumps(sealed, indent=1))


def _maker_of(path: str, root: Path) -> str:
    """Return the job that last made a file; nothing where none is recorded."""
    try:
        return (root / _MAKERS / path).read_text("utf-8")
    except (OSError, ValueError):
        return ""


def _place(job: str, root: Path) -> Path:
    return root / FOLDER / (quote(job, safe=" =") + ".json")


def _read(path: Path) -> Record | None:
    try:
        content = json.loads(path.read_bytes())
        seal = content.pop("sha256")
        read = Record(**content)
    # A record may go while it is read: its job has just begun again.
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return read if seal == _seal(content) and _place(read.job, Path()).name == path.name else None


def _seal(content: Mapping[str, Any]) -> str:
    return sha256(json.dumps(content).encode()).hexdigest()


def attach_code(rules: Iterable[Any], root: Path) -> None:
    """Give each rule the SHA-256 of its code, as the parameter ``code``."""
    # Its code is what the script imports, what the parameter ``module`` names, and all that these
    # import. An edit of any of them runs exactly the rules that use it. They are no inputs:
    # Snakemake would look after each job for every file of every job that is left.
    for rule in rules:
        script = Path(os.path.relpath(Path(rule.snakefile).parent / (rule.script or "")))
        if root / "workflow/scripts" in script.parents and rule.params.get("code") is None:
            rule.set_params(code=_code_of(root, script, rule.params.get("module")))


def _code_of(root: Path, script: Path, module: Any) -> Any:
    """Return the sums of a script's code; of a module that wildcards name, a function of them."""
    if callable(module):
        return lambda wildcards: code_sums(root, script, module(wildcards))
    return code_sums(root, script, *([module] if module else []))


def code_sums(root: Path, script: Path | None, *modules: str) -> dict[str, str]:
    """Return the SHA-256 of modules and of all that they and a script import and read, by path."""
    # A module reads the files of packages whose names it has in quotes: templates, styles,
    # schemas. One that has the group of readers in quotes loads them all. Package files
    # (``__init__.py``) only re-export names and are left out.
    used: set[Path] = set()
    waiting = {_file(root, module) for module in modules}
    if script is not None:
        waiting |= _used(root, script)
    while waiting:
        path = waiting.pop()
        used.add(path)
        if path.suffix == ".py":
            waiting |= _used(root, path) - used
    return {str(path): _sum_of(path) for path in sorted(used)}


# Each module is used by many rules, and Snakemake reads the rules again in every run.
@cache
def _used(root: Path, path: Path) -> frozenset[Path]:
    code = path.read_text(encoding="utf-8")
    modules = (_file(root, name) for name in _imported_names(code))
    data = (file for file in _data(root) if f'"{file.name}"' in code)
    readers = _readers(root) if f'"{READERS}"' in code else []
    return frozenset([*(file for file in modules if file.is_file()), *data, *readers])


@cache
def _readers(root: Path) -> list[Path]:
    """Return the modules of the clone that entry points load as readers."""
    files = (_file(root, point.module) for point in entry_points(group=READERS))
    return [file for file in files if file.is_file()]


@cache
def _data(root: Path) -> list[Path]:
    """Return the files of all packages that are no modules."""
    files = (path for path in Path(root, "src").rglob("*.*") if path.is_file())
    return [path for path in files if path.suffix not in (".py", ".pyc")]


_sum_of = cache(sum_of)


def _file(root: Path, module: str) -> Path:
    return Path(root, "src", *module.split(".")).with_suffix(".py")


def _imported_names(code: str) -> Iterator[str]:
    # To parse all modules takes longer than everything else that Snakemake does before a run.
    for module, names in _IMPORT.findall(code):
        yield module
        yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))
