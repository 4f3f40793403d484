"""The two-sided t test of a mean over units: its p-value, its power, and the inverse of that."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import nctdtr, ndtri, stdtr, stdtrit

from llm_power._statistics._roots import find_roots
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray
from llm_power._statistics.mcnemar import smallest_exact_p
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.skewness import asymmetry, reach


def t_test_p_value(
    delta: FloatArray, squares: FloatArray, n_items: IntArray | FloatArray
) -> FloatArray:
    """Two-sided p-value of the paired t test, from sums; NaN without a difference.

    Differences that are all equal and not 0 have an infinite t statistic, which is no p-value of 0:
    it is then that of the exact sign test, 2^(1 - N). `squares` is 0 to the bit where all are
    equal.
    """
    freedom = np.maximum(n_items - 1.0, 1.0)
    regular = (n_items > 1) & (squares > 0)
    error = np.sqrt(squares / freedom / np.maximum(n_items, 1))
    t = np.abs(delta) / np.where(regular, error, 1.0)
    sign_test = np.where(delta == 0, 1.0, smallest_exact_p(n_items))
    p = np.where(regular, 2 * stdtr(freedom, -t), np.where(n_items > 0, sign_test, np.nan))
    return np.asarray(p)


# Nodes over the skewness of a normal sample, draws that they are taken from, and units from which
# on it is normal itself.
_NODES: Final = 64
_DRAWS: Final = 8_192
_MANY: Final = 150


def near_power(shift: ArrayLike, units: ArrayLike, alpha: float) -> FloatArray:
    """Chance of a rejection on the positive side, where the gap is `shift` standard errors."""
    freedom = np.asarray(units, dtype=np.float64) - 1
    return 1 - below(freedom, shift, -stdtrit(freedom, alpha / 2))


def near_power_of_both(shift: ArrayLike, units: ArrayLike, alpha: float) -> FloatArray:
    """Chance that Hall's test rejects as well, as in the verdict on clusters.

    It is a mean over the skewness of a normal sample, which is independent of the sample's mean
    and variance (Basu 1955), and so of t; Hall's test moves the critical value of t alone.
    """
    gaps, sizes = np.broadcast_arrays(shift, units)
    found = np.zeros(gaps.shape)
    for k in np.unique(sizes):
        at = sizes == k
        critical, _ = reach(alpha, k - 1, normal_skewness(int(k)), k - 1)
        found[at] = (1 - below(k - 1, gaps[at][:, np.newaxis], critical)).mean(axis=-1)
    return found


@lru_cache(maxsize=4096)
def normal_skewness(units: int) -> FloatArray:
    """Equally likely values of `asymmetry` in normal samples."""
    if units > _MANY:
        variance = 6 * (units - 2) / ((units + 1) * (units + 3) * units)
        return np.asarray(ndtri((np.arange(_NODES) + 0.5) / _NODES) * np.sqrt(variance))
    sample = named_rng(0, f"skewness of {units}").normal(size=(units, _DRAWS // 2))
    drawn = asymmetry(sample - sample.mean(axis=0))
    return np.asarray(np.sort(np.concatenate([drawn, -drawn])).reshape(_NODES, -1).mean(axis=1))


def below(freedom: ArrayLike, shift: ArrayLike, t: ArrayLike) -> FloatArray:
    """Chance of a noncentral t below `t`; where SciPy's is lost to underflow, 0 or 1."""
    chance = np.asarray(nctdtr(*map(np.asarray, (freedom, shift, t))))
    return np.where(np.isnan(chance), np.less(shift, t), chance)


def shift_of_power(units: ArrayLike, alpha: float, power: float) -> FloatArray:
    """Gap over its standard error at which the test over so many units has its power."""
    different, where = np.unique(np.asarray(units, dtype=np.float64), return_inverse=True)

    def excess(shift: FloatArray, units: FloatArray) -> FloatArray:
        return near_power(shift, units, alpha) - power

    highest = np.asarray(10 - 10 * stdtrit(different - 1, alpha / 2), dtype=np.float64)
    roots = find_roots(excess, (np.zeros_like(highest), highest), (different,))
    return np.asarray(roots[where])
