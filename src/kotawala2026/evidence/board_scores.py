"""What the scores that Open LLM Leaderboard v1 displayed decide by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby
from typing import Final

import numpy as np

from kotawala2026.evidence.published_numbers import PublishedNumbers
from llm_power.statistics.paired_binary import admissible_rho, required_n_paired_binary
from llm_power.statistics.shortcut import shortcut_required_n
from replication.evidence.rows import EvidenceRow

_N_RHO: Final = 2001
# At the bound itself the less likely outcome of a pair has no items, and N* may be zero.
_INSIDE: Final = 1e-6


def board_scores(published: PublishedNumbers) -> list[EvidenceRow]:
    """Recompute what needs the accuracies of the 40 pairs but not their items.

    Parameters
    ----------
    published : PublishedNumbers
        The displayed scores, in percent with two decimals.

    Returns
    -------
    list of EvidenceRow
        All of class ``counts``.
    """
    tasks = {
        task: [score.score.value / 100 for score in scores]
        for task, scores in groupby(published.board_scores, key=lambda score: score.task)
    }
    accuracies = [p for scores in tasks.values() for p in scores]
    pairs = [
        (max(pair), min(pair)) for scores in tasks.values() for pair in combinations(scores, 2)
    ]
    rows = [
        EvidenceRow("oll_v1_tasks", "", len(tasks), "tasks with displayed scores"),
        EvidenceRow("oll_v1_pairs", "", len(pairs), "pairs of models within a task"),
    ]
    rows += _near_half("OLL v1", accuracies)
    rows += _near_half("MMLU-Pro", _adjacent_accuracies(published))
    # Scores have two decimals in percent, so gaps are whole multiples of 0.0001.
    close = sum(round(10_000 * (a - b)) <= 500 for a, b in pairs)
    rows.append(EvidenceRow("oll_v1_pairs_within_5pp", "", close, "gaps of displayed scores"))
    return [*rows, *_largest_ratio(pairs)]


def _near_half(board: str, accuracies: Sequence[float]) -> Iterator[EvidenceRow]:
    for distance in (0.05, 0.10):
        share = np.mean([abs(p - 0.5) <= distance for p in accuracies])
        yield EvidenceRow(
            "share_of_accuracies_near_half",
            f"{board}, within {100 * distance:.0f} pp",
            float(share),
            f"of {len(accuracies)} accuracies",
        )


def _adjacent_accuracies(published: PublishedNumbers) -> list[float]:
    pairs = published.adjacent_pairs
    return [*(p.value for p in pairs.p_a), pairs.p_b[-1].value]


def _largest_ratio(pairs: Sequence[tuple[float, float]]) -> Iterator[EvidenceRow]:
    """n_h/N* of each pair at every admissible correlation."""
    ratios = []
    for p_a, p_b in pairs:
        lower, upper = (float(bound) for bound in admissible_rho(p_a, p_b))
        rho = np.linspace(lower + _INSIDE, upper - _INSIDE, _N_RHO)
        n_h = shortcut_required_n(p_a, p_b, rho)
        n_star = required_n_paired_binary(p_a, p_b, rho)
        ratios.append(float((n_h / n_star).max()))
    yield EvidenceRow(
        "largest_shortcut_ratio",
        "as real numbers",
        max(ratios),
        "largest n_h/N* of the 40 pairs at any admissible correlation",
    )
