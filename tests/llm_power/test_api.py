"""The names that library and audit offer; those of Appendix J on the paper's worked example."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import numpy as np
import pytest

import llm_power
import llm_power_audit
from llm_power import InvalidArgument, simulation
from llm_power._board.cluster_robustness import random_clusters
from llm_power._cli import cli
from llm_power._errors import _FLAGS
from llm_power._scores.options import Reading
from llm_power._statistics.copula_pairs import draw_graded_pairs
from llm_power._statistics.design_effect import resample_clusters
from needed import ROOT


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("cohens_h", ["p1", "p2"]),
        ("paired_bootstrap_delta", ["scores_a", "scores_b"]),
        ("bootstrap_power", []),
        ("parametric_required_n_proportions", ["p1", "p2", "paired", "rho"]),
        ("parametric_required_n_paired_binary", ["p1", "p2", "rho"]),
        ("required_n_mcnemar", ["n_ab", "n_ba", "n_observed"]),
        ("parametric_required_n_paired", ["mean_diff", "sd_diff"]),
    ],
)
def test_names_and_parameters_are_those_of_appendix_j(name: str, parameters: list[str]) -> None:
    signature = inspect.signature(getattr(llm_power, name))
    assert list(signature.parameters)[: len(parameters)] == parameters


def test_worked_example_of_table_1() -> None:
    # Table 1: 515 by the shortcut, 1,028 by eq. (6), both rounded up.
    shortcut = llm_power.parametric_required_n_proportions(0.65, 0.60, paired=True, rho=0.30)
    assert np.ceil(shortcut) == 515
    n_star = llm_power.parametric_required_n_paired_binary(0.65, 0.60, 0.30)
    assert np.ceil(n_star) == 1028
    sd = np.sqrt(0.327300142653425)  # eq. (5), quoted from R in test_paired_binary.py
    np.testing.assert_allclose(llm_power.parametric_required_n_paired(0.05, sd), n_star, 1e-10)


def test_discordance_form_is_row_4_of_table_6() -> None:
    assert np.rint(llm_power.required_n_mcnemar(295, 249, 10_042)) == 20_255


@pytest.mark.parametrize(("paired", "rho"), [(True, None), (False, 0.3)])
def test_rho_belongs_to_a_paired_design(paired: bool, rho: float | None) -> None:
    with pytest.raises(InvalidArgument, match="rho must be given if and only if paired is true"):
        llm_power.parametric_required_n_proportions(0.65, 0.60, paired=paired, rho=rho)


def listed_for_type_checkers(door: ModuleType) -> dict[str, str]:
    """Module of each name that a package imports where types are checked."""
    tree = ast.parse(Path(str(door.__file__)).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    lines = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(line.module) for line in lines for alias in line.names}


@pytest.mark.parametrize("door", [llm_power, llm_power_audit])
def test_every_name_is_there_is_listed_and_is_what_type_checkers_see(door: ModuleType) -> None:
    homes = listed_for_type_checkers(door)
    assert sorted(homes) == dir(door) == door.__all__
    for name, module in homes.items():
        assert getattr(door, name) is getattr(sys.modules[module], name)


_DEFAULT = re.compile(r"^ *([\w, ]+) : .*\bdefault ([^`\s]+)$", re.MULTILINE)


@pytest.mark.parametrize("name", llm_power.__all__)
def test_a_default_is_the_one_that_is_documented(name: str) -> None:
    named = getattr(llm_power, name)
    for parameters, shown in _DEFAULT.findall(inspect.getdoc(named) or ""):
        for parameter in parameters.split(", "):
            default = inspect.signature(named).parameters[parameter].default
            assert default == ast.literal_eval(shown.replace(",", "")), parameter


_PUBLIC = [getattr(module, name) for module in (llm_power, simulation) for name in module.__all__]
_FUNCTIONS = {named.__name__: named for named in _PUBLIC if inspect.isfunction(named)}


@pytest.mark.parametrize("function", _FUNCTIONS.values(), ids=_FUNCTIONS)
def test_a_function_documents_its_parameters_and_shows_an_example(
    function: Callable[..., Any],
) -> None:
    named = re.findall(r"^([\w, *]+?)(?: : .+)?$", inspect.getdoc(function) or "", re.MULTILINE)
    words = {word.lstrip("*") for line in named for word in line.split(", ")}
    assert {*inspect.signature(function).parameters, "Examples"} <= words


@pytest.mark.parametrize("door", [llm_power, llm_power_audit])
def test_a_name_that_is_not_there_is_no_attribute(door: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"'{door.__name__}' has no attribute 'nothing'"):
        _ = door.nothing


def test_modules_that_are_imported_leave_the_names_of_the_door() -> None:
    """In a process of its own, where nothing of the library is loaded before."""
    code = (
        "import importlib, pkgutil, llm_power as door\n"
        "before = {name: getattr(door, name) for name in door.__all__}\n"
        "for module in pkgutil.walk_packages(door.__path__, 'llm_power.'):\n"
        "    if not module.name.endswith(('__main__', '_inspect')): "
        "importlib.import_module(module.name)\n"
        "print([name for name in door.__all__ if getattr(door, name) is not before[name]])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: random_clusters(40, 4, rng),
        lambda rng: resample_clusters(5, 20, rng),
        lambda rng: draw_graded_pairs(30, 0.1, 0.5, rng=rng)[0],
        lambda rng: llm_power.bootstrap_required_n(50, 30, 20, 9, rng=rng).high,
    ],
)
def test_a_generator_a_seed_or_nothing_says_what_is_drawn(draw: Callable[[Any], Any]) -> None:
    np.testing.assert_array_equal(draw(np.random.default_rng(3)), draw(3))
    assert np.shape(draw(None)) == np.shape(draw(3))


def test_every_name_is_on_the_page_of_the_api_once() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^   llm_power\.(\w+)$", page, re.MULTILINE)
    assert sorted(listed) == llm_power.__all__


def test_tables_in_memory_are_numbered_where_there_are_several() -> None:
    table = {"item": ["p", "q", "r"], "heron": [1, 1, 0], "wren": [0, 1, 0]}
    assert set(llm_power.resolve(table).ranking["task"]) == {"scores"}
    assert set(llm_power.resolve(table, table).ranking["task"]) == {"table 1", "table 2"}


def test_an_error_spells_the_flags_of_the_command_as_arguments() -> None:
    """`_errors` is below the options that it spells, so that it has their names beside them."""
    arguments = {*inspect.signature(llm_power.resolve).parameters, *Reading.__annotations__}
    flags = {
        str(one.name)
        for one in cli.commands["resolve"].params
        if isinstance(one, click.Option) and one.is_flag and one.name in arguments
    }
    for name in sorted(flags):
        option = f"--{name.replace('_', '-')}"
        assert str(InvalidArgument(f"give {option}")) == f"give {name}=True"
    assert flags == _FLAGS


@pytest.mark.parametrize("name", ["test", "clusters", "cluster_test", "control"])
def test_a_declared_word_is_one_of_those_known(name: str) -> None:
    words: Any = {name: "x"}
    with pytest.raises(InvalidArgument, match=rf"{name} must be one of .*, got 'x'"):
        llm_power.Declared(**words)


def test_a_family_is_one_of_those_known() -> None:
    family: Any = "x"
    with pytest.raises(InvalidArgument, match="family must be one of .*, got 'x'"):
        llm_power.resolve({"a": [1, 0, 1], "b": [1, 1, 0]}, family=family)


def test_a_board_without_tasks_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="a board must have a task, got none"):
        llm_power.resolve_board([])


def test_a_level_may_be_a_decimal() -> None:
    level: Any = Decimal("0.05")
    headlines = {
        llm_power.plan(gap=0.05, discordance=0.1, alpha=each).headline for each in (level, 0.05)
    }
    assert len(headlines) == 1
    assert llm_power.OperatingPoint(alpha=level).alpha == 0.05


def test_a_power_below_the_size_of_the_test_has_a_gap_above_none() -> None:
    planned = str(llm_power.plan(n=11, discordance=1.0, test="asymptotic", power=0.06))
    assert "gaps of 0 points" not in planned
