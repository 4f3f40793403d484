"""Matrix product whose additions have one order, on every machine."""

from __future__ import annotations

import numpy as np

from llm_power.statistics._typing import FloatArray


def ordered_product(left: FloatArray, right: FloatArray) -> FloatArray:
    """Product of `left` (n, n_terms) and `right` (n_terms, ...), added up term by term.

    BLAS may order its additions by the shape of a block and by the number of cores, and the last
    bits of a row must depend on neither.
    """
    total = np.zeros((left.shape[0], *right.shape[1:]))
    for k in range(right.shape[0]):
        total += np.multiply.outer(left[:, k], right[k])
    return total
