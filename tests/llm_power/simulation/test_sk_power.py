"""The table of powers that sk-power publishes, to the last digit."""

from __future__ import annotations

from hashlib import sha256
from itertools import product

import numpy as np
import pytest

from llm_power.simulation._engine import SimulatedPower, Simulation
from llm_power.simulation._processes import PairedMultinomial

Point = tuple[PairedMultinomial, int]


def grid() -> list[Point]:
    """Baseline, gap, agreement and size, without tables that have a negative cell."""
    points = []
    for base, delta, agreement, n_items in product(
        np.linspace(0.5, 0.9, 20),
        np.linspace(0.01, 0.4, 20),
        np.linspace(0.1, 0.99, 20),
        (10, 20, 25, 50, 100, 500),
    ):
        p11 = (agreement + 2 * base + delta - 1) / 2
        p10, p01, p00 = base - p11, base + delta - p11, agreement - p11
        if min(p11, p10, p01, p00) >= 0:
            points.append((PairedMultinomial(p11, p10, p01, p00), n_items))
    return points


def published(points: list[Point], place: int) -> SimulatedPower:
    simulation = Simulation(n_trials=1_000, seed=np.random.default_rng(20250530 + place))
    return simulation.power(*points[place])


def test_rows_of_the_published_table() -> None:
    """The first, two in the middle and the last; its second model is our B."""
    points = grid()
    assert len(points) == 13_020
    rows = {
        0: (0.036, 0.0163, 69.72222222222217, 0.5),
        4000: (0.974, 0.27275, 1.000021470788017, 0.0),
        6511: (0.038, 0.0152, 33.026315789473664, 0.42105263157894735),
        13019: (1.0, 0.092284, 1.0019405714285718, 0.0),
    }
    for place, (power, mean, type_m, type_s) in rows.items():
        found = published(points, place)
        assert f"{found.power:.3f}" == f"{power:.3f}"
        assert found.mean_effect == pytest.approx(-mean, abs=1e-12)
        assert found.type_m == pytest.approx(type_m, rel=1e-12)
        assert found.type_s == type_s


@pytest.mark.slow
def test_published_powers_to_the_last_digit() -> None:
    points = grid()
    powers = [f"{published(points, place).power:.3f}" for place in range(len(points))]
    digest = sha256("\n".join(powers).encode()).hexdigest()
    assert digest == "dedbf11ffd8d426f068ccf01c592371154ca59c10c4e354a5a58c4aca321df43"
