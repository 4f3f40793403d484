"""Power, its errors and curves beside exact sums and closed forms; streams by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from statsmodels.stats.power import TTestIndPower, TTestPower

from llm_power import InvalidArgument, bootstrap_power, mcnemar_asymptotic
from llm_power._example import example_task
from llm_power._statistics.arrays import BoolArray
from llm_power._statistics.copula_pairs import graded_difference_variance
from llm_power._statistics.mcnemar import McNemarDesign, mcnemar_design_errors
from llm_power.simulation import _engine as engine
from llm_power.simulation._engine import Simulation
from llm_power.simulation._outcomes import Outcomes, PairedOutcomes
from llm_power.simulation._processes import (
    AgreementRate,
    AlikeItems,
    GradedBeta,
    IndependentBinomials,
    PairedMultinomial,
    Preferences,
    PromptVariants,
    ResampledPairs,
)


def better(gap: float) -> AgreementRate:
    return AgreementRate(0.7 + gap, 0.7, 0.85)


def test_errors_of_sign_and_size_are_those_of_the_exact_sum() -> None:
    expected = mcnemar_design_errors(200, 0.12, 0.08)
    process = PairedMultinomial(0.5, 0.12, 0.08, 0.3)
    found = Simulation(test="exact", n_trials=100_000).power(process, 200)
    assert abs(found.power - expected.power) < 4 * found.standard_error
    assert found.type_m == pytest.approx(float(expected.type_m), rel=0.01)
    assert found.type_s == pytest.approx(float(expected.type_s), abs=0.002)
    assert found.mean_effect == pytest.approx(0.04, abs=0.0005)
    low, high = found.interval()
    assert low < found.power < high
    assert high - low == pytest.approx(2 * 1.96 * found.standard_error, rel=0.01)


def test_power_of_t_tests_is_that_of_statsmodels() -> None:
    spread = np.sqrt(graded_difference_variance(0.05, 0.6))
    found = Simulation(test="paired_t").power(GradedBeta(0.05, 0.6), 80)
    expected = TTestPower().power(0.05 / spread, nobs=80, alpha=0.05)
    assert abs(found.power - expected) < 4 * found.standard_error
    found = Simulation(test="two_sample_t", n_trials=20_000).power(
        IndependentBinomials(0.7, 0.6), 300
    )
    effect = 0.1 / np.sqrt((0.7 * 0.3 + 0.6 * 0.4) / 2)
    assert abs(found.power - TTestIndPower().power(effect, nobs1=300, alpha=0.05)) < 0.015


def test_power_of_resampled_scores_is_that_of_bootstrap_power() -> None:
    heron, _, _, wren = example_task().values.T
    expected = bootstrap_power(heron, wren, 15, n_trials=4_000, n_resamples=None, rng=1)
    found = Simulation(test="paired_bootstrap", n_trials=4_000).power(
        ResampledPairs(heron, wren), 15
    )
    assert abs(found.power - expected.power) < 5 * found.standard_error


def test_an_effect_that_some_trials_lack_is_averaged_over_the_others() -> None:
    found = Simulation(effect="cohens_g").power(AgreementRate(0.71, 0.7, 0.95), 20)
    assert found.true_effect == pytest.approx(0.03 / 0.05 - 0.5)
    assert abs(found.mean_effect - found.true_effect) < 0.05


def test_no_gap_has_no_errors_of_sign_and_size_but_a_size() -> None:
    found = Simulation(n_trials=10_000).power(AgreementRate(0.7, 0.7, 0.8), 500)
    assert found.power == pytest.approx(0.05, abs=0.01)
    assert np.isnan([found.type_s, found.type_m]).all()


def test_a_point_does_not_depend_on_which_others_were_asked_for() -> None:
    simulation = Simulation()
    simulation.power(better(0.05), 300)
    after = simulation.power(better(0.05), 100)
    alone = Simulation().power(better(0.05), 100)
    assert after == alone
    assert Simulation(seed=1).power(better(0.05), 100).mean_effect != alone.mean_effect


@pytest.mark.parametrize("test", ["paired_t", "permutation", "paired_bootstrap"])
@pytest.mark.parametrize(
    "process",
    [GradedBeta(0.05, 0.6), ResampledPairs(*np.random.default_rng(1).random((2, 300)))],
    ids=["beta", "resampled"],
)
def test_power_does_not_depend_on_blocks(
    monkeypatch: pytest.MonkeyPatch, test: str, process: GradedBeta | ResampledPairs
) -> None:
    whole = Simulation(test=test, n_trials=50).power(process, 31)
    monkeypatch.setattr(engine, "_BLOCK", 31 * 7)
    assert Simulation(test=test, n_trials=50).power(process, 31) == whole


def test_smallest_detectable_gap_is_that_of_the_exact_power() -> None:
    def missing(gap: float) -> float:
        law = better(gap).law()
        return (
            float(McNemarDesign(float(law.wins[0]), float(law.losses[0]), test="mid_p").power(500))
            - 0.8
        )

    exact = brentq(missing, 0.01, 0.14)
    found = Simulation(test="mid_p", n_trials=4_000).detectable_gap(better, 500, largest=0.15)
    assert 0 < found.standard_error < 0.001
    assert abs(found.mde - exact) < 4 * found.standard_error


@pytest.mark.slow
def test_error_of_the_smallest_detectable_gap_is_the_spread_over_seeds() -> None:
    found = [Simulation(seed=seed).detectable_gap(better, 500, largest=0.15) for seed in range(100)]
    spread = np.std([one.mde for one in found])
    assert np.mean([one.standard_error for one in found]) == pytest.approx(spread, rel=0.2)


def test_observed_power_is_the_p_value_in_another_form() -> None:
    """At p = .05 it is one half, whatever the number of items (Hoenig and Heisey 2001)."""
    for n_items, wins, losses in ((100, 25, 13), (1_000, 114, 86), (10_000, 549, 485)):
        assert mcnemar_asymptotic(wins, losses) == pytest.approx(0.05, abs=0.006)
        scores_a = np.repeat([1.0, 0.0, 1.0], [wins, losses, n_items - wins - losses])
        scores_b = np.repeat([0.0, 1.0, 1.0], [wins, losses, n_items - wins - losses])
        found = Simulation(n_trials=4_000).observed_power(ResampledPairs(scores_a, scores_b))
        assert found.simulated.power == pytest.approx(0.5, abs=0.06)
        assert "no verdict" in str(found)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 1.5}, "alpha must lie strictly between 0 and 1, got 1.5"),
        ({"n_trials": 0}, "n_trials must be at least 1, got 0"),
        ({"test": "wald"}, r"test must be one of \['asymptotic', .*\], got 'wald'"),
        ({"seed": -1}, "seed must not be negative, got -1"),
        ({"effect": "size"}, r"effect must be one of \['accuracy_gap', .*\], got 'size'"),
    ],
)
def test_settings_outside_their_domain(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        Simulation(**settings).power(better(0.05), 100)  # type: ignore[arg-type]


def test_a_process_that_does_not_name_itself_is_refused() -> None:
    """Its stream would be another one in every run."""

    class Nameless(AlikeItems):
        def law(self) -> PairedOutcomes:
            return Preferences(0.6).law()

    with pytest.raises(InvalidArgument, match="process must have a repr that names it"):
        Simulation().power(Nameless(), 100)


def test_a_target_below_the_level_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="power must exceed alpha, got power=0.05 at 0.05"):
        Simulation().detectable_gap(better, 100, largest=0.15, power=0.05)


def test_a_test_that_rejects_without_a_gap_has_no_detectable_gap() -> None:
    def worded(gap: float) -> PromptVariants:
        return PromptVariants(0.6 + gap, 0.6, rho_z=0.5, spread=0.3)

    with pytest.raises(InvalidArgument, match="rejects a gap of 0 on 10,000 items as often as"):
        Simulation().detectable_gap(worded, 10_000, largest=0.3)


@dataclass(frozen=True)
class Duel(AlikeItems):
    win_rate: float

    def law(self) -> PairedOutcomes:
        return Preferences(self.win_rate).law()


def test_a_process_may_be_a_class_of_one_s_own() -> None:
    duel, known = Duel(0.6), Preferences(0.6)
    powers = [Simulation("sign", n_trials=4_000).power(process, 200) for process in (duel, known)]
    assert powers[0].true_effect == powers[1].true_effect
    assert abs(powers[0].power - powers[1].power) < 4 * np.sqrt(2) * powers[0].standard_error


def test_a_test_and_an_effect_may_be_functions() -> None:
    def never(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
        return np.zeros(outcomes.gap.shape, dtype=bool)

    found = Simulation(test=never, effect=lambda outcomes: outcomes.gap * 100)
    power = found.power(Preferences(0.6), 50)
    assert power.power == 0
    assert_allclose(power.true_effect, 20)
    assert np.isnan(power.type_m)
