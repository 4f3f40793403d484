"""The tilt against enumeration of all whole values of small problems."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from llm_power._statistics.arrays import FloatArray, IntArray
from replication.witness.reference import smallest_tilt

CENTER = np.array([10.3, 4.8, 7.1])
PRECISION = np.array([[0.5, 0.1, 0.0], [0.1, 0.3, -0.05], [0.0, -0.05, 0.2]])
BOUNDS = (np.zeros(3), np.full(3, 15.0))


def median_and_worst(values: FloatArray) -> FloatArray:
    return np.stack([np.median(values, axis=-1), values.max(axis=-1)], axis=-1)


def tilt(lower: list[float], upper: list[float], weights: list[float]) -> IntArray:
    return smallest_tilt(
        CENTER,
        PRECISION,
        bounds=BOUNDS,
        summaries=median_and_worst,
        printed=(np.array(lower), np.array(upper)),
        weights=np.array(weights),
    )


def is_met(values: IntArray, lower: list[float], upper: list[float]) -> list[bool]:
    seen = median_and_worst(values.astype(float))
    return list(map(bool, (seen > lower) & (seen < upper)))


def all_values() -> FloatArray:
    return np.array(list(product(range(16), repeat=3)), dtype=float)


def costs(values: FloatArray) -> FloatArray:
    move = values - CENTER
    return np.asarray(((move @ PRECISION) * move).sum(axis=1) / 2)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [([8.5, 11.5], [9.5, 12.5]), ([3.5, 12.5], [4.5, 13.5]), ([6.5, 9.5], [7.5, 10.5])],
)
def test_the_cheapest_values_that_meet_the_summaries(
    lower: list[float], upper: list[float]
) -> None:
    found = tilt(lower, upper, [1e3, 1e3])
    every = all_values()
    seen = median_and_worst(every)
    meets = np.all((seen > lower) & (seen < upper), axis=1)
    assert is_met(found, lower, upper) == [True, True]
    least = costs(every[meets]).min()
    assert costs(found[None].astype(float))[0] == pytest.approx(least, rel=1e-12)


def test_what_cannot_be_met_keeps_a_residual_and_the_heavier_one_is_met() -> None:
    """A median of 12 and a largest value of 8 contradict each other."""
    for weights, met in (([1e3, 1e2], [True, False]), ([1e2, 1e3], [False, True])):
        assert is_met(tilt([11.5, 7.5], [12.5, 8.5], weights), [11.5, 7.5], [12.5, 8.5]) == met


def test_values_stay_in_bounds() -> None:
    found = tilt([17.5, 19.5], [18.5, 20.5], [1e3, 1e3])
    assert found.max() <= 15
    assert np.all(median_and_worst(found.astype(float)) < [17.5, 19.5])


def test_summaries_that_hold_already_cost_no_more_than_rounding() -> None:
    found = tilt([6.0, 9.0], [8.0, 12.0], [1e3, 1e3])
    least = costs(all_values()).min()
    assert costs(found[None].astype(float))[0] == pytest.approx(least, rel=1e-12)
