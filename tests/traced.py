"""What the jobs of a run open, by strace: files and modules of the clone, whoever opens them.

Arrow opens files without a word to Python, which an audit hook would miss; an import opens the
module or what was compiled from it. A job is known by the record that it writes, whatever its rule
is called. With LLM_POWER_STRACE=required a missing strace is a failure; else these tests are
skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from needed import without
from replication.records import FOLDER

# A file a process, added to where a number is given again; whole paths of up to 4096 characters.
_STRACE: Final = ["-ff", "-A", "-ttt", "-y", "--seccomp-bpf", "-s", "4096", "-e", "signal=none"]
_CALLS: Final = "trace=openat,open,execve,clone,clone3,fork,vfork"
# The file as the kernel names it, from whichever folder and by whichever link it was opened.
_OPENED: Final = re.compile(r"open(?:at)?\(.*?, (O_[A-Z_|]+).* = \d+<(.*)>")
_CHILD: Final = re.compile(r"(?:clone3?|v?fork)\(.* = (\d+)")
# A record that is yet to be put into its place.
_RECORD: Final = re.compile(rf"/{FOLDER}/\.\d+\.(.+)\.json$")
_SCRIPT: Final = re.compile(r'execve\("[^"]*/python[^"]*", .*/\.snakemake/scripts/')
# Each call of a process, after its time.
Life = list[tuple[float, str]]
# They re-export names, and import what they re-export when it is asked for.
_PACKAGE_FILE: Final = "__init__.py"


def undeclared(where: Path, traces: Path, *arguments: str) -> dict[str, set[str]]:
    """Run Snakemake in a copy of the repository; return what jobs open and do not declare.

    Parameters
    ----------
    where : Path
        The copy.
    traces : Path
        Where strace writes; made here.
    *arguments : str
        Targets and options.

    Returns
    -------
    dict of str to set of str
        By job: files of the copy and results of other jobs that its record does not name.
    """
    sources = {path.resolve() for path in where.rglob("*") if path.is_file()}
    traces.mkdir()
    _run(where, traces, *arguments)
    records = {one["job"]: one for one in _records(where)}
    made = {where / path for record in records.values() for path in record["outputs"]}
    opened = dict(_opened_by_jobs(traces))
    assert opened.keys() == records.keys(), opened.keys() ^ records.keys()
    found = {
        job: (paths & (sources | made)) - _declared(records[job], where)
        for job, paths in opened.items()
    }
    return {
        job: {str(path.relative_to(where)) for path in paths}
        for job, paths in found.items()
        if paths
    }


def _run(where: Path, traces: Path, *arguments: str) -> None:
    program = shutil.which("strace")
    if program is None:
        without("strace", "strace is missing: apt install strace")
    programs = Path(sys.executable).parent
    variables = {name: at for name, at in os.environ.items() if name != "LLM_POWER_DATA"}
    # The copy's own modules, not those that are installed.
    variables["PYTHONPATH"] = str(where / "src")
    variables["PATH"] = f"{programs}{os.pathsep}{variables['PATH']}"
    command: list[str | Path] = [program, *_STRACE, "-e", _CALLS, "-o", traces / "process"]
    done = subprocess.run(
        [*command, programs / "snakemake", "--cores", "2", *arguments],
        cwd=where,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _records(where: Path) -> Iterator[dict[str, Any]]:
    for path in where.glob(f"**/{FOLDER}/*.json"):
        yield json.loads(path.read_bytes())


def _declared(record: Mapping[str, Any], where: Path) -> set[Path]:
    # The lock has a place of its own in a record.
    names = (*record["inputs"], *record["outputs"], "requirements.lock")
    return {(where / name).resolve() for name in names}


def _opened_by_jobs(traces: Path) -> Iterator[tuple[str, set[Path]]]:
    """Give the name of each job, and what it, its threads and its children open to read."""
    lives = {path.suffix[1:]: list(_lives(path)) for path in traces.iterdir()}
    for life in [life for every in lives.values() for life in every]:
        if any(_SCRIPT.match(call) for _, call in life):
            family = [life]
            for one in family:
                family += _children(one, lives)
            calls = [call for one in family for _, call in one]
            opened = [found.groups() for found in map(_OPENED.match, calls) if found]
            (job,) = {found[1] for _, path in opened if (found := _RECORD.search(path))}
            read = {_source(Path(path)) for flags, path in opened if "O_WRONLY" not in flags}
            yield unquote(job), {path for path in read if path.name != _PACKAGE_FILE}


def _lives(path: Path) -> Iterator[Life]:
    """Give the calls of each process that had the number, one after another."""
    life: Life = []
    for line in path.read_text().splitlines():
        time, call = line.split(" ", 1)
        life.append((float(time), call))
        if call.startswith("+++ "):
            yield life
            life = []


def _children(life: Life, lives: Mapping[str, Sequence[Life]]) -> Iterator[Life]:
    for time, call in life:
        if found := _CHILD.match(call):
            yield from [one for one in lives.get(found[1], ()) if one[0][0] >= time][:1]


def _source(path: Path) -> Path:
    """Return the module that a file was compiled from; any other file is its own source."""
    return Path(source_from_cache(str(path))) if path.suffix == ".pyc" else path
