"""Integer programs, solved to the optimum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from llm_power._statistics.arrays import FloatArray, IntArray


def whole_solution(
    price: FloatArray | IntArray,
    constraints: Sequence[LinearConstraint],
    bounds: Bounds | None = None,
) -> FloatArray | None:
    """Return the cheapest whole numbers that meet the constraints; not negative without bounds."""
    solution = milp(
        price,
        constraints=constraints,
        integrality=np.ones(len(price), dtype=np.int64),
        bounds=bounds,
        options={"mip_rel_gap": 0},
    )
    return None if solution.x is None else np.asarray(solution.x)
