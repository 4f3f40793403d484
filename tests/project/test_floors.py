"""Imports run downwards: the houses and the floors of the library, read by `ast`."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from needed import ROOT

SOURCE = ROOT / "src"

# A house imports from those before it: the library, the audit, the machine for any paper, a paper.
FIRST = ("llm_power", "llm_power_audit", "replication")
PAPERS = tuple(sorted(path.parent.name for path in (ROOT / "data").glob("*/paper.yaml")))
HOUSES = (*FIRST, *PAPERS)
# Snakemake looks for it by this name; it leads into `replication`.
DOOR = "snakemake_logger_plugin_exhibits"
# The part of the library that follows `llm_power.` in a module's name; "" is the package itself,
# which every import of the library runs.
FLOORS = {
    "": 0,
    "_parametric": 0,
    "_choices": 0,
    "_errors": 0,
    "_files": 0,
    "_memory": 0,
    "_plugins": 0,
    "_provenance": 0,
    "_statistics": 0,
    "_documents": 1,
    "_scores": 1,
    "_board": 2,
    "_example": 2,
    "_report": 3,
    "_gate": 4,
    "_planning": 4,
    "simulation": 4,
    "__main__": 8,
    "_door": 5,
    "_commands": 6,
    "_inspect": 6,
    "_cli": 7,
}
GROUND_FLOOR_PACKAGES = {"llm_power", "numpy", "scipy", *sys.stdlib_module_names}
KEPT_OFF_THE_GROUND = ["pandas", "pyarrow", "matplotlib", "snakemake"]


@cache
def modules() -> dict[str, Path]:
    """Path of every module of the houses by its dotted name."""
    paths = sorted(path for house in HOUSES for path in (SOURCE / house).rglob("*.py"))
    named = {".".join(path.relative_to(SOURCE).with_suffix("").parts): path for path in paths}
    return {name.removesuffix(".__init__"): path for name, path in named.items()}


def imports(name: str) -> Iterator[str]:
    """Every module that module `name` imports, at its head or inside a function."""
    path = modules()[name]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if name == "llm_power":  # the door names what is on every floor, and opens it on demand
        tree.body = [node for node in tree.body if not _for_type_checkers(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = name if path.name == "__init__.py" else name.rpartition(".")[0]
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            prefix = ".".join(parents) + "." if node.level else ""
            origin = (prefix + (node.module or "")).removesuffix(".")
            for alias in node.names:
                # `from package import module` is an import of the module.
                whole = f"{origin}.{alias.name}"
                yield whole if whole in modules() else origin


def _for_type_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def part(name: str) -> str:
    return [*name.split("."), ""][1]


def house(name: str) -> str:
    return name.split(".", maxsplit=1)[0]


def library() -> list[str]:
    return [name for name in modules() if house(name) == "llm_power"]


def own_imports(name: str) -> list[str]:
    return [other for other in imports(name) if house(other) in HOUSES]


def ground_floor() -> list[str]:
    return [name for name in library() if FLOORS.get(part(name)) == 0]


def test_the_source_is_found() -> None:
    assert "llm_power._statistics.inversion" in modules()
    assert "llm_power._errors" in own_imports("llm_power._statistics.argument_checks")


@pytest.mark.parametrize("name", modules())
def test_a_house_imports_from_those_before_it(name: str) -> None:
    own = house(name)
    known = {*FIRST, own} if own in PAPERS else FIRST[: FIRST.index(own) + 1]
    assert {house(other) for other in own_imports(name)} <= set(known)


def test_every_package_is_a_house() -> None:
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} == {*HOUSES, DOOR}


@pytest.mark.parametrize("name", library())
def test_every_module_has_a_floor(name: str) -> None:
    assert part(name) in FLOORS, f"say in FLOORS on which floor {name} stands"


@pytest.mark.parametrize("name", library())
def test_imports_run_downwards_or_stay_on_the_floor(name: str) -> None:
    upwards = [other for other in own_imports(name) if FLOORS[part(other)] > FLOORS[part(name)]]
    assert upwards == []


def test_imports_run_in_no_circle() -> None:
    graph = {name: {other for other in own_imports(name) if other != name} for name in modules()}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("name", ground_floor())
def test_the_ground_floor_imports_numpy_and_scipy_alone(name: str) -> None:
    assert {house(other) for other in imports(name)} <= GROUND_FLOOR_PACKAGES


@pytest.mark.parametrize("name", modules())
def test_no_house_knows_snakemake(name: str) -> None:
    assert "snakemake" not in {house(other) for other in imports(name)}


# Each of what it does without takes longer to load than the work.
LIGHT = {
    "the ground floor": (f"import {', '.join(ground_floor())}", KEPT_OFF_THE_GROUND),
    "the library": ("import llm_power", ["numpy", "scipy", "pandas", "pyarrow", "matplotlib"]),
    "a board": ("import llm_power._board.average", ["scipy.stats"]),
    "findings": (
        "import kotawala2026.findings",
        ["matplotlib", "scipy.stats", "statsmodels.api", "jsonschema"],
    ),
    "every command": ("import llm_power._cli", ["jsonschema", "jinja2", "llm_power_audit"]),
    "help of the audit": (
        "from llm_power._cli import main; main(['audit', '--help'])",
        ["jsonschema", "jinja2", "pandas", "llm_power_audit.evaluate"],
    ),
    **{
        f"plan {question}": (
            f"from llm_power._cli import main; main({['plan', *question.split()]})",
            ["matplotlib", "pandas", "pyarrow", "scipy.optimize", "scipy.stats"],
        )
        for question in (
            "--b 295 --c 249 --n 10042",
            "--gap .02 --discordance .1 --clusters 14 --icc .004",
        )
    },
}


@pytest.mark.parametrize("name", LIGHT)
def test_what_begins_waits_for_no_package_that_it_does_without(name: str) -> None:
    program, without = LIGHT[name]
    loaded = f"print('loaded', *[name for name in {without} if name in sys.modules])"
    finished = subprocess.run(
        [sys.executable, "-c", f"import atexit, sys\natexit.register(lambda: {loaded})\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout.splitlines()[-1] == "loaded"
