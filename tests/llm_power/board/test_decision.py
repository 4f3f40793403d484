"""The verdict of every pair of a board, and the ranks of its models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import skew

from board_examples import screen, task_of, written_pairs
from llm_power._board.all_pairs import BoardPairs, p_values_between
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._board.resolve import BoardVerdicts, resolve_board, stream_board
from llm_power._board.summary import describe_board, missing_warnings
from llm_power._choices import ClusterTest, Family
from llm_power._errors import InvalidArgument, ScoreError
from llm_power._example import example_task
from llm_power._report.board_tables import error_bars
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores
from llm_power._statistics.cluster_moments import moments_from_differences
from llm_power._statistics.cluster_robust import (
    cluster_robust_test,
    cluster_sign_flip_test,
    wild_cluster_bootstrap,
)
from llm_power._statistics.predictive_power import spread_of_gaps
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.verdict import binary_verdicts, mean_verdicts


def pair_of(b: int, c: int, n: int) -> TaskScores:
    values = np.zeros((n, 2))
    values[:b, 0] = 1
    values[b : b + c, 1] = 1
    values[b + c :: 2] = 1
    return task_of(values)


def resolve(
    task: TaskScores, family: Family = "all", cluster: str | None = None, **declared: object
) -> BoardVerdicts:
    return resolve_board(
        [task],
        family=family,
        cluster=cluster,
        declared=replace(Declared(), **declared),  # type: ignore[arg-type]
    )


def row_of(board: BoardVerdicts) -> pd.Series:
    return board.verdicts.iloc[0]


def test_items_are_planned_by_the_gaps_of_all_models() -> None:
    """Whatever pairs are compared or shown, and in whatever order and by whatever names."""
    rng = named_rng(0, "planned/board")
    values = (rng.uniform(size=(150, 9)) < np.linspace(0.6, 0.7, 9)).astype(float)
    task, spread = prepare_task(task_of(values)), spread_of_gaps([values], [1.0])
    every = resolve(task).verdicts
    pairs = BoardPairs([task], "all", None, OperatingPoint(), Declared())
    level = pairs.adjusted(*p_values_between(pairs, 0, pairs.n_pairs)).decided.level
    for columns in (resolve_board([task], family="all", top=3).verdicts, every):
        b, c = (columns[name].to_numpy(int) for name in "bc")
        found = binary_verdicts(b, c, 150, alpha=level, prior=spread)
        np.testing.assert_array_equal(columns["items_assured"], found.assured_items)
    usual = binary_verdicts(b, c, 150, alpha=level)
    assert (found.assured_items != usual.assured_items).any()
    other = rng.permutation(9)
    renamed = task_of(values[:, other], models=[f"m{j}" for j in other])
    pd.testing.assert_frame_equal(resolve(prepare_task(renamed)).verdicts, every)


def test_five_discordant_items_one_way_are_resolved_and_undetermined() -> None:
    row = row_of(resolve(pair_of(5, 0, 10)))
    assert (row["verdict"], row["p_single"], row["p_family"]) == ("undetermined", 0.0625, 0.0625)
    assert row["resolved"]
    assert not row["attainable"]
    assert (row["items_even"], row["items_assured"], row["more_items_needed"]) == (27, 54, 18)
    assert (row["gap_low"], row["n_star_high"]) == (0, np.inf)


def test_the_test_that_was_asked_for_decides() -> None:
    task = pair_of(5, 0, 10)
    found = {name: row_of(resolve(task, test=name)) for name in ("exact", "mid_p", "asymptotic")}
    assert [row["verdict"] for row in found.values()] == ["undetermined", "different", "different"]
    assert [row["test"] for row in found.values()] == list(found)


def test_no_pair_is_equivalent_without_a_margin() -> None:
    task = pair_of(20, 18, 2_000)
    assert row_of(resolve(task))["verdict"] == "undetermined"
    row = row_of(resolve(task, margin=0.02))
    assert (row["verdict"], row["more_items_needed"]) == ("equivalent", 0)
    assert "equivalent: 1 of 1" in screen(resolve(task, margin=0.02))


def test_a_pair_alone_is_the_verdict_of_its_counts() -> None:
    row, found = row_of(resolve(pair_of(30, 12, 400))), binary_verdicts(30, 12, 400)
    assert row["p_single"] == row["p_family"] == found.p
    assert (row["gap_low"], row["gap_high"]) == (found.interval.low, found.interval.high)
    assert row["more_items_needed"] == found.further_items


def test_graded_pairs_are_judged_as_their_differences() -> None:
    rng = named_rng(0, "graded")
    values = rng.uniform(0.2, 0.8, size=(60, 2)) + np.array([0.06, 0])
    task = prepare_task(task_of(values))
    row = row_of(resolve(task, margin=0.2))
    d = task.values[:, 0] - task.values[:, 1]
    law, tilt = (d.mean(), d.std(ddof=1) / np.sqrt(60), 59, 60), skew(d) / np.sqrt(60)
    found = mean_verdicts(*law, skew=tilt, hall_df=59, margin=0.2)
    for name, value in (
        ("p_single", found.p),
        ("p_equivalence", found.p_equivalence),
        ("gap_low", found.interval.low),
        ("more_items_needed", found.further_items),
    ):
        assert row[name] == pytest.approx(float(value), rel=1e-10), name
    assert (row["verdict"], row["test"]) == (str(found.verdict), "student")


def test_clusters_that_are_a_sample_decide_and_fixed_ones_do_not() -> None:
    rng = named_rng(1, "clustered")
    lead = np.repeat(rng.normal(size=(12, 1)) * 0.8 + 0.4, 30, axis=0)
    values = (rng.normal(size=(360, 2)) + lead * [1, 0] > 0).astype(float)
    task = prepare_task(task_of(values, subjects=np.arange(360) // 30))
    alone = row_of(resolve(task))
    fixed = row_of(resolve(task, cluster="subject", clusters="fixed"))
    random = row_of(resolve(task, cluster="subject"))
    assert (fixed["test"], fixed["p_single"]) == ("exact", alone["p_single"])
    d = task.values[:, 0] - task.values[:, 1]
    robust = cluster_robust_test(moments_from_differences(d, task.clusters["subject"]))
    law = robust.delta, robust.standard_error, robust.df
    expected = mean_verdicts(*law, 360, skew=robust.skew)
    assert random["test"] == "cluster"
    assert random["p_single"] == pytest.approx(float(expected.p), rel=1e-10)
    assert random["gap_low"] == pytest.approx(float(expected.interval.low), rel=1e-10)
    assert random["design_effect_kish"] == pytest.approx(random["design_effect"])  # equal sizes
    assert random["icc_low"] < random["icc"] < random["icc_high"]


def test_ranks_are_for_further_clusters_where_these_are_a_sample() -> None:
    rng = named_rng(4, "ranks of clusters")
    lead = np.repeat(rng.normal(0.4, 1.2, size=(8, 1)), 60, axis=0)
    values = (rng.normal(size=(480, 3)) + lead * [1, 0, 0] + [0, 0, -2] > 0).astype(float)
    task = prepare_task(task_of(values, subjects=np.arange(480) // 60))
    sets = {
        name: list(zip(board.ranks["rank_low"], board.ranks["rank_high"], strict=True))
        for name, board in (
            ("items", resolve(task)),
            ("fixed", resolve(task, cluster="subject", clusters="fixed")),
            ("random", resolve(task, cluster="subject")),
        )
    }
    assert sets["items"] == sets["fixed"] == [(1, 1), (2, 2), (3, 3)]
    assert sets["random"] == [(1, 2), (1, 2), (3, 3)]
    one = {"subject": ("s",) * 480}
    board = resolve(replace(task, clusters=one), cluster="subject")
    # One cluster says nothing of others: the items are the sample.
    assert list(board.ranks["rank_high"]) == [1, 2, 3]


@pytest.mark.parametrize("cluster_test", ["wild", "sign-flip"])
def test_clusters_are_resampled_where_that_is_declared(cluster_test: ClusterTest) -> None:
    rng = named_rng(2, "resampled clusters")
    subject = np.arange(240) // 24
    lead = np.repeat(rng.normal(0.5, 0.4, size=(10, 1)), 24, axis=0)
    values = (rng.normal(size=(240, 3)) + lead * [1, 0.5, 0] > 0).astype(float)
    task = prepare_task(task_of(values, subjects=subject))
    found = resolve(task, cluster="subject", cluster_test=cluster_test).verdicts
    items = resolve(task).verdicts
    resample = wild_cluster_bootstrap if cluster_test == "wild" else cluster_sign_flip_test
    for row, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
        d = task.values[:, pair[0]] - task.values[:, pair[1]]
        expected = float(resample(moments_from_differences(d, subject)).p)
        assert found["p_single"][row] == pytest.approx(max(expected, items["p_single"][row]))
    assert set(found["test"]) == {f"cluster_{cluster_test.replace('-', '_')}"}
    few = {"subject": tuple(f"s{i // 60}" for i in range(240))}
    few_clusters = replace(task, clusters=few)
    assert (
        not resolve(few_clusters, cluster="subject", cluster_test=cluster_test)
        .verdicts["attainable"]
        .any()
    )


@pytest.mark.parametrize(
    ("smaller", "declared", "warned"),
    [
        (11, {}, True),
        (12, {}, False),
        (11, {"cluster_test": "wild"}, False),
        (11, {"clusters": "fixed"}, False),
    ],
)
def test_a_cluster_with_nearly_all_items_is_named(
    smaller: int, declared: dict[str, Any], warned: bool
) -> None:
    values = (named_rng(0, "dominant").random((120, 3)) < 0.6).astype(float)
    subject = ("law",) * (120 - smaller) + ("art",) * smaller
    task = prepare_task(replace(task_of(values), clusters={"subject": subject}))
    board = resolve(task, cluster="subject", **declared)
    warnings = describe_board(board, [task], missing="error")["warnings"]
    named = "task exam: subject law has 109 of the 120 items that all models have; equal "
    assert [line[: len(named)] for line in warnings] == [named] * warned


@pytest.mark.parametrize("clusters", [{}, {"subject": ("all",) * 120}])
def test_a_task_without_two_clusters_is_tested_by_its_items_and_says_so(
    clusters: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    rng = named_rng(0, "one cluster")
    values = (rng.random((120, 3)) < [0.9, 0.7, 0.4]).astype(float)
    task, other = prepare_task(task_of(values)), prepare_task(task_of(values[:60, ::-1], "quiz"))
    alone = replace(task, clusters=clusters)
    board = resolve_board([alone, other], family="all", cluster="subject")
    whole = resolve_board([task], family="all")
    own = board.verdicts[board.verdicts["task"] == "exam"].reset_index(drop=True)
    same = ["test", "p_single", "gap_low_single", "gap_high_single", "n_star_low"]
    pd.testing.assert_frame_equal(own[same], whole.verdicts[same])
    assert own[["icc", "p_cluster"]].isna().all(axis=None)
    ranks = board.ranks[board.ranks["task"] == "exam"].reset_index(drop=True)
    pd.testing.assert_frame_equal(ranks, whole.ranks)
    assert set(board.verdicts.loc[board.verdicts["task"] == "quiz", "test"]) == {"cluster"}
    why = "one cluster in subject" if clusters else "no cluster column subject"
    warnings = describe_board(board, [alone, other], missing="error")["warnings"]
    assert warnings == [f"task exam: {why}; tested by its items"]
    assert "clustered" not in error_bars(board, [alone])
    streamed = stream_board([alone, other], cluster="subject", folder=tmp_path)
    same += ["gap_low", "gap_high", "attainable"]
    shown = streamed.verdicts.set_index(["task", "rank_a", "rank_b"])
    held = board.verdicts.set_index(["task", "rank_a", "rank_b"])
    pd.testing.assert_frame_equal(shown[same], held.loc[shown.index, same])
    assert len(written_pairs(tmp_path)) == 6


def test_a_model_without_a_score_in_a_cluster_is_named_where_others_are_weighted() -> None:
    values = (named_rng(0, "left out").random((80, 3)) < [0.9, 0.7, 0.4]).astype(float)
    values[:20, 1], values[30, 0] = np.nan, np.nan
    task = replace(task_of(values), clusters={"subject": tuple("abcd"[k // 20] for k in range(80))})
    lines = []
    for missing in ("weighted", "pairwise"):
        kept = prepare_task(task, missing=missing)
        declared = Declared(clusters="fixed", weighted=missing == "weighted")
        board = resolve_board([kept], family="all", cluster="subject", declared=declared)
        shown = describe_board(board, [kept], missing=missing)["warnings"]
        lines.append([line for line in shown if "no score in" in line])
    (weighted,), pairwise = lines
    assert weighted.endswith(
        f"{task.models[1]}: no score in subject a; its gaps leave these items out, for no other "
        "stands for them"
    )
    assert not pairwise


def test_a_cluster_column_that_no_task_has_is_refused() -> None:
    tasks = [example_task("exam"), example_task("quiz")]
    for resolved in (resolve_board, stream_board):
        with pytest.raises(InvalidArgument, match="no cluster column 'topic'; it has: subject"):
            resolved(tasks, cluster="topic")


def test_clusters_that_happen_to_be_alike_decide_no_more_than_their_items() -> None:
    cells = [(4, 2), (4, 2), (4, 2), (4, 1)]
    values = np.concatenate([pair_of(b, c, 25).values for b, c in cells])
    subjects = np.arange(100) // 25
    task = prepare_task(task_of(values, subjects=subjects))
    items = row_of(resolve(task))
    sample = row_of(resolve(task, cluster="subject"))
    d = task.values[:, 0] - task.values[:, 1]
    alike = cluster_robust_test(moments_from_differences(d, subjects))
    assert sample["icc"] < 0
    assert float(alike.p) <= 0.05 < items["p_single"]
    assert (sample["verdict"], sample["direction"]) == ("undetermined", 0)
    assert sample["p_single"] == items["p_single"]
    assert sample["gap_low"] == items["gap_low"] < 0 < sample["gap_high"]
    assert sample["more_items_needed"] >= items["more_items_needed"] > 0


def test_items_that_are_each_a_cluster_are_still_tested_as_declared() -> None:
    task = replace(pair_of(5, 0, 10), clusters={"item": tuple("abcdefghij")})
    row = row_of(resolve(task, cluster="item"))
    assert (row["verdict"], row["p_single"], row["attainable"]) == ("undetermined", 0.0625, False)


def test_a_family_is_adjusted_by_its_joint_distribution() -> None:
    board = resolve_board([example_task()], family="all").verdicts
    assert (board["p_family"] >= board["p_single"]).all()
    assert (board["p_family"] <= np.minimum(6 * board["p_single"], 1)).all()
    quiz = replace(example_task("quiz"), values=example_task().values[::-1])
    two = resolve_board([example_task("exam"), quiz], family="all").verdicts
    assert (two["p_family"] >= two["p_single"]).all()
    assert (two["p_family"].to_numpy()[:6] >= board["p_family"].to_numpy()).all()
    assert two["family_size"].eq(12).all()


def test_missing_scores_leave_the_gap_within_bounds_and_hard_ones_are_told() -> None:
    rng = named_rng(2, "missing")
    ability = np.array([1.0, 0.8, 0.2, 0.0])
    difficulty = rng.normal(size=(400, 1))
    values = (rng.normal(size=(400, 4)) + ability > difficulty).astype(float)
    complete = prepare_task(task_of(values.copy()))
    assert missing_warnings(resolve(complete)) == []
    values[difficulty[:, 0] > 0.3, 1] = np.nan
    board = resolve(prepare_task(task_of(values), missing="pairwise"))
    (warning,) = missing_warnings(board)
    assert warning.startswith("task exam, model m1: ")
    assert "differ in difficulty" in warning
    assert "its gaps leave them out, and" in warning
    rows = board.verdicts
    assert ((rows["gap_lowest"] <= rows["delta"]) & (rows["delta"] <= rows["gap_highest"])).all()
    touched = (rows["model_a"] == "m1") | (rows["model_b"] == "m1")
    width = rows["gap_highest"] - rows["gap_lowest"]
    np.testing.assert_allclose(width[touched], np.isnan(values).mean(axis=0)[1])
    np.testing.assert_allclose(width[~touched], 0, atol=1e-12)
    low, high = (board.ranks.set_index("model")[name]["m1"] for name in ("rank_low", "rank_high"))
    assert (low, high) == (1, 4)


def test_missing_scores_are_refused_until_it_is_said_what_they_mean() -> None:
    """The door of Python is as narrow as the command."""
    holes = task_of(np.array([[1, 0, 1], [0, np.nan, 1], [1, 1, 0], [np.nan, 0, 1]]))
    for resolved in (resolve_board, stream_board):
        with pytest.raises(ScoreError, match="item 'q3': 1 of 4 items .*missing='pairwise'"):
            resolved([holes])
        with pytest.raises(ScoreError, match="have no score of this model"):
            resolved(
                [prepare_task(task_of(holes.values[:, 1:], "quiz"), missing="pairwise"), holes]
            )
        for policy in ("pairwise", "drop_items"):
            resolved([prepare_task(holes, missing=policy)])
        weighted = prepare_task(holes, missing="weighted")
        resolved([weighted], cluster="subject", declared=Declared(weighted=True))


def test_ranks_are_open_between_models_that_share_no_item() -> None:
    values = example_task().values.copy()
    values[:200, 0], values[200:, 1] = np.nan, np.nan
    board = resolve(prepare_task(replace(example_task(), values=values), missing="pairwise"))
    ranks = board.ranks.set_index("model")
    assert ranks.loc[["heron", "osprey"], "rank_low"].tolist() == [1, 1]


def test_monitoring_is_worked_out_on_demand() -> None:
    task = pair_of(284, 76, 12_032)
    assert np.isnan(row_of(resolve(task))["n_star_monitored"])
    row = row_of(resolve(task, monitored=True))
    assert (row["n_star_monitored"], row["items_monitored_90"]) == (1254, 1546)


def test_long_lists_are_cut_on_the_screen() -> None:
    rng = named_rng(3, "many")
    task = prepare_task(task_of((rng.uniform(size=(50, 30)) < 0.5).astype(float)))
    text = screen(resolve(task, family="adjacent"))
    assert "... and 10 more models" in text
    assert "... and 9 more pairs" in text


def test_the_screen_says_of_which_task_and_what_ranks_and_verdicts_are_about() -> None:
    two = [replace(pair_of(9, 0, 60), task="first"), replace(pair_of(4, 4, 60), task="second")]
    text = screen(resolve_board([prepare_task(task) for task in two]))
    head, rest = text.split("\n\n", 1)
    counts = "1 of 2 adjacent pairs in the tasks is different, 1 is undetermined"
    assert " ".join(head.split()) == f"m0 is first on the average of 2 tasks; {counts}"
    assert rest.startswith("first: 2 models, 60 items\nrank")
    assert "\n\nsecond: 2 models, 60 items\nrank" in text
    assert "second: 2 models could be first: " in text
    assert "no gap so far" in text
    assert "further clusters" not in text
    assert "are rough" not in screen(resolve_board([prepare_task(pair_of(0, 0, 3))]))
    values = np.concatenate([pair_of(b, c, 40).values for b, c in [(20, 0), (2, 2), (0, 6)]])
    of_subjects = task_of(values, subjects=np.arange(120) // 40)
    board = resolve(prepare_task(of_subjects), cluster="subject")
    text = screen(board)
    assert "Which is better is too uncertain for m0 against m1: even a thousand times these" in text
    assert "new items come from new clusters of the sizes at hand." in " ".join(text.split())
    assert " to over 120,000\n" in text


def test_missing_scores_are_weighted_by_cluster_where_that_is_declared() -> None:
    rng = named_rng(5, "weighted")
    subject = np.arange(600) // 100
    hard = np.where(subject < 3, 1.2, -0.6)[:, np.newaxis]
    lead = np.where(subject < 3, -0.5, 0.5)[:, np.newaxis]
    values = (rng.normal(size=(600, 3)) + [1.0, 0.6, 0.2] + lead * [1, 0, 0] > hard).astype(float)
    complete = task_of(values, subjects=subject)
    holes = values.copy()
    holes[(subject < 3) & (rng.uniform(size=600) < 0.8), 0] = np.nan
    task = prepare_task(replace(complete, values=holes), missing="weighted")
    rows = resolve(task, cluster="subject", clusters="fixed", weighted=True).verdicts
    deleted = resolve(task, cluster="subject", clusters="fixed").verdicts
    whole = resolve(prepare_task(complete)).verdicts
    for row, other in zip(rows.to_dict("records"), deleted.to_dict("records"), strict=True):
        pair = {row["model_a"], row["model_b"]}
        sign = 1
        (true,) = [x for x in whole.to_dict("records") if {x["model_a"], x["model_b"]} == pair]
        if true["model_a"] != row["model_a"]:
            sign = -1
        if "m0" not in pair:
            assert row["test"] == "exact"
            assert (row["gap"], row["p_single"]) == (other["gap"], other["p_single"])
            continue
        assert row["test"] == "weighted"
        assert abs(row["gap"] - sign * true["delta"]) < abs(other["gap"] - sign * true["delta"])
        assert row["gap_low"] < row["gap"] < row["gap_high"]
        assert row["delta"] == other["delta"]
    sample = resolve(task, cluster="subject", weighted=True).verdicts
    assert set(sample["test"]) == {"cluster"}
    assert (sample["p_single"] >= rows["p_single"] - 1e-12).all()
    with pytest.raises(InvalidArgument, match="no cluster column is named"):
        resolve(task, weighted=True)


@pytest.mark.parametrize(("b", "c", "low"), [(4, 0, [1, 1]), (5, 0, [1, 1]), (12, 0, [1, 2])])
def test_no_model_is_first_by_wins_that_the_exact_test_does_not_find(
    b: int, c: int, low: list[int]
) -> None:
    """Four wins to none have p = .125, and a standard error that no normal law bears out."""
    board = resolve(pair_of(b, c, 1_000))
    assert board.ranks["rank_low"].tolist() == low
