"""Variance components of two models from their single answers, slowly."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from llm_power._statistics.repeats import ItemMeans, RepeatVariances, variances_of_means


def variances_of_answers(first: ArrayLike, second: ArrayLike) -> RepeatVariances:
    """Variances from answers (n_items, n_repeats, ...), NaN where there is none."""
    return variances_of_means(_by_item(first), _by_item(second))


def _by_item(answers: ArrayLike) -> ItemMeans:
    x = np.asarray(answers, dtype=np.float64)
    present = ~np.isnan(x)
    k = present.sum(axis=1)
    mean = np.where(present, x, 0.0).sum(axis=1) / np.maximum(k, 1)
    deviation = np.where(present, x - mean[:, np.newaxis], 0.0)
    return ItemMeans(mean, k, np.square(deviation).sum(axis=1) / np.maximum(k - 1, 1))
