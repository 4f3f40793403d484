"""Source files that a job depends on."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from llm_power._plugins import READERS
from replication.records import sum_of

# Of a whole module or of names from it, in parentheses or not, at the head or in a function.
_IMPORT: Final = re.compile(
    r"^ *(?:import|from) ([\w.]+)(?: import (\([^)]*\)|.*))?$", re.MULTILINE
)


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


@cache
def _sum_of(path: Path) -> str:
    return sum_of(path)


def _file(root: Path, module: str) -> Path:
    return Path(root, "src", *module.split(".")).with_suffix(".py")


def _imported_names(code: str) -> Iterator[str]:
    # To parse all modules takes longer than everything else that Snakemake does before a run.
    for module, names in _IMPORT.findall(code):
        yield module
        yield from (f"{module}.{name}" for name in re.findall(r"\w+", names))
