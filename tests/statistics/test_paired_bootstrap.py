"""Definition 2: exact bootstrap law, its decision, and the resampling versions of both."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from llm_power.errors import InvalidArgument
from llm_power.statistics import paired_bootstrap
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.paired_bootstrap import (
    bootstrap_power,
    bootstrap_required_n,
    bootstrap_tails,
    exact_bootstrap_distribution,
    paired_bootstrap_delta,
    percentile_bootstrap_boundary,
    percentile_bootstrap_rejects,
)

# Table 6, row HS gemma-7b / Llama-3-8B.
HELLASWAG = (295, 249, 10_042)

# Table 6, all rows: b, c, N; and Table 11, column "CI contains 0": yes in every row.
TABLE_6 = [
    (98, 94, 1172),
    (81, 63, 1172),
    (100, 78, 1172),
    HELLASWAG,
    (121, 120, 1267),
    (119, 103, 1267),
    (98, 81, 1267),
]


def scores(b: int, c: int, n_items: int) -> tuple[FloatArray, FloatArray]:
    """Return 0/1 score vectors with these discordant counts and no item that both solve."""
    a = np.zeros(n_items)
    a[:b] = 1
    other = np.zeros(n_items)
    other[b : b + c] = 1
    return a, other


def conditional_tail(b: int, c: int, n: int) -> float:
    """P(S* <= 0) the other way round: given M* discordant draws, B* is binomial."""
    m = np.arange(n + 1)
    inner = stats.binom.cdf(m // 2, m, b / (b + c))
    return float(np.sum(stats.binom.pmf(m, n, (b + c) / n) * inner))


@pytest.mark.parametrize(("b", "c", "n"), [(2, 1, 5), (0, 3, 5), (3, 3, 6), (6, 0, 6), (0, 0, 4)])
def test_exact_law_equals_the_enumeration_of_all_resamples(b: int, c: int, n: int) -> None:
    a, other = scores(b, c, n)
    difference = (a - other).astype(int)
    sums = [sum(resample) for resample in product(difference, repeat=n)]
    expected = np.bincount(np.array(sums) + n, minlength=2 * n + 1) / n**n
    law = exact_bootstrap_distribution(b, c, n)
    np.testing.assert_allclose(law.pmf, expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(law.sums, np.arange(-n, n + 1))
    assert law.at_most_zero == pytest.approx(expected[: n + 1].sum(), rel=1e-12, abs=1e-300)
    assert law.at_least_zero == pytest.approx(expected[n:].sum(), rel=1e-12, abs=1e-300)


def test_exact_law_has_the_moments_of_the_sample() -> None:
    b, c, n = HELLASWAG
    law = exact_bootstrap_distribution(b, c, n)
    # Within 12 standard deviations: further out s^2 = 1e8 would multiply rounding noise.
    near = np.abs(law.sums - (b - c)) < 12 * np.sqrt(b + c)
    pmf, sums = law.pmf[near], law.sums[near]
    mean = np.sum(pmf * sums)
    variance = np.sum(pmf * (sums - mean) ** 2)
    assert mean == pytest.approx(b - c, rel=1e-10)
    assert variance == pytest.approx((b + c) - (b - c) ** 2 / n, rel=1e-10)


@pytest.mark.parametrize(
    ("b", "c", "n"),
    [*TABLE_6, (284, 76, 12_032), (300, 20, 400), (12, 3, 15), (8, 0, 20), (1, 0, 10_000)],
)
def test_tails_keep_their_relative_precision(b: int, c: int, n: int) -> None:
    at_most, at_least = bootstrap_tails(b, c, n)
    # Down to 1e-94 for (300, 20, 400).
    assert at_most == pytest.approx(conditional_tail(b, c, n), rel=1e-9, abs=0)
    mirrored = bootstrap_tails(c, b, n)
    assert (float(at_most), float(at_least)) == (float(mirrored[1]), float(mirrored[0]))


@given(cells=st.lists(st.integers(0, 40), min_size=3, max_size=3).filter(sum))
def test_tails_equal_the_sums_of_the_law(cells: list[int]) -> None:
    b, c, rest = cells
    n = b + c + rest
    law = exact_bootstrap_distribution(b, c, n)
    assert law.at_most_zero == pytest.approx(law.pmf[: n + 1].sum(), abs=1e-12)
    assert law.at_least_zero == pytest.approx(law.pmf[n:].sum(), abs=1e-12)
    assert law.rejects(0.1) == percentile_bootstrap_rejects(b, c, n, alpha=0.1)
    low, high = law.interval(0.9)
    assert law.rejects(0.1) == (low > 0 or high < 0)


@pytest.mark.parametrize(("b", "c", "n"), TABLE_6)
def test_table_11_every_interval_contains_zero(b: int, c: int, n: int) -> None:
    law = exact_bootstrap_distribution(b, c, n)
    low, high = law.interval()
    assert low <= 0 <= high
    assert not law.rejects()


def test_hellaswag_is_a_tie_that_resampling_cannot_settle() -> None:
    """The lower end is 0 exactly; 10,000 resamples put it above 0 in a good third of runs."""
    law = exact_bootstrap_distribution(*HELLASWAG)
    assert law.at_most_zero == pytest.approx(0.0254, abs=0.00005)
    assert law.interval()[0] == 0
    flips = stats.binom.cdf(249, 10_000, law.at_most_zero)
    assert 0.35 < flips < 0.42


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


def test_results_do_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = named_rng(3, "blocks")
    a, b = rng.random(101), rng.random(101)
    counts = rng.multinomial(300, [0.3, 0.2, 0.1, 0.4], size=7).T

    def everything() -> tuple[object, ...]:
        needed = bootstrap_required_n(*counts, n_resamples=50, rng=named_rng(3, "n"))
        return (
            paired_bootstrap_delta(a, b, n_resamples=333, rng=named_rng(3, "graded")),
            bootstrap_power(a, b, 57, n_trials=20, n_resamples=111, rng=named_rng(3, "power")),
            *needed.low,
            *needed.high,
            *(float(x) for x in bootstrap_tails(counts[1], counts[2], 300)[0]),
        )

    whole = everything()
    monkeypatch.setattr(paired_bootstrap, "_BLOCK", 700)
    assert everything() == whole


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
    low, high = exact_bootstrap_distribution(b, c, n).interval()
    assert ours.ci_low == pytest.approx(low, abs=1.5 / n)
    assert ours.ci_high == pytest.approx(high, abs=1.5 / n)


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


def test_swapping_the_models_mirrors_the_binary_interval_in_law() -> None:
    """Order statistics are taken alike from both sides: the exact interval mirrors exactly."""
    low, high = exact_bootstrap_distribution(60, 30, 400).interval()
    assert exact_bootstrap_distribution(30, 60, 400).interval() == (-high, -low)


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


def test_required_n_percentiles_equal_a_plain_loop() -> None:
    n11, b, c, n00 = 616, 100, 78, 378  # Table 6, row 3
    result = bootstrap_required_n(n11, b, c, n00, n_resamples=4_000, rng=named_rng(11, "cells"))
    n = 1172
    rng = named_rng(11, "loop")
    drawn = rng.multinomial(n, np.array([n11, b, c, n00]) / n, size=4_000)
    gap = np.abs(drawn[:, 1] - drawn[:, 2]) / n
    share = np.mean(gap == 0)
    error = np.sqrt(2 * share * (1 - share) / 4_000)
    assert abs(result.share_infinite - share) < 4 * error
    k = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2
    with np.errstate(divide="ignore"):  # b* = c*: the infinite resamples of this oracle
        needed = k * ((drawn[:, 1] + drawn[:, 2]) / n / gap**2 - 1)
    # Distribution-free 4 SE band for a 5% quantile of 4,000 draws against one of 4,000.
    band = 4 * np.sqrt(2 * 0.05 * 0.95 / 4_000)
    low, high = np.quantile(needed, [0.05 - band, 0.05 + band], method="inverted_cdf")
    assert low <= result.low <= high
    assert abs(result.share_unresolved - np.mean(needed > n)) < 4 * np.sqrt(0.5 / 4_000)


def test_required_n_percentiles_are_honest_about_infinity() -> None:
    always = bootstrap_required_n(10, 0, 0, 10, n_resamples=50, rng=named_rng(12, "never"))
    assert np.isposinf(always.low)
    assert np.isposinf(always.high)
    assert always.share_infinite == 1
    # b* - c* is 0 with probability 1/2 and 2/4: the upper percentile is infinite, not a blend.
    some = bootstrap_required_n(2, 1, 1, 0, n_resamples=501, rng=named_rng(12, "some"))
    assert some.high == np.inf
    assert np.isfinite(some.low)


def test_section_6_1_counts_robustly_unresolved_pairs() -> None:
    """Section 6.1 has 4 of the 7 close pairs with a 5th percentile of N* above N; Table 6 has 3.

    The counts of Table 6 decide it: N* depends on b, c and N alone, so the concordant cells
    may be split anyhow. Row 6 (Wino gemma-7b / Mistral) is resolved in 4.2% of the resamples
    and row 7 (Wino gemma-7b / Llama-3-8B) in 6.3%; a run of B = 500, as the paper's, has a
    standard error of 1 point on those shares and can well put row 7 below 5%, hence 4 of 7.
    """
    b, c, n = np.array(TABLE_6).T
    result = bootstrap_required_n(n - b - c, b, c, 0, n_resamples=20_000, rng=named_rng(13, "t6"))
    np.testing.assert_array_equal(result.low > n, [True, False, False, False, True, True, False])
    np.testing.assert_array_equal(result.low > n, result.share_unresolved > 0.95)
    assert result.share_unresolved[5] == pytest.approx(0.958, abs=4 * 0.0014)  # 4 SE
    assert result.share_unresolved[6] == pytest.approx(0.937, abs=4 * 0.0017)


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
        lambda rng: bootstrap_required_n(0, 0, 0, 0, rng=rng),
        lambda rng: bootstrap_required_n(5, 1, 2, 3, quantiles=(0.0, 0.95), rng=rng),
        lambda _: exact_bootstrap_distribution(3, 3, 5),
        lambda _: percentile_bootstrap_rejects(1, 1, 0),
        lambda _: percentile_bootstrap_boundary(1, 5, alpha=1.0),
        lambda _: bootstrap_tails(-1, 1, 5),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call(named_rng(0, "refused"))
