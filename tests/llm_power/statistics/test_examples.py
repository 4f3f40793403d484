"""Every example in a docstring of the ground floor prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from llm_power import statistics

MODULES = [m.name for m in pkgutil.iter_modules(statistics.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    module = importlib.import_module(f"llm_power.statistics.{name}")
    assert doctest.testmod(module).failed == 0
