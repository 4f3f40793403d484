"""Tables 3, 4, 5, 8, 9, 10 and Figures 1, 2, 7: boards beside the printed cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy.stats import multinomial, norm

from board_examples import POINT, RESAMPLES, SUBJECTS, ClusteredBoard, CountedBoard
from kotawala2026.exhibits import figure_01, figure_02, figure_07
from kotawala2026.exhibits.table_03 import present as present_03
from kotawala2026.exhibits.table_03 import table_03
from kotawala2026.exhibits.table_04 import present as present_04
from kotawala2026.exhibits.table_04 import table_04
from kotawala2026.exhibits.table_05 import present as present_05
from kotawala2026.exhibits.table_05 import table_05, table_05_oll_v1
from kotawala2026.exhibits.table_08 import present as present_08
from kotawala2026.exhibits.table_08 import table_08
from kotawala2026.exhibits.table_09 import bound_errors, table_09
from kotawala2026.exhibits.table_09 import present as present_09
from kotawala2026.exhibits.table_10 import present as present_10
from kotawala2026.exhibits.table_10 import table_10
from llm_power._board.clusters import cluster_moments
from llm_power._board.resolve import resolve_board
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.figures import house_style, save_figure
from llm_power._report.tables import Table, to_markdown
from llm_power._statistics.cluster_moments import one_way_anova
from llm_power._statistics.design_effect import resample_clusters
from llm_power._statistics.inversion import required_n
from llm_power._statistics.mcnemar import mcnemar_asymptotic
from llm_power_audit.printed import Printed
from llm_power_audit.printed_tables import PublishedCounts
from paper_fixtures import loaded_paper
from replication.table_files import to_latex

Loader = Callable[[int], pd.DataFrame]
SETTINGS = loaded_paper("printed").settings
ITEMS = {"arc": 1_172, "gsm8k": 1_319}
WITNESS = [Provenance.witness("the printed summaries")]
RAW = [Provenance.raw(repo="r", revision="1", sha256="0")]


def by(frame: pd.DataFrame, column: str) -> Any:
    """Index by `column`; untyped, because a cell may be anything."""
    return frame.set_index(column)


def rendered(table: Table) -> str:
    """Render in all formats; return the Markdown in one line."""
    to_latex(table)
    return to_markdown(table).replace("\n", " ")


# --- Table 3 ---


def test_table_3_puts_each_pair_into_one_bucket(
    published: Loader, counted_board: CountedBoard
) -> None:
    verdicts = counted_board.verdicts
    frame = by(table_03(published(3), verdicts), "label")
    gap = verdicts["delta"].abs().to_numpy(np.float64)
    r = (verdicts["n_star"] / verdicts["n_items"]).to_numpy(np.float64)
    ends = {"≤1%": (-1, 0.01), "1%–2%": (0.01, 0.02), "2%–5%": (0.02, 0.05),
            "5%–15%": (0.05, 0.15), ">15%": (0.15, 9), "all": (-1, 9)}  # fmt: skip
    for label, (low, high) in ends.items():
        inside = (gap > low) & (gap <= high)
        assert frame.loc[label, "pairs"] == inside.sum()
        assert frame.loc[label, "unresolved"] == (r[inside] > 1).sum()
        if inside.any():
            assert frame.loc[label, "r_median"] == pytest.approx(np.median(r[inside]), rel=1e-12)
            assert frame.loc[label, "r_worst"] == pytest.approx(r[inside].max(), rel=1e-12)
    assert not frame["pairs_agrees"].all()
    assert frame["on_bound"].sum() == 0
    text = rendered(present_03(frame.reset_index(), WITNESS, items=ITEMS))
    assert "| ≠ 3 |" in " ".join(text.split())
    said = f"{frame.loc['all', 'unresolved']} of {len(verdicts)} pairs are unresolved: they need"
    assert (
        f"{said} more items than their task has (r = N*/N > 1), none of them with a gap above 5%."
        in text
    )
    beyond = rendered(present_03(frame.assign(unresolved=1).reset_index(), WITNESS, items=ITEMS))
    assert "1 of 12 pairs are unresolved: they need more items" in beyond
    assert "(r = N*/N > 1), at gaps of any size." in beyond
    assert "witness (fitted to the printed summaries); from published numbers (Table 3)" in text
    with pytest.raises(InvalidArgument, match="published"):
        table_03(published(3).iloc[1:], verdicts)


def test_a_gap_on_a_bound_is_in_the_lower_bucket_and_said(published: Loader) -> None:
    board = CountedBoard.of(
        [("arc", "a", "b", 400, 60, 50, 490), ("arc", "a", "c", 400, 70, 50, 480)]
    )
    frame = by(table_03(published(3), board.verdicts), "label")
    assert frame["pairs"].tolist() == [1, 1, 0, 0, 0, 2]
    assert frame.loc["≤1%", "on_bound"] == frame.loc["1%–2%", "on_bound"] == 1
    assert "A bucket holds its upper end, on which 2 gaps are." in rendered(
        present_03(frame.reset_index(), WITNESS, items=ITEMS)
    )


# --- Table 4 ---


def printed_verdicts(published: Loader) -> pd.DataFrame:
    """A verdict table that holds exactly what Table 4 prints."""
    table = published(4)
    value = {name: [cell.value for cell in table[name]] for name in table.columns[1:]}
    ranks = np.arange(1, 10)
    return pd.DataFrame(
        {
            "task": "mmlu_pro",
            "rank_a": ranks,
            "rank_b": ranks + 1,
            "model_a": [f"m{k}" for k in ranks],
            "model_b": [f"m{k + 1}" for k in ranks],
            "n_items": 12032,
            "delta": np.array(value["gap_pp"]) / 100,
            "rho": value["rho"],
            "icc": value["icc"],
            "design_effect": value["design_effect"],
            "n_star_cluster": value["n_star_cluster"],
            "n_star": np.array(value["n_star_cluster"]) / value["design_effect"],
            "resolved": [True, True, False, True, True, False, True, False, False],
            "resolved_cluster": np.array(value["n_star_cluster"]) <= 12032,
        }
    )


def test_table_4_agrees_with_itself_and_names_a_planted_cell(published: Loader) -> None:
    verdicts = printed_verdicts(published).iloc[::-1].reset_index(drop=True)
    frame = table_04(published(4), verdicts)
    flags = [name for name in frame if str(name).endswith("_agrees")]
    assert len(flags) == 5
    assert frame[flags].to_numpy().all()
    flipped = (
        "With subjects as clusters 6 of 9 pairs are unresolved, without them 4; the clusters make "
        "4 vs 5 (N* is then 1.13 N) and 5 vs 6 (N* is then 3.24 N) unresolved."
    )
    assert flipped in rendered(present_04(frame, WITNESS, n_subjects=14))
    unmoved = present_04(frame.assign(resolved=frame["resolved_cluster"]), WITNESS, n_subjects=14)
    assert "without them 6; the clusters turn none." in rendered(unmoved)
    verdicts.loc[verdicts["rank_a"] == 8, "icc"] += 0.0001
    text = rendered(present_04(table_04(published(4), verdicts), WITNESS, n_subjects=14))
    assert text.count("≠ ") == 2  # the cell, and what the mark means
    assert "≠ 0.0010 |" in text


def test_required_items_may_have_been_rounded_up_but_not_down(published: Loader) -> None:
    verdicts = printed_verdicts(published)
    at = verdicts["rank_a"] == 1  # printed 2,327
    for value, expected in ((2326.1, True), (2327.4, True), (2325.9, False), (2327.6, False)):
        verdicts.loc[at, "n_star_cluster"] = value
        frame = table_04(published(4), verdicts)
        assert bool(frame["n_star_cluster_agrees"][0]) is expected


def test_other_pairs_than_the_printed_ones_are_refused(published: Loader) -> None:
    with pytest.raises(InvalidArgument, match="1 vs 2"):
        table_04(published(4), printed_verdicts(published).iloc[1:])


# --- Table 5 ---


def test_the_column_of_oll_v1_counts_pairs_by_procedure_and_task(
    published: Loader, counted_board: CountedBoard
) -> None:
    verdicts = counted_board.verdicts
    frame = by(table_05_oll_v1(published(5), verdicts), "procedure")
    assert frame.loc["Fixed-n", "unresolved"] == (verdicts["q"] < 1).sum()
    at_12 = verdicts["n_star_bonferroni"] > verdicts["n_items"]
    assert frame.loc["Bonferroni, m = 12", "unresolved"] == at_12.sum()
    assert frame.loc["Anytime-valid, not resolvable", "printed"] == "14/40"
    assert not frame.loc["Fixed-n", "agrees"]
    assert frame["agrees"].isna().sum() == 1
    assert (
        sum(int(part.split()[1]) for part in frame.loc["Fixed-n", "which"].split(", "))
        == (frame.loc["Fixed-n", "unresolved"])
    )


def test_a_board_decides_the_clustered_cell(published: Loader, counts_7: PublishedCounts) -> None:
    board = printed_verdicts(published)
    rows = table_05(published(5), counts_7, board, all_pairs_family=45)
    clustered = by(rows, "procedure").loc["Real-ICC clustered"]
    assert (clustered["unresolved"], clustered["basis"], clustered["agrees"]) == (6, "board", True)
    text = rendered(present_05(rows, WITNESS))
    assert "witness (fitted to the printed summaries); from published numbers (Tables" in text


# --- Table 8 ---


def test_table_8_equals_a_rerun_without_the_items(
    published: Loader, clustered_board: ClusteredBoard
) -> None:
    board, scores = clustered_board, clustered_board.scores
    frame = by(table_08(published(8), board.verdicts, board.leave_one_out), "dropped")
    category = np.array(scores.clusters["category"])
    assert list(frame.index) == [*SUBJECTS, "none"]
    for subject in SUBJECTS[::4]:
        keep = np.flatnonzero(category != subject)
        rest = replace(
            scores,
            item_ids=tuple(scores.item_ids[i] for i in keep),
            values=scores.values[keep],
            clusters={"category": tuple(category[keep])},
        )
        # Not ranked anew: the pairs stay those of the full board.
        again = resolve_board([rest], family="adjacent", cluster="category", point=POINT).verdicts
        row = frame.loc[subject]
        assert row["n_items"] == len(keep)
        assert row["unresolved_remaining"] == (again["n_star_cluster"] > len(keep)).sum()
        assert row["unresolved_full"] == (again["n_star_cluster"] > category.size).sum()
    base = (~board.verdicts["resolved_cluster"].astype(bool)).sum()
    assert frame.loc["none", "unresolved_remaining"] == frame.loc["none", "unresolved_full"] == base
    assert frame.loc["law", "printed"] == "5/9"
    assert frame.loc["math", "printed"] == "6/9"


def test_table_8_says_which_reading_reproduces_it(
    published: Loader, clustered_board: ClusteredBoard
) -> None:
    frame = table_08(published(8), clustered_board.verdicts, clustered_board.leave_one_out)
    text = rendered(present_08(frame.assign(agrees_full=True), WITNESS, n_public=12_032))
    assert "Against the items that remain the count differs for" in text
    planted = np.where(frame["dropped"].isin(["law", "math"]), 3, 4)
    text_of = rendered(
        present_08(frame.assign(unresolved_remaining=planted), WITNESS, n_public=12_032)
    )
    finding = (
        "On a data set built to agree with printed numbers 4 of 9 pairs are unresolved; 3 if law "
        "or math is left out; 4 if any other subject is."
    )
    assert finding in text_of
    assert "Against all items the count differs" not in text
    # The second line of a long list is none of its own: its first cell is empty.
    assert re.search(r"\| +\| [a-z ,]*physics +\|", text)


def test_table_8_needs_the_printed_subjects(
    published: Loader, clustered_board: ClusteredBoard
) -> None:
    renamed = clustered_board.leave_one_out.replace({"dropped": {"law": "jurisprudence"}})
    with pytest.raises(InvalidArgument, match="jurisprudence"):
        table_08(published(8), clustered_board.verdicts, renamed)


# --- Table 9 ---


@pytest.fixture(scope="module")
def errors(clustered_board: ClusteredBoard) -> pd.DataFrame:
    return bound_errors(clustered_board.cluster_sums, POINT, n_resamples=RESAMPLES, seed=3)


def shown_09(frame: pd.DataFrame, board: ClusteredBoard, printed_shares: dict[int, float]) -> str:
    sizes = {"n_items": 80, "n_subjects": 14, "n_resamples": RESAMPLES}
    return rendered(
        present_09(
            frame, board.distribution, WITNESS, printed_shares=printed_shares, seed=3, **sizes
        )
    )


def test_table_9_shows_points_and_bounds_of_the_same_pair(
    published: Loader, clustered_board: ClusteredBoard, errors: pd.DataFrame
) -> None:
    board = clustered_board
    shuffled = board.intervals.sample(frac=1, random_state=0)
    frame = table_09(published(9), board.verdicts, shuffled, errors, n_resamples=RESAMPLES)
    by_rank = board.intervals.sort_values("rank_a").reset_index(drop=True)
    np.testing.assert_array_equal(frame["icc"], board.verdicts["icc"])
    for name in ("icc_p05", "design_effect_p95", "n_star_cluster_p95", "probability_unresolved"):
        np.testing.assert_array_equal(frame[name], by_rank[name])
    text = shown_09(frame, board, {9: 0.25})
    share = board.distribution.set_index("n_unresolved")["share"].get(9, 0)
    assert f"9 in {100 * share:.1f}% (printed: 25.0%)" in text
    assert f"; 9 of the 9 are unresolved in {100 * share:.1f}% (printed: 25.0%)." in text
    sure = frame.assign(probability_unresolved=[0, 0, 1, 0.559, 0.995, 1, 0, 1, 1])
    finding = "decides 1 of 9 verdicts: 4 vs 5, unresolved in 55.9% of the resamples;"
    assert f"The draw of the subjects {finding}" in shown_09(sure, board, {})
    assert "| 6 vs 7 " in text
    # Below our point and interval, on a line that is named.
    assert re.search(r"\] +\| +\| \| \*printed\* +\| +≠ 0.012 \|", text)
    assert "≠ [11.2M; 48.3M]" in text
    assert "simulated (seed 3, 200 resamples of the subjects)" in text
    assert "200 here, of the 14 subjects with replacement" in text
    named = ["4 vs 5", "5 vs 6", "6 vs 7"]
    above = [label for label in frame.loc[frame["icc_p05"] > 0, "label"] if label not in named]
    assert f"further intervals of the ICC that exclude 0: {', '.join(above) or 'none'}." in text


def test_a_share_of_resamples_is_held_within_its_monte_carlo_error(
    published: Loader, clustered_board: ClusteredBoard, errors: pd.DataFrame
) -> None:
    """Table 9, ranks 4 vs 5: 0.552; 3.29 standard errors of a difference at B = 1000 are 0.073."""
    intervals = clustered_board.intervals.copy()
    flags = []
    for share in (0.552 + 0.07, 0.552 + 0.08):
        intervals.loc[intervals["rank_a"] == 4, "probability_unresolved"] = share
        frame = table_09(
            published(9), clustered_board.verdicts, intervals, errors, n_resamples=1000
        )
        flags.append(bool(frame["probability_unresolved_agrees"][3]))
    assert flags == [True, False]


@pytest.mark.parametrize("cell", [("icc_p95", 0.044, 0.0005), ("n_star_cluster_p95", 17_672, 0.5)])
def test_a_bound_of_table_9_is_held_within_its_monte_carlo_error(
    published: Loader,
    clustered_board: ClusteredBoard,
    errors: pd.DataFrame,
    cell: tuple[str, float, float],
) -> None:
    """Table 9, ranks 4 vs 5: two-sided 0.1% is 3.29 standard errors of the difference."""
    bound, printed, half_unit = cell
    intervals, errors = clustered_board.intervals.copy(), errors.copy()
    fourth, error = intervals["rank_a"] == 4, 20 * half_unit
    errors.loc[errors["rank_a"] == 4, bound] = error
    flags = []
    for reach in (-3.4, -3.2, 3.2, 3.4):
        intervals.loc[fourth, bound] = printed + reach * error + np.sign(reach) * half_unit
        frame = table_09(
            published(9), clustered_board.verdicts, intervals, errors, n_resamples=1000
        )
        flags.append(bool(frame[f"{bound}_agrees"][3]))
    assert flags == [False, True, True, False]


def test_the_error_of_a_bound_is_that_of_a_percentile_of_so_many_resamples(
    clustered_board: ClusteredBoard, errors: pd.DataFrame
) -> None:
    """Of a percentile q of B draws of density f: sqrt(0.05 x 0.95 / B) / f(q)."""
    moments = cluster_moments(clustered_board.cluster_sums)
    draws = resample_clusters(14, 60_000, rng=7)
    icc = one_way_anova(moments, lambda x: draws.astype(float) @ x).icc
    low, at, high = np.quantile(icc, [0.93, 0.95, 0.97], axis=0)
    density = 0.04 / (high - low)
    expected = np.sqrt(0.05 * 0.95 * (1 / 1000 + 1 / RESAMPLES)) / density
    # Of 100 bootstraps a standard deviation varies by 7%.
    np.testing.assert_allclose(errors["icc_p95"], expected, rtol=0.3)
    assert np.mean(errors["icc_p95"] / expected) == pytest.approx(1, abs=0.15)


# --- Table 10 ---


@pytest.fixture(scope="module")
def prospective(published: Loader, counted_board: CountedBoard) -> pd.DataFrame:
    return table_10(published(10), counted_board.verdicts, n_trials=1000)


def test_table_10_finds_the_gemma_that_has_the_printed_gap(prospective: pd.DataFrame) -> None:
    pairs = prospective.drop_duplicates("label")
    assert pairs["pair"].tolist() == [
        "Mistral-I / Llama-I",
        "Llama-3-8B / gemma-it",
        "Llama-3-8B / gemma-it",
    ]
    assert pairs[["gap_pp_agrees", "rho_agrees", "n_star_agrees"]].to_numpy().all()
    text = rendered(present_10(prospective, WITNESS, n_trials=1000))
    assert "| ARC, Llama-3-8B / gemma-it |" in text
    assert "Printed as “ARC, Llama-3-8B / gemma” and “HS, Llama-3-8B / gemma”; the printed" in text
    least, at, most = (
        f"{prospective.loc[prospective['factor'] == factor, 'power_exact'].min():.2f} to "
        f"{prospective.loc[prospective['factor'] == factor, 'power_exact'].max():.2f}"
        for factor in (0.8, 1.0, 1.2)
    )
    finding = f"test is {at}, for a target of 0.8; at 0.8 N* it is {least}, at 1.2 N* {most}."
    assert f"{finding} 9 of 9 printed powers are within chance." in text
    changed = prospective.assign(power_exact=prospective["factor"] / 2, power_agrees=False)
    text = rendered(present_10(changed, RAW, n_trials=1000))
    assert "test is 0.50 to 0.50, for a target of 0.8; at 0.8 N* it is 0.40 to 0.40," in text
    assert "at 1.2 N* 0.60 to 0.60. 0 of 9 printed powers" in text
    # The powers shown are exact.
    assert "simulated (" not in text


def test_table_10_rounds_its_items_up(prospective: pd.DataFrame) -> None:
    """N* = 192.07, 293.19 and 119.33, printed 193, 294 and 120."""
    assert prospective["n_items"].tolist() == [154, 193, 231, 235, 294, 352, 96, 120, 144]


def test_table_10_powers_are_those_of_the_multinomial(prospective: pd.DataFrame) -> None:
    """All 4,753 tables (b, c) of 96 items."""
    row = prospective.iloc[6]
    n, p10, p01 = 96, 1328 / 10042, 318 / 10042
    b, c = (x.ravel() for x in np.mgrid[0 : n + 1, 0 : n + 1])
    b, c = b[b + c <= n], c[b + c <= n]
    mass = multinomial.pmf(np.stack([b, c, n - b - c], axis=1), n, [p10, p01, 1 - p10 - p01])
    exact = float(mass[mcnemar_asymptotic(b, c) <= 0.05].sum())
    assert row["power_exact"] == pytest.approx(exact, rel=1e-9)
    assert row["power_se"] == pytest.approx(np.sqrt(exact * (1 - exact) / 1000), rel=1e-9)
    assert (prospective["power_conditional"] < prospective["power_exact"]).all()


def test_a_printed_power_that_is_far_off_is_flagged(
    published: Loader, counted_board: CountedBoard, prospective: pd.DataFrame
) -> None:
    assert prospective["power_agrees"].all()
    table = published(10)
    cells = list(table["power_at_100"])
    table["power_at_100"] = [Printed("=", 0.90, 0.005, text="0.90"), *cells[1:]]
    frame = table_10(table, counted_board.verdicts, n_trials=1000)
    assert frame["power_agrees"].tolist() == [True, False, *([True] * 7)]


def test_a_pair_that_the_board_lacks_is_named(
    published: Loader, counted_board: CountedBoard
) -> None:
    verdicts = counted_board.verdicts
    with pytest.raises(InvalidArgument, match="HS, Mistral-I / Llama-I"):
        table_10(published(10), verdicts[verdicts["task"] == "arc"], n_trials=10)


# --- Figures ---


def test_figure_1_is_the_ratio_of_the_two_required_numbers(counted_board: CountedBoard) -> None:
    verdicts = counted_board.verdicts
    frame = figure_01.figure_01(verdicts)
    expected = (verdicts["n_miller"] / verdicts["n_star"]).to_numpy(np.float64)
    np.testing.assert_allclose(frame["gain"], expected, rtol=1e-10)
    # p q equal on both sides: the textbook gain is exact.
    equal = CountedBoard.of([("arc", "a", "b", 30, 20, 20, 30)])
    assert figure_01.figure_01(equal.verdicts)["residual"][0] == pytest.approx(0, abs=1e-12)
    compared = figure_01.summarize(frame, SETTINGS)
    assert compared[0] == ("median", "≠ 2.15", f"{frame['gain'].median():.2f}")
    same = frame.assign(gain=2.15, residual=-0.009)
    assert figure_01.summarize(same, SETTINGS)[0] == ("median", "2.15", "2.15")
    with house_style():
        ax, strip = figure_01.draw(frame, compared).axes
    (circles,) = ax.collections
    np.testing.assert_allclose(
        np.asarray(circles.get_offsets(), float), frame[["rho", "gain"]].to_numpy()
    )
    (residuals,) = strip.collections
    np.testing.assert_allclose(
        np.asarray(residuals.get_offsets(), float), frame[["rho", "residual"]].to_numpy()
    )
    curve = ax.lines[0]
    x, y = np.asarray(curve.get_xdata()), np.asarray(curve.get_ydata())
    np.testing.assert_allclose(y, 1 / (1 - x))
    # The printed number stands beside ours in the picture.
    assert {"printed", "≠ 2.15", "≠ 0.062"} <= {text.get_text() for text in ax.texts}


def test_figure_2_has_a_panel_a_task_sorted(
    counted_board: CountedBoard, counts_6: PublishedCounts
) -> None:
    frame = figure_02.figure_02(counted_board.verdicts)
    assert len(frame) == len(counted_board.verdicts)
    assert all(rows["r"].is_monotonic_increasing for _, rows in frame.groupby("task"))
    printed = figure_02.printed_r(counts_6)
    assert printed["HS", "gemma / Llama-3-8B"] == pytest.approx(20255 / 10042)
    with house_style():
        panels = figure_02.draw(frame, printed, 11).axes
    assert [ax.get_title().split(",")[0] for ax in panels] == ["HS", "ARC-C"]
    names = [label for ax in panels for label in ax.get_yticklabels()]
    assert {name.get_rotation() for name in names} == {0}
    for ax, (_, rows) in zip(panels, frame.groupby("task", sort=False), strict=True):
        bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
        # Each bar goes from r = 1, which has a length on a logarithmic axis.
        assert {bar.get_x() for bar in bars} == {1}
        np.testing.assert_allclose([bar.get_x() + bar.get_width() for bar in bars], rows["r"])
        assert [bool(bar.get_hatch()) for bar in bars] == [not one for one in rows["resolved"]]
        assert ax.get_xscale() == "log"


def test_figure_7_has_a_bar_a_pair_and_the_n_at_hand() -> None:
    llama = "Llama-4-Maverick-17B-128E-Instruct-FP8"
    board = CountedBoard.of(
        [
            ("mmlu_pro", "GPT-5.5", "GPT-5.4", 1000, 110, 50, 190),
            ("mmlu_pro", "GPT-5.4", llama, 900, 150, 40, 260),
            ("mmlu_pro", llama, "DeepSeek-V3.2", 800, 150, 150, 250),
        ]
    )
    possible = pd.DataFrame({"accuracy": [0.2, 0.4, 0.9], "n_star": [1400.0, 1500.0, 90.0]})
    frame = figure_07.figure_07(board.verdicts, 0.0, possible["n_star"])
    assert frame["label"].tolist() == ["1 vs 2", "2 vs 3", "3 vs 4"]
    finding = figure_07.find(frame, possible, 1350)
    assert (
        "N* of Llama-4-Maverick vs DeepSeek-V3.2 at 90 to 90 or 1,400 to 1,500; that it is"
        in finding
    )
    assert "unresolved (N* above 1,350) does not follow" in finding
    assert finding.endswith("an accuracy of DeepSeek-V3.2 between 20% and 40%.")
    assert "the 1,500 items are enough" in figure_07.find(frame, possible, 1500)
    assert figure_07.find(frame, possible, 80).endswith("1,500: it is unresolved, as printed.")
    with house_style():
        ax = figure_07.draw(frame).axes[0]
    resolved, unresolved = (line for line in ax.lines if line.get_marker() == "|")
    np.testing.assert_array_equal(resolved.get_xdata(), [90, 90])
    np.testing.assert_array_equal(unresolved.get_xdata(), [1400, 1500])
    bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    # Of these pairs the paper prints no more than that they are resolved.
    assert [bar.get_width() for bar in bars] == [1350, 1350]
    assert all(bar.get_linewidth() == 0 for bar in bars), "up to N: no number of their own"
    assert [line.get_marker() for line in ax.lines].count("o") == 1
    assert np.isinf(frame["n_star"][2])
    assert "90 to 90 or 1,400 to 1,500\nwitness: ∞" in [text.get_text() for text in ax.texts]


def test_figure_7_knows_every_table_that_displays_the_printed_gap_and_correlation() -> None:
    """Of 40 items, by loops over all tables: gap 10.0 pp is 4 items, correlation 0.48.

    Of these the ones whose n_h/N*, Cohen's formula times 1 - rho over eq. (6), is one of a few.
    """
    found = []
    for both, b, c in np.ndindex(41, 41, 41):
        p_a, p_b = (both + b) / 40, (both + c) / 40
        spread = p_a * (1 - p_a) * p_b * (1 - p_b)
        if both + b + c > 40 or b - c != 4 or spread == 0:
            continue
        if abs((both / 40 - p_a * p_b) / np.sqrt(spread) - 0.48) <= 0.005:
            n_star = required_n(0.1, np.sqrt((b + c) / 40 - 0.01))
            h = 2 * (np.arcsin(np.sqrt(p_a)) - np.arcsin(np.sqrt(p_b)))
            k = (norm.isf(0.025) + norm.isf(0.2)) ** 2
            rho = (both / 40 - p_a * p_b) / np.sqrt(spread)
            found.append((p_b, n_star, (1 - rho) * k / h**2 / n_star))
    assert len(found) > 1
    ratios = sorted(ratio for *_, ratio in found)
    for shortcut in (ratios, [ratios[0] - 0.001], [ratios[0]], [ratios[0] - 1, ratios[-1]]):
        possible = figure_07.possible_pairs(40, 0.1, 0.48, shortcut)
        expected = [
            (p_b, n_star)
            for p_b, n_star, ratio in sorted(found)
            if any(abs(ratio - one) <= 0.0005 for one in shortcut)
        ]
        assert len(expected) == len(possible)
        if expected:
            found_here = sorted(map(tuple, possible.to_numpy()))
            np.testing.assert_allclose(found_here, expected, rtol=1e-9)


def test_no_setting_of_the_user_reaches_a_figure() -> None:
    with mpl.rc_context({"axes.grid": True, "lines.linestyle": ":"}), house_style():
        assert not mpl.rcParams["axes.grid"]
        assert mpl.rcParams["lines.linestyle"] == "-"


def marks(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts if text.get_text() == "WITNESS"]


def test_a_witness_marks_its_figure_outside_the_axes(
    tmp_path: Path, counted_board: CountedBoard
) -> None:
    frame = figure_01.figure_01(counted_board.verdicts)
    compared = figure_01.summarize(frame, SETTINGS)
    with house_style():
        figures = {kind: figure_01.draw(frame, compared) for kind in ("witness", "raw")}
        save_figure(figures["witness"], tmp_path / "witness", [*WITNESS, *RAW], title="t")
        save_figure(figures["raw"], tmp_path / "raw", RAW, title="a heading")
    assert marks(figures["witness"]) == ["WITNESS"]
    assert marks(figures["raw"]) == []
    # A page or a paper has the title.
    assert "a heading" not in [text.get_text() for text in figures["raw"].texts]
    (mark,) = (text for text in figures["witness"].texts if text.get_text() == "WITNESS")
    drawn = figures["witness"].axes[0].get_tightbbox()
    assert drawn is not None
    assert mark.get_window_extent().y0 >= drawn.y1
