"""The pairs as one family: adjusted p-values, and required items at each procedure's level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import stdtr

from llm_power.board.counts import DifferenceMoments, PairCells
from llm_power.board.operating_point import OperatingPoint
from llm_power.board.tabulation import PAIR_KEY, with_an_item
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.mcnemar import mcnemar_exact
from llm_power.statistics.multiplicity import (
    Procedure,
    adjust_benjamini_hochberg,
    adjust_bonferroni,
    adjust_holm,
    adjust_sidak,
    stepwise_required_n,
)

_PROCEDURES: Final[dict[Procedure, tuple[str, Callable[[FloatArray], FloatArray]]]] = {
    "bonferroni": ("bonferroni", adjust_bonferroni),
    "sidak": ("sidak", adjust_sidak),
    "holm": ("holm", adjust_holm),
    "benjamini_hochberg": ("bh", adjust_benjamini_hochberg),
}


def add_multiplicity(
    pairs: pd.DataFrame, resolution: pd.DataFrame, point: OperatingPoint
) -> pd.DataFrame:
    """Adjusted p-values, and required items at each procedure's own level.

    Parameters
    ----------
    pairs, resolution : DataFrame
        What `tabulate_pairs` and `add_resolution` returned. Their rows are the declared family:
        every pair of the board, over all of its tasks.
    point : OperatingPoint
        Family-wise level (false discovery rate for Benjamini-Hochberg) and power.

    Returns
    -------
    DataFrame
        The key, the p-value that was adjusted, and ``p_``, ``n_star_``, ``q_`` and
        ``resolved_`` of Bonferroni, Sidak, Holm and Benjamini-Hochberg (``bh``). The exact
        conditional p-value is adjusted, which holds its level with any number of discordant
        items; for graded scores, that of the paired t test. Required items are those at which
        the whole procedure resolves the pair, so that they never contradict ``resolved_``.

    Examples
    --------
    >>> from llm_power import OperatingPoint
    >>> from llm_power.board.multiplicity import add_multiplicity
    >>> from llm_power.board.resolution import add_resolution
    >>> from llm_power.board.tabulation import tabulate_pairs
    >>> from llm_power.example import example_task
    >>> pairs, point = tabulate_pairs(example_task(), "adjacent"), OperatingPoint()
    >>> add_multiplicity(pairs, add_resolution(pairs, point), point)["p_holm"].round(4).tolist()
    [0.3203, 0.0003, 0.0]
    """
    # Models that share no item have no gap to adjust for, and keep their place in the family.
    gap = resolution[["delta", "var_d"]].where(pairs["n_items"] > 0, 0.0)
    n_items = with_an_item(pairs)["n_items"].to_numpy()
    exact, spread = resolution["p_exact"].to_numpy(), np.sqrt(gap["var_d"].to_numpy())
    graded = _paired_t(n_items.astype(np.float64), np.abs(gap["delta"].to_numpy()), spread)
    p = np.where(np.isnan(exact), graded, exact)
    table = pairs[PAIR_KEY].assign(p_unadjusted=p)
    for procedure, (name, adjust) in _PROCEDURES.items():
        adjusted = stepwise_required_n(
            gap["delta"].to_numpy(),
            spread,
            n_items,
            procedure=procedure,
            alpha=point.alpha,
            power=point.power,
        )
        table[f"p_{name}"] = adjust(p)
        table[f"n_star_{name}"] = adjusted.n_star
        table[f"q_{name}"] = adjusted.q
        table[f"resolved_{name}"] = adjusted.resolved
    return table


def add_given_multiplicity(
    pairs: pd.DataFrame,
    resolution: pd.DataFrame,
    point: OperatingPoint,
    *,
    adjusted: Mapping[str, FloatArray],
    size: int,
) -> pd.DataFrame:
    """As `add_multiplicity`, for some pairs of a family that is not at hand.

    Parameters
    ----------
    pairs, resolution, point
        As in `add_multiplicity`.
    adjusted : mapping of str to ndarray
        Adjusted p-values of these pairs by the name of the column.
    size : int
        Pairs of the family.

    Returns
    -------
    DataFrame
        The key, `adjusted`, and required items by Bonferroni's procedure; those by Holm's and by
        Benjamini and Hochberg's, which depend on the gaps of all pairs, are null.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power import OperatingPoint
    >>> from llm_power.board.multiplicity import add_given_multiplicity
    >>> from llm_power.board.resolution import add_resolution
    >>> from llm_power.board.tabulation import tabulate_pairs
    >>> from llm_power.example import example_task
    >>> pairs, point = tabulate_pairs(example_task(), "adjacent"), OperatingPoint()
    >>> resolution, p = add_resolution(pairs, point), np.array([1.0, 0.02, 0.0])
    >>> found = add_given_multiplicity(
    ...     pairs, resolution, point, adjusted={"p_holm": p, "p_bh": p}, size=1000
    ... )
    >>> found["n_star_bonferroni"].round().tolist()
    [7842.0, 625.0, 107.0]
    """
    gap = resolution[["delta", "var_d"]].where(pairs["n_items"] > 0, 0.0)
    bonferroni = stepwise_required_n(
        gap["delta"].to_numpy(),
        np.sqrt(gap["var_d"].to_numpy()),
        with_an_item(pairs)["n_items"].to_numpy(),
        procedure="bonferroni",
        m=size,
        alpha=point.alpha,
        power=point.power,
    )
    missing = {"n_star_holm": np.nan, "n_star_bh": np.nan}
    return pairs[PAIR_KEY].assign(**adjusted, n_star_bonferroni=bonferroni.n_star, **missing)


def unadjusted_p(items: PairCells | DifferenceMoments) -> FloatArray:
    """Return the p-values that the paper's procedures adjust.

    Parameters
    ----------
    items : PairCells or DifferenceMoments
        Statistics of pairs of one task, arrays of shape (n_pairs,); every pair has an item.

    Returns
    -------
    ndarray of shape (n_pairs,)
        Of the exact McNemar test; for graded scores of the paired t test.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.counts import PairCells
    >>> from llm_power.board.multiplicity import unadjusted_p
    >>> unadjusted_p(PairCells(*(np.array([count]) for count in (7987, 295, 249, 1511)))).round(4)
    array([0.0536])
    """
    if isinstance(items, PairCells):
        return mcnemar_exact(items.b, items.c)
    n = items.n_items.astype(np.float64)
    return _paired_t(n, np.abs(items.sum_d / n), np.sqrt(items.ss_d / n))


def _paired_t(n: FloatArray, delta: FloatArray, spread: FloatArray) -> FloatArray:
    # Paired t with the divisor n - 1: t = delta / sqrt(var_d / (n - 1)).
    t = np.where(delta > 0, np.inf, 0.0)
    np.divide(delta * np.sqrt(np.maximum(n - 1, 0.0)), spread, out=t, where=spread > 0)
    return np.asarray(2.0 * stdtr(np.maximum(n - 1, 1.0), -t))
