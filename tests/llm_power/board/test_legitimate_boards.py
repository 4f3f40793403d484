"""Boards with models that solved all or nothing, that tie throughout, or that share no item.

None of them is an error: each pair gets its row, and what cannot be estimated of it is null.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from board_examples import screen, task_of
from llm_power._board.cluster_robustness import (
    category_bootstrap_tables,
    cluster_definition_table,
    leave_one_out_table,
)
from llm_power._board.clusters import tabulate_clusters
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._board.resolve import BoardVerdicts, resolve_board
from llm_power._board.summary import describe_board
from llm_power._choices import Kind
from llm_power._report.board_files import write_board
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores

ITEMS = 24
ALL, NOTHING, HALF, TWIN = (
    np.ones(ITEMS),
    np.zeros(ITEMS),
    np.arange(ITEMS) % 2,
    np.arange(ITEMS) % 2,
)
EARLY = np.where(np.arange(ITEMS) < ITEMS / 2, np.arange(ITEMS) % 3 == 0, np.nan)
LATE = np.where(np.arange(ITEMS) < ITEMS / 2, np.nan, np.arange(ITEMS) % 4 == 0)


def board_of(
    kind: Kind, cluster: str | None, **declared: object
) -> tuple[TaskScores, BoardVerdicts]:
    columns = {"all": ALL, "nothing": NOTHING, "none": NOTHING, "half": HALF, "twin": TWIN}
    columns |= {"early": EARLY, "late": LATE}
    values = np.column_stack([*columns.values()]).astype(float) / (1 if kind == "binary" else 2)
    task = task_of(values, kind=kind, models=[*columns], subjects=4)
    ranked = prepare_task(task, missing="pairwise")
    point = Declared(margin=0.1, **declared)  # type: ignore[arg-type]
    return ranked, resolve_board([ranked], family="all", cluster=cluster, declared=point)


@pytest.mark.parametrize("kind", ["binary", "graded"])
@pytest.mark.parametrize("cluster", [None, "subject"])
def test_every_pair_has_a_verdict(tmp_path: Path, kind: Kind, cluster: str | None) -> None:
    ranked, board = board_of(kind, cluster, monitored=kind == "binary")
    records = board.verdicts.to_dict("records")
    pairs = {(row["model_a"], row["model_b"]): row for row in records}
    assert len(pairs) == 21
    # A steady graded gap leaves nothing to estimate its error from.
    decided = kind == "binary" and cluster is None
    assert pairs["all", "nothing"]["verdict"] == ("different" if decided else "undetermined")
    twins = pairs["half", "twin"]
    assert (twins["delta"], twins["n_star"], twins["q"]) == (0, np.inf, 0)
    strangers = pairs["early", "late"]
    assert strangers["n_items"] == 0
    assert strangers["verdict"] == "undetermined"
    unknown = ("delta", "rho", "n_star", "gap_low", "more_items_needed")
    assert all(np.isnan(strangers[name]) for name in unknown)
    assert (strangers["q"], strangers["p_single"], strangers["p_family"]) == (0, 1, 1)
    assert "no item in common" in screen(board)
    summary = describe_board(board, [ranked], missing="pairwise")
    if decided:  # the pictures take a second
        write_board(tmp_path, board, [ranked], summary)


@pytest.mark.parametrize("kind", ["binary", "graded"])
def test_the_tables_of_cluster_robustness(kind: Kind) -> None:
    ranked, _ = board_of(kind, None)
    sums, point = tabulate_clusters(ranked, "subject", "all"), OperatingPoint()
    assert len(leave_one_out_table(sums, point)) == 21 * 4
    intervals, _ = category_bootstrap_tables(sums, point, n_resamples=20, seed=1)
    assert len(intervals) == 21
    assert len(cluster_definition_table(ranked, "subject", "all", point, seed=1)) == 4


def test_a_board_of_ties_alone() -> None:
    task = TaskScores("exam", "binary", ("1", "2"), ("a", "b"), np.ones((2, 2)))
    board = resolve_board([prepare_task(task)])
    assert board.verdicts["verdict"].tolist() == ["undetermined"]
    assert board.ranks[["rank_low", "rank_high"]].to_numpy().tolist() == [[1, 2], [1, 2]]


def test_ranks_where_no_item_has_a_score_of_every_model() -> None:
    """Two forms: a lead counts where no filling of the missing scores turns it."""
    _, board = board_of("binary", None)
    ranks = board.ranks.set_index("model")
    assert (ranks.loc["all", "rank_low"], ranks.loc["nothing", "rank_low"]) == (1, 4)
    assert (ranks.loc["early", "rank_low"], ranks.loc["early", "rank_high"]) == (2, 7)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "kind", "cluster"),
    [("alpaca_eval2/preference", "graded", "subset"), ("olv1_items/gsm8k", "binary", "form")],
)
def test_real_boards(data_root: Path, file: str, kind: Kind, cluster: str) -> None:
    """Each was refused for a model that ties with the baseline, or that solved nothing."""
    options = ReadOptions(kind=kind, clusters=[cluster])
    scores = read_scores(data_root / f"{file}.parquet", options)
    ranked = prepare_task(scores, only_best=min(100, scores.n_models), missing="pairwise")
    board = resolve_board([ranked])
    assert len(board.verdicts) == len(ranked.models) - 1
    assert board.ranks["rank_low"].notna().all()
