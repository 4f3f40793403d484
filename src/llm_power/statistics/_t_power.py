"""Power of the two-sided t test of a mean over units, by the noncentral t, and its inverse."""

from __future__ import annotations

import numpy as np
from scipy.optimize import elementwise
from scipy.special import nctdtr, stdtrit

from llm_power.statistics._typing import ArrayLike, FloatArray


def t_power(shift: ArrayLike, units: ArrayLike, alpha: float) -> FloatArray:
    """Chance of a rejection on the positive side, where the gap is `shift` standard errors."""
    freedom = np.asarray(units, dtype=np.float64) - 1
    return np.asarray(1 - nctdtr(freedom, shift, -stdtrit(freedom, alpha / 2)))


def shift_of_power(units: ArrayLike, alpha: float, power: float) -> FloatArray:
    """Gap over its standard error at which the test over so many units has its power."""
    different, where = np.unique(np.asarray(units, dtype=np.float64), return_inverse=True)

    def excess(shift: FloatArray, units: FloatArray) -> FloatArray:
        return t_power(shift, units, alpha) - power

    highest = 10 - 10 * stdtrit(different - 1, alpha / 2)
    root = elementwise.find_root(excess, (np.zeros(different.shape), highest), args=(different,))
    return np.asarray(root.x[where])
