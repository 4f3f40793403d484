"""Array types used in every signature of the ground floor."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ArrayLike", "BoolArray", "FloatArray", "IntArray", "RandomSource"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
# What a function that draws takes, and `numpy.random.default_rng` understands.
RandomSource = np.random.Generator | int | None
