"""What the models decide that are there: their own pairs, and no number of the whole board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kotawala2026.findings import on_grounds
from kotawala2026.missing import (
    in_their_place,
    of_pairs,
    pairs_there,
    what_is_absent,
    what_is_judged,
    without_value,
)
from kotawala2026.quantities.grounds import ResolvedBoard
from llm_power._scores.store import Provenance, TaskScores
from llm_power_audit.printed import parse_printed
from replication.constraints import Constraint

RANKED = tuple("abcdefghij")


@pytest.fixture(scope="module")
def whole() -> TaskScores:
    rng = np.random.default_rng(2)
    ability = np.linspace(1.4, -0.4, 10)
    solved = rng.normal(size=(600, 1)) + rng.normal(size=(600, 10)) < ability
    labels = tuple(np.repeat(["law", "math", "physics"], 200).tolist())
    ids = tuple(map(str, range(600)))
    return TaskScores("mmlu_pro", "binary", ids, RANKED, solved.astype(float), {"category": labels})


def without(task: TaskScores, *models: str) -> TaskScores:
    return task.part(models=[i for i, model in enumerate(task.models) if model not in models])


@pytest.mark.parametrize(
    ("lacking", "lost"),
    [
        ("d", {"3 vs 4", "4 vs 5"}),
        ("a", {"1 vs 2"}),
        ("j", {"9 vs 10"}),
        ("ce", {"2 vs 3", "3 vs 4", "4 vs 5", "5 vs 6"}),
    ],
)
def test_a_model_costs_its_own_pairs_alone(lacking: str, lost: set[str], whole: TaskScores) -> None:
    """Every number of every other pair is that of the whole board, under its own ranks."""
    board = ResolvedBoard.of("mmlu_pro", [whole], seed=1)
    expected = {(f.quantity, f.subject): f.value for f in on_grounds(board) if f.topic == "pairs"}
    of_pairs_there = {key: x for key, x in expected.items() if " vs " in key[1]}
    found = pairs_there("mmlu_pro", [without(whole, *lacking)], RANKED, seed=1)
    values = {(f.quantity, f.subject): f.value for f in found}
    wanted = {key: value for key, value in of_pairs_there.items() if key[1] not in lost}
    assert values.keys() == wanted.keys()
    assert {key[1] for key in of_pairs_there.keys() - values.keys()} == lost
    for key, value in wanted.items():
        assert values[key] == pytest.approx(value, rel=1e-12), key
    said = what_is_judged("mmlu_pro", [without(whole, *lacking)], RANKED)
    judged, not_judged = said.partition("; not judged by them are ")[::2]
    for pair in {subject for _, subject in of_pairs_there}:
        assert (f"{pair}," in f"{judged},") == (pair not in lost)
        assert (f"{pair}," in not_judged.replace(" and every", ",")) == (pair in lost)


def test_printed_numbers_of_other_pairs_and_of_the_board_are_left_out(whole: TaskScores) -> None:
    def printed(quantity: str, *subject: str) -> Constraint:
        name = f"{quantity}/{subject}"
        return Constraint(name, "mmlu_pro", quantity, subject, "input", "", parse_printed("1"))

    found = pairs_there("mmlu_pro", [without(whole, "d")], RANKED, seed=1)
    listed = [printed("b", "1 vs 2", "a", "b"), printed("b", "3 vs 4"), printed("unresolved_fixed")]
    listed += [printed("icc", "5 vs 6"), printed("icc_lower", "5 vs 6")]
    assert [one.id for one in of_pairs(listed, found)] == [
        "b/('1 vs 2', 'a', 'b')",
        "icc/('5 vs 6',)",
    ]
    open_ones = without_value(listed, found, "d has no row")
    assert [(one.quantity, one.subject) for one in open_ones] == [
        ("b", "3 vs 4"),
        ("unresolved_fixed", ""),
        ("icc_lower", "5 vs 6"),
    ]
    assert {one.method for one in open_ones} == {"d has no row"}


def test_a_model_costs_its_pairs_on_the_task_that_it_lacks(whole: TaskScores) -> None:
    """A board of several tasks and of all pairs."""
    tasks = [replace(whole, task=name) for name in ("ARC-C", "HS")]
    expected = pairs_there("oll_v1", tasks, RANKED, seed=1)
    part = [without(tasks[0], "d"), tasks[1]]
    found = pairs_there("oll_v1", part, RANKED, seed=1)
    lost = {one.subject for one in expected} - {one.subject for one in found}
    assert {"ARC-C, d, a", "ARC-C, a, d"} <= lost
    assert all(name.startswith("ARC-C, ") and "d" in name.split(", ")[1:] for name in lost)
    assert len(lost) == 2 * 9
    values = {(one.quantity, one.subject): one.value for one in expected}
    for one in found:
        assert one.value == pytest.approx(values[one.quantity, one.subject], rel=1e-12)
    said = what_is_judged("oll_v1", part, RANKED)
    assert "d has none on ARC-C. Judged by items are 81 of the 90 pairs; not" in said
    assert "the other 9 and every number of the whole board" in said


def test_why_a_model_is_lacking_is_said_as_the_matrix_has_it(whole: TaskScores) -> None:
    """A table that was placed by hand records nothing."""
    faults = {"no_row": {"d": 600}, "no_row_with_the_displayed_score": {"f": 600}}
    origin = Provenance(source="matrix", tolerated=faults)
    said = what_is_absent([replace(without(whole, *"dfi"), provenance=origin)], RANKED)
    assert said == "d has no row and f has no row with the displayed score and i has none"


def test_whole_items_are_said_to_judge_every_pair(whole: TaskScores) -> None:
    said = what_is_judged("mmlu_pro", [whole], RANKED)
    assert said.endswith("every pair is judged by them.")


def test_what_stands_in_for_the_items_is_no_evidence(whole: TaskScores) -> None:
    witness = TaskScores(
        "MMLU-Pro",
        "binary",
        whole.item_ids,
        RANKED,
        whole.values,
        whole.clusters,
        provenance=Provenance(source="printed", kind="witness", fitted_to="printed numbers"),
    )
    shown = in_their_place(witness, without(whole, "d"))
    assert (shown.task, shown.provenance.kind) == ("mmlu_pro", "stand_in")
    assert shown.provenance.source.startswith("a witness in the place of items that not all models")
    assert sorted(shown.models) == sorted(RANKED)
