"""The five tests' exact rejection rates against every table, and against simulation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from kotawala2026.simulations import TESTS, calibration_cell, exact_rates
from llm_power._errors import InvalidArgument
from llm_power._statistics.mcnemar import (
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power._statistics.paired_bootstrap import bootstrap_tails
from llm_power.simulation._engine import Simulation
from llm_power.simulation._processes import CopulaBernoulli


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
            rejects = min(bootstrap_tails(b, c, n)) < alpha / 2
            expected += mass * np.array([*(p <= alpha for p in p_values), rejects])
    rates = exact_rates(p10, p01, n, alpha=alpha)
    np.testing.assert_allclose(rates, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("p", "rho_z"), [(0.5, 0.0), (0.9, 0.8)])
def test_simulated_rates_equal_exact_ones_within_monte_carlo_error(p: float, rho_z: float) -> None:
    cell = calibration_cell(p, rho_z, n_trials=20_000, seed=5)
    for rate in ("type1", "power"):
        assert ((cell[rate] - cell[f"{rate}_exact"]).abs() < 4 * cell[f"{rate}_se"]).all()


def test_power_of_all_five_tests_is_that_of_the_exact_sums() -> None:
    law = CopulaBernoulli(0.65, 0.60, 0.5).law()
    exact = exact_rates(float(law.wins[0]), float(law.losses[0]), 150)
    ours = dict(zip(TESTS, exact, strict=True)) | {"asymptotic": exact[0]}
    for name in ("asymptotic", "exact", "mid_p", "continuity_corrected", "paired_bootstrap"):
        found = Simulation(test=name, n_trials=10_000).power(CopulaBernoulli(0.65, 0.6, 0.5), 150)
        assert abs(found.power - ours[name]) < 4 * found.standard_error, name


def test_what_section_5_says_of_the_tests_that_holds_exactly() -> None:
    """Asymptotic, mid-p and bootstrap power is about 0.79; the other two are 2 to 4 pp lower."""
    for p in (0.5, 0.7, 0.9):
        for rho_z in (0.0, 0.4, 0.8):
            cell = calibration_cell(p, rho_z, n_trials=1, seed=1)
            chi2, exact, mid_p, corrected, bootstrap = cell["power_exact"]
            assert np.all(np.abs(np.array([chi2, mid_p, bootstrap]) - 0.80) < 0.012)
            assert 0.015 < chi2 - exact < 0.045
            assert 0.015 < chi2 - corrected < 0.05
            # The exact test and the corrected one are conservative, and the others near 0.05.
            assert (cell["type1_exact"][[1, 3]] < 0.05).all()
            assert ((cell["type1_exact"][[0, 2, 4]] - 0.05).abs() < 0.007).all()


def test_a_cell_is_a_function_of_its_name_and_seed() -> None:
    one, same, other = (calibration_cell(0.7, 0.4, 100, seed=s) for s in (3, 3, 4))
    pd.testing.assert_frame_equal(one, same)
    assert (one["type1"] != other["type1"]).any()


@pytest.mark.parametrize(("p10", "p01"), [(1.0, 0.0), (0.0, 1.0)])
def test_one_model_may_solve_all_that_the_other_fails(p10: float, p01: float) -> None:
    assert np.all(exact_rates(p10, p01, 10) == 1)


@pytest.mark.parametrize(("p10", "p01"), [(0.6, 0.5), (0.0, 0.0)])
def test_probabilities_outside_the_domain_are_refused(p10: float, p01: float) -> None:
    with pytest.raises(InvalidArgument):
        exact_rates(p10, p01, 10)


def test_no_trials_are_refused() -> None:
    with pytest.raises(InvalidArgument):
        calibration_cell(0.5, 0.0, n_trials=0, seed=1)
