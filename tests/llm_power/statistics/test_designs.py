"""The searches over a number of units, against every number one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.cluster_requirement import MeanDesign
from llm_power._statistics.designs import Design, detectable_gap, required_units


class Rising(Design):
    """Power 1 - 1/(n + 1) at the best, from `least` on."""

    def __init__(self, *, start: int = 1, most: int = 10**6) -> None:
        self._start, self.most = start, most

    def power(self, n: ArrayLike) -> FloatArray:
        return np.asarray(1 - 1 / (np.asarray(n, dtype=np.float64) + 1))

    def start(self, target: float) -> int:
        return self._start


class SawTooth(Rising):
    """The same with every third number a tenth lower."""

    def power(self, n: ArrayLike) -> FloatArray:
        sizes = np.asarray(n)
        return np.asarray(super().power(sizes) - 0.1 * (sizes % 3 == 0))

    def last_below(self, target: float, n: int) -> int:
        sizes = np.arange(n, n + 200)
        return int(sizes[self.power(sizes) < target].max(initial=n - 1))


@given(st.floats(0.05, 0.98), st.integers(1, 3_000))
def test_the_number_does_not_depend_on_where_the_search_begins(target: float, start: int) -> None:
    n = int(required_units(Rising(start=start), target))
    assert Rising().power(n) >= target
    assert n == 1 or Rising().power(n - 1) < target


@given(st.floats(0.05, 0.85), st.integers(1, 200))
def test_every_larger_number_has_the_power_of_a_saw_tooth(target: float, start: int) -> None:
    n = int(required_units(SawTooth(start=start), target))
    powers = SawTooth().power(np.arange(1, 400))
    assert np.all(powers[n - 1 :] >= target)
    assert n == 1 or powers[n - 2] < target


def test_a_power_out_of_reach_takes_infinitely_many_units() -> None:
    assert required_units(Rising(most=99), 0.99) == 99
    assert required_units(Rising(most=98), 0.99) == np.inf
    bounded = Rising(most=100)
    bounded.largest = 0.97
    assert required_units(bounded, 0.98) == np.inf
    assert required_units(bounded, 0.9) == 9
    with pytest.raises(InvalidArgument, match="power must lie strictly"):
        required_units(bounded, 1)


def test_the_detectable_gap_is_the_inverse_of_the_required_number() -> None:
    gap = detectable_gap(lambda gap: MeanDesign(gap, 0.5), 787, 0.8, widest=1.0)
    assert required_units(MeanDesign(gap, 0.5), 0.8) == 787
    assert detectable_gap(lambda gap: MeanDesign(gap, 0.5), 787, 0.8, least=0.2, widest=1.0) == 0.2
    assert detectable_gap(lambda gap: MeanDesign(gap, 0.5), 787, 0.8, widest=gap / 2) == np.inf
