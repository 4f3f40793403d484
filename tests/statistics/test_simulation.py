"""Simulated pairs: the copula, the five tests' exact rejection rates, Appendices B and C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from llm_power.errors import InvalidArgument
from llm_power.statistics import simulation
from llm_power.statistics._seeds import named_rng
from llm_power.statistics.e_process import anytime_boundary, first_crossing
from llm_power.statistics.inversion import required_n
from llm_power.statistics.mcnemar import (
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power.statistics.paired_binary import required_n_paired_binary
from llm_power.statistics.paired_bootstrap import exact_bootstrap_distribution
from llm_power.statistics.simulation import (
    TESTS,
    bernoulli_power_curve,
    calibration_cell,
    discordance_from_required_n,
    draw_graded_pairs,
    e_process_calibration,
    e_process_trajectories,
    gap_at_required_n,
    graded_difference_variance,
    graded_power_curve,
    latent_correlation,
    paired_bernoulli_cells,
    rejection_rates,
)


@pytest.mark.parametrize("rho_z", [-0.99, -0.4, 0.0, 0.4, 0.8, 0.999])
@pytest.mark.parametrize(("p_a", "p_b"), [(0.5, 0.5), (0.5, 0.3), (0.65, 0.6), (0.9, 0.02)])
def test_cells_equal_plackett_s_integral(p_a: float, p_b: float, rho_z: float) -> None:
    """The derivative of p11 in rho_z is the bivariate normal density (Plackett 1954)."""
    h, k = float(stats.norm.ppf(p_a)), float(stats.norm.ppf(p_b))

    def density(angle: float) -> float:  # rho = sin(angle) takes the root out of the density
        exponent = (h * h + k * k - 2 * h * k * np.sin(angle)) / (2 * np.cos(angle) ** 2)
        return float(np.exp(-exponent) / (2 * np.pi))

    expected = p_a * p_b + quad(density, 0, np.arcsin(rho_z), epsabs=1e-14, epsrel=1e-12)[0]
    cells = paired_bernoulli_cells(p_a, p_b, rho_z)
    assert cells.p11 == pytest.approx(expected, abs=1e-12)
    total = cells.p11 + cells.p10 + cells.p01 + cells.p00
    assert total == pytest.approx(1, rel=1e-14)
    assert cells.p11 + cells.p10 == pytest.approx(p_a, rel=1e-14)


def test_cells_equal_scipy() -> None:
    normal = stats.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]])
    expected = normal.cdf(stats.norm.ppf([0.7, 0.55]))
    assert paired_bernoulli_cells(0.7, 0.55, 0.6).p11 == pytest.approx(expected, rel=1e-10)


def test_even_odds_have_the_arcsine_law() -> None:
    """Sheppard (1899): p11 = 1/4 + arcsin(rho_z) / (2 pi), hence rho = 2 arcsin(rho_z) / pi."""
    rho_z = np.linspace(-0.95, 0.95, 9)
    rho = paired_bernoulli_cells(0.5, 0.5, rho_z).rho
    np.testing.assert_allclose(rho, 2 * np.arcsin(rho_z) / np.pi, rtol=1e-10, atol=1e-14)


@given(p_a=st.floats(0.05, 0.95), p_b=st.floats(0.05, 0.95), rho_z=st.floats(-0.9, 0.9))
def test_latent_correlation_inverts_the_cells(p_a: float, p_b: float, rho_z: float) -> None:
    rho = paired_bernoulli_cells(p_a, p_b, rho_z).rho
    back = paired_bernoulli_cells(p_a, p_b, latent_correlation(p_a, p_b, rho)).rho
    assert back == pytest.approx(float(rho), abs=1e-12)


@pytest.mark.parametrize("p", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("rho_z", [0.0, 0.4, 0.8])
def test_the_alternative_needs_exactly_the_items_at_hand(p: float, rho_z: float) -> None:
    delta = gap_at_required_n(p, rho_z, 500)
    rho = paired_bernoulli_cells(p + delta / 2, p - delta / 2, rho_z).rho
    n_star = required_n_paired_binary(p + delta / 2, p - delta / 2, rho)
    assert n_star == pytest.approx(500, rel=1e-10)


@pytest.mark.parametrize(("p10", "p01"), [(0.3, 0.3), (0.4, 0.1), (0.05, 0.0)])
def test_exact_rates_equal_the_sum_over_every_table(p10: float, p01: float) -> None:
    n, alpha = 40, 0.05
    expected = np.zeros(5)
    for b in range(n + 1):
        for c in range(n + 1 - b):
            mass = stats.multinomial.pmf([b, c, n - b - c], n, [p10, p01, 1 - p10 - p01])
            p_values = [
                test(b, c)
                for test in (
                    mcnemar_asymptotic,
                    mcnemar_exact,
                    mcnemar_mid_p,
                    mcnemar_continuity_corrected,
                )
            ]
            law = exact_bootstrap_distribution(b, c, n)
            expected += mass * np.array([*(p <= alpha for p in p_values), law.rejects(alpha)])
    rates = rejection_rates(p10, p01, n, alpha=alpha, n_trials=10, rng=named_rng(1, "sum"))
    np.testing.assert_allclose(rates.exact, expected, rtol=1e-10, atol=1e-12)
    assert rates.truncated_mass < 1e-12
    assert rates.tests == TESTS


@pytest.mark.parametrize(("p", "rho_z"), [(0.5, 0.0), (0.9, 0.8)])
def test_simulated_rates_equal_exact_ones_within_monte_carlo_error(p: float, rho_z: float) -> None:
    cell = calibration_cell(p, rho_z, n_trials=20_000, seed=5)
    for rates in (cell.null, cell.alternative):
        assert np.all(np.abs(rates.simulated - rates.exact) < 4 * rates.standard_error)
        assert rates.truncated_mass < 1e-12


def test_what_section_5_says_of_the_tests_that_holds_exactly() -> None:
    """Asymptotic, mid-p and bootstrap power is about 0.79; the other two are 2 to 4 pp lower."""
    for p in (0.5, 0.7, 0.9):
        for rho_z in (0.0, 0.4, 0.8):
            cell = calibration_cell(p, rho_z, n_trials=1, seed=1)
            chi2, exact, mid_p, corrected, bootstrap = cell.alternative.exact
            assert np.all(np.abs(np.array([chi2, mid_p, bootstrap]) - 0.80) < 0.012)
            assert 0.015 < chi2 - exact < 0.045
            assert 0.015 < chi2 - corrected < 0.05
            # The exact test and the corrected one are conservative, and the others near 0.05.
            assert np.all(cell.null.exact[[1, 3]] < 0.05)
            assert np.all(np.abs(cell.null.exact[[0, 2, 4]] - 0.05) < 0.007)


def test_a_cell_is_a_function_of_its_name_and_seed() -> None:
    one, same, other = (calibration_cell(0.7, 0.4, 100, seed=s) for s in (3, 3, 4))
    np.testing.assert_array_equal(one.null.simulated, same.null.simulated)
    assert np.any(one.null.simulated != other.null.simulated)


def test_graded_pairs_have_beta_marginals_and_the_latent_correlation() -> None:
    a, b = draw_graded_pairs(20_000, 0.08, 0.3, rng=named_rng(2, "graded"))
    mean_b = 2 / 3 - 0.08
    # Kolmogorov-Smirnov p-values of a fixed stream; 1e-4 is about 4 SE.
    assert stats.kstest(a, stats.beta(4, 2).cdf).pvalue > 1e-4
    assert stats.kstest(b, stats.beta(6 * mean_b, 6 - 6 * mean_b).cdf).pvalue > 1e-4
    # Spearman's rho of a Gaussian copula is (6 / pi) arcsin(rho_z / 2); SE about 1 / sqrt(n).
    spearman = stats.spearmanr(a, b).statistic
    assert spearman == pytest.approx(6 / np.pi * np.arcsin(0.15), abs=4 / np.sqrt(20_000))


@pytest.mark.parametrize("rho_z", [-0.5, 0.0, 0.3, 0.9])
def test_graded_variance_equals_the_sample_variance(rho_z: float) -> None:
    a, b = draw_graded_pairs(50_000, 0.04, rho_z, rng=named_rng(3, "variance"))
    squares = np.square(a - b - 0.04)
    error = squares.std() / np.sqrt(50_000)
    assert abs(graded_difference_variance(0.04, rho_z) - squares.mean()) < 4 * error


def test_independent_graded_scores_have_the_sum_of_the_beta_variances() -> None:
    mean_b = 2 / 3 - 0.04
    expected = stats.beta(4, 2).var() + stats.beta(6 * mean_b, 6 - 6 * mean_b).var()
    assert graded_difference_variance(0.04, 0.0) == pytest.approx(expected, rel=1e-6)


def test_bernoulli_power_curve_meets_the_target_at_the_reference_s_own_need() -> None:
    """Appendix B: the bootstrap crosses 0.8 within 5% of N*; a 5% change of n moves 0.02."""
    plain = bernoulli_power_curve(0.65, 0.08, 0.3, [50], n_trials=10, seed=6)
    n = round(plain.reference_n_star)
    curve = bernoulli_power_curve(0.65, 0.08, 0.3, [50, n], n_trials=4_000, seed=6)
    assert abs(curve.power[1] - 0.80) < 0.02 + 4 * curve.standard_error[1]
    assert curve.reference_rho == pytest.approx(0.3, abs=4 / np.sqrt(30_000))
    rho_z = latent_correlation(0.65, 0.57, 0.3)
    assert paired_bernoulli_cells(0.65, 0.57, rho_z).rho == pytest.approx(0.3, rel=1e-10)
    assert curve.n_star == pytest.approx(float(required_n_paired_binary(0.65, 0.57, 0.3)), rel=1e-9)


def test_sizes_have_their_own_streams() -> None:
    both = bernoulli_power_curve(0.65, 0.08, 0.3, [100, 300], n_trials=200, seed=6)
    one = bernoulli_power_curve(0.65, 0.08, 0.3, [300], n_trials=200, seed=6)
    assert both.power[1] == one.power[0]


@pytest.mark.slow
def test_graded_power_curve_meets_the_target_near_the_required_n() -> None:
    """Appendix B: the bootstrap tracks the paired-t required N within 6%, some 0.025 in power."""
    plain = graded_power_curve(0.04, 0.3, [10], n_trials=10, n_resamples=10, seed=7)
    n = round(plain.reference_n_star)
    curve = graded_power_curve(0.04, 0.3, [n], n_trials=4_000, seed=7)
    assert abs(curve.power[0] - 0.80) < 0.025 + 4 * curve.standard_error[0]


def test_discordance_is_recovered_from_the_required_n() -> None:
    p10, p01 = discordance_from_required_n(0.024, 2362)
    assert p10 - p01 == pytest.approx(0.024, rel=1e-12)
    sigma_d = np.sqrt(p10 + p01 - 0.024**2)
    assert required_n(0.024, sigma_d) == pytest.approx(2362, rel=1e-12)


def exact_crossing_by_items(p10: float, p01: float, horizon: int) -> tuple[float, float]:
    """Probability of crossing within the horizon and mean of the stopping time cut there.

    The walk b - c and the count b + c, item by item: a state per (b, c).
    """
    limit = anytime_boundary(np.arange(horizon + 1)).gap - 1e-9
    b, c = np.meshgrid(np.arange(horizon + 1), np.arange(horizon + 1), indexing="ij")
    stop = np.abs(b - c) >= limit[np.minimum(b + c, horizon)]
    mass = np.zeros(b.shape)
    mass[0, 0] = 1
    alive = 1.0
    restricted = 0.0
    for _ in range(horizon):
        restricted += alive
        moved = mass * (1 - p10 - p01)
        moved[1:] += p10 * mass[:-1]
        moved[:, 1:] += p01 * mass[:, :-1]
        moved[stop] = 0
        mass = moved
        alive = float(mass.sum())
    return 1 - alive, restricted


@pytest.mark.parametrize(("p10", "p01"), [(0.2, 0.2), (0.35, 0.15), (1.0, 0.0)])
def test_stopping_times_equal_an_item_by_item_recursion(p10: float, p01: float) -> None:
    horizon, trials = 150, 20_000
    result = e_process_calibration(p10, p01, horizon, n_trials=trials, rng=named_rng(8, "stop"))
    rate, restricted = exact_crossing_by_items(p10, p01, horizon)
    assert abs(result.rejection_rate - rate) <= 4 * np.sqrt(rate * (1 - rate) / trials) + 1e-12
    cut = np.minimum(result.stopping_items, horizon)
    assert abs(result.restricted_mean - restricted) <= 4 * cut.std() / np.sqrt(trials) + 1e-9


def test_stopping_times_equal_those_of_whole_trajectories() -> None:
    p10, p01, horizon = 0.3, 0.15, 300
    paths = e_process_trajectories(p10, p01, horizon, 3_000, rng=named_rng(9, "paths"))
    crossed = np.isfinite(first_crossing(paths)).mean()
    result = e_process_calibration(p10, p01, horizon, n_trials=3_000, rng=named_rng(9, "stop"))
    error = np.sqrt(2 * crossed * (1 - crossed) / 3_000)
    assert abs(result.rejection_rate - crossed) < 4 * error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("delta", "n_star", "ratio", "upper"), [(0.024, 2362, 1.30, 2.0), (0.078, 294, 1.15, 1.8)]
)
def test_appendix_c_calibration(delta: float, n_star: float, ratio: float, upper: float) -> None:
    """Mean stopping at 1.30 and 1.15 N*, where Appendix C has 1.84 to 2.32."""
    p10, p01 = discordance_from_required_n(delta, n_star)
    even = (p10 + p01) / 2
    horizon = round(5 * n_star)
    null = e_process_calibration(even, even, horizon, n_trials=5_000, rng=named_rng(10, "null"))
    found = e_process_calibration(p10, p01, horizon, n_trials=5_000, rng=named_rng(10, "gap"))
    assert null.rejection_rate < 0.05
    assert found.rejection_rate > 0.97  # Appendix C: 97 to 100%
    tolerance = 4 * found.mean_stopping_error / n_star + 0.005  # 4 SE and the last digit
    assert found.mean_stopping / n_star == pytest.approx(ratio, abs=tolerance)
    assert found.mean_stopping / n_star + tolerance < 1.84
    # Ranks 4 SE around the 80th percentile of the stopping times.
    ranks = np.array([0.8, 0.8]) + 4 * np.sqrt(0.16 / 5_000) * np.array([-1, 1])
    low, high = np.sort(found.stopping_items)[(ranks * 5_000).astype(int)] / n_star
    assert low - 0.05 <= upper <= high + 0.05


def test_results_do_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = e_process_calibration(0.3, 0.15, 200, n_trials=50, rng=named_rng(11, "block"))
    monkeypatch.setattr(simulation, "_BLOCK", 700)
    parts = e_process_calibration(0.3, 0.15, 200, n_trials=50, rng=named_rng(11, "block"))
    np.testing.assert_array_equal(whole.stopping_items, parts.stopping_items)


@pytest.mark.parametrize(
    "call",
    [
        lambda rng: paired_bernoulli_cells(0.0, 0.5, 0.0),
        lambda rng: paired_bernoulli_cells(0.5, 0.5, 1.0),
        lambda rng: latent_correlation(0.9, 0.2, 0.9),
        lambda _: gap_at_required_n(0.9, 0.0, 5),
        lambda rng: rejection_rates(0.6, 0.5, 10, rng=rng),
        lambda rng: rejection_rates(0.0, 0.0, 10, rng=rng),
        lambda rng: rejection_rates(0.1, 0.1, 10, n_trials=0, rng=rng),
        lambda rng: draw_graded_pairs(10, 0.7, 0.3, rng=rng),
        lambda rng: discordance_from_required_n(0.5, 2),
        lambda rng: e_process_calibration(0.1, 0.1, 0, rng=rng),
        lambda rng: e_process_trajectories(-0.1, 0.1, 10, 1, rng=rng),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call(named_rng(0, "refused"))
