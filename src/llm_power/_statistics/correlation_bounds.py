r"""What two numbers of solved items decide about a pair, whatever the correlation of its models.

A board that displays scores gives the number of items that each model solved, and not which. The
2 x 2 table of a pair then has one unknown: with the margins fixed, eq. (6) rises with the number
of discordant items and falls with the correlation. So a pair is resolved at every admissible
correlation, or at none, or from a critical correlation on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import broadcast, counts
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.paired_binary import PairSummary, summarize_counts


@dataclass(frozen=True, slots=True)
class CorrelationBounds:
    """Resolution of each pair at its lowest, its critical and its highest correlation."""

    #: `lowest`, `highest`: The pair at the lowest admissible correlation, where most items are
    #: discordant, and at the highest.
    lowest: PairSummary
    highest: PairSummary
    #: `b_lowest`, `b_highest`: Items that only A solves, there.
    b_lowest: IntArray
    b_highest: IntArray
    #: `critical_b`, `critical_c`: Discordant counts at the lowest correlation that resolves the
    #: pair; those of the highest correlation where none does.
    critical_b: IntArray
    critical_c: IntArray
    #: That correlation; NaN where the verdict does not depend on it.
    critical_rho: FloatArray

    @property
    def always_resolved(self) -> BoolArray:
        """Whether the pair is resolved at every admissible correlation."""
        return self.lowest.resolved

    @property
    def never_resolved(self) -> BoolArray:
        """Whether the pair is unresolved at every admissible correlation."""
        return np.asarray(~self.highest.resolved)

    @property
    def depends(self) -> BoolArray:
        """Whether the correlation decides."""
        return np.asarray(self.highest.resolved & ~self.lowest.resolved)


def resolution_over_correlations(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    n_items: ArrayLike,
    *,
    seen: Sequence[ArrayLike] = (0, 0, 0, 0),
    alpha: float = 0.05,
    power: float = 0.80,
) -> CorrelationBounds:
    r"""Resolution of each pair over every correlation that its numbers of solved items admit.

    Parameters
    ----------
    correct_a, correct_b : array_like of int
        Items that each model solved.
    n_items : array_like of int
        Items that both models were scored on.
    seen : sequence of four array_like of int
        Cells n11, b, c and n00 of items whose results are known. The whole table has at least as
        many, however those items were chosen.
    alpha, power : float
        Two-sided level and target power.

    Returns
    -------
    CorrelationBounds
        Arrays of the broadcast shape; exact over the whole numbers.

    Raises
    ------
    InvalidArgument
        If a count is negative, not whole, more than `n_items`, or less than what was seen.

    Notes
    -----
    With :math:`d = b - c` fixed, :math:`N^* \le N` in the discordance form of eq. (6) is

    .. math:: b + c \le d^2 \left(\frac{1}{K} + \frac{1}{N}\right),
              \qquad K = (z_{1-\alpha/2}+z_{1-\beta})^2

    and :math:`b + c \ge |d|`: below :math:`|d| = 1/(1/K + 1/N)`, hardly 8 items at
    (0.05, 0.8), no correlation resolves a pair.

    Examples
    --------
    >>> from llm_power import resolution_over_correlations
    >>> pairs = resolution_over_correlations([740, 740, 716], [603, 716, 712], 1172)
    >>> pairs.always_resolved.tolist(), pairs.never_resolved.tolist()
    ([True, False, False], [False, False, True])
    >>> pairs.critical_rho.round(3).tolist()
    [nan, 0.87, nan]
    """
    a, b, n = broadcast(
        correct_a=counts("correct_a", correct_a),
        correct_b=counts("correct_b", correct_b),
        n_items=counts("n_items", n_items),
    )
    both, only_a, only_b, neither = (counts("seen", cell) for cell in seen)
    # n11 decides the other three cells.
    low = np.maximum(both, a + b - n + neither)
    high = np.minimum(a - only_a, b - only_b)
    if np.any(low > high):
        at = tuple(np.argwhere(low > high)[0])
        one = [int(np.broadcast_to(x, low.shape)[at]) for x in (a, b, n)]
        raise InvalidArgument(
            "correct_a and correct_b must be at most n_items, and leave room for what was seen, "
            f"got {one[0]} and {one[1]} of {one[2]}"
        )
    limit = np.square(1.0 * a - b) * (1 / z_sum(alpha, power) ** 2 + 1 / n)
    n11 = np.clip(np.ceil((a + b - limit) / 2), low, high).astype(np.int64)
    lowest, highest, critical = (
        summarize_counts(x, a - x, b - x, n - a - b + x, alpha=alpha, power=power)
        for x in (low, high, n11)
    )
    depends = highest.resolved & ~lowest.resolved
    return CorrelationBounds(
        lowest=lowest,
        highest=highest,
        b_lowest=a - low,
        b_highest=a - high,
        critical_b=a - n11,
        critical_c=b - n11,
        critical_rho=np.where(depends, critical.rho, np.nan),
    )
