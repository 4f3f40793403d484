r"""The level that max-T leaves to each pair, before any model has answered.

Of M models whose gaps vary alike and share their models' scores, the standardized gaps are
:math:`(X_i - X_j)/\sqrt 2` of independent normal :math:`X`, and the largest of them is the range of
the :math:`X` over :math:`\sqrt 2`: Tukey's studentized range without an error of the scale,

.. math:: \Pr(R \le r) = M \int \varphi(x)\,[\Phi(x) - \Phi(x - r)]^{M-1}\,dx.

References
----------
Tukey (1953), The Problem of Multiple Comparisons; Hochberg and Tamhane (1987), Multiple Comparison
Procedures, doi:10.1002/9780470316672, section 3.2.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from llm_power._errors import InvalidArgument
from llm_power._statistics._thresholds import threshold
from llm_power._statistics.argument_checks import open_unit, positive_count

# Beyond it the normal law has nothing that a float shows.
_FAR = 9.0
_STEPS = 1_001


def all_pairs_level(n_models: int, *, alpha: float = 0.05) -> float:
    """Level of each pair at which the largest statistic of all pairs has the level `alpha`.

    Any two models are taken to be equally correlated and equally accurate. `max_t_family` finds the
    correlations in the scores instead. This is its first step; further steps leave more.
    """
    models, level = positive_count("n_models", n_models), open_unit("alpha", alpha)
    if models < 2:
        raise InvalidArgument(f"n_models must be at least 2, got {n_models!r}")
    x, step = np.linspace(-_FAR, _FAR, _STEPS, retstep=True)
    weight = models * np.exp(-np.square(x) / 2) * step / np.sqrt(2 * np.pi)

    def covers(width: float) -> bool:
        return bool(weight @ (ndtr(x) - ndtr(x - width)) ** (models - 1) >= 1 - level)

    width = threshold(covers, 0.0, 2 * _FAR, halvings=60)
    return float(2 * ndtr(-width / np.sqrt(2)))
