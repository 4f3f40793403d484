"""The binomial law, with the numbers of `scipy.stats.binom` to the last bit.

Importing `scipy.stats` takes 0.4 s of processor time: a quarter of what resolving a small board
takes, and more than most jobs of a workflow do.
"""

from __future__ import annotations

import numpy as np

from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray

try:
    # What scipy.stats.binom calls; SciPy promises no name with an underscore.
    from scipy.special._ufuncs import _binom_isf, _binom_pmf, _binom_ppf
except ImportError:
    from scipy.stats import binom

    _binom_isf, _binom_pmf, _binom_ppf = binom.isf, binom.pmf, binom.ppf  # type: ignore[assignment]


def binomial_pmf(k: ArrayLike, n: IntArray | int, p: float) -> FloatArray:
    """P(B = k) of B ~ Binomial(n, p); 0 where k is none of 0, ..., n."""
    count, size = np.asarray(k), np.asarray(n)
    inside = (count >= 0) & (count <= size)
    return np.where(inside, _binom_pmf(np.where(inside, count, 0), size, np.asarray(p)), 0.0)


def likely_counts(least: int, most: int, p: float, *, outside: float) -> IntArray:
    """Counts of Binomial(n, p) for some n in [least, most], but for `outside` on each side."""
    low = int(_binom_ppf(outside, least, p)) if least > 0 else 0
    return np.arange(low, int(_binom_isf(outside, most, p)) + 1)
