"""The witness of the MMLU-Pro top ten against the printed tables, through the engine alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kotawala2026.adjacent_clusters import adjacent_moments, load_categories
from kotawala2026.exhibits.item_count import implied_item_count
from kotawala2026.findings import on_scores
from kotawala2026.witness.mmlu_pro import (
    MmluProWitness,
    assemble,
    build_mmlu_pro,
    fit_pair_gaps,
    prepare_panel,
    witness_scores,
)
from llm_power._board.counts import count_cells
from llm_power._scores.store import TaskScores
from llm_power._statistics.cluster_moments import ClusterMoments
from llm_power._statistics.design_effect import cluster_resolution, leave_one_cluster_out
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power_audit.agreement import agrees
from llm_power_audit.printed import parse_printed
from llm_power_audit.printed_tables import PublishedCounts, PublishedError
from paper_fixtures import PUBLISHED, Constraints, with_cell
from replication.constraints import FITTED, Constraint, load_constraints
from replication.findings import roles_view

SEED = 20260528
FIRST = np.arange(9, dtype=np.int64)


@pytest.fixture(scope="module")
def constraints(
    printed_constraints: Constraints,
) -> tuple[Constraint, ...]:
    return printed_constraints["mmlu_pro"]


@pytest.fixture(scope="module")
def witness(constraints: tuple[Constraint, ...]) -> MmluProWitness:
    return build_mmlu_pro(
        constraints, load_categories(PUBLISHED / "mmlu_pro_categories.csv"), seed=SEED
    )


@pytest.fixture(scope="module")
def scores(witness: MmluProWitness) -> TaskScores:
    return witness_scores(witness, {FITTED: "0" * 64})


@pytest.fixture(scope="module")
def moments(scores: TaskScores) -> ClusterMoments:
    _, codes = np.unique(np.asarray(scores.clusters["category"]), return_inverse=True)
    return adjacent_moments(scores.values, codes.astype(np.int64))


def held_against(constraints: Sequence[Constraint], scores: TaskScores) -> pd.DataFrame:
    findings = on_scores(
        "mmlu_pro",
        [scores],
        settings={"mmlu_pro_anytime_inflation": 2.15},
        table_8=PUBLISHED / "printed" / "table_08.csv",
        seed=SEED,
    )
    return roles_view(constraints, findings)


@pytest.fixture(scope="module")
def roles(constraints: tuple[Constraint, ...], scores: TaskScores) -> pd.DataFrame:
    return held_against(constraints, scores)


def test_the_items_are_as_many_as_the_printed_numbers_imply(
    scores: TaskScores, witness: MmluProWitness, counts_7: PublishedCounts
) -> None:
    assert scores.n_items == implied_item_count(counts_7).n_items
    assert len(witness.panel.short) == 1
    assert scores.item_ids[0] == "witness-00001"
    assert scores.models == (*counts_7.model_a, counts_7.model_b[-1])
    assert "one item short" in scores.provenance.source


def test_table_7_counts_are_exact_and_its_accuracies_come_out(
    scores: TaskScores, counts_7: PublishedCounts
) -> None:
    cells = count_cells(scores.values, FIRST, FIRST + 1)
    np.testing.assert_array_equal(cells.b, counts_7.b)
    np.testing.assert_array_equal(cells.c, counts_7.c)
    printed = (counts_7.p_a[0], *counts_7.p_b)
    assert all(agrees(p, float(v)) for p, v in zip(printed, scores.mean_scores, strict=True))


@pytest.mark.parametrize("column", ["icc", "design_effect", "n_star_cluster"])
def test_table_4_is_met_to_its_last_digit(
    column: str, moments: ClusterMoments, published: Callable[[int], pd.DataFrame]
) -> None:
    result = cluster_resolution(moments)
    found = {"icc": result.icc, "design_effect": result.design_effect}
    values = found.get(column, result.n_star)
    for printed, value in zip(published(4)[column], values, strict=True):
        assert agrees(printed, float(value)), (printed.text, value)


def test_table_8_is_met_under_both_readings_of_the_budget(
    moments: ClusterMoments, scores: TaskScores
) -> None:
    result = leave_one_cluster_out(moments)
    names = sorted(set(scores.clusters["category"]))
    turned = np.isin(names, ["health", "law", "psychology"])
    np.testing.assert_array_equal((~result.resolved).sum(axis=1), np.where(turned, 5, 6))
    unresolved = (result.n_star > scores.n_items).sum(axis=1)
    np.testing.assert_array_equal(unresolved, np.where(turned, 5, 6))


def test_no_input_is_missed_and_targets_are_met_within_their_sampling_error(
    roles: pd.DataFrame,
) -> None:
    fitted = roles[roles["role"].isin(["input", "target"])]
    assert fitted.loc[fitted["status"] == "residual", "id"].tolist() == []
    bounds = fitted[fitted["id"].str.startswith("table_09") & (fitted["role"] == "target")]
    assert len(bounds) == 54
    # Half of the bounds within one standard error of what was printed, none four away.
    assert bounds["residual"].abs().median() < 1
    assert bounds["residual"].abs().max() < 4


def test_held_out_numbers_that_do_not_come_out_are_the_known_ones(roles: pd.DataFrame) -> None:
    wrong = roles.loc[roles["status"] == "held out: wrong", "quantity"].tolist()
    assert sorted(wrong) == [
        "n_flipped_beyond_three_n",  # decided by Table 4: one pair, not two
        "n_items",
        "quartile_icc_median",
        "shortcut_ratio_max",  # decided by Table 7
        "shortcut_ratio_min",  # decided by Table 7
        "shortcut_ratio_of_whole_items_max",
        "shortcut_ratio_of_whole_items_min",
        "unresolved_bonferroni_all_pairs",  # decided by Table 7: also 5 vs 6 falls at m = 45
    ]


def test_the_printed_n_contradicts_the_accuracies_and_the_required_n(
    witness: MmluProWitness,
) -> None:
    found = {one.system: one for one in witness.panel.contradictions}
    assert list(found) == [
        "MMLU-Pro at N = 12,032: accuracies",
        "MMLU-Pro at N = 12,032: required N",
    ]
    smallest = found["MMLU-Pro at N = 12,032: accuracies"].smallest
    # p6 allows 7403 solved items alone, p7 7394 alone, and b - c is 10, not 9.
    assert {row.constraint.quantity for row in smallest} >= {"b", "c"}
    assert sorted(row.lower for row in smallest) == [1439, 1449, 7394, 7403]


def test_without_a_contradiction_no_item_is_dropped(constraints: tuple[Constraint, ...]) -> None:
    def at_printed_n(c: Constraint) -> Constraint:
        if c.quantity != "n_star" or not c.is_fitted:
            return c
        # N* of ranks 6 vs 7 as 12,032 items would give it.
        n_star = math.ceil(float(required_n_discordance(1449, 1439, 12032)))
        return replace(c, printed=parse_printed(f"{n_star:,}"))

    changed = tuple(at_printed_n(c) for c in constraints)
    panel = prepare_panel(changed, load_categories(PUBLISHED / "mmlu_pro_categories.csv"))
    assert panel.short == ()
    assert sum(panel.categories.values()) == 12032


@pytest.mark.slow
@pytest.mark.parametrize("row", [1, 4, 6, 9])
def test_a_planted_contradiction_is_reported(
    row: int, counts_7: PublishedCounts, tmp_path: Path
) -> None:
    folder = with_cell(tmp_path, 7, row, "b", str(counts_7.b[row - 1] + 40))
    panel = prepare_panel(
        load_constraints(folder / "claims.yaml")["mmlu_pro"],
        load_categories(folder / "mmlu_pro_categories.csv"),
    )
    n = f"{sum(panel.categories.values()):,}"
    found = {one.system: one for one in panel.contradictions}
    named = {r.constraint.id for r in found[f"MMLU-Pro at N = {n}: accuracies"].smallest}
    assert f"table_07/{row}/b" in named
    assert f"MMLU-Pro {row} vs {row + 1}: ICC in billionths" in found


@pytest.mark.slow
def test_a_planted_contradiction_is_a_residual_and_b_is_kept(
    witness: MmluProWitness, counts_7: PublishedCounts, tmp_path: Path
) -> None:
    folder = with_cell(tmp_path, 7, 5, "b", str(counts_7.b[4] + 40))
    planted = load_constraints(folder / "claims.yaml")["mmlu_pro"]
    panel = prepare_panel(planted, load_categories(folder / "mmlu_pro_categories.csv"))
    gaps = list(witness.gaps)
    gaps[4] = fit_pair_gaps(panel, 4, seed=SEED)
    scores = witness_scores(assemble(panel, gaps, seed=SEED), {})
    report = held_against(planted, scores).set_index("id")
    assert report.loc["table_07/5/b", "status"] == "exact"
    assert report.loc["table_04/5/n_star_cluster", "status"] == "residual"
    assert report.loc["table_07/5/n_star", "status"] == "held out: wrong"
    assert (report.loc[[f"table_07/{i}/p_a" for i in (6, 7, 8, 9)], "status"]
            == "held out: wrong").all()  # fmt: skip


def test_a_pair_depends_neither_on_the_others_nor_on_their_order(witness: MmluProWitness) -> None:
    alone = fit_pair_gaps(witness.panel, 8, seed=SEED)
    np.testing.assert_array_equal(alone.b, witness.gaps[8].b)
    np.testing.assert_array_equal(alone.c, witness.gaps[8].c)


def test_no_fitted_quartile_number_means_a_markov_chain(
    witness: MmluProWitness,
) -> None:
    assert witness.kappa > 0
    plain = assemble(replace(witness.panel, fitted_kappa=()), witness.gaps, seed=SEED)
    assert plain.kappa == 0


def test_the_category_sizes_are_those_of_the_real_items(data_root: Path) -> None:
    real = pd.read_parquet(data_root / "mmlu_pro" / "correctness.parquet", columns=["category"])
    categories = load_categories(PUBLISHED / "mmlu_pro_categories.csv")
    in_order = real.sort_index()["category"]
    assert in_order.drop_duplicates().tolist() == list(categories)
    assert in_order.value_counts().to_dict() == categories


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("category,items\na,3\nb,4\n", "header"),
        ("category,n_items\na,3\na,4\n", "two or more categories"),
        ("category,n_items\na,x\nb,4\n", "cannot be read"),
    ],
)
def test_malformed_categories_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mmlu_pro_categories.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PublishedError, match=message):
        load_categories(path)
