"""Bootstrap interval of N* of the seven close pairs, Section 6.1."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import binom

from kotawala2026.exhibits._counts_table import summarize
from kotawala2026.exhibits.prose import Claims, Finding, beside_claims
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.required_n_bootstrap import bootstrap_required_n
from replication.printed import (
    PublishedCounts,
)

_QUANTILES = (0.05, 0.95)


def required_n_bootstrap(
    counts: PublishedCounts,
    claims: Claims,
    *,
    n_resamples: int,
    n_resamples_large: int,
    seed: int,
    alpha: float = 0.05,
    power: float = 0.80,
) -> pd.DataFrame:
    """Interval of N* of each close pair, and how many pairs are robustly unresolved.

    Parameters
    ----------
    counts : PublishedCounts
        Table 6.
    claims : mapping
        What `kotawala2026.exhibits.prose.index_claims` returned.
    n_resamples : int
        Resamples of the paper, B = 500.
    n_resamples_large : int
        Resamples that settle what those of the paper leave to chance.
    seed : int
        Seed; the streams are named ``required_n_bootstrap/SIZE``.
    alpha, power : float
        Two-sided level and target power.

    Returns
    -------
    DataFrame
        `kotawala2026.exhibits.prose.PROSE_COLUMNS`. Of each pair: the 5th and 95th percentile of
        N* at B = `n_resamples`, the share of the large bootstrap that needs more than N
        items, and the probability that a run of `n_resamples` calls the pair robustly
        unresolved. Then the number of such pairs in this run and in the large one, its mean
        over runs, and the probability that a run counts what the paper printed.

    Notes
    -----
    A pair is robustly unresolved if the 5th percentile exceeds N, that is if fewer than
    25 of 500 resamples need N items or less: a binomial event, of known probability once the
    share is known. The counts of Table 6 decide all of it; no per-item data are needed.
    """
    n11, pairs = summarize(counts, counts.n_items, alpha=alpha, power=power)
    n00 = counts.n_items - n11 - counts.b - counts.c
    run, large = (
        bootstrap_required_n(
            n11,
            counts.b,
            counts.c,
            n00,
            n_resamples=size,
            quantiles=_QUANTILES,
            alpha=alpha,
            power=power,
            rng=named_rng(seed, f"required_n_bootstrap/{size}"),
        )
        for size in (n_resamples, n_resamples_large)
    )
    rank = math.ceil(_QUANTILES[0] * n_resamples - 1e-9)
    robust = np.asarray(binom.cdf(rank - 1, n_resamples, 1 - large.share_unresolved))
    n = counts.n_items
    labels = zip(counts.label, counts.model_a, counts.model_b, strict=True)
    findings = []
    resampled = partial(Finding, simulated=True)
    for i, subject in enumerate(labels):
        share = float(large.share_unresolved[i])
        findings += [
            Finding("n_star", float(pairs.n_star[i]), subject, note=f"N = {n[i]:,}"),
            resampled("n_star_p05", float(run.low[i]), subject, note=f"B = {n_resamples:,}"),
            resampled("n_star_p95", float(run.high[i]), subject, note=f"B = {n_resamples:,}"),
            resampled(
                "share_of_resamples_unresolved",
                share,
                subject,
                mc_se=math.sqrt(share * (1 - share) / n_resamples_large),
                note=f"B = {n_resamples_large:,}",
            ),
            resampled(
                "probability_robustly_unresolved",
                float(robust[i]),
                subject,
                note=f"of a run of B = {n_resamples:,}, from the share above",
            ),
        ]
    law = _count_law(robust)
    name = "n_close_pairs_robustly_unresolved"
    claim = claims.get(("oll_v1", name, ()))
    findings += [
        resampled(
            name,
            float(np.count_nonzero(run.low > n)),
            mc_se=float(np.sqrt((robust * (1 - robust)).sum())),
            note=f"this run, B = {n_resamples:,}",
        ),
        resampled(
            f"{name}_large",
            float(np.count_nonzero(large.low > n)),
            note=f"B = {n_resamples_large:,}",
        ),
        resampled(f"{name}_mean", float(robust.sum()), note=f"over runs of B = {n_resamples:,}"),
    ]
    if claim is not None:
        count = round(claim.printed.value)
        note = f"probability that a run of B = {n_resamples:,} counts {count}"
        findings.append(resampled(f"{name}_chance_of_printed", float(law[count]), note=note))
    return beside_claims("oll_v1", findings, claims, basis="counts")


def _count_law(probabilities: FloatArray) -> FloatArray:
    """Law of the number of successes of independent trials, by convolution."""
    law = np.ones(1)
    for p in probabilities:
        law = np.convolve(law, [1 - p, p])
    return law
