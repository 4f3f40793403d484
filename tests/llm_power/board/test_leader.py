"""Who is first: by the declared test against each rival, and said so that other lines agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from board_examples import screen, task_of
from llm_power._board.all_pairs import BoardPairs
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._board.ranks import first_sentence, leader_p, rank_notes
from llm_power._board.resolve import resolve_board, stream_board
from llm_power._choices import Kind
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores
from llm_power._statistics.random_streams import named_rng

AT = OperatingPoint()
TRIALS = 400


def ranked(values: np.ndarray[Any, Any], name: str = "exam") -> TaskScores:
    return prepare_task(task_of(values, name, subjects=10))


def drawn(name: str, accuracies: list[float], n: int = 300) -> np.ndarray[Any, Any]:
    rng = named_rng(0, name)
    common = rng.uniform(size=(n, 1)) < 0.5
    own, shared = rng.uniform(size=(n, len(accuracies))), rng.uniform(size=(n, 1))
    return (np.where(common, shared, own) < accuracies).astype(float)


@pytest.mark.parametrize("test", ["exact", "asymptotic"])
@pytest.mark.parametrize("cluster", [None, "subject"])
@pytest.mark.parametrize("kind", ["binary", "graded"])
def test_it_is_the_largest_p_of_the_first_models_pairs(
    kind: Kind, cluster: str | None, test: Any
) -> None:
    values = drawn("largest", [0.7, 0.6, 0.55, 0.4])
    if kind == "graded":
        values = 0.5 * (values + drawn("more", [0.7, 0.6, 0.55, 0.4]))
    board = resolve_board(
        [ranked(values)], family="all", cluster=cluster, declared=Declared(test=test)
    )
    own = board.verdicts[board.verdicts["rank_a"] == 1]
    assert board.ranks["p_first"].iloc[0] == pytest.approx(own["p_single"].max(), rel=1e-12)
    assert board.ranks["p_first"].iloc[1:].isna().all()
    assert board.ranks["first"].tolist() == [own["p_single"].max() <= 0.05, False, False, False]


def all_pairs(task: TaskScores) -> BoardPairs:
    return BoardPairs([task], "all", None, AT, Declared())


def test_neither_the_family_nor_the_engine_changes_it() -> None:
    tasks = [ranked(drawn("engine", [0.7, 0.6, 0.5, 0.5]))]
    boards = [resolve_board(tasks), resolve_board(tasks, family="all"), stream_board(tasks)]
    first, *others = (board.ranks[["first", "p_first"]] for board in boards)
    for other in others:
        pd.testing.assert_frame_equal(first, other)


def test_of_two_that_tie_one_is_called_first_no_more_often_than_the_level() -> None:
    called = [
        leader_p(all_pairs(ranked(drawn(f"tie/{i}", [0.6, 0.6, 0.2, 0.1])))) <= 0.05
        for i in range(TRIALS)
    ]
    assert np.mean(called) <= 0.05 + 3 * (0.05 * 0.95 / TRIALS) ** 0.5


@pytest.mark.slow
def test_a_clear_lead_is_found_more_often_than_by_the_sets_of_ranks() -> None:
    boards = [
        resolve_board([ranked(drawn(f"clear/{i}", [0.7, 0.6, 0.6, 0.6, 0.6, 0.6]))])
        for i in range(100)
    ]
    first = sum(bool(board.ranks["first"].iloc[0]) for board in boards)
    alone = sum(int(board.ranks["rank_low"].eq(1).sum()) == 1 for board in boards)
    assert first > alone + 5


def test_missing_scores_that_could_turn_a_gap_leave_no_leader() -> None:
    values = drawn("missing", [0.9, 0.5, 0.4])
    assert leader_p(all_pairs(ranked(values))) < 1e-6
    values[:150, 0] = np.nan
    task = prepare_task(task_of(values), missing="pairwise")
    assert leader_p(all_pairs(task)) == 1.0


def test_the_average_has_a_leader_of_its_own() -> None:
    tasks = [ranked(drawn(f"average/{i}", [0.75, 0.6, 0.5]), name=f"t{i}") for i in range(2)]
    average = resolve_board(tasks, family="all").average
    assert average is not None
    own = average.verdicts[average.verdicts["rank_a"] == 1]
    assert average.ranks["p_first"].iloc[0] == pytest.approx(own["p_single"].max(), rel=1e-12)
    assert average.ranks["first"].iloc[0]


def ranks_of(first: bool, low: list[int], high: list[int]) -> pd.DataFrame:
    models = [f"m{i}" for i in range(len(low))]
    leads = [first, *[False] * (len(low) - 1)]
    apart = {"score_low": np.arange(len(low)), "score_high": np.arange(len(low)), "n_missing": 0}
    return pd.DataFrame(
        {"model": models, "rank_low": low, "rank_high": high, "first": leads, **apart}
    )


def pairs_of(verdict: str, lowest: float = 0.1) -> pd.DataFrame:
    pair = {"rank_a": 1, "rank_b": 2, "model_a": "m0", "model_b": "m1", "verdict": verdict}
    return pd.DataFrame([pair | {"gap_lowest": lowest, "gap_highest": 0.1}])


@pytest.mark.parametrize(
    ("ranks", "verdict", "start"),
    [
        (ranks_of(True, [1, 2, 2], [1, 3, 3]), "different", "m0 is first, with 95% confidence."),
        (ranks_of(True, [1, 1, 2], [2, 3, 3]), "different", "m0 is first, with 95% confidence: it"),
        (ranks_of(True, [1, 2, 2], [1, 3, 3]), "undetermined", "m0 is first, with 95% confidence:"),
        (ranks_of(False, [1, 1, 2], [2, 3, 3]), "undetermined", "2 models could be first: m0, m1."),
        (ranks_of(False, [1, 1, 1], [3, 3, 3]), "undetermined", "Any of the 3 models could be fir"),
        (ranks_of(False, [1, 2, 2], [1, 3, 3]), "undetermined", "m0 leads, and is not shown to be"),
    ],
)
def test_the_sentence_says_who_is_or_could_be_first(
    ranks: pd.DataFrame, verdict: str, start: str
) -> None:
    assert first_sentence(ranks, pairs_of(verdict), 0.05).startswith(start)


def test_what_seems_to_contradict_the_ranks_is_explained() -> None:
    plain = ranks_of(True, [1, 2, 2], [1, 3, 3])
    assert rank_notes(plain, pairs_of("different")) == []
    [note] = rank_notes(plain.assign(score_low=0.4, score_high=0.5), pairs_of("different"))
    assert note.startswith("Models with overlapping score intervals may still differ")
    [note] = rank_notes(ranks_of(False, [1, 2, 1], [3, 3, 3]), pairs_of("undetermined"))
    assert note.startswith("Possible ranks need not follow the scores: a gap that varies less")
    assert "or without a few far below the rest (skewness)" in note
    lacking = ranks_of(False, [1, 2, 1], [3, 3, 3]).assign(n_missing=[0, 0, 9])
    [note] = rank_notes(lacking, pairs_of("undetermined"))
    assert "scores: a lead counts only if no value of the missing scores would close it" in note
    [note] = rank_notes(ranks_of(False, [1, 1, 3], [2, 2, 3]), pairs_of("different"))
    assert note.endswith(
        "have the same possible ranks: ranks hold for all pairs of models at "
        "once, verdicts for the pairs compared."
    )
    [note] = rank_notes(ranks_of(False, [1, 1, 3], [2, 2, 3]), pairs_of("different", -0.1))
    assert note.endswith("only if no value of the missing scores would close it.")


def test_an_unknown_score_has_no_number_on_the_screen() -> None:
    board = resolve_board([ranked(drawn("absent", [0.7, 0.6, 0.5]))])
    unknown = board.ranks["score"].where(board.ranks["rank"] < 3)
    assert "nan" not in screen(replace(board, ranks=board.ranks.assign(score=unknown)))
