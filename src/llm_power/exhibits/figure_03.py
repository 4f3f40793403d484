"""Figure 3: r = N*/N of the nine adjacent-rank pairs of MMLU-Pro's top ten."""

from __future__ import annotations

import pandas as pd

from llm_power.published import PublishedCounts
from llm_power.statistics.inversion import resolution_ratio
from llm_power.statistics.paired_binary import required_n_discordance


def figure_03(counts: PublishedCounts, *, alpha: float = 0.05, power: float = 0.80) -> pd.DataFrame:
    r"""Bars of Figure 3.

    Parameters
    ----------
    counts : PublishedCounts
        Table 7.
    alpha, power : float
        Two-sided level and target power.

    Returns
    -------
    DataFrame
        One row a pair, in rank order: ``label``, ``model_a``, ``model_b``, ``n_items``,
        ``n_star``, ``q``, ``r`` = N*/N and ``resolved``.

    Notes
    -----
    r is computed at the N = 12,032 of the caption. :math:`r = K((b+c)/(b-c)^2 - 1/N)`, so the
    12,031 items that Table 7 implies would move a bar by 5e-8.
    """
    n_star = required_n_discordance(counts.b, counts.c, counts.n_items, alpha=alpha, power=power)
    q = resolution_ratio(counts.n_items, n_star)
    return pd.DataFrame(
        {
            "label": counts.label,
            "model_a": counts.model_a,
            "model_b": counts.model_b,
            "n_items": counts.n_items,
            "n_star": n_star,
            "q": q,
            "r": n_star / counts.n_items,
            "resolved": q >= 1,
        }
    )
