"""Table 12: the reporting checklist, filled in for one pair of Table 6."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from kotawala2026.exhibits._counts_table import counted_pairs, items_of
from kotawala2026.labels import full_name, spelled_out
from kotawala2026.operating_point import DECLARED, OF_K
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_fixed, as_integer, as_p_value
from llm_power._statistics.multiplicity import adjusted_required_n
from llm_power._statistics.paired_bootstrap import (
    bootstrap_tails,
    percentile_bootstrap_rejects,
)
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.verdict_stability import bootstrap_required_n
from llm_power_audit.printed_tables import PublishedCounts
from replication.exhibits import Exhibit, Inputs

_INTERVAL: Final = "bootstrap_required_n(n11, b, c, n00, n_resamples=B, rng=rng)"


def make(inputs: Inputs) -> Exhibit:
    """Make Table 12 for the HellaSwag pair."""
    settings, counts = inputs.settings, inputs.counts(6)
    pair = counts.label.index("HS")
    n_resamples, seed = settings["oll_v1_bootstrap_resamples"], inputs.numbers["seed"]
    frame = table_12(
        inputs.printed(12),
        counts,
        pair,
        items_of(inputs, counts, "oll_v1"),
        family=settings["oll_v1_pairs"],
        n_resamples=n_resamples,
        seed=seed,
    )
    sources = inputs.provenance()
    return Exhibit(present(frame, counts, pair, sources, n_resamples=n_resamples, seed=seed))


def table_12(
    checklist: pd.DataFrame,
    counts: PublishedCounts,
    row: int,
    items: pd.DataFrame | None = None,
    *,
    family: int,
    n_resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Fill in the reporting checklist for one pair."""
    # The interval of N* is from the 5th to the 95th percentile (Section 6.1).
    if not 0 <= row < len(counts):
        raise InvalidArgument(f"row must be in 0..{len(counts) - 1}, got {row}")
    pair = counted_pairs(counts, items, counts.n_items).iloc[row]
    n, n11, b, c, n00 = (int(pair[name]) for name in ("n_items", "n11", "b", "c", "n00"))
    delta, mde, q = (float(pair[name]) for name in ("delta", "mde", "q"))
    p_values = [float(pair[name]) for name in ("p_chi2", "p_exact", "p_midp")]
    rejects = bool(percentile_bootstrap_rejects(b, c, n))
    p_bootstrap = 2 * min(map(float, bootstrap_tails(b, c, n)))
    interval = bootstrap_required_n(
        n11,
        b,
        c,
        n00,
        n_resamples=n_resamples,
        rng=named_rng(seed, "table_12"),
    )
    low, high = float(interval.low), float(interval.high)
    sigma_d = np.sqrt(float(pair["var_d"]))
    q_family = float(
        adjusted_required_n(
            [p_values[0]],
            delta,
            sigma_d,
            n,
            procedure="bonferroni",
            m=family,
        ).q[0]
    )
    verdict = "rejects" if rejects else "fails to reject"
    three, whole = as_fixed(3), as_fixed(0)
    ends = "; ".join(map(_two_digits, (low, high)))
    p_shown = [as_p_value(p) for p in p_values]
    filled = {
        "summarize_counts(n11, b, c, n00).delta": (repr(delta), f"{three(100 * delta)} pp"),
        "mcnemar_asymptotic(b, c), mcnemar_exact(b, c), mcnemar_mid_p(b, c), "
        "percentile_bootstrap_rejects(b, c, n)": (
            f"{', '.join(map(repr, p_values))}; bootstrap {verdict}",
            f"χ² p = {p_shown[0]}, exact p = {p_shown[1]}, mid-p = {p_shown[2]}; "
            f"bootstrap p = {as_p_value(p_bootstrap)}, {verdict}",
        ),
        "summarize_counts(n11, b, c, n00).n_items": (repr(n), whole(n)),
        "summarize_counts(n11, b, c, n00).mde": (repr(mde), f"{three(100 * mde)} pp"),
        "summarize_counts(n11, b, c, n00).q": (
            repr(q),
            f"{three(q)} (N* = {whole(float(pair['n_star']))})",
        ),
        _INTERVAL: (
            f"{low!r}, {high!r}",
            f"[{ends}], {'straddles' if low <= n < high else 'does not straddle'} N",
        ),
        'adjusted_required_n(p, delta, sigma_d, n, procedure="bonferroni", m=m).q': (
            f"m = {family}: {q_family!r}",
            f"Bonferroni, m = {family}: q = {three(q_family)}",
        ),
        "n11, b, c, n00": (
            f"{n11}, {b}, {c}, {n00}",
            f"{'public (Section 6.1), not at hand; by Table 6:' if items is None else 'at hand:'}"
            f" {n11:,}, {b:,}, {c:,}, {n00:,}",
        ),
    }
    if len(checklist) != len(filled):
        raise InvalidArgument(f"checklist must have {len(filled)} rows, got {len(checklist)}")
    values, shown = zip(*filled.values(), strict=True)
    return checklist.astype(str).assign(call=list(filled), value=values, shown=shown)


def present(
    frame: pd.DataFrame,
    counts: PublishedCounts,
    row: int,
    provenance: Sequence[Provenance] = (),
    *,
    n_resamples: int,
    seed: int,
) -> Table:
    """Dress the frame of `table_12`."""
    return Table(
        frame=frame,
        columns=[
            Column("quantity", "Quantity", symbols=True),
            Column("definition", "Definition", symbols=True),
            Column("why", "Why", symbols=True),
            Column("shown", "This pair", _separated, symbols=True),
        ],
        finding=f"For A = {counts.model_a[row]} and B = {counts.model_b[row]} on "
        f"{full_name(counts.label[row])} {_finding(frame)}",
        caption="The paper's reporting checklist, filled in.",
        provenance=[
            *provenance,
            Provenance.published("Tables 6 and 12"),
            Provenance.simulated(seed=seed, trials=n_resamples, unit="resamples for the N* CI"),
        ],
        notes=[
            "The last column is our example, the others are the paper's. Counts in the order both "
            "right, A alone, B alone, both wrong. Bootstrap p: twice the share of resampled gaps "
            "that are 0 or reversed, by formula, as of infinitely many resamples; with finitely "
            f"many it may fall below 0.05. m: all pairs of {full_name('OLL v1')} (Section 6.1).",
            "N* CI: 90% interval, from the 5th to the 95th percentile of the resamples (Section "
            "6.1), to two digits; its upper end, from gaps near 0, varies much with the draw. "
            f"{DECLARED}",
            f"Eq. (4): δ_MDE = √(K σ²/N), as N* = K σ²/δ²; K: {OF_K}; σ²: variance of an item's "
            "difference. Definition 1: resolved if q = N/N* is at least 1. δ_MDE: minimum "
            "detectable effect; boot.: bootstrap; t: paired t test; CI: confidence interval; "
            f"Bonf.: Bonferroni; BH: Benjamini-Hochberg. {spelled_out('pp')}",
        ],
    )


def _finding(frame: pd.DataFrame) -> str:
    """Return whether the items suffice, and whether that depends on them."""
    value = frame.set_index("call")["value"]
    n, q = (float(value[f"summarize_counts(n11, b, c, n00).{name}"]) for name in ("n_items", "q"))
    low, high = map(float, value[_INTERVAL].split(", "))
    # From gaps near 0 comes a high end of which the draw decides the first digit.
    end = "more than ten times N" if high > 10 * n else _two_digits(high)
    interval = f"the 90% interval of N*, from {_two_digits(low)} to {end}"
    certain = f"but {interval}, holds N" if low <= n < high else f"and {interval}, does not hold N"
    return f"the {n:,.0f} items are {q:.2f} of the N* that the observed gap requires; {certain}."


def _two_digits(end: float) -> str:
    return as_integer(float(f"{end:.2g}"))


def _separated(text: str) -> str:
    """Put semicolons between whole numbers, which have commas inside."""
    return re.sub(r"(?<=[0-9]), (?=[0-9])", "; ", text)
