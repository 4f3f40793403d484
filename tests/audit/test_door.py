"""The names that `audit` offers: each there, shown by an example, and loaded on first use."""

from __future__ import annotations

import ast
import doctest
from importlib import import_module
from pathlib import Path

import pytest
from click import Command

import llm_power_audit as audit
from llm_power._plugins import load_plugin, plugin_names


def test_every_name_is_there_and_is_what_type_checkers_see() -> None:
    tree = ast.parse(Path(str(audit.__file__)).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    lines = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: str(line.module) for line in lines for alias in line.names}
    assert sorted(homes) == dir(audit) == audit.__all__
    for name, module in homes.items():
        assert getattr(audit, name) is getattr(import_module(module), name)


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="module 'llm_power_audit' has no attribute 'nothing'"):
        _ = audit.nothing


@pytest.mark.parametrize("name", dir(audit))
def test_every_name_shows_an_example_that_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    (test,) = doctest.DocTestFinder(recurse=False).find(getattr(audit, name), name, globs={})
    assert test.examples
    runner = doctest.DocTestRunner(optionflags=options)
    assert runner.run(test).failed == 0


def test_the_command_is_found_by_its_entry_point() -> None:
    assert plugin_names("llm_power.commands") == ("audit",)
    assert isinstance(load_plugin("llm_power.commands", "audit"), Command)
