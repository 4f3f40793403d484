"""Time the heavy paths against a peer in the same run: medians of interleaved runs, and ratios.

``make bench`` prints the table that benchmarks/README.md quotes. The two sides compute the
same thing, which is checked before anything is timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from scipy.stats import bootstrap
from statsmodels.stats.contingency_tables import mcnemar
from tabulate import tabulate

from llm_power.board.counts import count_cells
from llm_power.board.families import pair_indices
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.mcnemar import mcnemar_asymptotic, mcnemar_exact
from llm_power.statistics.paired_binary import summarize_counts
from llm_power.statistics.paired_bootstrap import paired_bootstrap_delta

ROUNDS = 7
N_ITEMS, N_MODELS = 12_000, 100


@dataclass(frozen=True, slots=True)
class Contest:
    """Two ways to the same numbers.

    Attributes
    ----------
    task, peer : str
        What is computed, and by whom besides us.
    ours, theirs : callable
        The two ways.
    """

    task: str
    peer: str
    ours: Callable[[], object]
    theirs: Callable[[], object]


def draw_scores() -> FloatArray:
    """Return 0/1 scores of shape (N_ITEMS, N_MODELS) with a common item difficulty."""
    rng = np.random.default_rng(20260528)
    ability = np.linspace(-0.5, 1.0, N_MODELS)
    latent = rng.normal(size=(N_ITEMS, 1)) + rng.normal(size=(N_ITEMS, N_MODELS)) + ability
    scores: FloatArray = (latent > 0).astype(np.float64)
    return scores


def all_pairs(scores: FloatArray) -> FloatArray:
    """Return asymptotic and exact p-values, and N*, of all pairs."""
    cells = count_cells(scores, *pair_indices(scores.shape[1], "all"))
    summary = summarize_counts(cells.n11, cells.b, cells.c, cells.n00)
    return np.array(
        [mcnemar_asymptotic(cells.b, cells.c), mcnemar_exact(cells.b, cells.c), summary.n_star]
    )


def all_pairs_statsmodels(scores: FloatArray) -> FloatArray:
    """Return asymptotic and exact p-values of all pairs, one table at a time."""
    solved = scores.astype(bool)
    p = []
    for i in range(scores.shape[1]):
        for j in range(i + 1, scores.shape[1]):
            x, y = solved[:, i], solved[:, j]
            both, b, c = int((x & y).sum()), int((x & ~y).sum()), int((~x & y).sum())
            table = [[both, b], [c, len(x) - both - b - c]]
            asymptotic = mcnemar(table, exact=False, correction=False).pvalue
            p.append((asymptotic, mcnemar(table, exact=True).pvalue))
    return np.array(p).T


def contests() -> list[Contest]:
    """Return what is timed, after checking that both sides agree."""
    scores = draw_scores()
    few = scores[:, ::5]
    np.testing.assert_allclose(all_pairs(few)[:2], all_pairs_statsmodels(few), rtol=1e-10)
    x, y = scores[:, 0], scores[:, 5]

    def ours() -> tuple[float, float]:
        result = paired_bootstrap_delta(x, y, n_resamples=10_000, rng=np.random.default_rng(1))
        return result.ci_low, result.ci_high

    def theirs() -> tuple[float, float]:
        rng = np.random.default_rng(1)
        result = bootstrap(
            (x - y,), np.mean, n_resamples=10_000, batch=500, method="percentile", rng=rng
        )
        return result.confidence_interval.low, result.confidence_interval.high

    np.testing.assert_allclose(ours(), theirs(), atol=5e-4)
    return [
        Contest(
            f"{N_MODELS * (N_MODELS - 1) // 2:,} pairs, {N_ITEMS:,} items: both p-values",
            "statsmodels, a loop over pairs",
            lambda: all_pairs(scores),
            lambda: all_pairs_statsmodels(scores),
        ),
        Contest(
            f"paired bootstrap, {N_ITEMS:,} items, 10,000 resamples",
            "scipy.stats.bootstrap",
            ours,
            theirs,
        ),
    ]


def seconds(call: Callable[[], object]) -> float:
    """Return the wall time of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Print medians and ratios."""
    rows = []
    for contest in contests():
        rounds = [(seconds(contest.ours), seconds(contest.theirs)) for _ in range(ROUNDS)]
        ours, theirs = (median(times) for times in zip(*rounds, strict=True))
        ratio = median(b / a for a, b in rounds)
        rows.append([contest.task, f"{ours:.4f}", contest.peer, f"{theirs:.4f}", f"{ratio:.0f}"])
    headers = ["task", "llm_power, s", "peer", "peer, s", "ratio"]
    print(tabulate(rows, headers, tablefmt="pipe", disable_numparse=True))


if __name__ == "__main__":
    main()
