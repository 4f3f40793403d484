"""Definition 2: exact bootstrap law, its decision, and the resampling versions of both."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from llm_power._errors import InvalidArgument
from llm_power._statistics import paired_bootstrap
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.paired_bootstrap import (
    bootstrap_power,
    bootstrap_tails,
    paired_bootstrap_delta,
    percentile_bootstrap_boundary,
    percentile_bootstrap_rejects,
)
from llm_power._statistics.random_streams import named_rng

HELLASWAG = (295, 249, 10_042)


def scores(b: int, c: int, n_items: int) -> tuple[FloatArray, FloatArray]:
    """Return 0/1 score vectors with these discordant counts and no item that both solve."""
    a = np.zeros(n_items)
    a[:b] = 1
    other = np.zeros(n_items)
    other[b : b + c] = 1
    return a, other


def test_binary_interval_equals_scipy_within_monte_carlo_error() -> None:
    """scipy.stats.bootstrap resamples items; the ends are multiples of 1/N here."""
    b, c, n = 60, 30, 400
    a, other = scores(b, c, n)
    ours = paired_bootstrap_delta(a, other, n_resamples=20_000, rng=named_rng(4, "binary"))
    theirs = stats.bootstrap(
        (a - other,),
        np.mean,
        method="percentile",
        n_resamples=5_000,
        rng=named_rng(4, "scipy"),
        batch=500,
    )
    # 4 standard errors of scipy's ends (twice ours, at a quarter of the resamples), and a step.
    tolerance = 4 * np.hypot(1, 2) * ours.ci_low_error + 1 / n
    assert ours.ci_low == pytest.approx(theirs.confidence_interval.low, abs=tolerance)
    assert ours.ci_high == pytest.approx(theirs.confidence_interval.high, abs=tolerance)
    # Relative standard error of a standard deviation: 1 / sqrt(2 B).
    assert ours.standard_error == pytest.approx(
        np.sqrt((b + c) / n - ((b - c) / n) ** 2) / np.sqrt(n), rel=4 / np.sqrt(40_000)
    )
    assert ours.delta == pytest.approx((b - c) / n, rel=1e-14)
    assert ours.binary
    assert ours.reject


def test_binary_interval_equals_the_exact_one_within_a_step() -> None:
    b, c, n = 60, 30, 400
    ours = paired_bootstrap_delta(*scores(b, c, n), n_resamples=100_000, rng=named_rng(5, "x"))
    law = np.ones(1)
    for _ in range(n):
        law = np.convolve(law, np.array([c, n - b - c, b]) / n)
    low = (np.argmax(np.cumsum(law) >= 0.025) - n) / n
    high = (n - np.argmax(np.cumsum(law[::-1]) >= 0.025)) / n
    assert ours.ci_low == pytest.approx(low, abs=1.5 / n)
    assert ours.ci_high == pytest.approx(high, abs=1.5 / n)


@pytest.mark.parametrize(("confidence", "rank"), [(0.9, 1), (0.5, 5), (0.2, 8)])
def test_bounds_are_the_resampled_gaps_of_their_ranks(confidence: float, rank: int) -> None:
    a = np.repeat([1, 0, 1, 0], [30_000, 20_000, 25_000, 25_000])
    b = np.repeat([0, 1, 1, 0], [30_000, 20_000, 25_000, 25_000])
    boot = paired_bootstrap_delta(
        a, b, n_resamples=20, confidence=confidence, rng=named_rng(7, "ranks")
    )
    drawn = named_rng(7, "ranks").multinomial(100_000, [0.3, 0.2, 0.5], size=20)
    gaps = np.unique((drawn[:, 0] - drawn[:, 1]) / 100_000)
    assert gaps.size == 20
    assert (boot.ci_low, boot.ci_high) == (gaps[rank - 1], gaps[-rank])


def test_graded_interval_equals_scipy_within_monte_carlo_error() -> None:
    rng = named_rng(6, "data")
    a = rng.beta(4, 2, size=120)
    b = np.clip(a - 0.05 + 0.2 * rng.standard_normal(120), 0, 1)
    ours = paired_bootstrap_delta(a, b, n_resamples=10_000, rng=named_rng(6, "graded"))
    theirs = stats.bootstrap(
        (a - b,), np.mean, method="percentile", n_resamples=10_000, rng=named_rng(6, "scipy")
    )
    tolerance = 4 * np.sqrt(2) * ours.ci_low_error  # 4 standard errors of the difference
    assert ours.ci_low == pytest.approx(theirs.confidence_interval.low, abs=tolerance)
    assert ours.ci_high == pytest.approx(theirs.confidence_interval.high, abs=tolerance)
    assert ours.standard_error == pytest.approx(
        (a - b).std() / np.sqrt(120), rel=4 / np.sqrt(20_000)
    )
    assert not ours.binary


def test_identical_models_are_not_told_apart() -> None:
    same = paired_bootstrap_delta([1, 0, 1], [1, 0, 1], n_resamples=10, rng=named_rng(1, "s"))
    assert (same.ci_low, same.ci_high, same.reject, same.standard_error) == (0, 0, False, 0)


def test_graded_ties_at_zero_count_as_zero() -> None:
    """Thirds do not add up to 0 in floating point; half the resampled sums here are ties."""
    a = np.array([1 / 3, 0.0, 1.0, 0.1])
    b = np.array([0.0, 1 / 3, 0.9, 0.2])
    result = paired_bootstrap_delta(a, b, n_resamples=2_000, rng=named_rng(2, "ties"))
    assert not result.reject
    test = bootstrap_power(a, b, 2, n_trials=500, n_resamples=200, rng=named_rng(2, "tied"))
    # With two items a tail below 0.025 needs two equal, nonzero draws: probability 1/4.
    # A pair of differences of one sign rejects too: 2 of the 4 differences have each sign.
    assert abs(test.power - 0.5) < 4 * np.sqrt(0.25 / 500)  # 4 SE


def exact_binary_power(b: int, c: int, n_reference: int, n: int) -> float:
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
    inside = i + j <= n
    i, j = i[inside], j[inside]
    cells = np.array([b, c, n_reference - b - c]) / n_reference
    mass = stats.multinomial.pmf(np.stack([i, j, n - i - j], axis=-1), n, cells)
    return float(np.sum(mass * percentile_bootstrap_rejects(i, j, n)))


@pytest.mark.parametrize("n_resamples", [None, 20_000])
def test_binary_power_equals_enumeration(n_resamples: int | None) -> None:
    reference = scores(300, 180, 1000)
    estimate = bootstrap_power(
        *reference, 80, n_trials=4_000, n_resamples=n_resamples, rng=named_rng(8, "binary power")
    )
    exact = exact_binary_power(300, 180, 1000, 80)
    assert abs(estimate.power - exact) < 4 * estimate.standard_error
    assert estimate.standard_error == pytest.approx(
        np.sqrt(estimate.power * (1 - estimate.power) / 4_000)
    )


def test_binary_power_with_few_resamples_equals_resampling_item_by_item() -> None:
    """With 40 resamples the decision itself is random; count it against a plain loop."""
    a, b = scores(30, 15, 100)
    estimate = bootstrap_power(a, b, 50, n_trials=4_000, n_resamples=40, rng=named_rng(9, "cells"))
    rng, rejected, loops = named_rng(9, "items"), 0, 3_000
    for _ in range(loops):
        sample = (a - b)[rng.integers(0, 100, size=50)]
        sums = sample[rng.integers(0, 50, size=(40, 50))].sum(axis=1)
        # Inverse-CDF percentile at 0.025 of 40 resamples: the smallest one.
        rejected += sums.min() > 0 or sums.max() < 0
    share = rejected / loops
    error = np.hypot(estimate.standard_error, np.sqrt(share * (1 - share) / loops))
    assert abs(estimate.power - share) < 4 * error


@pytest.mark.slow
def test_graded_power_equals_the_binary_one_on_scaled_binary_scores() -> None:
    """Scores of 0 and 1/2 take the graded path and pose the binary problem."""
    a, b = scores(300, 180, 1000)
    graded = bootstrap_power(
        a / 2, b / 2, 80, n_trials=3_000, n_resamples=4_000, rng=named_rng(10, "graded")
    )
    exact = exact_binary_power(300, 180, 1000, 80)
    assert abs(graded.power - exact) < 4 * graded.standard_error


def test_results_do_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = named_rng(3, "blocks")
    a, b = rng.random(101), rng.random(101)
    first, second, _ = named_rng(3, "blocks").multinomial(300, [0.3, 0.2, 0.5], size=7).T

    def everything() -> tuple[object, ...]:
        return (
            np.stack(bootstrap_tails(first, second, 300)).tolist(),
            paired_bootstrap_delta(a, b, n_resamples=333, rng=named_rng(3, "graded")),
            bootstrap_power(a, b, 57, n_trials=20, n_resamples=111, rng=named_rng(3, "power")),
        )

    whole = everything()
    monkeypatch.setattr(paired_bootstrap, "_BLOCK", 700)
    assert everything() == whole


@pytest.mark.parametrize(
    "call",
    [
        lambda rng: paired_bootstrap_delta([1, 0], [1], rng=rng),
        lambda rng: paired_bootstrap_delta([], [], rng=rng),
        lambda rng: paired_bootstrap_delta([np.nan], [1], rng=rng),
        lambda rng: paired_bootstrap_delta([1], [1], confidence=1.0, rng=rng),
        lambda rng: paired_bootstrap_delta([1], [1], n_resamples=1, rng=rng),
        lambda rng: bootstrap_power([0.5, 1], [0, 1], 5, n_resamples=None, rng=rng),
        lambda rng: bootstrap_power([0, 1], [0, 1], 0, rng=rng),
        lambda _: bootstrap_tails(3, 3, 5),
        lambda _: percentile_bootstrap_rejects(1, 1, 0),
        lambda _: percentile_bootstrap_boundary(1, 5, alpha=1.0),
        lambda _: bootstrap_tails(-1, 1, 5),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call(named_rng(0, "refused"))


def test_a_handful_of_items_is_no_evidence() -> None:
    for count in range(1, 9):
        boot = paired_bootstrap_delta(
            np.ones(count), np.zeros(count), n_resamples=50, rng=named_rng(1, "few")
        )
        assert (boot.ci_low, boot.ci_high) == (1, 1)
        # The exact test of six clean sweeps has p = 1/32, that of five 1/16.
        assert boot.reject == boot.attainable == (count >= 6)
    graded = paired_bootstrap_delta(
        [0.9, 0.8, 0.5], [0.1, 0.2, 0.5], n_resamples=50, confidence=0.5, rng=named_rng(1, "few")
    )
    # Two of the three differ: p is 1/2 at best, which a level of 1/2 reaches.
    assert graded.attainable


def conditional_tail(b: int, c: int, n: int) -> float:
    """P(S* <= 0) the other way round: given M* discordant draws, B* is binomial."""
    m = np.arange(n + 1)
    inner = stats.binom.cdf(m // 2, m, b / (b + c))
    return float(np.sum(stats.binom.pmf(m, n, (b + c) / n) * inner))


@pytest.mark.parametrize(("b", "c", "n"), [(2, 1, 5), (0, 3, 5), (3, 3, 6), (6, 0, 6), (0, 0, 4)])
def test_tails_equal_the_enumeration_of_all_resamples(b: int, c: int, n: int) -> None:
    a, other = scores(b, c, n)
    difference = (a - other).astype(int)
    sums = [sum(resample) for resample in product(difference, repeat=n)]
    expected = np.bincount(np.array(sums) + n, minlength=2 * n + 1) / n**n
    tails = bootstrap_tails(b, c, n)
    assert tails[0] == pytest.approx(expected[: n + 1].sum(), rel=1e-12, abs=1e-300)
    assert tails[1] == pytest.approx(expected[n:].sum(), rel=1e-12, abs=1e-300)


@given(cells=st.lists(st.integers(0, 40), min_size=3, max_size=3).filter(sum))
def test_tails_equal_the_sums_of_the_convolved_law(cells: list[int]) -> None:
    b, c, rest = cells
    n = b + c + rest
    law = np.ones(1)
    for _ in range(n):
        law = np.convolve(law, np.array([c, rest, b]) / n)
    at_most, at_least = bootstrap_tails(b, c, n)
    assert at_most == pytest.approx(law[: n + 1].sum(), abs=1e-12)
    assert at_least == pytest.approx(law[n:].sum(), abs=1e-12)
    rejects = min(at_most, at_least) < 0.05
    assert percentile_bootstrap_rejects(b, c, n, alpha=0.1) == rejects


def test_hellaswag_is_a_tie_that_resampling_cannot_settle() -> None:
    """10,000 resamples put the lower end above 0 in a good third of runs."""
    at_most = float(bootstrap_tails(*HELLASWAG)[0])
    assert at_most == pytest.approx(0.0254, abs=0.00005)
    assert 0.35 < stats.binom.cdf(249, 10_000, at_most) < 0.42


@pytest.mark.parametrize(
    ("b", "c", "n"),
    [
        (98, 94, 1172),
        HELLASWAG,
        (121, 120, 1267),
        (284, 76, 12_032),
        (300, 20, 400),
        (12, 3, 15),
        (8, 0, 20),
        (1, 0, 10_000),
    ],
)
def test_tails_keep_their_relative_precision(b: int, c: int, n: int) -> None:
    at_most, at_least = bootstrap_tails(b, c, n)
    # Down to 1e-94 for (300, 20, 400).
    assert at_most == pytest.approx(conditional_tail(b, c, n), rel=1e-9, abs=0)
    mirrored = bootstrap_tails(c, b, n)
    assert (float(at_most), float(at_least)) == (float(mirrored[1]), float(mirrored[0]))


@pytest.mark.parametrize("n", [1, 6, 37])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_boundary_equals_brute_force_over_all_tables(n: int, alpha: float) -> None:
    for c in range(n + 1):
        b = np.arange(n - c + 1)
        rejects = bootstrap_tails(b, c, n)[0] < alpha / 2
        assert np.all(np.diff(rejects.astype(int)) >= 0)  # stochastic monotonicity in b
        expected = b[rejects & (b > c)].min(initial=n - c + 1)
        assert percentile_bootstrap_boundary(c, n, alpha=alpha) == expected


def test_decisions_are_vectorized_and_symmetric() -> None:
    b, c = np.meshgrid(np.arange(60), np.arange(60))
    rejects = percentile_bootstrap_rejects(b, c, 200)
    expected = np.minimum(*bootstrap_tails(b, c, 200)) < 0.025
    np.testing.assert_array_equal(rejects, expected)
    np.testing.assert_array_equal(rejects, rejects.T)
