"""Power of the two-sided t test of a mean over units, by the noncentral t, and its inverse."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import nctdtr, ndtr, stdtrit

from llm_power._errors import InvalidArgument
from llm_power._statistics._roots import find_roots
from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power._statistics.inversion import z_sum

#: The distribution that the standardized gap is held against.
Reference = Literal["t", "normal"]


def near_power(
    shift: ArrayLike, units: ArrayLike, alpha: float, reference: Reference = "t"
) -> FloatArray:
    """Chance of a rejection on the positive side, where the gap is `shift` standard errors."""
    if reference == "normal":
        return np.asarray(ndtr(np.asarray(shift) - z_sum(alpha, 0.5)))
    if reference != "t":
        raise InvalidArgument(f"reference must be 't' or 'normal', got {reference!r}")
    freedom = np.asarray(units, dtype=np.float64) - 1
    return 1 - below(freedom, shift, -stdtrit(freedom, alpha / 2))


def below(freedom: ArrayLike, shift: ArrayLike, t: ArrayLike) -> FloatArray:
    """Chance of a noncentral t below `t`; where SciPy's is lost to underflow, 0 or 1."""
    chance = np.asarray(nctdtr(*map(np.asarray, (freedom, shift, t))))
    return np.where(np.isnan(chance), np.less(shift, t), chance)


def shift_of_power(
    units: ArrayLike, alpha: float, power: float, reference: Reference = "t"
) -> FloatArray:
    """Gap over its standard error at which the test over so many units has its power."""
    different, where = np.unique(np.asarray(units, dtype=np.float64), return_inverse=True)

    def excess(shift: FloatArray, units: FloatArray) -> FloatArray:
        return near_power(shift, units, alpha, reference) - power

    highest = np.asarray(10 - 10 * stdtrit(different - 1, alpha / 2), dtype=np.float64)
    roots = find_roots(excess, (np.zeros_like(highest), highest), (different,))
    return np.asarray(roots[where])
