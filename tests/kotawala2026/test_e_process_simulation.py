"""Stopping times of the simulated e-process against a recursion over (b, c) (Appendix C)."""

from __future__ import annotations

import numpy as np
import pytest

from kotawala2026 import simulations
from kotawala2026.simulations import (
    discordance_from_required_n,
    e_process_calibration,
    e_process_trajectories,
    log_e_trajectory,
)
from llm_power._errors import InvalidArgument
from llm_power._statistics.anytime_horizon import anytime_horizon
from llm_power._statistics.e_process import (
    BETA_2_2,
    BETA_4_4,
    TWO_POINT,
    UNIFORM_98,
    BetaMixture,
    Mixture,
    anytime_boundary,
    log_e_value,
)
from llm_power._statistics.random_streams import named_rng


@pytest.mark.parametrize("mixture", [UNIFORM_98, TWO_POINT, BETA_2_2, BETA_4_4, BetaMixture(1, 1)])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_trajectory_equals_the_values_at_the_running_counts(mixture: Mixture, share: float) -> None:
    rng = named_rng(1, "trajectory")
    steps = rng.integers(-1, 2, size=(3, 5, 200)) * (rng.random((3, 5, 200)) < share)
    steps[0, 0], steps[0, 1, :9], steps[2, 4, -9:] = 0, 0, 0
    path = log_e_trajectory(steps, mixture)
    b, c = np.cumsum(steps == 1, axis=-1), np.cumsum(steps == -1, axis=-1)
    np.testing.assert_array_equal(path, log_e_value(b, c, mixture))
    assert log_e_trajectory(np.zeros((2, 0)), mixture).shape == (2, 0)
    assert log_e_trajectory(np.array(1), mixture) == log_e_value(1, 0, mixture)


def test_concordant_items_leave_the_e_value_unchanged() -> None:
    with_ties = log_e_trajectory([1, 0, 0, -1, 0, 1])
    np.testing.assert_array_equal(with_ties[[0, 3, 5]], log_e_trajectory([1, -1, 1]))
    np.testing.assert_array_equal(with_ties[[1, 2, 4]], with_ties[[0, 0, 3]])


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
    assert abs(cut.mean() - restricted) <= 4 * cut.std() / np.sqrt(trials) + 1e-9


def test_stopping_times_equal_those_of_whole_trajectories() -> None:
    p10, p01, horizon = 0.3, 0.15, 300
    paths = e_process_trajectories(p10, p01, horizon, 3_000, rng=named_rng(9, "paths"))
    crossed = (paths.max(axis=-1) >= np.log(20)).mean()
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
    null, found = (
        e_process_calibration(
            *rates, horizon, n_trials=5_000, mixture=UNIFORM_98, rng=named_rng(10, name)
        )
        for name, rates in (("null", (even, even)), ("gap", (p10, p01)))
    )
    assert null.rejection_rate < 0.05
    assert found.rejection_rate > 0.97  # Appendix C: 97 to 100%
    tolerance = 4 * found.mean_stopping_error / n_star + 0.005  # 4 SE and the last digit
    assert found.mean_stopping / n_star == pytest.approx(ratio, abs=tolerance)
    assert found.mean_stopping / n_star + tolerance < 1.84
    # Ranks 4 SE around the 80th percentile of the stopping times.
    ranks = np.array([0.8, 0.8]) + 4 * np.sqrt(0.16 / 5_000) * np.array([-1, 1])
    low, high = np.sort(found.stopping_items)[(ranks * 5_000).astype(int)] / n_star
    assert low - 0.05 <= upper <= high + 0.05


@pytest.mark.slow
@pytest.mark.parametrize("mixture", [UNIFORM_98, BETA_4_4])
@pytest.mark.parametrize(("b", "c"), [(253, 111), (1871, 1076), (1680, 1454)])
def test_power_at_the_horizon_by_simulation(b: int, c: int, mixture: Mixture) -> None:
    pair, trials = anytime_horizon(b, c, 12_032, mixture=mixture), 20_000
    p10, p01 = b / 12_032, c / 12_032
    for horizon, power in ((pair.n_star_anytime, 0.8), (pair.stopping_90, 0.9)):
        rng = named_rng(11, f"horizon/{b}/{power}")
        run = e_process_calibration(
            p10, p01, int(horizon), n_trials=trials, mixture=mixture, rng=rng
        )
        assert abs(run.rejection_rate - power) < 4 * np.sqrt(power * (1 - power) / trials)  # 4 SE
        if power == 0.8:
            cut = np.minimum(run.stopping_items, int(horizon))
            error = 4 * cut.std() / np.sqrt(trials)
            assert abs(cut.mean() - float(pair.expected_items)) < error


def test_results_do_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = e_process_calibration(0.3, 0.15, 200, n_trials=50, rng=named_rng(11, "block"))
    monkeypatch.setattr(simulations, "_BLOCK", 700)
    parts = e_process_calibration(0.3, 0.15, 200, n_trials=50, rng=named_rng(11, "block"))
    np.testing.assert_array_equal(whole.stopping_items, parts.stopping_items)


@pytest.mark.parametrize(
    "call",
    [
        lambda _: log_e_trajectory([0, 2]),
        lambda rng: e_process_calibration(0.1, 0.1, 0, rng=rng),
        lambda rng: e_process_trajectories(-0.1, 0.1, 10, 1, rng=rng),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call(named_rng(0, "refused"))
