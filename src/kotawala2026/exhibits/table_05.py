"""Table 5: unresolved pairs by procedure (of MMLU-Pro three rows from the counts of Table 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import of_witness
from kotawala2026.exhibits._counts_table import POINT, counted_pairs, items_of
from kotawala2026.labels import in_printed_order, spelled_out, task_label
from kotawala2026.operating_point import DECLARED, POWER
from llm_power._board.columns import verdict_table
from llm_power._board.resolution import add_multiplicity, add_sequential
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table
from llm_power._statistics.arrays import BoolArray
from llm_power._statistics.mcnemar import mcnemar_asymptotic
from llm_power._statistics.multiplicity import Procedure, adjusted_required_n
from llm_power_audit.printed import PrintedCount
from llm_power_audit.printed_tables import PublishedCounts
from replication.exhibits import Exhibit, Inputs

MMLU_PRO, OLL_V1 = "MMLU-Pro", "OLL v1"
_FROM_COUNTS, _FROM_BOARD = "counts", "board"
_CLUSTERED = "Real-ICC clustered"
_MONITORED, _NOT_CROSSED = "Anytime-valid, not resolvable", "Anytime-valid, not crossed"


def make(inputs: Inputs) -> Exhibit:
    """Make Table 5."""
    settings, printed, panel = inputs.settings, inputs.printed(5), "mmlu_pro_top10"
    counts = inputs.counts(7, n_items=settings["mmlu_pro_n_items"])
    mmlu_pro = table_05(
        printed,
        counts,
        inputs.stage(panel, "icc"),
        items_of(inputs, counts, panel, "multiplicity", "e_process"),
        all_pairs_family=settings["mmlu_pro_all_pairs_family"],
    )
    stages = inputs.panel("oll_v1", "required_n", "multiplicity", "e_process")
    frame = pd.concat([table_05_oll_v1(printed, stages), mmlu_pro], ignore_index=True)
    return Exhibit(present(frame, inputs.provenance()))


def table_05(
    published: pd.DataFrame,
    counts: PublishedCounts,
    clusters: pd.DataFrame,
    items: pd.DataFrame | None = None,
    *,
    all_pairs_family: int,
) -> pd.DataFrame:
    """Return the unresolved adjacent pairs of MMLU-Pro's top ten under each procedure."""
    # Section 6.2 says of m = 45 that the four verdicts stand, and nothing of 5 vs 6, resolved
    # before, which needs 5,786 x 2.14 = 12,407 items there. Section 6.5 asks of its fifth pair
    # whether it is resolvable and answers whether it has crossed; each question has a row.
    pairs = counted_pairs(counts, items, counts.n_items)
    if items is None:
        stages = [add_multiplicity(pairs, pairs, POINT), add_sequential(pairs, POINT)]
        pairs = verdict_table(pairs, *stages)
    printed = _printed_cells(published, "mmlu_pro")
    in_family = unresolved_under(pairs, "bonferroni", all_pairs_family)
    clustered = ~in_printed_order(clusters, counts.label)["resolved_cluster"].to_numpy(dtype=bool)
    rows = _procedures(pairs, printed)
    rows.insert(3, (f"Bonferroni, m = {all_pairs_family}", in_family, None))
    rows.append((_CLUSTERED, clustered, printed[_CLUSTERED]))
    labels, basis = np.array(counts.label), _FROM_COUNTS if items is None else _FROM_BOARD
    frame = _frame(MMLU_PRO, [(*row, ", ".join(labels[row[1]])) for row in rows], basis)
    frame.loc[frame["procedure"] == _CLUSTERED, "basis"] = _FROM_BOARD
    return frame


def table_05_oll_v1(published: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Unresolved pairs of the Open LLM Leaderboard v1 under each procedure."""
    rows = _procedures(pairs, _printed_cells(published, "oll_v1"))
    of_tasks = [(*row, _by_task(pairs["task"][row[1]])) for row in rows]
    return _frame(OLL_V1, of_tasks, _FROM_BOARD)


def _printed_cells(published: pd.DataFrame, board: str) -> dict[str, str | None]:
    cells: list[PrintedCount | None] = list(published[board])
    return {
        procedure: cell.text if cell else None
        for procedure, cell in zip(published["procedure"], cells, strict=True)
    }


def _procedures(
    pairs: pd.DataFrame, printed: Mapping[str, str | None]
) -> list[tuple[str, BoolArray, str | None]]:
    """Return each procedure without clusters, the pairs it leaves unresolved, and its cell."""
    m, corrected = len(pairs), printed["Bonferroni / Holm"]
    columns = [
        ("Fixed-n", "resolved", printed["Fixed-n"]),
        (f"Bonferroni, m = {m}", "resolved_bonferroni", corrected),
        (f"Holm, m = {m}", "resolved_holm", corrected),
        (_MONITORED, "resolved_anytime", printed["Anytime-valid"]),
        (_NOT_CROSSED, "crossed", None),
    ]
    return [(name, ~pairs[column].to_numpy(dtype=bool), cell) for name, column, cell in columns]


def _frame(
    board: str, rows: Sequence[tuple[str, BoolArray, str | None, str]], basis: str
) -> pd.DataFrame:
    """Return a row for each procedure: unresolved pairs, printed cell, which pairs those are."""
    records = []
    for procedure, unresolved, printed, which in rows:
        count, pairs = int(np.count_nonzero(unresolved)), len(unresolved)
        records.append(
            {
                "board": board,
                "procedure": procedure,
                "basis": basis,
                "unresolved": count,
                "pairs": pairs,
                "which": which,
                "printed": printed,
                "where": "Table 5" if printed else None,
                "agrees": printed == f"{count}/{pairs}" if printed else None,
            }
        )
    return pd.DataFrame(records).astype({"agrees": "boolean"})


def present(frame: pd.DataFrame, board_provenance: Sequence[Provenance] = ()) -> Table:
    """Dress the frame of `table_05`, alone or below that of `table_05_oll_v1`."""
    shown = _as_printed(frame)
    boards = [str(board) for board in frame["board"].unique()]
    families = " and ".join(map(str, frame.drop_duplicates("board")["pairs"]))
    return Table(
        frame=frame,
        shown=shown,
        columns=[
            Column("procedure", "Procedure"),
            Column("condition", "Unresolved if"),
            *(Column(board, board, align="center", printed=True) for board in boards),
        ],
        finding="Depending on the procedure "
        + " and ".join(_extremes(frame[frame["board"] == board]) for board in boards)
        + f" are unresolved.{_crossed(frame[frame['board'] == MMLU_PRO])}",
        caption="; ".join(_SCOPES[board] for board in boards) + ".",
        provenance=[*board_provenance, Provenance.published("Tables 4, 5 and 7")],
        notes=[
            *of_witness(
                board_provenance,
                "What rests on scores follows from numbers fitted elsewhere, or was not used in "
                "the fit.",
            ),
            f"{_columns_from(frame)} N: "
            f"Tables 3 and 7. Adjusted α: Bonferroni's α/m, m = {families}; Holm's, α over the "
            "number of pairs whose p-value is not smaller. Boundary: of the e-process, eq. (24), "
            "at the pair's discordant items, in place of the normal quantile of 1 − α/2; Figure 4 "
            "has its mixture. DE: design effect of Table 4. n/a: no clusters, or no such family; "
            f"ours: not in the paper's table.",
            *_beyond_fixed_n(frame[frame["board"] == MMLU_PRO]),
            f"{DECLARED} {spelled_out('OLL v1')}",
        ],
    )


def _as_printed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a column a board, ours last; two counts in a cell that stands for both."""
    cells = frame.assign(
        ours=lambda rows: rows["unresolved"].astype(str) + "/" + rows["pairs"].astype(str),
        row=list(map(_row_of, frame["procedure"], frame["printed"].notna())),
    )
    records = []
    printed_first = cells.sort_values("printed", key=pd.Series.isna, kind="stable")
    for row, of_row in printed_first.groupby("row", sort=False):
        procedure = str(of_row["procedure"].iloc[0])
        condition = _CONDITIONS.get(procedure) or _CONDITIONS[procedure.partition(",")[0]]
        record: dict[str, object] = {"procedure": row, "condition": condition}
        for board in frame["board"].unique():
            cells_of_board = of_row[of_row["board"] == board]
            record |= {
                board: ", ".join(cells_of_board["ours"].unique()) or "n/a",
                f"{board}_printed": next(iter(cells_of_board["printed"]), None),
                f"{board}_agrees": bool(cells_of_board["agrees"].all()),
            }
        records.append(record)
    return pd.DataFrame(records)


# When each procedure leaves a pair unresolved.
_CONDITIONS = {
    "Fixed-n": "N* > N",
    "Bonferroni": "N* at adjusted α > N",
    "Anytime-valid": "N* by boundary > N",
    _NOT_CROSSED: "e-process at N below 1/α",
    _CLUSTERED: "N* × DE > N",
}


def _row_of(procedure: str, printed: bool) -> str:
    if not printed:
        return f"{procedure} (ours)"
    name = procedure.partition(",")[0]
    return "Bonferroni / Holm" if name in ("Bonferroni", "Holm") else name


def _extremes(frame: pd.DataFrame) -> str:
    """Return the fewest and the most unresolved pairs of a board's printed rows."""
    rows = frame[frame["where"] == "Table 5"]
    ends = dict.fromkeys([rows["unresolved"].min(), rows["unresolved"].max()])
    return f"{' to '.join(map(str, ends))} of {rows['pairs'].iloc[0]} {rows['board'].iloc[0]} pairs"


def _added(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Return which pairs of MMLU-Pro each procedure leaves unresolved beyond those of fixed-n."""
    pairs = {
        str(row["procedure"]): [name for name in row["which"].split(", ") if name]
        for row in frame.to_dict(orient="records")
    }
    return {
        name: [pair for pair in which if pair not in pairs["Fixed-n"]]
        for name, which in pairs.items()
    }


def _crossed(frame: pd.DataFrame) -> str:
    """Say which pairs that anytime-validity adds have crossed, where Section 6.5 says they do not.

    Of the pairs that are not resolvable some may have crossed all the same.
    """
    added = _added(frame)
    crossed = [pair for pair in added.get(_MONITORED, ()) if pair not in added[_NOT_CROSSED]]
    if not crossed:
        return ""
    return (
        f" Anytime-validity adds {' and '.join(crossed)}, which has less than {POWER:.0%} power to "
        "cross its threshold, but on these counts does cross it, where Section 6.5 says that it "
        "does not."
    )


def _beyond_fixed_n(frame: pd.DataFrame) -> list[str]:
    """Say which pairs of MMLU-Pro other procedures add."""
    added = _added(frame)
    if not added:
        return []
    lists = "; ".join(
        f"{name.removesuffix(', not resolvable')}: {' and '.join(new)}"
        for name, new in added.items()
        if new
    )
    return [f"{MMLU_PRO}'s pairs beyond those of fixed-n: {lists or 'none'}."]


def _columns_from(frame: pd.DataFrame) -> str:
    """Return what each column is made of."""
    counted = (frame["board"] == MMLU_PRO) & (frame["basis"] == _FROM_COUNTS)
    columns = [f"{board} rests on scores" for board in frame["board"].unique()]
    if counted.any():
        columns[-1] = (
            f"{MMLU_PRO} on the counts that Table 7 prints, and in the clustered row alone on "
            "scores too (for the ICC, the intraclass correlation)"
        )
    return "; ".join(columns) + "."


_SCOPES = {
    OLL_V1: "OLL v1: all pairs of each task",
    MMLU_PRO: "MMLU-Pro: adjacent pairs of the top ten",
}


def _by_task(tasks: pd.Series) -> str:
    counts = tasks.value_counts(sort=False)
    return ", ".join(f"{task_label(str(task))} {count}" for task, count in counts.items())


def unresolved_under(
    pairs: PublishedCounts | pd.DataFrame, procedure: Procedure, m: int
) -> BoolArray:
    """Return which pairs a procedure leaves unresolved in a family of `m`."""
    b, c, n_items = map(np.asarray, (pairs.b, pairs.c, pairs.n_items))
    delta = (b - c) / n_items
    sigma_d = np.sqrt((b + c) / n_items - np.square(delta))
    p = mcnemar_asymptotic(b, c)
    return ~adjusted_required_n(p, delta, sigma_d, n_items, procedure=procedure, m=m).resolved
