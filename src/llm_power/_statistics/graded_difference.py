"""The paired t test of graded scores (Student 1908, doi:10.1093/biomet/6.1.1)."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtr

from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.mcnemar import smallest_exact_p


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
