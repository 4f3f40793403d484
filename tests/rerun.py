"""What a finished run would have been with other printed numbers, made again in one process.

The jobs are the workflow's own, with their scripts and parameters. Those that read a changed number
run again, and then those that read a file which came out otherwise; all others stay. Figures are
drawn and laid out, and their files stay those of the finished run.
"""

from __future__ import annotations

import copy
import os
import pickle
import runpy
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

from llm_power._report import figures
from llm_power_audit import register
from llm_power_audit.claims import Claim
from llm_power_audit.misprints import misprinted
from replication import constraints, findings, settings
from replication.constraints import Constraint, Panel
from replication.records import sum_of
from replication.stages import (
    REFUSALS,
    MisprintedPoint,
    read_stage,
    reason_of,
    undefined_among,
    write_csv,
    write_stage,
    write_undefined,
)

# What reads printed numbers, which stay as they are while a misprint's jobs run.
_READERS: Final = (
    (register, "load_register"),
    (constraints, "load_register"),
    (constraints, "load_constraints"),
    (settings, "load_settings"),
    (findings, "load_settings"),
)
# What the jobs of a run read and never write.
_READ: Final = ("Snakefile", "config.yaml", "workflow", "config", "src", "tools", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Job:
    """A job of the workflow, as its script sees it."""

    rule: str
    script: Path
    input: Any
    output: Any
    params: Any
    wildcards: Any
    log: Any


@dataclass(frozen=True)
class _Stated:
    """What jobs are told of the printed numbers beside the tables."""

    settings: Mapping[str, Any]
    constraints: Mapping[Panel, tuple[Constraint, ...]]

    @classmethod
    def of(cls, data: Path) -> _Stated:
        return cls(
            settings.load_settings(data / "settings.yaml"),
            constraints.load_constraints(data / "claims.yaml"),
        )


@dataclass(frozen=True)
class Rerun:
    """A copy of a finished run, in which printed numbers are changed and put back."""

    finished: Path
    folder: Path
    data: Path
    jobs: Sequence[Job]
    claims: Mapping[str, Claim]
    stated: _Stated

    @classmethod
    def of(cls, finished: Path, folder: Path, paper: str, plan: Callable[[], list[Job]]) -> Rerun:
        """Copy what jobs read and make; `plan` finds them in the folder that it is called in."""
        folder.mkdir(parents=True)
        for name in _READ:
            if (finished / name).exists():
                (folder / name).symlink_to((finished / name).resolve())
        shutil.copytree(finished / "data", folder / "data")
        data = Path("data", paper)
        with _within(folder):
            jobs = plan()
            for path in {path for job in jobs for path in (*job.input, *job.output, *job.log)}:
                there = finished.resolve() / path
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                if there.is_file() and not Path(path).exists():
                    shutil.copy(there, path)
            loaded = register.load_register(data / "claims.yaml")
            stated = _Stated.of(data)
        claims = {claim.id: claim for claim in loaded.claims}
        return cls(finished.resolve(), folder, data, jobs, claims, stated)

    @contextmanager
    def changed(self, claims: Iterable[Claim]) -> Iterator[list[str]]:
        """Make again what depends on claims that state something else; the rules that ran."""
        by_id = {claim.id: claim for claim in claims}
        with _within(self.folder), misprinted(self.data, self.claims, by_id) as tables:
            written: set[str] = set()
            try:
                with remembering(*_READERS), patch.object(figures, "_save"):
                    ran = self._make(set(map(str, tables)), written)
                yield ran
            finally:
                for path in written:
                    shutil.copy(self.finished / path, path)

    def _make(self, tables: set[str], written: set[str]) -> list[str]:
        now, ran = _Stated.of(self.data), []
        changed = {str(self.data / "claims.yaml"), *tables}
        for job in self.jobs:
            params = self._params(job, now)
            if params is job.params and not self._reads(job, changed, now):
                continue
            written.update(job.output)
            _run(job, params)
            ran.append(job.rule)
            changed |= {
                path for path in job.output if sum_of(Path(path)) != sum_of(self.finished / path)
            }
        return ran

    def _reads(self, job: Job, changed: set[str], now: _Stated) -> bool:
        """Whether a job reads anything that changed; of the register only what its rule takes."""
        read = {
            path for name, files in job.input.items() if name != "printed" for path in _flat(files)
        }
        if job.rule not in _TAKES or changed & read:
            return bool(changed & {*job.input})
        if "tables" in _TAKES[job.rule] and changed & {*job.input} - {
            str(self.data / "claims.yaml")
        }:
            return True
        panels = {job.params.get("panel", one) for one in _TAKES[job.rule] if one != "tables"}
        return any(now.constraints.get(one) != self.stated.constraints.get(one) for one in panels)

    def _params(self, job: Job, now: _Stated) -> Any:
        """Return a job's parameters, others where its code names a setting that changed."""
        names = [name for name, x in now.settings.items() if x != self.stated.settings[name]]
        told = [name for name in ("settings", "point") if hasattr(job.params, name)]
        if not names or not told or not any(name in _code(job) for name in names):
            return job.params
        params = copy.copy(job.params)
        for name in told:
            before = getattr(params, name)
            setattr(params, name, {key: now.settings.get(key, x) for key, x in before.items()})
        return params


# What rules take of all that the paper prints: the tables as a whole, or the constraints of panels.
_TAKES: Final[Mapping[str, Sequence[str]]] = {
    "findings_printed": ("tables",),
    "displayed_scores": ("tables",),
    "witness_oll_v1": ("oll_v1",),
    "witness_mmlu_pro": ("mmlu_pro",),
    "witness_frontier": ("frontier",),
    "findings_witness": ("",),
    "findings_simulated": ("general",),
    "findings_boards": ("oll_v1", "mmlu_pro", "frontier"),
}


def _flat(files: Any) -> list[str]:
    return [files] if isinstance(files, str) else [*files]


def _code(job: Job) -> str:
    return "".join(Path(path).read_text(encoding="utf-8") for path in job.params.get("code", ()))


def _run(job: Job, params: Any) -> None:
    """Run a job's script here; what it refuses is raised."""
    told = SimpleNamespace(
        **{name: getattr(job, name) for name in ("rule", "input", "output", "wildcards", "log")},
        params=params,
    )
    stand_in = ModuleType("replication.job")
    stand_in.__dict__.update(
        snakemake=told,
        logged=partial(_logged, job),
        read_stage=read_stage,
        write_stage=write_stage,
        write_csv=write_csv,
        file_sums=lambda *paths: {Path(path).name: sum_of(Path(path)) for path in paths},
    )
    kept = sys.modules.pop("replication.job", None)
    sys.modules["replication.job"] = stand_in
    try:
        runpy.run_path(str(job.script))
    except _Passed:
        pass
    finally:
        del sys.modules["replication.job"]
        if kept is not None:
            sys.modules["replication.job"] = kept


class _Passed(Exception):
    """A job read a result that is undefined, and has passed it on."""


@contextmanager
def _logged(job: Job, *, of_printed: bool = False, despite: bool = False) -> Iterator[None]:
    """Do as `replication.job.logged`, without an end of the process."""
    if not despite and (why := undefined_among(job.input)):
        write_undefined(job.output, why)
        raise _Passed
    try:
        yield
    except REFUSALS as error:
        if not (of_printed or isinstance(error, MisprintedPoint)):
            raise
        write_undefined(job.output, reason_of(error))


@contextmanager
def remembering(*places: tuple[ModuleType, str]) -> Iterator[None]:
    """Let functions, by the modules that call them, compute once for the same arguments."""
    found = {getattr(module, name) for module, name in places}
    remembered = {function: _remembered(function) for function in found}
    with ExitStack() as stack:
        for module, name in places:
            once = remembered[getattr(module, name)]
            stack.enter_context(patch.object(module, name, once))
        yield


def _remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[bytes, Any] = {}

    def once(*args: Any, **kwargs: Any) -> Any:
        key = pickle.dumps((args, kwargs))
        if key not in known:
            known[key] = function(*args, **kwargs)
        return known[key]

    return once


@contextmanager
def _within(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
