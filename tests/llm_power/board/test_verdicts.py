"""The verdict table: columns, agreement of its stages with item-level oracles, odd boards."""

from __future__ import annotations

import re
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, ttest_rel
from statsmodels.stats.multitest import multipletests

from board_examples import screen, task_of
from llm_power._board.cluster_robustness import (
    category_bootstrap_tables,
    cluster_definition_table,
    leave_one_out_table,
)
from llm_power._board.clusters import add_clusters, tabulate_clusters
from llm_power._board.columns import PAIRS_COLUMNS, RANK_COLUMNS, verdict_table
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._board.page_data import page_data
from llm_power._board.ranks import further_sentence
from llm_power._board.resolution import (
    add_resolution,
    tabulate_pairs,
)
from llm_power._board.resolve import BoardVerdicts, resolve_board, stream_board
from llm_power._board.summary import (
    describe_board,
    unresolved_by_gap,
    unresolved_by_procedure,
)
from llm_power._choices import CLUSTER_SAMPLINGS, ClusterSampling, Family, Kind
from llm_power._errors import InvalidArgument, ScoreError
from llm_power._scores.selection import prepare_task, select_models
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray

POINT = OperatingPoint()
ROOT = Path(__file__).parents[3]
DICTIONARY = ROOT / "docs" / "columns.md"


def make_task(
    name: str = "exam",
    *,
    kind: Kind = "binary",
    missing: float = 0.0,
    n_items: int = 240,
    seed: int = 11,
) -> TaskScores:
    rng = np.random.default_rng(seed)
    ability = np.array([0.1, 0.6, 0.3, 0.9])
    latent = rng.normal(size=(n_items, 1)) + rng.normal(size=(n_items, 4)) + ability
    values: FloatArray = (
        (latent > 0).astype(float) if kind == "binary" else 1 / (1 + np.exp(-latent))
    )
    values[rng.uniform(size=values.shape) < missing] = np.nan
    models = ("delta", "bravo", "charlie", "alpha")
    return task_of(values, name, kind=kind, models=models, subjects=6)


def resolve(
    *tasks: TaskScores, family: Family = "all", cluster: str | None = "subject"
) -> pd.DataFrame:
    return resolve_board(tasks, family=family, cluster=cluster).verdicts


@pytest.mark.parametrize("of", [{"alpha": 0.0}, {"alpha": 1.0}, {"power": 8.0}])
def test_a_level_or_power_that_no_test_has_is_refused(of: dict[str, float]) -> None:
    with pytest.raises(InvalidArgument, match=f"{next(iter(of))} must lie strictly between 0 and"):
        OperatingPoint(**of)


def test_columns_are_the_documented_ones() -> None:
    verdicts = resolve(prepare_task(make_task()))
    of_pairs = DICTIONARY.read_text(encoding="utf-8").partition("## `ranks`")[0]
    assert re.findall(r"^\| `(\w+)` \|", of_pairs, flags=re.MULTILINE) == PAIRS_COLUMNS
    assert set(PAIRS_COLUMNS) < set(verdicts.columns)
    assert verdicts.columns.is_unique
    assert len(verdicts) == 6


def test_models_are_ranked_by_their_displayed_score() -> None:
    task = prepare_task(make_task(missing=0.1), missing="pairwise")
    assert list(task.mean_scores) == sorted(task.mean_scores, reverse=True)
    verdicts = resolve(task, family="adjacent")
    assert list(verdicts["model_a"]) == list(task.models[:-1])
    assert list(verdicts["rank_b"]) == [2, 3, 4]


def test_pairs_use_the_items_that_both_models_have() -> None:
    task = prepare_task(make_task(missing=0.1), missing="pairwise")
    verdicts = resolve(task)
    for row in verdicts.itertuples():
        x, y = (task.values[:, task.models.index(str(m))] for m in (row.model_a, row.model_b))
        shared = ~np.isnan(x) & ~np.isnan(y)
        assert row.n_items == shared.sum()
        np.testing.assert_allclose(float(row.delta), (x - y)[shared].mean(), atol=1e-14)  # type: ignore[arg-type]


def test_dropped_items_leave_one_item_set() -> None:
    task = prepare_task(make_task(missing=0.1), missing="drop_items")
    verdicts = resolve(task)
    assert verdicts["n_items"].nunique() == 1
    assert verdicts["n_items"].iloc[0] < 240


def test_missing_scores_stop_by_default() -> None:
    with pytest.raises(ScoreError, match="have no score of this model"):
        prepare_task(make_task(missing=0.1))


def test_family_spans_the_tasks_of_a_board() -> None:
    tasks = [prepare_task(make_task(name, seed=s)) for name, s in (("exam", 1), ("quiz", 2))]
    verdicts = resolve(*tasks)
    assert len(verdicts) == 12
    p = [
        binomtest(int(b), int(b + c)).pvalue
        for b, c in zip(verdicts["b"], verdicts["c"], strict=True)
    ]
    np.testing.assert_allclose(verdicts["p_holm"], multipletests(p, method="holm")[1], rtol=1e-10)
    np.testing.assert_allclose(verdicts["p_bh"], multipletests(p, method="fdr_bh")[1], rtol=1e-10)
    inflation = verdicts["n_star_bonferroni"] / verdicts["n_star"]
    np.testing.assert_allclose(inflation, inflation.iloc[0], rtol=1e-12)
    assert (verdicts["n_star_holm"] <= verdicts["n_star_bonferroni"] * (1 + 1e-12)).all()
    assert (verdicts["resolved_holm"] >= verdicts["resolved_bonferroni"]).all()


def test_a_task_that_is_there_twice_is_refused() -> None:
    tasks = [make_task("exam"), make_task("quiz"), make_task("exam", seed=3)]
    with pytest.raises(InvalidArgument, match="tasks 1 and 3 of the board are both named 'exam'"):
        resolve_board(tasks, family="all", point=POINT)


def test_graded_scores_are_resolved_by_the_paired_t() -> None:
    task = prepare_task(make_task(kind="graded"))
    verdicts = resolve(task)
    x, y = task.values[:, 0], task.values[:, 1]
    row = verdicts.iloc[0]
    np.testing.assert_allclose(row["var_d"], np.var(x - y), rtol=1e-12)
    np.testing.assert_allclose(row["rho"], np.corrcoef(x, y)[0, 1], rtol=1e-10)
    np.testing.assert_allclose(verdicts["p_unadjusted"][0], ttest_rel(x, y).pvalue, rtol=1e-10)
    np.testing.assert_array_equal(verdicts["resolved"], verdicts["q"] >= 1)
    assert {*verdicts["resolved"]} == {True, False}
    assert verdicts[["p_chi2", "n_h", "log_e"]].isna().all(axis=None)
    assert verdicts[["crossed", "resolved_anytime", "b"]].isna().all(axis=None)


def test_equal_differences_of_graded_scores_have_no_p_value_of_zero() -> None:
    """Nor has a single item: by the sign test, three items that one model leads have 2^(1 - 3)."""
    scores = np.array([[0.75, 0.25], [0.75, 0.25], [0.5, 0.0]])
    for items, p in ((scores, 0.25), (scores[:1], 1.0)):
        task = prepare_task(task_of(items, kind="graded"))
        assert resolve(task)["p_unadjusted"].tolist() == [p]
        assert resolve_board([task]).verdicts["p_bonferroni"].tolist() == [p]


def test_task_kinds_mix_on_one_board() -> None:
    tasks = [prepare_task(make_task("exam")), prepare_task(make_task("essay", kind="graded"))]
    verdicts = resolve(*tasks)
    np.testing.assert_array_equal(verdicts["b"].isna(), verdicts["task"] == "essay")
    counts = unresolved_by_procedure(verdicts).set_index(["task", "procedure"])
    # In the order of the board, not of the names.
    assert list(dict.fromkeys(counts.index.get_level_values("task"))) == ["exam", "essay"]
    assert counts.loc[("essay", "Anytime-valid"), "n_pairs"] == 0
    assert counts.loc[("exam", "Anytime-valid"), "n_pairs"] == 6


def test_board_without_clusters_keeps_its_columns() -> None:
    verdicts = resolve(prepare_task(make_task()), cluster=None)
    assert verdicts[["icc", "resolved_cluster"]].isna().all(axis=None)
    empty = tabulate_clusters(prepare_task(make_task()), None, "all")
    assert leave_one_out_table(empty, POINT).empty
    assert all(t.empty for t in category_bootstrap_tables(empty, POINT, n_resamples=5, seed=1))


def test_leaving_one_cluster_out_is_resolving_without_its_items() -> None:
    task = prepare_task(make_task())
    table = leave_one_out_table(tabulate_clusters(task, "subject", "all"), POINT)
    keep = np.asarray(task.clusters["subject"]) != "s2"
    expected = resolve(task.part(items=np.flatnonzero(keep).tolist()))
    dropped = table[table["dropped"] == "s2"].reset_index(drop=True)
    np.testing.assert_array_equal(dropped["n_items"], expected["n_items"])
    for name in ("n_star", "icc", "design_effect", "n_star_cluster"):
        np.testing.assert_allclose(dropped[name], expected[name], rtol=1e-9)


def test_bootstrap_depends_on_the_seed_and_the_task_alone() -> None:
    sums = tabulate_clusters(prepare_task(make_task()), "subject", "all")
    first, counts = category_bootstrap_tables(sums, POINT, n_resamples=200, seed=5)
    again, _ = category_bootstrap_tables(sums, POINT, n_resamples=200, seed=5)
    other, _ = category_bootstrap_tables(sums, POINT, n_resamples=200, seed=6)
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)
    assert counts["share"].sum() == pytest.approx(1)


def test_definitions_of_a_cluster_are_compared() -> None:
    table = cluster_definition_table(prepare_task(make_task()), "subject", "all", POINT, seed=5)
    assert list(table["n_clusters"]) == [6, 6, 4, 12]


def test_gap_bins_hold_every_pair_once() -> None:
    verdicts = resolve(prepare_task(make_task()))
    bins = unresolved_by_gap(verdicts)
    assert bins["n_pairs"].sum() == 6
    assert bins["n_unresolved"].sum() == (~verdicts["resolved"]).sum()
    assert list(bins["gap_up_to"]) == [0.01, 0.02, 0.05, 0.15, np.inf]


def test_the_clusters_of_the_workflow_are_those_of_the_board() -> None:
    """It caches sums within clusters, from which other stages are made too."""
    tasks = [prepare_task(make_task(name, seed=s)) for name, s in (("exam", 1), ("quiz", 2))]
    pairs, sums = (
        pd.concat(tables, ignore_index=True)
        for tables in (
            [tabulate_pairs(task, "all") for task in tasks],
            [tabulate_clusters(task, "subject", "all") for task in tasks],
        )
    )
    found = add_clusters(pairs, sums, POINT)
    pd.testing.assert_frame_equal(found, resolve(*tasks)[[*found]], rtol=1e-12)


def test_stages_about_other_pairs_are_refused() -> None:
    pairs = tabulate_pairs(prepare_task(make_task()), "all")
    with pytest.raises(InvalidArgument, match="same pairs"):
        verdict_table(pairs, add_resolution(pairs[::-1].reset_index(drop=True), POINT))


def test_identical_models_are_unresolved_and_quiet() -> None:
    task = make_task()
    values = np.array(task.values)
    values[:, 1] = values[:, 0]
    verdicts = resolve(replace(task, values=values))
    twins = verdicts[(verdicts["b"] == 0) & (verdicts["c"] == 0)].iloc[0]
    assert twins["n_star"] == np.inf
    assert not twins["resolved"]
    assert not twins["attainable"]
    assert twins["p_exact"] == 1
    assert not twins["resolved_anytime"]


def test_the_dictionary_is_the_page_of_the_docs() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "columns.py"))
    page = DICTIONARY.read_text(encoding="utf-8")
    assert page == tool["dictionary_page"](), "run tools/columns.py"


def test_the_dictionary_has_every_column_of_the_ranks() -> None:
    board = resolve_board([prepare_task(make_task())])
    assert set(board.ranks.columns) == set(RANK_COLUMNS)


@pytest.mark.parametrize(("score", "lucky"), [(0.72, True), (0.78, False)])
def test_luck_is_named_where_the_score_falls_by_a_standard_error(score: float, lucky: bool) -> None:
    columns = ["model", "score", "score_low", "score_high", "score_further", "lead_further"]
    rows = [["kite", 0.8, 0.74, 0.86, score, -0.01], ["wren", 0.75, 0.69, 0.81, np.nan, np.nan]]
    said = further_sentence(pd.DataFrame(rows, columns=columns), 0.05)
    assert ("in part by luck" in said) == lucky
    expected = f"{100 * score:.1f} on further"
    assert f"expect {expected} items" in said or f"kite to score {expected} ones" in said
    assert "right on average, not on each board" in said
    assert "no better than the second (5.0 ahead here)" in said


def test_screen_and_page_say_what_the_leader_scores_on_further_items() -> None:
    task = prepare_task(make_task())
    board = resolve_board([task])
    first = board.ranks.iloc[0]
    assert first["score_further"] <= first["score"] + 1e-9
    assert board.ranks["score_further"].iloc[1:].isna().all()
    said = further_sentence(board.ranks, 0.05)
    assert said
    assert said in screen(board)
    summary = describe_board(board, [task], missing="error")
    assert page_data(board.verdicts, summary, title="exam")["tasks"][0]["further"] == said


def test_a_glance_counts_neighbors_told_apart_and_items_that_decide_nothing() -> None:
    values = np.repeat([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], 40, axis=0)
    values = np.vstack([values, np.ones((7, 3)), np.zeros((5, 3)), [[1.0, np.nan, 1.0]]])
    ids = tuple(f"q{i}" for i in range(len(values)))
    task = prepare_task(
        TaskScores("exam", "binary", ids, ("heron", "kite", "wren"), values), missing="pairwise"
    )
    board = resolve_board([task], family="all")
    (glance,) = describe_board(board, [task], missing="pairwise")["glance"]
    near = board.verdicts[board.verdicts["rank_b"] - board.verdicts["rank_a"] == 1]
    ends = [near["smallest_gap"].min(), near["smallest_gap"].max()]
    assert glance == {
        **{"task": "exam", "models": 3, "items": 93, "neighbors": 2, "told_apart": 2},
        **{"smallest_gap": ends, "leader": "heron"},
        **{"items_alike": 13, "items_all_solve": 8, "items_none_solve": 5},
    }


def test_tasks_of_either_kind_have_both_readings_of_their_clusters() -> None:
    task = make_task()
    labels = {"subject": tuple(f"s{i % 5}" for i in range(task.n_items))}
    kinds: tuple[Kind, ...] = ("binary", "graded")
    tasks = [prepare_task(replace(task, task=kind, kind=kind, clusters=labels)) for kind in kinds]
    board = resolve_board(tasks, cluster="subject", family="all")
    assert [each["task"] for each in board.readings] == list(kinds)


def test_a_task_of_two_clusters_has_both_readings_and_one_of_one_none() -> None:
    task = make_task()
    labels = {k: {"subject": tuple(f"s{i % k}" for i in range(task.n_items))} for k in (1, 2)}
    tasks = [prepare_task(replace(task, task=f"of {k}", clusters=labels[k])) for k in labels]
    board = resolve_board(tasks, cluster="subject", family="all")
    assert [each["task"] for each in board.readings] == ["of 2"]


@pytest.mark.parametrize("taken", ["random", "fixed"])
def test_screen_and_page_give_both_readings_of_the_clusters(taken: ClusterSampling) -> None:
    # The lead of the first model lies in two of eight clusters.
    values = np.tile([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]], (120, 1))
    values[:60, 0] = 1.0
    models, subjects = ("heron", "kite", "wren"), np.arange(240) // 30
    task = prepare_task(task_of(values, models=models, subjects=subjects))
    boards: dict[str, BoardVerdicts] = {
        name: resolve_board(
            [task], cluster="subject", family="all", declared=Declared(clusters=name)
        )
        for name in CLUSTER_SAMPLINGS
    }
    found = {
        name: int((board.verdicts["verdict"] == "different").sum())
        for name, board in boards.items()
    }
    here = {name: ", as here" if name == taken else "" for name in found}
    assert found["random"] < found["fixed"]
    n_clusters = len(set(task.clusters["subject"]))
    are = "is" if found["random"] == 1 else "are"
    said = (
        f"{found['random']} of 3 pairs {are} different if the {n_clusters} clusters of subject are "
        f"a sample of clusters (--clusters random{here['random']}), {found['fixed']} if they are "
        f"the only ones of interest (--clusters fixed{here['fixed']})."
    )
    board = boards[taken]
    assert said in screen(board)
    summary = describe_board(board, [task], missing="error")
    assert page_data(board.verdicts, summary, title="exam")["tasks"][0]["readings"] == said


def test_streamed_pairs_and_the_average_have_both_readings_of_the_clusters() -> None:
    rng = np.random.default_rng(8)
    subjects = np.arange(240) // 30
    lean = np.repeat(rng.normal([0.8, 0.7, 0.62, 0.5], 0.2, size=(8, 4)), 30, axis=0)
    tasks = [
        prepare_task(task_of(rng.random((240, 4)) < lean, name, ids=f"{name} ", subjects=subjects))
        for name in ("algebra", "botany")
    ]
    declared = [Declared(clusters=name) for name in CLUSTER_SAMPLINGS]
    held = [resolve_board(tasks, cluster="subject", family="all", declared=x) for x in declared]
    streamed = stream_board(tasks, cluster="subject", declared=declared[0])
    assert streamed.readings == held[0].readings
    assert held[0].readings[0]["random"] < held[0].readings[0]["fixed"]
    averages = [board.average for board in held]
    counts = {
        str(x.clusters): int((average.verdicts["verdict"] == "different").sum())
        for x, average in zip(declared, averages, strict=True)
        if average is not None
    }
    assert averages[0] is not None
    (found,) = averages[0].readings
    assert found == {"task": "average", "clusters": 16, "pairs": 6, **counts}
    assert counts["random"] < counts["fixed"]
    said = f"{counts['random']} of 6 pairs are different if the 16 clusters of subject are a sample"
    assert said in screen(held[0])
    summary = describe_board(held[0], tasks, missing="error")
    shown = page_data(held[0].verdicts, summary, title="exam", average=averages[0])["tasks"]
    assert shown[2]["readings"].startswith(said)
    assert "of 6 pairs" in screen(streamed)


def test_one_model_is_no_board() -> None:
    task = select_models(make_task(), make_task().models[:1])
    with pytest.raises(ScoreError, match="has one model: a paired comparison needs at least two"):
        prepare_task(task)
