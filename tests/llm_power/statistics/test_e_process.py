"""The mixture e-process of eq. (24): exact sums and boundaries."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.e_process import (
    BETA_2_2,
    BETA_4_4,
    TWO_POINT,
    UNIFORM_98,
    BetaMixture,
    DiscreteMixture,
    Mixture,
    anytime_boundary,
    anytime_required_n,
    log_e_value,
)
from llm_power._statistics.inversion import required_n
from llm_power._statistics.random_streams import named_rng

POINTS = [Fraction(k, 100) for k in range(1, 100) if k != 50]
SYMMETRIC: list[Mixture] = [UNIFORM_98, TWO_POINT, BETA_2_2, BETA_4_4, BetaMixture(1, 1)]

# Table 7: b, c; N = 12,032.
TABLE_7 = np.array(
    [
        (253, 111),
        (284, 76),
        (32, 20),
        (1871, 1076),
        (1680, 1454),
        (1449, 1439),
        (352, 242),
        (787, 684),
        (1227, 1200),
    ]
)
N_MMLU_PRO = 12_032


def exact_log_e(b: int, c: int, points: list[Fraction]) -> float:
    """Eq. (24) in integers: no rounding before the logarithm."""
    e = Fraction(sum((2 * t) ** b * (2 * (1 - t)) ** c for t in points)) / len(points)
    with mpmath.workdps(40):
        return float(mpmath.log(mpmath.mpf(e.numerator) / e.denominator))


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (0, 7), (25, 25), (32, 20), (1680, 1454)])
def test_uniform_mixture_equals_rational_arithmetic(b: int, c: int) -> None:
    assert log_e_value(b, c, UNIFORM_98) == pytest.approx(
        exact_log_e(b, c, POINTS), rel=1e-10, abs=1e-14
    )


def test_two_point_mixture_equals_rational_arithmetic() -> None:
    points = [Fraction(2, 5), Fraction(3, 5)]
    expected = exact_log_e(98, 81, points)
    assert log_e_value(98, 81, TWO_POINT) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("b", "c"), [(10**6, 0), (500_000, 500_000), (502_000, 498_000)])
def test_a_million_discordant_items_neither_overflow_nor_underflow(b: int, c: int) -> None:
    with mpmath.workdps(50):
        points = [mpmath.mpf(t.numerator) / t.denominator for t in POINTS]
        e = mpmath.fsum((2 * t) ** b * (2 * (1 - t)) ** c for t in points) / 98
        beta = mpmath.beta(2 + b, 2 + c) / mpmath.beta(2, 2) * mpmath.mpf(2) ** (b + c)
        uniform, continuous = float(mpmath.log(e)), float(mpmath.log(beta))
    assert log_e_value(b, c, UNIFORM_98) == pytest.approx(uniform, rel=1e-10)
    assert log_e_value(b, c, BETA_2_2) == pytest.approx(continuous, rel=1e-12)


@pytest.mark.parametrize("mixture", [BETA_2_2, BETA_4_4, BetaMixture(0.5, 0.5), BetaMixture(3, 1)])
@pytest.mark.parametrize("m", [7, 100, 3_134, 10**5, 10**7])
def test_closed_form_keeps_twelve_digits_at_ten_million_discordant_items(
    mixture: BetaMixture, m: int
) -> None:
    root = int(np.sqrt(m))
    b = np.array([0, 3, m // 4, m // 2, m // 2 + root, m // 2 + 3 * root, m // 2 + m // 4 + 1, m])
    b = b[b <= m]
    with mpmath.workdps(60):
        prior = mpmath.log(mpmath.beta(mixture.a, mixture.b)) - m * mpmath.log(2)
        exact = [
            float(mpmath.log(mpmath.beta(mixture.a + k, mixture.b + m - k)) - prior)
            for k in b.tolist()
        ]
    np.testing.assert_allclose(log_e_value(b, m - b, mixture), exact, rtol=1e-12)


def test_a_true_small_difference_is_evidence_under_a_consistent_mixture_alone() -> None:
    """At z = 7.1: the paper's mixture has no mass within .01 of 1/2."""
    b, c = 1_005_000, 995_000
    assert log_e_value(b, c, UNIFORM_98) == pytest.approx(-204.6, abs=0.05)
    assert log_e_value(b, c, BETA_2_2) == pytest.approx(18.4, abs=0.05)
    assert log_e_value(b, c, BETA_4_4) > 18.4


@given(b=st.integers(0, 60), c=st.integers(0, 60))
def test_beta_1_1_is_the_reciprocal_of_a_discrete_uniform(b: int, c: int) -> None:
    """Integrating theta^b (1-theta)^c over (0, 1) gives 1 / ((M + 1) binomial(M, b))."""
    m = b + c
    expected = m * np.log(2) - np.log(m + 1) - float(mpmath.log(mpmath.binomial(m, b)))
    assert log_e_value(b, c, BetaMixture(1, 1)) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_beta_mixture_equals_numerical_integration() -> None:
    def integrand(t: float) -> float:
        return float((2 * t) ** 12 * (2 - 2 * t) ** 5 * 12 * t**2 * (1 - t))

    # Beta(3, 2) has the density 12 t^2 (1 - t).
    expected = np.log(quad(integrand, 0, 1, epsabs=0, epsrel=1e-13)[0])
    assert log_e_value(12, 5, BetaMixture(3, 2)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("mixture", [*SYMMETRIC, BetaMixture(3, 1)])
def test_mean_one_under_the_null_at_every_step(mixture: Mixture) -> None:
    """The martingale property by enumeration: E[e_(M+1) | b, c] = e_M."""
    b, c = np.meshgrid(np.arange(12), np.arange(12))
    up, down = log_e_value(b + 1, c, mixture), log_e_value(b, c + 1, mixture)
    np.testing.assert_allclose(
        (np.exp(up) + np.exp(down)) / 2, np.exp(log_e_value(b, c, mixture)), rtol=1e-12
    )


def test_discrete_mixture_is_the_sum_of_its_likelihood_ratios_to_the_last_bit() -> None:
    """Whatever is evaluated at once, and where most of the terms are lost beside the largest."""
    counts = np.array([0, 1, 7, 250, 900, 5_000, 400_000, 10**7])
    b, c = (x.ravel().astype(float) for x in np.meshgrid(np.tile(counts, 10), counts))
    theta = np.array(UNIFORM_98.points)
    logs = np.outer(b, np.log(2 * theta)) + np.outer(c, np.log(2 - 2 * theta)) + np.log(1 / 98)
    largest = logs.max(axis=1)
    plain = largest + np.log(np.exp(logs - largest[:, np.newaxis]).sum(axis=1))
    np.testing.assert_array_equal(log_e_value(b, c, UNIFORM_98), plain)


@pytest.mark.parametrize("mixture", SYMMETRIC)
def test_boundary_is_where_the_e_value_reaches_the_threshold(mixture: Mixture) -> None:
    m = np.array([8, 9, 52, 360, 3134, 100_000])
    boundary = anytime_boundary(m, mixture=mixture)
    reached = np.isfinite(boundary.gap)
    at = log_e_value((m + boundary.gap)[reached] / 2, (m - boundary.gap)[reached] / 2, mixture)
    np.testing.assert_allclose(at, np.log(20), rtol=1e-8)
    np.testing.assert_allclose(boundary.threshold, boundary.gap / np.sqrt(m), rtol=1e-15)


@pytest.mark.parametrize("mixture", SYMMETRIC)
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_boundary_equals_brute_force_over_all_integers(mixture: Mixture, alpha: float) -> None:
    """The smallest |b - c| of the right parity that crosses, for every M up to 80."""
    m = np.arange(81)
    gap = anytime_boundary(m, alpha=alpha, mixture=mixture).gap
    for total in m:
        b = np.arange(total // 2 + total % 2, total + 1)
        crossed = log_e_value(b, total - b, mixture) >= -np.log(alpha)
        assert np.all(np.diff(crossed.astype(int)) >= 0)  # one boundary, no island
        np.testing.assert_array_equal(2 * b - total >= gap[total] - 1e-9, crossed)


@given(m=st.integers(1, 5000), steps=st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_e_grows_with_the_imbalance_for_symmetric_mixtures(m: int, steps: list[float]) -> None:
    s = np.sort(steps) * m
    for mixture in SYMMETRIC:
        assert np.all(np.diff(log_e_value((m + s) / 2, (m - s) / 2, mixture)) >= -1e-9)


def test_boundary_wants_a_symmetric_mixture() -> None:
    for mixture in (BetaMixture(2, 1), DiscreteMixture.uniform("one", [0.6])):
        assert not mixture.is_symmetric
        with pytest.raises(InvalidArgument, match="symmetric"):
            anytime_boundary(10, mixture=mixture)


def test_the_boundary_of_rank_5_and_6_by_high_precision_root_finding() -> None:
    m = b_plus_c = 3134
    with mpmath.workdps(40):
        points = [mpmath.mpf(t.numerator) / t.denominator for t in POINTS]

        def excess(s: mpmath.mpf) -> mpmath.mpf:
            b, c = (m + s) / 2, (m - s) / 2
            return mpmath.log(
                mpmath.fsum((2 * t) ** b * (2 - 2 * t) ** c for t in points) / 98 * 0.05
            )

        gap = float(mpmath.findroot(excess, 206))
    assert anytime_boundary(b_plus_c, mixture=UNIFORM_98).gap == pytest.approx(gap, rel=1e-10)


def test_a_pair_that_has_crossed_need_not_be_resolvable() -> None:
    pair = anytime_required_n(1680, 1454, N_MMLU_PRO, mixture=UNIFORM_98)
    assert (bool(pair.crossed), bool(pair.resolved_anytime)) == (True, False)
    assert pair.q_anytime == pytest.approx(0.80, abs=0.005)


def test_anytime_required_n_is_the_fixed_one_inflated() -> None:
    b, c = TABLE_7.T
    pairs = anytime_required_n(b, c, N_MMLU_PRO, alpha=0.01, power=0.9)
    delta = (b - c) / N_MMLU_PRO
    fixed = required_n(delta, np.sqrt((b + c) / N_MMLU_PRO - delta**2), alpha=0.01, power=0.9)
    np.testing.assert_allclose(pairs.n_star_anytime, fixed * pairs.inflation, rtol=1e-12)
    np.testing.assert_allclose(pairs.q_anytime, N_MMLU_PRO / pairs.n_star_anytime, rtol=1e-12)


def test_no_gap_and_too_few_discordant_items_need_infinitely_many() -> None:
    pairs = anytime_required_n([50, 3, 0, 20], [50, 0, 0, 0], [200, 200, 200, 20])
    # The last pair is 20 of 20: the difference is constant, so its variance and need are 0.
    np.testing.assert_array_equal(pairs.n_star_anytime, [np.inf, np.inf, np.inf, 0])
    np.testing.assert_array_equal(pairs.resolved_anytime, [False, False, False, True])
    np.testing.assert_array_equal(pairs.crossed, [False, False, False, True])


@given(b=st.integers(0, 400), c=st.integers(0, 400), rest=st.integers(1, 500))
def test_swapping_the_models_changes_nothing(b: int, c: int, rest: int) -> None:
    one, other = anytime_required_n(b, c, b + c + rest), anytime_required_n(c, b, b + c + rest)
    assert one.log_e == pytest.approx(float(other.log_e), abs=1e-10)
    assert one.n_star_anytime == pytest.approx(float(other.n_star_anytime), rel=1e-12)
    # A resolvable pair has crossed: u + z_power exceeds u, and the variance is smaller.
    assert one.crossed or not one.resolved_anytime


def exact_crossing_probability(gap: FloatArray, theta: float) -> float:
    """Pr(|S_M| >= gap[M] for some M < len(gap)) of a walk of +-1 steps, by its recursion."""
    size = len(gap)
    walk = np.zeros(2 * size + 1)
    walk[size] = 1.0
    place = np.abs(np.arange(-size, size + 1))
    absorbed = 0.0
    for limit in gap[1:]:
        walk = theta * np.roll(walk, 1) + (1 - theta) * np.roll(walk, -1)
        absorbed += walk[place >= limit].sum()
        walk[place >= limit] = 0.0
    return absorbed


@pytest.mark.parametrize("mixture", SYMMETRIC)
def test_ville_holds_exactly_over_a_thousand_discordant_items(mixture: Mixture) -> None:
    gap = anytime_boundary(np.arange(1001), mixture=mixture).gap
    assert 0.01 < exact_crossing_probability(gap, 0.5) <= 0.05


@pytest.mark.slow
def test_ville_by_simulation() -> None:
    """20,000 null trajectories of 1,000 discordant items against the exact probability."""
    trials, steps = 20_000, 1000
    signs = 2 * named_rng(7, "ville").integers(0, 2, size=(trials, steps), dtype=np.int8) - 1
    b, m = np.cumsum(signs == 1, axis=-1), np.arange(1, steps + 1)
    log_e = log_e_value(*np.indices((steps + 1, steps + 1)))
    crossed = (log_e[b, m - b].max(axis=-1) >= np.log(20)).mean()
    exact = exact_crossing_probability(anytime_boundary(np.arange(steps + 1)).gap, 0.5)
    assert abs(crossed - exact) < 4 * np.sqrt(exact * (1 - exact) / trials)  # 4 SE
    assert crossed < 0.05


@pytest.mark.parametrize(
    "call",
    [
        lambda: log_e_value(-1, 2),
        lambda: anytime_boundary(2.5),
        lambda: anytime_boundary(10, alpha=0.0),
        lambda: anytime_required_n(5, 6, 10),
        lambda: anytime_required_n(5, 6, 20, power=1.0),
        lambda: BetaMixture(0, 1),
        lambda: DiscreteMixture.uniform("empty", []),
        lambda: DiscreteMixture.uniform("edge", [0.0, 1.0]),
        lambda: DiscreteMixture("heavy", (0.4, 0.6), (1.0, 1.0)),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call()
