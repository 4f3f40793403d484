"""Table 8: the clustered verdicts after leaving out one subject at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import of_witness
from kotawala2026.labels import dropped_subjects, rank_labels
from kotawala2026.operating_point import DECLARED
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_integer
from llm_power_audit.printed import PrintedCount
from replication.exhibits import Exhibit, Inputs

BASE = "none"


def make(inputs: Inputs) -> Exhibit:
    """Make Table 8."""
    panel = "mmlu_pro_top10"
    pairs = inputs.panel(panel, "discordance", "icc")
    frame = table_08(inputs.printed(8), pairs, inputs.stage(panel, "loso"))
    public = pd.read_csv(inputs.file_of_data("kotawala2026/mmlu_pro_categories.csv"))
    return Exhibit(present(frame, inputs.provenance(), n_public=int(public["n_items"].sum())))


def table_08(
    published: pd.DataFrame, pairs: pd.DataFrame, leave_one_out: pd.DataFrame
) -> pd.DataFrame:
    """Return the unresolved pairs after each drop, with the remaining items or all of them as N."""
    # Appendix F recomputes on the remaining items, without saying what N* is then held against:
    # they are N of q = N/N* (Definition 1), the full N is the benchmark's size.
    printed = _by_subject(published)
    subjects = sorted(leave_one_out["dropped"].unique())
    if subjects != sorted(set(printed) - {BASE}):
        raise InvalidArgument(
            f"the board's subjects must be the printed ones, got {', '.join(subjects)}"
        )
    full = pairs.set_index(["rank_a", "rank_b"])["n_items"]
    drops = leave_one_out.groupby("dropped", sort=True)
    groups = {**{str(subject): group for subject, group in drops}, BASE: pairs}
    return pd.DataFrame([_row(group, name, full, printed[name]) for name, group in groups.items()])


def present(frame: pd.DataFrame, provenance: Sequence[Provenance], *, n_public: int) -> Table:
    """Dress the frame of `table_08`; `provenance` is of the board, `n_public` of the test set."""
    outcome = [
        f"Against {budget} the count differs for {', '.join(frame.loc[~agrees, 'dropped'])}."
        for budget, agrees in (
            ("the items that remain", frame["agrees_remaining"]),
            ("all items", frame["agrees_full"]),
        )
        if not agrees.all()
    ] or ["Against all items, instead of those that remain, the counts are the same."]
    n_items = frame.set_index("dropped")["n_items"]
    whole, drops = n_items[BASE], n_items.drop(BASE)
    return Table(
        frame=frame,
        shown=_as_printed(frame),
        columns=[
            # First, so that the lines of a long list follow an empty cell in Markdown.
            Column("n_drops", "Drops", as_integer, "right"),
            Column("dropped", "Dropped subject"),
            Column("unresolved", "Unresolved", align="center", printed=True, given=True),
        ],
        finding="".join(
            of_witness(provenance, "On a data set built to agree with printed numbers ")
        )
        + _finding(frame),
        caption=f"Adjacent MMLU-Pro pairs, clustered by subject: N = {whole:,} items in "
        f"{len(drops)} subjects; leaving one out leaves {drops.min():,} to {drops.max():,} items.",
        total=True,
        provenance=[*provenance, Provenance.published("Table 8")],
        notes=[
            "N* and the design effect (Table 4, whose subjects these are) are those of the items "
            "that remain. Unresolved: their product is above the number of these items; the paper "
            "does not say what it compares.",
            *_resolved_by_a_drop(frame),
            *of_witness(
                provenance,
                "The last row was not fitted, as the others were, but follows from Table 4. Sizes "
                "of the subjects are not printed: they are the public test set's. Of its "
                f"{n_public:,} items Table 7 leaves {whole:,}; that business has one less is our "
                "choice.",
            ),
            *outcome,
            f"The CSV has a row per subject, and names the pairs. {DECLARED}",
        ],
    )


def _as_printed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the paper: a count, and the subjects it is printed for."""
    rows = []
    for (base, printed), group in frame.groupby([frame["dropped"] == BASE, "printed"], sort=False):
        total = str(printed).partition("/")[2]
        rows.append(
            {
                "n_drops": 0 if base else len(group),
                "dropped": "none (base)" if base else ", ".join(group["dropped"]),
                "unresolved": ", ".join(
                    f"{count}/{total}" for count in group["unresolved_remaining"].unique()
                ),
                "unresolved_printed": printed,
                "unresolved_agrees": bool(group["agrees_remaining"].all()),
            }
        )
    return pd.DataFrame(rows)


def _finding(frame: pd.DataFrame) -> str:
    """Return how many pairs are unresolved, and how many without which subject."""
    is_base = frame["dropped"] == BASE
    base, drops = frame[is_base].iloc[0], frame[~is_base]
    changed = drops.loc[drops["unresolved_remaining"] != base["unresolved_remaining"]]
    of_all = str(base["printed"]).partition("/")[2]
    without = "".join(
        f"; {count} if {_any_of(names)} is left out"
        for count, names in changed.groupby("unresolved_remaining")["dropped"]
    )
    return (
        f"{base['unresolved_remaining']} of {of_all} pairs are unresolved{without}; "
        f"{base['unresolved_remaining']} if any other subject is."
    )


def _any_of(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _resolved_by_a_drop(frame: pd.DataFrame) -> list[str]:
    """Return a sentence for each pair of the base that is resolved without some subject."""
    which = dict(zip(frame["dropped"], frame["which_remaining"].str.split(", "), strict=True))
    drops = {pair: [name for name in which if pair not in which[name]] for pair in which[BASE]}
    return [
        f"{pair} becomes resolved when {_any_of(names)} is left out."
        for pair, names in drops.items()
        if pair and names
    ]


def _by_subject(published: pd.DataFrame) -> Mapping[str, PrintedCount]:
    counts: dict[str, PrintedCount] = {}
    for text, count in zip(published["dropped"], published["unresolved"], strict=True):
        counts |= dict.fromkeys(dropped_subjects(text) or [BASE], count)
    return counts


def _row(
    pairs: pd.DataFrame, dropped: str, full: pd.Series, printed: PrintedCount
) -> dict[str, object]:
    budget = full.loc[[*zip(pairs["rank_a"], pairs["rank_b"], strict=True)]].to_numpy()
    unresolved = {
        "remaining": ~pairs["resolved_cluster"].to_numpy(dtype=bool),
        "full": pairs["n_star_cluster"].to_numpy() > budget,
    }
    row = {"dropped": dropped, "n_items": int(pairs["n_items"].min()), "printed": printed.text}
    for items, which in unresolved.items():
        count = int(which.sum())
        agrees = (count, len(pairs)) == (printed.count, printed.total)
        row |= {f"unresolved_{items}": count, f"agrees_{items}": agrees}
    labels = np.array(rank_labels(pairs))
    return row | {f"which_{items}": ", ".join(labels[x]) for items, x in unresolved.items()}
