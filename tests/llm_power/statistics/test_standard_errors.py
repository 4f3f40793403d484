"""Standard errors of scores against statsmodels, scipy, double sums and simulated coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from llm_power._errors import InvalidArgument
from llm_power._statistics.standard_errors import (
    ClusteredError,
    difference_errors,
    score_correlation,
    score_errors,
)

RNG = np.random.default_rng(4)
CLUSTERS = np.repeat(np.arange(9), [3, 7, 1, 4, 6, 2, 5, 8, 4])
LEVEL = RNG.random((9, 3))[CLUSTERS]
SCORES = (RNG.random(LEVEL.shape) < LEVEL).astype(float)
#: A twentieth of the items of MMLU-Pro's subjects.
SIZES = np.array([1351, 1299, 1132, 1101, 969, 924, 844, 818, 798, 789, 717, 499, 410, 381]) // 20


def test_equation_1_is_scipys_for_every_model() -> None:
    found = score_errors(SCORES)
    np.testing.assert_allclose(found.standard_error, stats.sem(SCORES, axis=0), rtol=1e-14)
    for j in range(3):
        interval = stats.ttest_1samp(SCORES[:, j], 0).confidence_interval(0.95)
        np.testing.assert_allclose(found.low[j], interval.low, rtol=1e-12)
        np.testing.assert_allclose(found.high[j], interval.high, rtol=1e-12)
    normal = score_errors(SCORES, quantile="normal")
    np.testing.assert_allclose(normal.high - normal.estimate, 1.959964 * found.standard_error)


def fitted(y: np.ndarray, *, corrected: bool) -> float:
    groups = {"groups": CLUSTERS, "use_correction": corrected, "df_correction": False}
    return float(sm.OLS(y, np.ones(y.size)).fit(cov_type="cluster", cov_kwds=groups).bse[0])


def test_clustered_errors_are_those_of_statsmodels() -> None:
    """It multiplies by K/(K-1) (n-1)/(n-p), with p = 1."""
    cr0, cr1 = (score_errors(SCORES, CLUSTERS, variance=v) for v in ("CR0", "CR1"))
    paired = difference_errors(SCORES[:, 0], SCORES[:, 1], CLUSTERS, variance="CR0")
    for j in range(3):
        assert cr0.standard_error[j] == pytest.approx(fitted(SCORES[:, j], corrected=False))
        assert cr1.standard_error[j] == pytest.approx(fitted(SCORES[:, j], corrected=True))
    difference = SCORES[:, 0] - SCORES[:, 1]
    assert paired.standard_error == pytest.approx(fitted(difference, corrected=False))
    assert list(cr0.n_clusters) == [9] * 3


def test_equation_4_is_the_printed_triple_sum() -> None:
    x = SCORES[:, 0]
    d, n = x - x.mean(), len(x)
    same = (CLUSTERS[:, np.newaxis] == CLUSTERS) & ~np.eye(n, dtype=bool)
    printed = x.var(ddof=1) / n + (np.outer(d, d) * same).sum() / n**2
    found = score_errors(x, CLUSTERS, variance="printed").standard_error
    assert found**2 == pytest.approx(printed)
    whole = (np.outer(d, d) * (same | np.eye(n, dtype=bool))).sum() / n**2  # eq. (8)
    assert score_errors(x, CLUSTERS, variance="CR0").standard_error ** 2 == pytest.approx(whole)


def test_clusters_of_one_item_are_no_clusters() -> None:
    """CR2 and eq. (4) are then eq. (1); CR0 is not."""
    alone = np.arange(len(SCORES))
    plain = score_errors(SCORES)
    both: tuple[ClusteredError, ...] = ("CR2", "printed")
    for variance in both:
        found = score_errors(SCORES, alone, variance=variance)
        np.testing.assert_allclose(found.standard_error, plain.standard_error, rtol=1e-12)
    cr0 = score_errors(SCORES, alone, variance="CR0").standard_error
    np.testing.assert_allclose(cr0, plain.standard_error * np.sqrt(1 - 1 / len(SCORES)))


def test_the_correlation_gives_the_error_of_the_difference() -> None:
    a, b = SCORES[:, 0], SCORES[:, 1]
    for clusters in (None, CLUSTERS):
        options: dict[str, Any] = {"variance": "CR0"}
        first, second = (score_errors(x, clusters, **options).standard_error for x in (a, b))
        direct = difference_errors(a, b, clusters, **options).standard_error
        r = score_correlation(a, b, clusters)
        squares = first**2 + second**2 - 2 * first * second * r
        np.testing.assert_allclose(np.sqrt(squares), direct, rtol=1e-12)
    assert score_correlation(a, b) == pytest.approx(np.corrcoef(a, b)[0, 1])
    # The Pearson correlation, which the paper names for clustered errors too, is another number.
    assert abs(score_correlation(a, b) - score_correlation(a, b, CLUSTERS)) > 0.05


def test_missing_scores_leave_their_items_out() -> None:
    lacking = SCORES.copy()
    lacking[[0, 5], 0] = np.nan
    kept = np.delete(np.arange(len(SCORES)), [0, 5])
    for clusters in (None, CLUSTERS):
        own = None if clusters is None else clusters[kept]
        found = difference_errors(lacking[:, 0], lacking[:, 1], clusters)
        expected = difference_errors(SCORES[kept, 0], SCORES[kept, 1], own)
        np.testing.assert_allclose(found.standard_error, expected.standard_error)
        np.testing.assert_allclose(found.high, expected.high)
        assert found.n_items == len(kept)


def test_no_variance_is_no_certainty() -> None:
    found = score_errors([1.0, 1.0, 1.0])
    assert found.standard_error == 0
    assert np.isnan([found.low, found.high, found.z]).all()
    for n in (3, 7, 10, 49):  # whose means are off by rounding
        assert np.isnan(score_errors([0.7] * n).low)
        assert np.isnan(score_errors([0.1] * n).low)
    assert np.isnan(score_correlation([0.7] * 3, [0.0, 1.0, 0.0]))
    assert np.isnan(score_errors([1.0]).standard_error)
    assert np.isnan(score_errors([1.0, 0.0, 1.0, 0.0], ["x", "x", "y", "y"]).low)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: score_errors([]), "one row an item"),
        (lambda: score_errors([1, np.inf]), "finite"),
        (lambda: score_errors([1, 0], quantile="z"), "quantile must be"),  # type: ignore[arg-type]
        (lambda: difference_errors([1, 0], [1]), "share a shape"),
    ],
)
def test_refusals_name_the_argument(call: Any, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        call()


def clustered_boards(rng: np.random.Generator, icc: float, n_boards: int) -> np.ndarray:
    """0/1 scores of items whose clusters have Beta rates of mean .7; a column a board."""
    spread = 1 / icc - 1
    rates = rng.beta(0.7 * spread, 0.3 * spread, size=(SIZES.size, n_boards))
    return (rng.random((SIZES.sum(), n_boards)) < np.repeat(rates, SIZES, axis=0)).astype(float)


@pytest.mark.slow
def test_coverage_with_fourteen_clusters() -> None:
    """20,000 boards of an ICC of .05; the rates are those of the module's docstring."""
    rng, labels = np.random.default_rng(14), np.repeat(np.arange(SIZES.size), SIZES)
    covered: dict[str, list[np.ndarray]] = {"CR2": [], "printed": [], "naive": []}
    for _ in range(20):
        x = clustered_boards(rng, 0.05, 1_000)
        for name, found in (
            ("CR2", score_errors(x, labels)),
            ("printed", score_errors(x, labels, variance="printed", quantile="normal")),
            ("naive", score_errors(x, quantile="normal")),
        ):
            covered[name].append((found.low <= 0.7) & (found.high >= 0.7))
    rates = {name: float(np.mean(hits)) for name, hits in covered.items()}
    error = 4 * np.sqrt(0.25 / 20_000)
    assert rates == pytest.approx({"CR2": 0.945, "printed": 0.909, "naive": 0.710}, abs=error)
