"""The stages that an exhibit shows, and what it rests on, read off the jobs that would make it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repository import copy_repository, run_workflow

pytestmark = pytest.mark.slow

# Those that rest on the items of a panel which the leaderboards published.
OF_ITEMS = {
    *(f"table_{number:02d}" for number in range(3, 13)),
    *(f"figure_{number:02d}" for number in (1, 2, 3)),
}
# Calculators, simulations, and the panel whose items nobody published.
OTHERS = {"table_01", "table_02", *(f"figure_{number:02d}" for number in (4, 5, 6, 7))}
_NODE = re.compile(r'^\s*(\d+)\[label = "(\w+)', re.MULTILINE)
_EDGE = re.compile(r"^\s*(\d+) -> (\d+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_repository(tmp_path_factory.mktemp("dag") / "repository")


def rules_before(where: Path, *options: str) -> dict[str, list[str]]:
    """Return the rules of all jobs that each exhibit waits for, with repeats."""
    targets = sorted(OF_ITEMS | OTHERS)
    done = run_workflow(where, *targets, "--forceall", "--dag", "dot", *options)
    assert done.returncode == 0, done.stderr
    rules = dict(_NODE.findall(done.stdout))
    edges = _EDGE.findall(done.stdout)
    found = {}
    for job, rule in rules.items():
        if rule in targets:
            reached = {job}
            while more := {before for before, after in edges if after in reached} - reached:
                reached |= more
            found[rule] = [rules[one] for one in reached - {job}]
    return found


def test_from_printed_numbers_an_exhibit_waits_for_the_stages_it_shows(where: Path) -> None:
    before = {name: sorted(rules) for name, rules in rules_before(where).items()}
    panel = ["discordance", "witness_mmlu_pro", "witness_scores"]
    assert before["table_04"] == sorted([*panel, "icc", "required_n"])
    assert before["table_08"] == sorted([*panel, "icc", "loso"])
    assert before["table_09"] == sorted([*panel, "icc", "category_bootstrap"])
    assert {"multiplicity", "icc", "e_process"} < {*before["table_05"]}
    assert len(before["table_08"]) + 1 <= 7
    for name in ("table_06", "table_07", "table_11", "table_12", "figure_03"):
        assert before[name] == []
    assert not any("held_board" in rules for rules in before.values())


@pytest.mark.parametrize("source", ["items", "hub"])
def test_with_items_every_exhibit_that_rests_on_them_reaches_a_download(
    source: str, where: Path
) -> None:
    before = rules_before(where, "--config", f"source={source}")
    reaching = {name for name, rules in before.items() if "download" in rules}
    assert reaching == OF_ITEMS
    assert {"missing_item", "discordance", "required_n"} < {*before["table_07"]}
    assert not {"icc", "multiplicity", "e_process", "held_board"} & {*before["table_07"]}
