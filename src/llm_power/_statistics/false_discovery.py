r"""Families of pairs of which some may be called different by mistake: false discovery rate.

Benjamini and Hochberg's procedure calls the R pairs different whose p-values are at most
:math:`R \alpha / m`, for the largest such R. Of these, the expected share that does not differ, or
differs the other way, is at most :math:`\alpha` where tests are independent or positively
dependent, and in simulations for pairs that share their models and their items. Yekutieli's
constant :math:`\sum_{j \le m} 1/j` makes it hold whatever the dependence. Of the intervals of
selected pairs at the level :math:`R \alpha / m` as small a share is expected to miss the gap, and
they hold 0 exactly where a pair is not selected.

References
----------
Benjamini and Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x; Benjamini and Yekutieli
(2001), doi:10.1214/aos/1013699998; Benjamini and Yekutieli (2005), doi:10.1198/016214504000001907,
for directions and intervals.
"""

from __future__ import annotations

import numpy as np

from llm_power._statistics.argument_checks import open_unit, proportions
from llm_power._statistics.arrays import ArrayLike
from llm_power._statistics.max_t import FamilyTest
from llm_power._statistics.multiplicity import adjust_benjamini_hochberg


def false_discovery_family(
    p: ArrayLike, *, alpha: float = 0.05, any_dependence: bool = False
) -> FamilyTest:
    """Adjust by Benjamini-Hochberg, or by Benjamini-Yekutieli for `any_dependence`."""
    values, rate = proportions("p", p), open_unit("alpha", alpha)
    size = values.size
    constant = float(np.sum(1 / np.arange(1, size + 1))) if any_dependence else 1.0
    adjusted = np.minimum(constant * adjust_benjamini_hochberg(values), 1.0)
    selected = int(np.count_nonzero(adjusted <= rate))
    return FamilyTest(adjusted, max(selected, 1) * rate / (size * constant), size)
