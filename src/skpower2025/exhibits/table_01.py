"""Table 1: the sizes of the datasets, and which of them the displayed scores can be counts of."""

from __future__ import annotations

import numpy as np
import pandas as pd

from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_integer, as_printed
from llm_power_audit.printed import Printed
from replication.exhibits import Exhibit, Inputs
from skpower2025.comparisons import DATASETS, MUSR, SOURCE, are_counts, read_board


def make(inputs: Inputs) -> Exhibit:
    """Make Table 1."""
    printed = dict(zip(*(inputs.printed(1)[name] for name in ("dataset", "size")), strict=True))
    return Exhibit(present(table_01(read_board(inputs.data_root("board")), printed)))


def table_01(board: pd.DataFrame, printed: dict[str, Printed]) -> pd.DataFrame:
    """Hold each printed size against the displayed scores, which can be counts of it or not."""
    # A printed size may be a multiple of the true one: each score is a count of both, and only that
    # no count is odd gives it away.
    rows = []
    for dataset in (*DATASETS, MUSR):
        scores = board[dataset.column].to_numpy()
        own = dataset.counts_of(scores)
        size = int(printed[dataset.name].value) if dataset.name in printed else None
        # A mean over prompts and instructions is a count of neither: its parts have the size.
        as_printed_size = own if size == dataset.items else are_counts(scores, size or 1)
        odd = np.rint(scores[as_printed_size] * (size or 1)) % 2 == 1
        fits = size is not None and as_printed_size.sum() >= own.sum() and odd.any()
        rows.append(
            {
                "dataset": dataset.name,
                "size_printed": "" if size is None else printed[dataset.name].text,
                "items": dataset.items,
                "entries": len(scores),
                "counts_of_items": int(own.sum()),
                "counts_of_printed": None if size is None else int(as_printed_size.sum()),
                "odd_of_printed": None if size is None else int(odd.sum()),
                "items_shown": size if fits else dataset.items,
                "evidence": "displayed",
            }
        )
    counted = {"counts_of_printed": "Int64", "odd_of_printed": "Int64"}
    return pd.DataFrame(rows).astype(counted)


def present(frame: pd.DataFrame) -> Table:
    """Dress the frame of `table_01`."""
    others = frame.loc[frame["counts_of_items"] < frame["entries"]]
    return Table(
        frame=frame,
        columns=[
            Column("dataset", "Dataset"),
            Column("size_printed", "Size, printed", lambda text: as_printed(text or None), "right"),
            Column("items", "Items", as_integer, "right"),
            Column("entries", "Entries", as_integer, "right"),
            Column("counts_of_items", "k of the items", as_integer, "right"),
            Column("counts_of_printed", "k of the printed size", as_integer, "right"),
            Column("odd_of_printed", "of these, k odd", as_integer, "right"),
        ],
        caption="Sizes of the datasets, and displayed scores that are a whole number k of them.",
        provenance=[Provenance.published("Table 1"), SOURCE],
        notes=[
            "A displayed score is k of n solved items, or a plain mean of such shares: over 24 "
            "subtasks of BBH, over 3 of MuSR, over prompts (541) and instructions (834) of IFEval.",
            "6,511 are the items of all 27 tasks of BBH; the board has 24, and takes the mean of "
            "their accuracies. 2,648 is twice 1,324: no score is an odd count of it.",
            f"At most {int((others['entries'] - others['counts_of_items']).max())} entries of a "
            "dataset have a score that its items cannot give: they were evaluated on a part.",
            "MuSR is on the board, not in the paper.",
        ],
    )
