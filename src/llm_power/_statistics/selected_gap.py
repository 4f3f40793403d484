r"""The gap of a pilot that was significant, without what its significance adds.

A pilot is followed up because it was significant, and significant gaps are too large on average:
the winner's curse. Of pilots with a power of .80 at the level .05, those that are significant put
the required items so low that a run with a promised power of .80 has .71 on average. The mend is
the likelihood on the condition that made the pilot count. A lower confidence limit from it is at
most the true gap with its confidence, whatever the power of the pilot, and so is the chance that a
plan at that limit has the power that it promises.

References
----------
Taylor and Muller (1996), doi:10.1080/03610929608831787; Anderson, Kelley and Maxwell (2017),
doi:10.1177/0956797617723724, who give 50 % to 95 %, of which .80 is the default here; Perugini,
Gallucci and Costantini (2014), doi:10.1177/1745691614528519, for the limit without the condition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy.special import bdtrc, stdtrit

from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics._roots import threshold
from llm_power._statistics._special import binomial_pmf
from llm_power._statistics.argument_checks import counts, finite, open_unit, positive
from llm_power._statistics.exact_required_n import critical_count
from llm_power._statistics.t_test import below

# Of a range, which leave less of it than rounding does.
_HALVINGS: Final = 60


def share_limit(
    ahead: int,
    behind: int,
    *,
    selected: bool = True,
    confidence: float = 0.80,
    test: McNemarTest = "exact",
    alpha: float = 0.05,
) -> float:
    r"""Lower limit of the leader's share of the items that two models differ on.

    The :math:`\theta` at which a share as large as the pilot's has the chance 1 - `confidence`
    (mid-p), among significant pilots if it was selected; 1/2 where that does not exclude a tie. At
    a confidence of .5 it is the median-unbiased estimate.
    """
    most, least = int(counts("ahead", ahead)), int(counts("behind", behind))
    tail = _tail(confidence)
    if most < least:
        raise InvalidArgument(f"ahead must be at least behind, got {ahead!r} and {behind!r}")
    m, needed = most + least, 0
    if selected:
        needed = m - int(critical_count(np.array([m]), test, open_unit("alpha", alpha))[0])
        if most < needed:
            raise InvalidArgument(
                f"ahead of {most} against {least} is not significant at alpha={alpha!r}"
            )

    def excess(theta: float) -> float:
        beyond = bdtrc(most, m, theta) + float(binomial_pmf(most, m, theta)) / 2
        condition = bdtrc(needed - 1, m, theta) if needed else 1.0
        return float(beyond / condition - tail)

    return _rising_root(excess, 0.5, 1.0)


def shift_limit(
    t: float,
    freedom: float,
    *,
    selected: bool = True,
    confidence: float = 0.80,
    alpha: float = 0.05,
) -> float:
    """Lower limit of a gap over its standard error, from a pilot's t; 0 where a tie is possible."""
    size, df = abs(float(finite("t", t))), float(positive("freedom", freedom))
    tail, critical = _tail(confidence), -float(stdtrit(df, open_unit("alpha", alpha) / 2))
    if selected and size < critical:
        raise InvalidArgument(f"t of {t!r} is not significant at alpha={alpha!r}")

    def excess(shift: float) -> float:
        condition = 1 - below(df, shift, critical) if selected else 1.0
        return float((1 - below(df, shift, size)) / condition - tail)

    return _rising_root(excess, 0.0, size)


def _tail(confidence: float) -> float:
    if open_unit("confidence", confidence) < 0.5:
        raise InvalidArgument(f"confidence must be at least 0.5, got {confidence!r}")
    return 1 - confidence


def _rising_root(excess: Callable[[float], float], least: float, most: float) -> float:
    """Root of a rising function; an end of its range where it has none inside."""
    if excess(least) >= 0:
        return least
    return threshold(lambda x: excess(x) >= 0, least, most, halvings=_HALVINGS)
