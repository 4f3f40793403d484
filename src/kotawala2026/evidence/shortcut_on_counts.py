"""The shortcut, the Wald statistic and the independent-sample formula on Tables 6 and 7."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

from kotawala2026.evidence.published_numbers import PublishedNumbers
from llm_power.errors import InvalidArgument
from llm_power.printed import (
    display_up,
)
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.inversion import z_sum
from llm_power.statistics.paired_binary import PairSummary, summarize_counts
from llm_power.statistics.shortcut import miller_unpaired_required_n, shortcut_required_n
from replication.evidence.rows import EvidenceRow
from replication.printed import (
    PublishedCounts,
)


def shortcut_on_counts(published: PublishedNumbers) -> list[EvidenceRow]:
    """Recompute what Sections 1 to 4 say of the printed pairs.

    Parameters
    ----------
    published : PublishedNumbers
        Tables 6 and 7, the latter at the N of its caption.

    Returns
    -------
    list of EvidenceRow
        All of class ``counts``.
    """
    alpha, power = published.settings["alpha"], published.settings["power"]
    close = summary_of(published.close_pairs, alpha, power)
    adjacent = summary_of(published.adjacent_pairs, alpha, power)
    rows = list(_close_ratios(close))
    rows += _straddling({"Table 6": close, "Table 7": adjacent})
    rows += _anytime(published.settings["mmlu_pro_anytime_inflation"], alpha, power)
    rows += _wald([close, adjacent])
    rows += _connor(published.adjacent_pairs, adjacent)
    for table, summary in (("Table 6", close), ("Table 7", adjacent)):
        independent = miller_unpaired_required_n(summary.p_a, summary.p_b, alpha=alpha, power=power)
        gain, method = independent / summary.n_star, "independent-sample N over eq. (6)"
        rows.append(_row("largest_gain", table, gain.max(), method))
        rows.append(_row("smallest_gain", table, gain.min(), method))
        rows.append(_row("smallest_rho", table, summary.rho.min(), "phi of the counts"))
    return rows


def summary_of(pairs: PublishedCounts, alpha: float, power: float) -> PairSummary:
    """Restore the four cells of each printed pair.

    Parameters
    ----------
    pairs : PublishedCounts
        The accuracy of A has more digits than N has, so it gives the items that A solves.
    alpha, power : float
        Operating point.

    Returns
    -------
    PairSummary
        Arrays in printed order.

    Raises
    ------
    InvalidArgument
        If a count comes out negative.
    """
    solved = np.rint([p.value for p in pairs.p_a] * pairs.n_items).astype(np.int64)
    n11 = solved - pairs.b
    n00 = pairs.n_items - n11 - pairs.b - pairs.c
    if np.any(n11 < 0) or np.any(n00 < 0):
        raise InvalidArgument(f"{pairs.name}: p_A and b, c leave a cell below zero")
    return summarize_counts(n11, pairs.b, pairs.c, n00, alpha=alpha, power=power)


def _shortcut(pairs: PairSummary) -> FloatArray:
    return shortcut_required_n(
        pairs.p_a, pairs.p_b, pairs.rho, alpha=pairs.alpha, power=pairs.power
    )


def _close_ratios(close: PairSummary) -> Iterator[EvidenceRow]:
    n_h = _shortcut(close)
    whole = display_up(n_h) / display_up(close.n_star)
    for subject, ratio in (("as real numbers", n_h / close.n_star), ("of whole items", whole)):
        distance = np.abs(ratio - 0.5)
        yield _row(
            "close_pairs_distance_from_half",
            subject,
            distance.max(),
            "largest |n_h/N* - 1/2| in Table 6",
        )
        yield _row(
            "close_pairs_at_half_to_four_decimals",
            subject,
            int(np.count_nonzero(np.round(ratio, 4) == 0.5)),
            "pairs of Table 6 whose n_h/N* rounds to 0.5000",
        )


def _straddling(tables: dict[str, PairSummary]) -> Iterator[EvidenceRow]:
    """Where N lies between the shortcut and N*, so that the verdict changes."""
    changed = {
        name: (_shortcut(pairs) <= pairs.n_items) & ~pairs.resolved
        for name, pairs in tables.items()
    }
    method = "pairs with n_h <= N < N*"
    for name, pairs_changed in changed.items():
        count = int(np.count_nonzero(pairs_changed))
        yield _row("verdicts_the_shortcut_changes", name, count, method)
    everywhere = np.concatenate(list(changed.values()))
    gaps = np.concatenate([np.abs(pairs.delta) for pairs in tables.values()])
    for subject, condition in (
        ("all printed pairs", everywhere.all()),
        ("only pairs within 7 pp", bool(everywhere.any()) and gaps[everywhere].max() <= 0.07),
    ):
        word = "yes" if condition else "no"
        yield EvidenceRow("shortcut_changes_verdicts", subject, word, method)


def _anytime(inflation: float, alpha: float, power: float) -> Iterator[EvidenceRow]:
    yield _row("anytime_inflation_of", "N*", inflation, "Section 6.5 as printed")
    critical, total = float(norm.isf(alpha / 2)), float(z_sum(alpha, power))
    # N* goes with the square of the sum of the threshold and the quantile of the power.
    threshold = total * np.sqrt(inflation) - (total - critical)
    yield _row(
        "anytime_inflation_of",
        "the threshold",
        threshold / critical,
        "u/z with ((u + z_b)/(z + z_b))^2 as printed",
    )


def _wald(tables: list[PairSummary]) -> Iterator[EvidenceRow]:
    worst, disagreements = 0.0, 0
    for pairs in tables:
        total = float(z_sum(pairs.alpha, pairs.power))
        wald = pairs.delta / np.sqrt(pairs.var_d / pairs.n_items)  # eq. (1)
        worst = max(worst, float(np.abs(pairs.q * total**2 / wald**2 - 1).max()))
        disagreements += int(np.count_nonzero((np.abs(wald) >= total) != pairs.resolved))
    yield _row("q_against_wald", "Tables 6 and 7", worst, "largest |q K / T^2 - 1|")
    yield _row(
        "verdicts_against_wald",
        "Tables 6 and 7",
        disagreements,
        "pairs where q >= 1 and |T| >= z sum disagree",
    )


def _connor(printed: PublishedCounts, pairs: PairSummary) -> Iterator[EvidenceRow]:
    discordant = (printed.b + printed.c) / printed.n_items
    z_alpha = float(norm.isf(pairs.alpha / 2))
    z_beta = float(z_sum(pairs.alpha, pairs.power)) - z_alpha
    root = z_alpha * np.sqrt(discordant) + z_beta * np.sqrt(pairs.var_d)
    ratio = np.square(root / pairs.delta) / pairs.n_star
    yield _row(
        "connor_over_equation_6",
        "Table 7, farthest from 1",
        ratio[np.abs(ratio - 1).argmax()],
        "(z_a sqrt(psi) + z_b sqrt(psi - delta^2))^2 / delta^2 over eq. (6), psi = (b+c)/N",
    )


def _row(quantity: str, subject: str, value: float, method: str) -> EvidenceRow:
    return EvidenceRow(quantity, subject, float(value), method)
