"""Every name at the door shows an example that runs as printed."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import llm_power
from llm_power import simulation

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_NAMED = [(name, getattr(m, name)) for m in (llm_power, simulation) for name in m.__all__]
DOOR = {name: named for name, named in _NAMED if callable(named)}


@pytest.mark.parametrize("name", DOOR)
def test_the_example_shows_what_it_prints(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in a folder of its own, with nothing but what it imports itself."""
    tests = doctest.DocTestFinder().find(DOOR[name], name, globs={})
    assert any(test.examples for test in tests)
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for number, test in enumerate(tests):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
