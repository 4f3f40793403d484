"""What every test may use: a hypothesis profile, the real boards' root, a whole run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from filelock import FileLock
from hypothesis import settings

from command_line import Refusal, run
from needed import ROOT, folder_of
from repository import copy_changed, copy_repository, run_workflow

if TYPE_CHECKING:
    from browsers import Browser

# The same examples on every machine, and no deadline: a busy machine is not a failure.
settings.register_profile(
    "llm-power", derandomize=True, deadline=None, max_examples=50, database=None
)
settings.load_profile("llm-power")

# The tests of library and audit run where the other houses are not installed.
# Without a file of its own what is found is this folder's `kotawala2026`, which is not the house.
_HOUSE = find_spec("kotawala2026")
pytest_plugins = ["paper_fixtures"] if _HOUSE and _HOUSE.origin else []

# Of two workers one begins with the file that makes the whole run. Those that read it follow
# the others, so that no worker waits for it. Short ones end, so that none waits for the other.
_ORDER: Final = (
    *("test_planting.py", "test_undeclared.py", "witness", "board", "statistics"),
    *("test_workflow.py", "test_hub_workflow.py"),
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests that read the whole run, and order the files by what they take and wait for."""
    for item in items:
        if "whole_run" in getattr(item, "fixturenames", ()):
            item.add_marker("whole_run")
    # One process takes the tests in the order that its arguments name.
    if hasattr(config, "workerinput"):
        items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    named = {item.path.name, item.path.parent.name} & {*_ORDER}
    return _ORDER.index(named.pop()) if named else len(_ORDER)


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder that LLM_POWER_DATA names; tests on real boards are skipped without it."""
    return folder_of("LLM_POWER_DATA")


@pytest.fixture(scope="session")
def recorded() -> Path:
    """The folder of outputs recorded from other programs."""
    return ROOT / "data" / "recorded"


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Refusal:
    """Run a command that ends with code 2, and return the one line that says why."""

    def refused(*arguments: object) -> str:
        assert run(*arguments) == 2
        line, *offered = capsys.readouterr().err.splitlines()
        assert line.startswith("error: ")
        assert all(command.startswith("  llm-power ") for command in offered)
        return line

    return refused


@pytest.fixture(scope="module")
def opened_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser with a profile of its own."""
    # Its driver is not there where library and audit alone are.
    from browsers import open_browser  # noqa: PLC0415

    with open_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def browser(opened_browser: Browser) -> Iterator[Browser]:
    """The module's browser, which does not go on with what one test has it pretend."""
    yield opened_browser
    opened_browser.forget_emulation()


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A copy of the repository after its default run, which the workers share: only read it."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    where = shared / "whole-run"
    with FileLock(shared / "whole-run.lock"):
        if not (where / "results" / "manifest.json").is_file():
            finished = os.environ.get("LLM_POWER_FINISHED_RUN")
            begun = copy_changed(Path(finished), where) if finished else copy_repository(where)
            done = run_workflow(begun)
            assert done.returncode == 0, done.stdout + done.stderr
    return where
