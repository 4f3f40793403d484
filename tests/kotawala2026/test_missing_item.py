"""The item that Table 7 leaves out: what the printed numbers say of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kotawala2026.missing import leave_one_out, require_same_categories
from llm_power._errors import ScoreError
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores
from llm_power._scores.store import TaskScores
from llm_power_audit.printed import parse_printed
from needed import ROOT
from replication.constraints import Constraint
from replication.findings import Finding
from replication.hub.matrices import block_labels

LABELS = ("law", "law", "law", "math", "math", "physics")
SOLVED = [[1, 1], [1, 0], [1, 1], [1, 1], [0, 1], [0, 0]]


def task() -> TaskScores:
    values = np.array(SOLVED, dtype=np.float64)
    ids = tuple(map(str, range(6)))
    return TaskScores("t", "binary", ids, ("a", "b"), values, {"category": LABELS})


def evaluate(scores: TaskScores) -> list[Finding]:
    """Numbers of items by category, and one that is drawn."""
    sizes = Counter(scores.clusters["category"])
    drawn = [Finding("drawn", "", 1.0, standard_error=0.1), Finding("parity_unresolved", "", 9.0)]
    return [*(Finding("size", label, float(n)) for label, n in sizes.items()), *drawn]


def printed(quantity: str, subject: str, text: str) -> Constraint:
    name = f"table_04/{subject or quantity}"
    return Constraint(name, "t", quantity, (subject,), "held_out", "", parse_printed(text))


def test_category_that_reproduces_most_loses_its_last_shared_item() -> None:
    claims = [printed("size", "law", "2"), printed("size", "math", "2")]
    claims += [printed("drawn", "", "7"), printed("parity_unresolved", "", "1")]
    kept, items = leave_one_out(task(), 5, claims, evaluate)
    assert kept.item_ids == ("0", "1", "3", "4", "5")
    assert kept.clusters["category"] == ("law", "law", "math", "math", "physics")
    assert kept.provenance.source.endswith(", item 2 of law left out")
    assert items["item"].tolist() == ["0", "2", "3"]
    assert items["is_possible"].tolist() == [True, True, False]
    assert items["is_left_out"].tolist() == [False, True, False]
    assert set(items["n_printed"]) == {2}
    assert items["n_reproduced"].tolist() == [2, 2, 0]
    assert items["missed"].tolist() == ["", "", "table_04/law, table_04/math"]


def test_numbers_that_no_category_reproduces_decide_nothing() -> None:
    kept, items = leave_one_out(task(), 5, [printed("size", "physics", "7")], evaluate)
    assert items["is_possible"].all()
    assert set(items["missed"]) == {""}
    assert kept.item_ids == ("0", "1", "3", "4", "5")  # the first category in the test's order


def test_scores_without_the_item_stay_as_they_are() -> None:
    kept, items = leave_one_out(task(), 6, [], evaluate)
    assert kept == task() or kept.item_ids == task().item_ids
    assert items.empty


@pytest.mark.parametrize("n_printed", [3, 4, 7])
def test_other_numbers_of_items_are_refused(n_printed: int) -> None:
    with pytest.raises(ScoreError, match="6 items, of which all models solved 3"):
        leave_one_out(task(), n_printed, [], evaluate)


def test_nothing_can_be_left_out_where_no_item_was_solved_by_all() -> None:
    none = replace(task(), values=np.array([[1, 0], [0, 1]] * 3, dtype=np.float64))
    with pytest.raises(ScoreError, match="all models solved 0"):
        leave_one_out(none, 5, [], evaluate)


def test_categories_are_held_against_the_authors_item_by_item() -> None:
    ours = task()
    ids = ("70", "71", "81", "90", "100", "101")
    order = [3, 0, 1, 5, 4, 2]  # as text, 100 comes before 70
    authors = replace(
        ours,
        item_ids=tuple(ids[i] for i in order),
        clusters={"category": tuple(LABELS[i] for i in order)},
    )
    require_same_categories(ours, authors)
    other = replace(authors, clusters={"category": tuple(LABELS)})
    with pytest.raises(ScoreError, match=r"item '2': it is of 'law' here, and of 'physics' in"):
        require_same_categories(ours, other)


def test_blocks_of_the_test_are_those_of_the_authors_outputs(data_root: Path) -> None:
    labels = block_labels(ROOT / "data/kotawala2026/mmlu_pro_categories.csv")
    ids = tuple(map(str, range(len(labels))))
    values = np.eye(len(labels), 2)
    ours = TaskScores("t", "binary", ids, ("a", "b"), values, {"category": labels})
    files = sorted((data_root / "mmlu_pro" / "raw").glob("*_Yi-*.zip"))
    authors = read_scores(files, ReadOptions(clusters=("category",)), reader="mmlu_pro_zip")
    assert authors.n_items == len(labels)
    require_same_categories(ours, authors)
