"""Other forms of the required N, and the Wald statistic, against eq. (6) on Tables 6 and 7."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from audit.printed_tables import PublishedCounts
from kotawala2026.quantities.grounds import QUANTITIES
from kotawala2026.quantities.published_numbers import PublishedNumbers, summary_of
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.inversion import z_sum
from llm_power.statistics.paired_binary import PairSummary, required_n_paired_binary
from replication.findings import Finding


@QUANTITIES.on(PublishedNumbers)
def forms(published: PublishedNumbers) -> Iterator[Finding]:
    """Eq. (6) against candidates for "the discordance form", which Section 6.2 does not define."""
    counts = published.adjacent_pairs
    pairs = summary_of(counts)
    bernoulli = required_n_paired_binary(pairs.p_a, pairs.p_b, pairs.rho)
    connor = _connor(counts, pairs)
    for name, other, method in (
        ("same_variance", pairs.n_star, "eq. (6) in b and c, variance (b+c)/N - δ²"),
        ("connor", connor, "Connor (1987): (z_α sqrt(ψ) + z_β sqrt(ψ - δ²))²/δ²"),
    ):
        apart = float((100 * np.abs(other / bernoulli - 1)).max())
        yield Finding(f"forms_apart_{name}_max", "Table 7", apart, method, unit="%")
    ratio = connor / pairs.n_star
    yield Finding(
        "connor_over_equation_6",
        "Table 7, farthest from 1",
        float(ratio[np.abs(ratio - 1).argmax()]),
        "(z_a sqrt(psi) + z_b sqrt(psi - delta^2))^2 / delta^2 over eq. (6), psi = (b+c)/N",
    )


@QUANTITIES.on(PublishedNumbers)
def wald(published: PublishedNumbers) -> Iterator[Finding]:
    """Whether q >= 1 wherever the Wald statistic is at least z_α + z_β, and only there."""
    worst, disagreements = 0.0, 0
    for counts in (published.close_pairs, published.adjacent_pairs):
        pairs = summary_of(counts)
        total = float(z_sum(pairs.alpha, pairs.power))
        statistic = pairs.delta / np.sqrt(pairs.var_d / pairs.n_items)  # eq. (1)
        worst = max(worst, float(np.abs(pairs.q * total**2 / statistic**2 - 1).max()))
        disagreements += int(np.count_nonzero((np.abs(statistic) >= total) != pairs.resolved))
    tables = "Tables 6 and 7"
    yield Finding("q_against_wald", tables, worst, "largest |q K / T^2 - 1|")
    yield Finding(
        "verdicts_against_wald",
        tables,
        float(disagreements),
        "pairs where q >= 1 and |T| >= z sum disagree",
    )


def _connor(counts: PublishedCounts, pairs: PairSummary) -> FloatArray:
    """Required N with the null variance in the level term (Connor 1987, 10.2307/2531961)."""
    discordant = (counts.b + counts.c) / counts.n_items
    z_alpha = float(-ndtri(pairs.alpha / 2))
    z_beta = float(z_sum(pairs.alpha, pairs.power)) - z_alpha
    root = z_alpha * np.sqrt(discordant) + z_beta * np.sqrt(pairs.var_d)
    return np.asarray(np.square(root / pairs.delta))
