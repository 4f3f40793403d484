"""Table 2 and Figures 3 to 6: settings, determinism, and simulation against enumeration."""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy.optimize import brentq
from scipy.stats import norm

from kotawala2026.exhibits import figure_03, figure_04, figure_05, figure_06, table_02
from kotawala2026.exhibits._counts_table import counted_pairs
from kotawala2026.exhibits._power_curves import crossing_point, curves_of, power_figure
from kotawala2026.exhibits._power_curves import draw as draw_curves
from kotawala2026.simulations import TESTS, exact_rates, latent_correlation
from kotawala2026.simulations import figure_06 as chunks_of_figure_06
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.figures import house_style, save_figure
from llm_power._report.tables import to_markdown
from llm_power._statistics.copula_pairs import graded_difference_variance, paired_bernoulli_cells
from llm_power._statistics.e_process import UNIFORM_98, log_e_value
from llm_power._statistics.inversion import required_n
from llm_power._statistics.paired_binary import required_n_paired_binary
from llm_power_audit.printed_tables import PublishedCounts
from paper_fixtures import loaded_paper
from replication.exhibits import Drawing, Exhibit, Inputs
from replication.simulations import simulate_part
from replication.stages import write_stage
from replication.table_files import to_latex

Loader = Callable[[int], pd.DataFrame]
SEED = 7
SETTINGS = dict(loaded_paper("printed").settings)
GRID = ([0.5, 0.7, 0.9], [0.0, 0.4, 0.8])


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    return table_02.compute(*GRID, 80, n_trials=400, seed=SEED)


Made = tuple[Exhibit, pd.DataFrame]


def made(module: ModuleType, settings: dict[str, Any], numbers: dict[str, int]) -> Made:
    """Make a figure of power curves; return it with its points."""
    name = module.__name__.rpartition(".")[2]
    exhibit = module.make(Inputs(name, {}, SETTINGS | settings, numbers | {"seed": SEED}))
    return exhibit, pd.read_csv(io.StringIO(exhibit.files["_points.csv"]))


@pytest.fixture(scope="module")
def figure_of_5() -> Made:
    return made(figure_05, {"figure_5_deltas": [0.08]}, {"n_trials": 2_000})


@pytest.fixture(scope="module")
def figure_of_6() -> Made:
    return made(figure_06, {"figure_6_deltas": [0.08]}, {"n_trials": 500, "n_resamples": 300})


@pytest.fixture(scope="module")
def curves_5(figure_of_5: Made) -> pd.DataFrame:
    return figure_of_5[1]


@pytest.fixture(scope="module")
def curves_6(figure_of_6: Made) -> pd.DataFrame:
    return figure_of_6[1]


def by_reference(frame: pd.DataFrame) -> dict[Hashable, dict[Hashable, Any]]:
    return curves_of(frame).set_index("reference").to_dict(orient="index")


def trajectories() -> pd.DataFrame:
    return figure_04.compute(0.024, 2362, horizon=3_000, n_trajectories=4, seed=SEED)


def calibration(n_trials: int = 500) -> pd.DataFrame:
    return figure_04.calibrate(
        0.024, 2362, horizon=7_086, n_trials=n_trials, window=(1_000, 5_000), seed=SEED
    )


# --- Table 2 ---------------------------------------------------------------------------------


def test_the_grid_is_the_papers() -> None:
    assert (SETTINGS["calibration_p"], SETTINGS["calibration_rho_z"]) == GRID


def test_the_declared_five_are_corners_and_center(cells: pd.DataFrame) -> None:
    expected = {(0.5, 0.0), (0.5, 0.8), (0.7, 0.4), (0.9, 0.0), (0.9, 0.8)}
    assert set(table_02.declared_five(*GRID)) == expected
    chosen = cells.loc[cells["declared"], ["p", "rho_z"]].drop_duplicates()
    assert set(chosen.itertuples(index=False, name=None)) == expected
    with pytest.raises(InvalidArgument, match="rho_z"):
        table_02.declared_five(GRID[0], [0.0, 0.8])


def test_every_cell_and_test_of_table_2_has_its_row(cells: pd.DataFrame) -> None:
    assert len(cells) == 45
    assert cells.groupby(["p", "rho_z"])["test"].apply(tuple).map(lambda t: t == TESTS).all()
    again = table_02.compute(*GRID, 80, n_trials=400, seed=SEED)
    pd.testing.assert_frame_equal(cells, again, check_exact=True)


def test_summaries_of_table_2(cells: pd.DataFrame, published: Loader) -> None:
    summary = table_02.summarize(cells, published(2), n_resamples=500)
    assert summary["cells"].tolist() == [5] * 5 + [9] * 5
    assert summary["power_max_dev_pp_printed"].tolist() == ["5.3", "10.2", "5.9", "10.6", "5.2"] * 2
    mid_p = cells[(cells["test"] == "mid_p") & cells["declared"]]
    row = summary.iloc[2]
    assert row["test"] == "mid_p"
    assert row["type1_max_dev_pp"] == 100 * np.max(np.abs(mid_p["type1"] - 0.05))
    assert row["power_median_exact"] == sorted(mid_p["power_exact"])[2]
    assert (summary["power_median_se"] > 0).all()
    table = table_02.build(summary, cells, seed=SEED, n_resamples=500)
    for text in (to_markdown(table), to_latex(table)):
        assert "400 trials" in text
    assert "The paper does not name its five of nine cells" in " ".join(to_markdown(table).split())


def test_a_number_that_no_repetition_gives_is_marked(
    cells: pd.DataFrame, published: Loader
) -> None:
    summary = table_02.summarize(cells, published(2), n_resamples=500)
    summary["power_max_dev_pp_in_range"] = True
    summary.loc[1, "power_max_dev_pp_in_range"] = False
    summary.loc[6, "power_max_dev_pp_in_range"] = False
    text = to_markdown(table_02.build(summary, cells, seed=SEED, n_resamples=500))
    assert text.count("≠ 10.2 |") == 1
    assert (
        "For 1 of 5 tests the printed largest deviation of power from 0.8, 10.2 pp, is beyond"
        in " ".join(text.split())
    )


def test_a_number_that_the_resamples_decide_has_a_mark_of_its_own(
    cells: pd.DataFrame, published: Loader
) -> None:
    summary = table_02.summarize(cells, published(2), n_resamples=500)
    summary["power_max_dev_pp_in_range"] = summary["test"] != "paired_bootstrap"
    for by_resamples, mark in ((True, "?"), (False, "≠")):
        summary["power_max_dev_pp_in_range_by_resamples"] = by_resamples
        text = to_markdown(table_02.build(summary, cells, seed=SEED, n_resamples=500))
        assert f"{mark} 5.2 |" in text


@pytest.mark.slow
def test_table_2_at_the_papers_settings(published: Loader) -> None:
    """No choice of five cells at n = 500 gives the printed deviations of the power."""
    cells = table_02.compute(*GRID, 500, n_trials=1_500, seed=SEED)
    summary = table_02.summarize(cells, published(2), n_resamples=500)
    nine = summary[summary["cells"] == 9]
    # Half of the printed 5.3, 10.2, 5.9, 10.6 and 5.2 pp, or less, with no Monte Carlo error.
    assert (nine["power_max_dev_pp_exact"].to_numpy() < [1.0, 3.2, 1.0, 3.8, 1.2]).all()
    assert not summary["power_max_dev_pp_in_range"].any()
    # As the audit has it: ambiguous, and decided by the resamples.
    assert table_02.agreement(summary, "power_max_dev_pp") == [False] * 4 + [None]
    assert summary.loc[summary["cells"] == 5, "type1_max_dev_pp_in_range"].all()


# --- Figure 4 --------------------------------------------------------------------------------


def test_trajectories_are_the_e_process_of_their_own_steps() -> None:
    frame = trajectories()
    pd.testing.assert_frame_equal(frame, trajectories(), check_exact=True)
    assert list(frame.columns) == ["hypothesis", "trajectory", "n_items", "log_e"]
    assert frame.groupby("hypothesis")["trajectory"].nunique().to_dict() == {"H0": 4, "H1": 4}
    assert frame["n_items"].between(1, 3_000).all()
    # The second discordant item is the first to move log e: it agrees with the first or not.
    starts = frame.groupby(["hypothesis", "trajectory"])["log_e"].first()
    possible = [float(log_e_value(b, 2 - b, UNIFORM_98)) for b in (2, 1)]
    assert (np.abs(starts.to_numpy()[:, np.newaxis] - possible).min(axis=1) < 1e-12).all()


def test_crossings_of_figure_4() -> None:
    frame = calibration(4_000)
    parts = frame[["before", "within", "after"]].sum(axis=1)
    np.testing.assert_allclose(parts, frame["crossed"], rtol=1e-12)
    null, alternative = frame.to_dict(orient="records")
    # Ville's inequality, with 4 standard errors.
    assert null["crossed"] <= 0.05 + 4 * null["crossed_se"]
    assert np.isinf(null["stopping_50"])
    assert alternative["crossed"] > 0.9
    assert alternative["stopping_10"] < alternative["stopping_50"] < 7_086


# --- Figures 5 and 6 -------------------------------------------------------------------------


def test_required_n_of_figure_5(curves_5: pd.DataFrame) -> None:
    n_star = float(required_n_paired_binary(0.65, 0.57, 0.3))
    np.testing.assert_allclose(curves_5["n_star"], n_star, rtol=1e-9)
    curves = by_reference(curves_5)
    # Rounded cells move each of b and c by half an item at most, and b - c by one.
    assert abs(curves["expected"]["reference_delta"] - 0.08) <= 1 / 30_000
    assert curves["expected"]["reference_n_star"] == pytest.approx(n_star, rel=1e-3)
    assert abs(curves["drawn"]["reference_n_star"] / n_star - 1) > 1e-3


def test_curve_of_figure_5_agrees_with_enumeration(curves_5: pd.DataFrame) -> None:
    cells = paired_bernoulli_cells(0.65, 0.57, latent_correlation(0.65, 0.57, 0.3))
    expected = curves_5[curves_5["reference"] == "expected"]
    exact = np.array(
        [exact_rates(float(cells.p10), float(cells.p01), n)[-1] for n in expected["n_items"]]
    )
    error = np.sqrt(exact * (1 - exact) / 2_000)
    assert (np.abs(expected["power"].to_numpy() - exact) <= 4 * error).all()
    crossing, _ = crossing_point(expected["n_items"].to_numpy(), exact, 0.8, 2_000)
    found, spread = (expected[name].iloc[0] for name in ("crossing", "crossing_se"))
    assert abs(found - crossing) <= 4 * spread


def test_required_n_of_figure_6(curves_6: pd.DataFrame) -> None:
    sigma_d = np.sqrt(graded_difference_variance(0.08, 0.3))
    np.testing.assert_allclose(curves_6["n_star"], required_n(0.08, sigma_d), rtol=1e-12)
    curve = by_reference(curves_6)["expected"]
    assert curve["reference_n_star"] == pytest.approx(curve["n_star"], rel=1e-3)
    assert abs(curve["crossing_to_n_star"] - 1) <= 0.06 + 4 * curve["crossing_to_n_star_se"]


def test_figure_6_does_not_depend_on_the_jobs_that_simulate_it(tmp_path: Path) -> None:
    settings = SETTINGS | {"figure_6_deltas": [0.08, 0.1]}
    numbers = {"n_trials": 60, "n_resamples": 60, "seed": SEED}
    chunks = chunks_of_figure_06(settings, numbers)
    exhibits = []
    for parts in (0, 3):
        paths = [str(tmp_path / f"{part}-of-{parts}.parquet") for part in range(parts)]
        for part, path in enumerate(paths):
            write_stage(simulate_part(chunks, part, parts), path)
        # Jobs end in any order.
        inputs = Inputs("figure_6", {"simulated": paths[::-1]}, settings, numbers)
        exhibits.append(figure_06.make(inputs))
    assert len({exhibit.files["_points.csv"] for exhibit in exhibits}) == 1
    points = pd.read_csv(io.StringIO(exhibits[0].files["_points.csv"]))
    order = [("expected", 0.08), ("expected", 0.1), ("drawn", 0.08), ("drawn", 0.1)]
    assert [*dict.fromkeys(zip(points["reference"], points["delta"], strict=True))] == order


def test_share_of_drawn_references_agrees_with_drawing_them(curves_5: pd.DataFrame) -> None:
    cells = paired_bernoulli_cells(0.65, 0.57, latent_correlation(0.65, 0.57, 0.3))
    p10, p01 = float(cells.p10), float(cells.p01)
    drawn = np.random.default_rng(SEED).multinomial(30_000, [p10, p01, 1 - p10 - p01], 20_000)
    gap = (drawn[:, 0] - drawn[:, 1]) / 30_000
    spread = np.sqrt((drawn[:, 0] + drawn[:, 1]) / 30_000 - gap**2)
    ratio = required_n(gap, spread) / curves_5["n_star"].iloc[0]
    share = float(np.mean(np.abs(ratio - 1) <= 0.05))
    # 4 standard errors, and 0.01 for the variance that the normal approximation holds fixed.
    bound = 4 * np.sqrt(0.25 / 20_000) + 0.01
    assert curves_5["drawn_within"].iloc[0] == pytest.approx(share, abs=bound)


def test_crossing_point_of_a_curve_that_follows_equation_2() -> None:
    n = np.array([50, 80, 120, 200])
    z = norm.ppf(0.975)

    def power(n: float) -> float:
        return float(norm.cdf(np.sqrt(n / 100) * (z + norm.ppf(0.8)) - z))

    crossing, error = crossing_point(n, np.array([power(float(x)) for x in n]), 0.8, 1_000)
    assert crossing == pytest.approx(brentq(lambda x: power(x) - 0.8, 10, 300), rel=1e-10)
    assert 0 < error < 5


def test_error_of_the_crossing_point_is_that_of_repetitions() -> None:
    n = np.array([80, 90, 100, 110, 120])
    z = norm.ppf(0.975)
    power = norm.cdf(np.sqrt(n / 100) * (z + norm.ppf(0.8)) - z)
    rng = np.random.default_rng(SEED)
    drawn = rng.binomial(9_000, power, size=(400, n.size)) / 9_000
    found = np.array([crossing_point(n, shares, 0.8, 9_000) for shares in drawn])
    # The standard deviation of 400 repetitions is known to 1/sqrt(800), about 3.5%; 4 of these.
    assert found[:, 0].std() == pytest.approx(found[:, 1].mean(), rel=4 / np.sqrt(800))


def test_a_curve_that_never_crosses_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="cross"):
        crossing_point(np.array([1, 2]), np.array([0.1, 0.2]), 0.8, 10)


def test_notes_say_what_was_found(figure_of_5: Made, figure_of_6: Made) -> None:
    for (one, _), bound in ((figure_of_5, "5%"), (figure_of_6, "6%")):
        drawing = cast(Drawing, one.drawing)
        assert f"are within {bound} of N*" in drawing.caption
        assert f"within {bound} of N*" in drawing.finding
    frame = calibration()
    crossed = f"{100 * frame['crossed'].iloc[0]:.1f}% cross by 7,086 items, where at most 5% may"
    within = f"{100 * frame['within'].iloc[1]:.1f}% of 500 trials first cross"
    finding = figure_04.finding(frame, 0.05, (1.84, 2.32))
    assert f"Under H1, with the gap, {within}" in finding
    assert f"under H0, without a gap, {crossed} ever." in finding
    assert finding.endswith("at 3 N* if it has not crossed; Appendix C has 1.84 to 2.32.")


def finding_of(frame: pd.DataFrame) -> str:
    """Say what is seen of the curves of Figure 5, whose points are these."""
    texts = dict.fromkeys(("title", "symbol", "behind", "formula", "population"), "")
    exhibit = power_figure(
        frame, gap="δ", notes=[], resamples="1", tolerance=0.05, seed=SEED, **texts
    )
    return cast(Drawing, exhibit.drawing).finding


def test_a_crossing_is_within_the_bound_by_little_where_its_error_is_more(
    curves_5: pd.DataFrame,
) -> None:
    by_little = " (at δ = 0.08 with less than a standard error to spare)"
    for ratio, text in ((1.045, f"1 of 1 gaps{by_little},"), (0.955, f"1 of 1 gaps{by_little},"),
                        (1.01, "1 of 1 gaps,"), (1.051, "0 of 1 gaps,")):  # fmt: skip
        planted = curves_5.assign(crossing_to_n_star=ratio, crossing_to_n_star_se=0.008)
        assert f"within 5% of N* at {text} whether" in finding_of(planted)


def test_what_depends_on_the_resampled_items_is_said(curves_5: pd.DataFrame) -> None:
    is_drawn = curves_5["reference"] == "drawn"
    apart = curves_5.assign(crossing_to_n_star=np.where(is_drawn, 1.2, 1.0))
    said = finding_of(apart)
    assert said.startswith("Whether power reaches 0.8 within 5% of N*, as printed, depends on")
    assert "do at 1 of 1 gaps. Of random pools, one for each gap, all 1 do in about 45% of" in said


# --- Drawing ---------------------------------------------------------------------------------


def bars_and_figure(counts: PublishedCounts) -> tuple[pd.DataFrame, Figure]:
    pairs = counted_pairs(counts, None, counts.n_items)
    frame, second = figure_03.figure_03(counts, pairs), figure_03.connor_r(pairs)
    return frame, figure_03.draw(frame, second, counts.printed_r, 4)


def test_a_figure_is_drawn_to_the_same_bytes(curves_6: pd.DataFrame, tmp_path: Path) -> None:
    written = []
    for attempt in ("first", "second"):
        (tmp_path / attempt).mkdir()
        with house_style():
            files = save_figure(
                draw_curves(curves_6, r"\mu", 0.06),
                tmp_path / attempt / "figure_06",
                [Provenance.published("Table 7")],
                title="figure_06",
            )
        written.append([file.read_bytes() for file in files])
    assert written[0] == written[1]


def test_bars_of_figure_3_cross_the_line_where_unresolved(counts_7: PublishedCounts) -> None:
    frame, figure = bars_and_figure(counts_7)
    ax = figure.axes[0]
    bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    assert {bar.get_y() for bar in bars} == {1}
    ends = sorted(1 + bar.get_height() for bar in bars)
    np.testing.assert_allclose(ends, sorted(frame["r"]), rtol=1e-12)
    assert ax.get_xticklabels()[0].get_text() == "1–2"
    assert sum(end > 1 for end in ends) == 4


def test_curves_carry_standard_errors_and_the_multiple_of_n_star(curves_6: pd.DataFrame) -> None:
    figure = draw_curves(curves_6, r"\mu", 0.06)
    ax = figure.axes[0]
    expected, drawn = (curves_6[curves_6["reference"] == one] for one in ("expected", "drawn"))
    (crosses,) = (line for line in ax.lines if line.get_marker() == "x")
    np.testing.assert_array_equal(crosses.get_xdata(), drawn["crossing"].unique())
    multiples = {f"${one:.3f}\\,N^{{\\ast}}$" for one in expected["crossing_to_n_star"]}
    assert multiples <= {text.get_text() for text in ax.texts}


def test_mean_stopping_time_of_figure_4_that_would_have_to_be() -> None:
    """A tenth of the trials does not cross by 3 N*: for a mean of 1.8 it takes 9 N* of them."""
    frame = pd.DataFrame({"crossed": [0.0, 0.9], "stopping_mean_to_n_star": [3.0, 1.2]})
    assert figure_04._needed(frame, 1.8) == pytest.approx(9)


def test_percentile_bootstrap_of_few_items_rejects_too_often() -> None:
    """As the note of Figure 6 has it: pairs of Beta(4, 2) without a gap, 6 items, at .05."""
    rng = np.random.default_rng(SEED)
    differences = np.subtract(*rng.beta(4, 2, (2, 2_000, 6)))
    drawn = rng.integers(6, size=(2_000, 400, 6))
    means = np.take_along_axis(differences[:, np.newaxis], drawn, axis=2).mean(axis=2)
    low, high = np.quantile(means, [0.025, 0.975], axis=1)
    assert np.mean((low > 0) | (high < 0)) > 0.1


def test_crossings_of_figure_4_are_those_of_the_paths_drawn() -> None:
    paths = pd.DataFrame(
        {
            "hypothesis": ["H0", "H1", "H1", "H1"],
            "trajectory": [1, 1, 1, 2],
            "n_items": [9, 5, 8, 7],
            "log_e": [2.9, 3.0, 4.0, 3.1],
        }
    )
    first = figure_04.first_crossings(paths, 2, alpha=0.05)
    assert {name: of.tolist() for name, of in first.items()} == {
        "H0": [np.inf, np.inf],
        "H1": [5, 7],
    }


def test_paths_of_figure_4_are_pixels_in_the_pdf(tmp_path: Path) -> None:
    paths = trajectories()
    drawn = figure_04.first_crossings(paths, 4, alpha=0.05)
    with house_style():
        figure = figure_04.draw(paths, calibration(), drawn, window=(1000, 5000))
        pdf, *_ = save_figure(figure, tmp_path / "four", [Provenance.published("x")], title="t")
    assert [ax.get_xscale() for ax in figure.axes] == ["log", "log"]
    assert pdf.stat().st_size < 100_000
