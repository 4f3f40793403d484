"""The interval beside a verdict is that of the procedure that decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from board_examples import screen, task_of
from llm_power._board.all_pairs import BoardPairs, p_values_between
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._board.resolve import resolve_board
from llm_power._choices import CONTROLS, Kind
from llm_power._report.pair_answers import answer_from_counts
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores
from llm_power._statistics.random_streams import named_rng

MARGIN = 0.08


def board_task(name: str, n: int, kind: Kind, models: int = 5, holes: float = 0.0) -> TaskScores:
    """Return models of abilities near one another, in clusters that lean a little."""
    rng = named_rng(7, f"intervals/{name}/{n}/{kind}")
    cluster = np.arange(n) % 9
    latent = rng.normal(size=(n, 1)) + 0.7 * rng.normal(size=(n, models))
    latent += 0.1 * rng.normal(size=(9, models))[cluster] + rng.uniform(-0.4, 0.4, models)
    values = (latent > 0).astype(float)
    if kind == "real":
        values = 0.05 * np.exp(latent)
    if kind == "graded":
        values = np.where(rng.random((n, 1)) < 0.5, np.round(1 / (1 + np.exp(-latent)), 2), 1.0)
    # The first model has all, and whoever lacks scores lacks those of later clusters.
    values[
        (rng.random((n, models)) < holes * cluster[:, np.newaxis] / 8) & (np.arange(models) > 0)
    ] = np.nan
    task = task_of(values, name, kind=kind, models="abcde"[:models], ids=name, subjects=cluster)
    return prepare_task(task, missing="pairwise")


def assert_rows_agree(rows: pd.DataFrame, margin: float | None, largest: float = 1.0) -> None:
    """Hold every row's verdict against its interval."""
    low, high = (rows[name].to_numpy(float) for name in ("gap_low", "gap_high"))
    different = (rows["verdict"] == "different").to_numpy()
    np.testing.assert_array_equal((low > 0) | (high < 0), different)
    np.testing.assert_array_equal(np.sign(low + high)[different], rows["direction"][different])
    assert np.all((low <= rows["gap"]) & (rows["gap"] <= high))
    assert np.all((low >= -largest) & (high <= largest))
    if margin is None:
        assert not rows["within_margin"].any()
    else:
        inside = (low >= -margin) & (high <= margin)
        np.testing.assert_array_equal(inside, rows["within_margin"])
        np.testing.assert_array_equal(inside & ~different, rows["verdict"] == "equivalent")


@pytest.mark.parametrize(
    ("family", "margin"),
    [("all", None), ("adjacent", MARGIN), pytest.param("all", MARGIN, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(
    ("kind", "declared"),
    [
        ("binary", {}),
        ("binary", {"test": "mid_p"}),
        ("graded", {}),
        ("binary", {"control": "fdr"}),
        ("graded", {"control": "fdr-by", "cluster": "subject"}),
        ("binary", {"cluster": "subject"}),
        ("graded", {"cluster": "subject"}),
        ("binary", {"cluster": "subject", "clusters": "fixed"}),
        ("binary", {"cluster": "subject", "cluster_test": "wild"}),
        ("graded", {"cluster": "subject", "cluster_test": "sign-flip", "control": "fdr"}),
        ("binary", {"test": "asymptotic"}),
        ("binary", {"cluster": "subject", "weighted": True}),
        ("graded", {"cluster": "subject", "clusters": "fixed", "weighted": True}),
        ("real", {}),
        ("real", {"cluster": "subject", "control": "fdr-by"}),
    ],
)
def test_every_row_says_the_same_twice(
    kind: Kind, declared: dict[str, Any], family: Any, margin: float | None
) -> None:
    other: Kind = "real" if kind == "real" else "binary"
    largest = np.inf if kind == "real" else 1.0
    holes = 0.2 if "weighted" in declared else 0.0
    asked = dict(declared)
    cluster = asked.pop("cluster", None)
    how = replace(Declared(margin=margin), **asked)
    seen = set()
    for n in (40, 600):
        tasks = [
            board_task("exam", n, kind, holes=holes),
            board_task("quiz", n // 2, other, holes=holes),
        ]
        found = resolve_board(tasks, family=family, cluster=cluster, declared=how)
        assert found.average is not None
        for rows in (found.verdicts, found.average.verdicts):
            assert_rows_agree(rows, margin, largest)
            assert (rows["gap_low"] <= rows["gap_low_single"])[~rows["within_margin"]].all()
            seen |= set(rows["verdict"])
        pairs = BoardPairs(tasks, family, cluster, OperatingPoint(), how)
        values = pairs.adjusted(*p_values_between(pairs, 0, pairs.n_pairs))
        streamed = pd.DataFrame(dict(pairs.columns(0, pairs.n_pairs, values)))
        assert_rows_agree(streamed, margin, largest)
        ends = ["gap_low", "gap_high"]
        np.testing.assert_allclose(streamed[ends], found.verdicts[ends], atol=1e-12)
    assert {"different", "undetermined"} <= seen
    assert ("equivalent" in seen) == (margin is not None)


def test_discoveries_are_said_in_words_and_leave_the_ranks_to_max_t() -> None:
    tasks = [board_task("exam", 300, "binary")]
    found = {
        control: resolve_board(tasks, family="all", declared=Declared(control=control))
        for control in CONTROLS
    }
    different = {name: (x.verdicts["verdict"] == "different").sum() for name, x in found.items()}
    assert different["max-t"] <= different["fdr"] >= different["fdr-by"] > 0
    pd.testing.assert_frame_equal(found["fdr"].ranks, found["max-t"].ranks)
    text = screen(found["fdr"])
    assert (
        "False discovery rate 5%: on average at most 5% of the pairs called different do not "
        "differ or differ in the other direction"
    ) in text
    assert "FCR-adjusted 95% interval" in text
    assert "max-T" not in text
    assert "Possible ranks hold simultaneously, with 95% confidence" in text
    assert "simultaneous 95% interval" in screen(found["max-t"])


def test_a_score_interval_is_extended_to_what_the_exact_test_leaves_open() -> None:
    found = answer_from_counts(295, 249, 10_042).values
    assert found["verdict"] == "undetermined"
    assert found["gap_low"] == 0
    assert found["n_star_high"] == np.inf


def test_far_in_the_tail_the_exact_test_ends_the_interval_short_of_none() -> None:
    """Forty items all one way: p is 2^-39 by the exact test, 2.5e-10 by the score test."""
    level = OperatingPoint(alpha=1e-11)
    found = answer_from_counts(40, 0, 1_000, point=level).values
    assert found["verdict"] == "different"
    assert 0 < found["gap_low"] < 0.01
