"""Moments of clusters that no items have are refused."""

from __future__ import annotations

import numpy as np
import pytest

from llm_power.errors import InvalidArgument
from llm_power.statistics.cluster_moments import moments_from_counts, moments_from_sums


def test_bad_moments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="n_items must hold whole numbers, got 2.5"):
        moments_from_counts([2.5, 3], [1, 1], [0, 0])
    with pytest.raises(InvalidArgument, match=r"b and c must share a shape, got \(2,\), \(1,\)"):
        moments_from_counts([2, 3], [1, 1], [0])
    with pytest.raises(InvalidArgument, match=r"b \+ c must not exceed n_items, got 4"):
        moments_from_counts([2, 3], [1, 2], [0, 2])
    with pytest.raises(InvalidArgument, match=r"n_items must fit sum_d of \(2, 3\), got shape"):
        moments_from_counts([2, 3], np.ones((2, 3)), np.zeros((2, 3)))
    with pytest.raises(InvalidArgument, match="sum_d and sum_d2 must share a shape"):
        moments_from_sums([2], [0.5], [0.5, 0.5])
    with pytest.raises(InvalidArgument, match="sum_d2 must be at least"):
        moments_from_sums([2, 2], [1.0, 1.0], [0.5, 0.4])
    with pytest.raises(InvalidArgument, match="sum_d2 must be at least"):
        moments_from_sums([2, 0], [1.0, 0.0], [0.5, 0.4])
