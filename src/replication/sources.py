"""Source files that a job depends on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from replication.records import sum_of

# What every job imports, whatever it does: it reads and writes tables, and records what it read.
_OF_EVERY_JOB: Final = ("replication.job",)
# Of a whole module or of names from it, in parentheses or not, at the head or in a function.
_IMPORT: Final = re.compile(
    r"^ *(?:import|from) ([\w.]+)(?: import (\([^)]*\)|.*))?$", re.MULTILINE
)


def package_sums(root: Path, *modules: str) -> dict[str, str]:
    """Return the files of modules, of all that they import and read, each with its SHA-256.

    As a parameter of a rule, an edit of any of them runs exactly the rules that use it. They are no
    inputs: Snakemake would look after each job for every file of every job that is left. A module
    reads the files of packages whose names it has in quotes: templates, styles, schemas. Package
    files (``__init__.py``) only re-export names and are left out.

    Parameters
    ----------
    root : Path
        The folder that ``src`` is in.
    *modules : str
        Dotted names; what every job imports need not be among them.

    Returns
    -------
    dict of str to str
        SHA-256 by path, which begins with `root`, in the order of the paths.
    """
    found: set[Path] = set()
    waiting = {_file(root, module) for module in (*modules, *_OF_EVERY_JOB)}
    while waiting:
        path = waiting.pop()
        found.add(path)
        if path.suffix == ".py":
            waiting |= _used(root, path) - found
    return {str(path): _sum_of(path) for path in sorted(found)}


def package_data(root: Path, package: str) -> list[str]:
    """Return the files of a package that are no modules: templates, styles, schemas."""
    files = Path(root, "src", *package.split(".")).iterdir()
    return sorted(str(path) for path in files if path.is_file() and path.suffix != ".py")


# Each module is used by many rules, and Snakemake reads the rules again in every run.
@cache
def _used(root: Path, path: Path) -> frozenset[Path]:
    code = path.read_text(encoding="utf-8")
    modules = (_file(root, name) for name in _imported_names(code))
    data = (file for file in _data(root) if f'"{file.name}"' in code)
    return frozenset([*(file for file in modules if file.is_file()), *data])


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
