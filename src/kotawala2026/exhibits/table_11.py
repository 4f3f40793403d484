"""Table 11: four arbiters on the seven close pairs of the Open LLM Leaderboard v1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import beside, compared
from kotawala2026.exhibits._counts_table import counted_pairs, items_of, label_and_gap
from kotawala2026.labels import CLOSE_GAP, spelled_out
from kotawala2026.operating_point import ALPHA
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table
from llm_power._statistics.paired_bootstrap import bootstrap_tails, percentile_bootstrap_rejects
from llm_power_audit.printed_tables import PublishedCounts
from replication.exhibits import Exhibit, Inputs


def make(inputs: Inputs) -> Exhibit:
    """Make Table 11."""
    counts = inputs.counts(6)
    frame = table_11(inputs.printed(11), counts, items_of(inputs, counts, "oll_v1"))
    return Exhibit(present(frame, inputs.provenance()))


def table_11(
    published: pd.DataFrame, counts: PublishedCounts, items: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return each cell of Table 11, as printed and by Table 6's counts or the board's `items`."""
    # The bootstrap's decision is that of infinitely many resamples: on the HellaSwag pair the tail
    # is 0.0254 against 0.025, near enough for a simulated verdict to go either way.
    if len(published) != len(counts):
        raise InvalidArgument(
            f"counts must have the {len(published)} rows of Table 11, got {len(counts)}"
        )
    labels, gaps = zip(*map(label_and_gap, published["pair"]), strict=True)
    pairs = counted_pairs(counts, items, counts.n_items)
    n_items, b, c = (pairs[name].to_numpy() for name in ("n_items", "b", "c"))
    p_values = {name: pairs[name].to_numpy() for name in ("p_chi2", "p_exact", "p_midp")}
    bootstrap = percentile_bootstrap_rejects(b, c, n_items)
    rejections = np.stack([*(p <= ALPHA for p in p_values.values()), bootstrap], axis=1)
    gap_pp = 100 * np.abs(b - c) / n_items
    columns = {"row": np.arange(1, len(counts) + 1), "label": labels, "n_items": n_items}
    columns |= {"b": b, "c": c}
    columns |= beside({**published, "gap_pp": gaps}, {"gap_pp": gap_pp, **p_values})
    frame = pd.DataFrame(columns)
    frame["bootstrap_tail"] = np.minimum(*bootstrap_tails(b, c, n_items))
    in_interval = ["no" if rejects else "yes" for rejects in bootstrap]
    verdicts = ["".join("R" if r else "F" for r in row) for row in rejections]
    for name, texts in (("zero_in_ci", in_interval), ("verdict", verdicts)):
        frame[f"{name}_printed"] = published[name].astype(str)
        frame[name] = texts
        frame[f"{name}_agrees"] = frame[f"{name}_printed"] == frame[name]
    return frame


def present(frame: pd.DataFrame, provenance: Sequence[Provenance] = ()) -> Table:
    """Dress the frame of `table_11`; `provenance` is that of the board's items, if any."""
    split = frame["verdict"].map(lambda letters: len(set(letters)) > 1)
    nearest = frame.iloc[int(np.abs(frame["bootstrap_tail"].to_numpy() - ALPHA / 2).argmin())]
    return Table(
        frame=frame,
        shown=frame.assign(split=split),
        columns=[
            replace(column, bold="split")
            for column in (
                Column("label", "Pair"),
                compared("gap_pp", "δ̂, pp"),
                compared("p_chi2", "p, χ²", align="decimal"),
                compared("p_exact", "p, exact", align="decimal"),
                compared("p_midp", "p, mid-p", align="decimal"),
                Column("zero_in_ci", "CI ∋ 0", align="center", printed=True),
                Column("verdict", "Verdict", align="center", printed=True),
            )
        ],
        finding=f"Four tests agree on {int((~split).sum())} of {len(frame)} close pairs"
        + (
            f"; they split on {'; '.join(frame.loc[split, 'label'])} (bold)."
            if split.any()
            else "."
        ),
        caption=f"OLL v1 pairs with gaps of at most {CLOSE_GAP:.0%}.",
        provenance=[*provenance, Provenance.published("Tables 6 and 11")],
        notes=[
            "δ̂: gap of the pair; p: of McNemar's asymptotic (χ², without correction), exact and "
            f"mid-p test; CI ∋ 0: whether the {1 - ALPHA:.0%} interval of the percentile "
            "bootstrap holds 0. Verdict: R reject, F fail to reject, by column. Table 6 has b, c "
            "and N. The bootstrap is exact, without resampling: the interval holds 0 if at least "
            f"α/2 of the resampled gaps are 0 or reversed. Nearest is {nearest['label']}, with "
            f"{nearest['bootstrap_tail']:.4f} against {ALPHA / 2:g}: finitely many resamples can "
            f"decide either way. Two-sided α = {ALPHA:g}.",
            spelled_out("OLL v1", "ARC", "HS", "Wi", "gem", "L-8B", "L-I", "Mi", "pp"),
        ],
    )
