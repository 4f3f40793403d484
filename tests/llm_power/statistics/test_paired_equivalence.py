"""Two one-sided tests of 0/1 scores against intervals and exact sums over tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multinomial, norm

from llm_power._errors import InvalidArgument
from llm_power._statistics.intervals import score_statistic, score_variance
from llm_power._statistics.paired_equivalence import (
    score_equivalence_power,
    score_equivalence_required_n,
    score_equivalence_test,
)


def exact_share(p10: float, p01: float, n: int, margin: float, alpha: float = 0.05) -> float:
    """Probability that equivalence is found, summed over the tables (b, c)."""
    discordant = n * (p10 + p01)
    top = min(n, int(discordant + 10 * np.sqrt(discordant) + 10))
    b, c = np.meshgrid(np.arange(top + 1), np.arange(top + 1))
    b, c = b[b + c <= n], c[b + c <= n]
    mass = multinomial.pmf(np.stack([b, c, n - b - c], axis=-1), n, [p10, p01, 1 - p10 - p01])
    found = score_equivalence_test(b, c, n, margin=margin, alpha=alpha).equivalent
    return float(np.asarray(mass)[found].sum())


@pytest.mark.parametrize("n", [8, 40])
@pytest.mark.parametrize("margin", [0.05, 0.3])
def test_equivalent_exactly_where_the_interval_is_inside_the_margin(n: int, margin: float) -> None:
    b, c = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
    b, c = b[b + c <= n], c[b + c <= n]
    test = score_equivalence_test(b, c, n, margin=margin, alpha=0.1)
    inside = (test.low > -margin) & (test.high < margin)
    np.testing.assert_array_equal(test.equivalent, inside)
    swapped = score_equivalence_test(c, b, n, margin=margin, alpha=0.1)
    np.testing.assert_allclose(swapped.p, test.p, rtol=1e-12)


def test_score_p_is_that_of_the_two_statistics() -> None:
    test = score_equivalence_test(40, 38, 2000, margin=0.02)
    expected = max(
        norm.cdf(score_statistic(40, 38, 2000, 0.02)), norm.sf(score_statistic(40, 38, 2000, -0.02))
    )
    np.testing.assert_allclose(test.p, expected, rtol=1e-12)


def test_required_n_of_models_that_never_differ_has_a_closed_form() -> None:
    free = score_equivalence_required_n(0.0, 0.0, margin=0.05)
    assert free == pytest.approx(norm.isf(0.05) ** 2 * 0.95 / 0.05)


@pytest.mark.parametrize("power", [0.3, 0.8, 0.99])
@pytest.mark.parametrize(("p10", "p01"), [(0.06, 0.04), (0.05, 0.05), (0.1, 0.13), (0.02, 0.0)])
def test_score_required_n_solves_the_power_equation(p10: float, p01: float, power: float) -> None:
    n = float(score_equivalence_required_n(p10, p01, margin=0.05, power=power))
    delta, z = p10 - p01, norm.isf(0.05)
    sigma = np.sqrt(p10 + p01 - delta**2)
    high, low = (np.sqrt(score_variance(p10, p01, 1.0, end)) for end in (0.05, -0.05))
    below = norm.cdf((np.sqrt(n) * (0.05 - delta) - z * high) / sigma)
    above = norm.cdf((np.sqrt(n) * (0.05 + delta) - z * low) / sigma)
    assert below + above - 1 == pytest.approx(power, abs=1e-9)


def test_the_level_is_5_per_cent() -> None:
    assert score_equivalence_test(1, 1, 9, margin=0.1).alpha == 0.05


@pytest.mark.parametrize(
    ("n", "p10", "p01", "margin"),
    [(40, 0.3, 0.2, 0.3), (150, 0.05, 0.05, 0.05), (90, 0.0, 0.1, 0.2), (60, 0.7, 0.3, 0.5)],
)
def test_power_is_the_sum_over_all_tables(n: int, p10: float, p01: float, margin: float) -> None:
    for alpha in (0.05, 0.2):
        power = score_equivalence_power(n, p10, p01, margin=margin, alpha=alpha)
        assert power == pytest.approx(exact_share(p10, p01, n, margin, alpha), abs=1e-9)


def test_gaps_outside_of_the_margin_need_infinitely_many_items() -> None:
    need = score_equivalence_required_n([0.2, 0.1, 0.1], [0.1, 0.2, 0.1], margin=0.05)
    np.testing.assert_array_equal(np.isinf(need), [True, True, False])


def test_required_n_falls_with_the_margin_and_rises_with_power() -> None:
    by_margin = [
        float(score_equivalence_required_n(0.1, 0.08, margin=m)) for m in (0.03, 0.05, 0.1)
    ]
    assert by_margin == sorted(by_margin, reverse=True)
    by_power = [
        float(score_equivalence_required_n(0.1, 0.08, margin=0.05, power=w))
        for w in (0.3, 0.5, 0.9)
    ]
    assert by_power == sorted(by_power)


@pytest.mark.parametrize("setting", [{"margin": 0.0}, {"margin": 0.1, "alpha": 0.5}])
def test_settings_outside_of_their_domain_are_refused(setting: dict[str, float]) -> None:
    with pytest.raises(InvalidArgument):
        score_equivalence_test(1, 2, 10, **setting)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("p10", "p01", "margin"),
    [
        (0.05, 0.05, 0.05),
        (0.06, 0.04, 0.05),
        (0.05, 0.05, 0.1),
        (0.06, 0.04, 0.1),
        (0.15, 0.15, 0.1),
        (0.15, 0.12, 0.1),
        (0.02, 0.02, 0.02),
    ],
)
def test_exact_power_at_the_required_n(p10: float, p01: float, margin: float) -> None:
    n = int(np.ceil(score_equivalence_required_n(p10, p01, margin=margin)))
    assert 0.80 <= exact_share(p10, p01, n, margin) <= 0.846


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200, 500])
def test_exact_type_1_at_the_edge_of_the_margin(n: int) -> None:
    rates = [
        exact_share((psi + margin) / 2, (psi - margin) / 2, n, margin)
        for margin in (0.02, 0.05, 0.1)
        for psi in (margin, 0.15, 0.3)
    ]
    assert max(rates) < 0.0567


def test_exact_type_1_where_the_discordance_is_the_margin() -> None:
    assert exact_share(0.2, 0.0, 20, 0.2) == pytest.approx(0.0692, abs=1e-4)
    assert exact_share(0.1, 0.0, 100, 0.1) == pytest.approx(0.0576, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 100, 200, 500])
def test_exact_type_1_at_the_edge_of_the_margin_at_any_discordance(n: int) -> None:
    rates = [
        exact_share((psi + margin) / 2, (psi - margin) / 2, n, margin)
        for margin in (0.02, 0.05, 0.1, 0.2)
        for psi in np.linspace(margin, 1, 12)
    ]
    assert max(rates) < 0.058
