"""Numbers that stand in prose only, beside their recomputation."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from board_examples import RESAMPLES, ClusteredBoard, CountedBoard
from kotawala2026.exhibits.item_count import jointly_solved
from kotawala2026.findings import on_grounds
from kotawala2026.quantities.close_pairs import chance_of_robust, resampled_required_n
from kotawala2026.quantities.grounds import Board, ClusterStages, Simulation
from kotawala2026.quantities.shortcut import lemma_grid
from kotawala2026.simulations import findings_simulated
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.paired_binary import cohens_h
from llm_power._statistics.verdict_stability import bootstrap_required_n
from llm_power_audit.printed_tables import PublishedCounts
from paper_fixtures import Constraints, loaded_paper
from replication.findings import PROSE_COLUMNS, Finding, Printed, index_printed, prose_view

K = float(z_sum(0.05, 0.80)) ** 2


@pytest.fixture(scope="module")
def claims(printed_constraints: Constraints) -> Printed:
    return index_printed(chain.from_iterable(printed_constraints.values()))


def rows(frame: pd.DataFrame) -> Any:
    """Index by quantity and subject; untyped, because a cell may be anything."""
    assert list(frame.columns) == PROSE_COLUMNS
    return frame.set_index(["quantity", "subject"]).sort_index()


def board_findings(board: CountedBoard, panel: str = "oll_v1") -> list[Finding]:
    return on_grounds(Board(panel, "witness", board.verdicts))


def of_topic(findings: list[Finding], topic: str, claims: Printed) -> pd.DataFrame:
    return prose_view([f for f in findings if f.topic == topic], claims)


def simulated(**settings: Any) -> list[Finding]:
    all_settings = {**loaded_paper("printed").settings, **settings}
    chunks = findings_simulated(all_settings, {"seed": 1, "n_trials_large": 2_000})
    rows = {name: simulate() for name, simulate in chunks.items()}
    return on_grounds(Simulation(all_settings, n_trials_large=2_000, chunks=rows))


@pytest.fixture(scope="module")
def simulation() -> list[Finding]:
    # One pair of Appendix C is enough.
    return simulated(e_process_deltas=[0.078], e_process_n_stars=[294])


# --- Section 6.1: bootstrap of N* ---


def test_chance_of_a_robust_verdict_equals_its_frequency(counts_6: PublishedCounts) -> None:
    """300 runs of B = 500 of the two borderline pairs, within 4 standard errors."""
    n11 = jointly_solved(counts_6, counts_6.n_items)
    n00 = counts_6.n_items - n11 - counts_6.b - counts_6.c
    for i in (5, 6):
        cells = [np.full(300, x[i]) for x in (n11, counts_6.b, counts_6.c, n00)]
        runs = bootstrap_required_n(*cells, n_resamples=500, rng=np.random.default_rng(i))
        n = int(counts_6.n_items[i])
        needed, mass = resampled_required_n(int(counts_6.b[i]), int(counts_6.c[i]), n)
        chance = float(chance_of_robust(mass[needed > n].sum(keepdims=True), 500)[0])
        share = float((runs.low > n).mean())
        assert abs(share - chance) < 4 * math.sqrt(chance * (1 - chance) / 300)


# --- Section 6.2: sensitivity to rho ---


def test_rho_sensitivity_equals_eq_5_by_hand(claims: Printed, counted_board: CountedBoard) -> None:
    verdicts = counted_board.verdicts
    unresolved = {-0.1: 0, 0.0: 0, 0.1: 0}
    for pair in verdicts.itertuples():
        a, b, rho, n = (float(str(x)) for x in (pair.p_a, pair.p_b, pair.rho, pair.n_items))
        u, v = a * (1 - a), b * (1 - b)
        top = math.sqrt(min(a * (1 - b), b * (1 - a)) / max(a * (1 - b), b * (1 - a)))
        for shift in unresolved:
            variance = u + v - 2 * min(rho + shift, top) * math.sqrt(u * v)
            unresolved[shift] += K * variance / (a - b) ** 2 > n
    frame = rows(of_topic(board_findings(counted_board), "pairs", claims))
    assert frame.loc[("rho_sensitivity_fewest", ""), "value"] == unresolved[0.1]
    assert frame.loc[("rho_sensitivity_most", ""), "value"] == unresolved[-0.1]


# --- Section 6.3: multiplicity ---


def test_multiplicity_of_buckets(claims: Printed, counted_board: CountedBoard) -> None:
    verdicts = counted_board.verdicts
    frame = rows(of_topic(board_findings(counted_board), "multiplicity", claims))
    inflation = (z_sum(0.05 / 12, 0.80) / z_sum(0.05, 0.80)) ** 2
    inflated = inflation * verdicts["n_star"] > verdicts["n_items"]
    gap = verdicts["delta"].abs()
    middle = inflated & (gap > 0.02) & (gap <= 0.05)
    assert frame.loc[("bonferroni_unresolved_in_bucket", "2%–5%"), "value"] == middle.sum()
    rejects = multipletests(verdicts["p_exact"], alpha=0.05, method="fdr_bh")[0]
    retracted = (verdicts["p_exact"] <= 0.05) & ~rejects & (gap > 0.05)
    assert frame.loc[("bh_retracted_above_5pp", ""), "value"] == retracted.sum()


# --- Lemma 1 ---


def test_the_grid_is_eq_9_over_eq_6_at_admissible_cells() -> None:
    grid = lemma_grid()
    a, b = grid["p"] + grid["delta"] / 2, grid["p"] - grid["delta"] / 2
    u, v = a * (1 - a), b * (1 - b)
    variance = u + v - 2 * grid["rho"] * np.sqrt(u * v)
    direct = (1 - grid["rho"]) / cohens_h(a, b) ** 2 * grid["delta"] ** 2 / variance
    np.testing.assert_allclose(grid["ratio"], direct, rtol=1e-10)
    # p11 = rho sqrt(uv) + p_A p_B cannot exceed p_B.
    assert (grid["rho"] * np.sqrt(u * v) + a * b <= b + 1e-12).all()
    assert len(grid) == 920


# --- Appendix C ---


def test_e_process_rows_hold_or_differ_as_expected(
    claims: Printed, simulation: list[Finding]
) -> None:
    """Type-I errors and rejection rates as printed; mean stopping times are shorter."""
    frame = of_topic(simulation, "anytime", claims)
    outcome = frame[frame["printed"].notna()].groupby("quantity")["agrees"].agg(["all", "any"])
    assert outcome["all"].to_dict() == {
        "type1_error": True,
        "rejection_rate": True,
        "stopping_change": True,
        "stopping_ratio": False,
    }
    assert not outcome.loc["stopping_ratio", "any"]
    ratio = frame[(frame["quantity"] == "stopping_ratio")]
    assert set(ratio["subject"]) == {
        "first pair, uniform-98", "first pair, Beta(2, 2)", "first pair, two-point",
    }  # fmt: skip
    assert ratio["note"].str.contains("M = 2,000").sum() == 3
    # The first mixture is what the others are compared with.
    change = frame.loc[frame["quantity"] == "stopping_change", "subject"]
    assert set(change) == {"first pair, Beta(2, 2)", "first pair, two-point"}
    assert (frame.loc[frame["quantity"] == "type1_error", "value"] < 0.07).all()


def test_one_required_number_a_gap() -> None:
    with pytest.raises(ValueError, match="zip"):
        simulated(e_process_deltas=[0.1], e_process_n_stars=[])


# --- Section 6.4 ---


def stages_of(board: ClusteredBoard) -> ClusterStages:
    return ClusterStages(
        "witness", board.verdicts, board.definitions, board.distribution, RESAMPLES
    )


def cluster_rows(board: ClusteredBoard, claims: Printed) -> pd.DataFrame:
    found = on_grounds(Board("mmlu_pro", "witness", board.verdicts), stages_of(board))
    return of_topic(found, "cluster_definitions", claims)


def test_cluster_sensitivity_collects_the_stages(
    claims: Printed, clustered_board: ClusteredBoard
) -> None:
    board = clustered_board
    frame = rows(cluster_rows(board, claims))["value"]
    verdicts = board.verdicts
    assert frame["icc_median", ""] == np.median(verdicts["icc"])
    assert frame["mean_cluster_size", ""] == len(board.scores.item_ids) / 14
    flipped = verdicts["resolved"].astype(bool) & ~verdicts["resolved_cluster"].astype(bool)
    at_most_three = verdicts["n_star_cluster"] <= 3 * verdicts["n_items"]
    assert frame["n_flipped_beyond_three_n", ""] == (flipped & ~at_most_three).sum()
    names = ["random_clusters", "quartile", "parity"]
    for name, row in zip(names, board.definitions.iloc[1:].to_dict(orient="records"), strict=True):
        assert frame[f"{name}_unresolved", ""] == row["n_unresolved"]
        assert frame[f"{name}_icc_max", ""] == row["icc_max"]
    share = board.distribution.set_index("n_unresolved")["share"]
    assert frame["bootstrap_share", "5 unresolved"] == share[5]
    assert frame["bootstrap_share", "5 or more unresolved"] == pytest.approx(share[5:].sum())


def test_every_claim_about_clusters_in_prose_has_its_row(
    claims: Printed, clustered_board: ClusteredBoard
) -> None:
    frame = cluster_rows(clustered_board, claims)
    prefixes = ("bootstrap_share", "quartile_", "parity_", "random_", "icc_m", "n_flipped")
    expected = {
        (quantity, subject)
        for panel, quantity, subject in claims
        if panel == "mmlu_pro" and quantity.startswith(prefixes)
    }
    printed = frame[frame["printed"].notna()]
    assert expected <= set(zip(printed["quantity"], printed["subject"], strict=True))


# --- Sections 2 and 4 ---


def test_shortcut_ratios_in_both_readings(claims: Printed, counted_board: CountedBoard) -> None:
    verdicts = counted_board.verdicts
    frame = rows(of_topic(board_findings(counted_board), "shortcut", claims))["value"]
    ratio = (verdicts["n_h"] / verdicts["n_star"]).to_numpy(np.float64)
    whole = np.ceil(verdicts["n_h"]) / np.ceil(verdicts["n_star"])
    assert frame["shortcut_ratio_q3", ""] == pytest.approx(np.percentile(ratio, 75), rel=1e-12)
    assert frame["shortcut_ratio_of_whole_items_min", ""] == whole.min()
    assert frame["pairs_within_5pp", ""] == (verdicts["delta"].abs() <= 0.05).sum()


def test_the_printed_largest_ratio_is_one_of_rounded_numbers(claims: Printed) -> None:
    """Section 4 prints 0.562; the board's 906 and 385 of 1,319 give 0.5605 at any rho.

    9/16 = 0.5625 after rounding both up (Section 4, range; GSM8K, Llama-I and gemma-it).
    """
    for n11 in (334, 345, 360):
        cells = (n11, 906 - n11, 385 - n11, 1319 - 906 - 385 + n11)
        board = CountedBoard.of([("gsm8k", "Llama-I", "gemma-it", *cells)])
        frame = rows(of_topic(board_findings(board), "shortcut", claims))
        assert frame.loc[("shortcut_ratio_max", ""), "value"] == pytest.approx(0.5605, abs=5e-5)
        assert not frame.loc[("shortcut_ratio_max", ""), "agrees"]
        if n11 == 334:  # N* = 15.9 and n_h = 8.9
            assert frame.loc[("shortcut_ratio_of_whole_items_max", ""), "value"] == 9 / 16
            assert frame.loc[("shortcut_ratio_of_whole_items_max", ""), "agrees"]


def test_a_pair_without_a_gap_has_no_ratio_but_a_gain(claims: Printed) -> None:
    board = CountedBoard.of([("arc", "a", "b", 40, 20, 20, 20), ("arc", "a", "c", 40, 25, 15, 20)])
    ratios = rows(of_topic(board_findings(board), "shortcut", claims))["value"]
    assert ratios["shortcut_ratio_min", ""] == ratios["shortcut_ratio_max", ""]
    gains = rows(of_topic(board_findings(board), "unpaired", claims))["value"]
    assert math.isfinite(gains["miller_gain_max", ""])


def test_miller_gain_summarizes_figure_1(claims: Printed, counted_board: CountedBoard) -> None:
    verdicts = counted_board.verdicts
    gain = (verdicts["n_miller"] / verdicts["n_star"]).to_numpy(np.float64)
    residual = gain - 1 / (1 - verdicts["rho"].to_numpy(np.float64))
    frame = rows(of_topic(board_findings(counted_board), "unpaired", claims))["value"]
    assert frame["miller_gain_median", ""] == pytest.approx(np.median(gain), rel=1e-10)
    assert frame["miller_residual_mean", ""] == pytest.approx(residual.mean(), rel=1e-8)
    assert frame["miller_residual_max", ""] == pytest.approx(np.abs(residual).max(), rel=1e-8)
