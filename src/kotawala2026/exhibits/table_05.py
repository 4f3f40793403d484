"""Table 5: unresolved pairs by procedure.

The column MMLU-Pro needs printed counts only, but for its clustered cell; the column OLL v1,
and that cell, need boards.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kotawala2026.labels import in_printed_order, task_label
from llm_power.errors import InvalidArgument
from llm_power.printed import PrintedCount
from llm_power.provenance import Provenance
from llm_power.report.tables import Column, Table
from llm_power.statistics._typing import BoolArray, FloatArray
from llm_power.statistics.e_process import UNIFORM_98, anytime_required_n
from llm_power.statistics.mcnemar import mcnemar_asymptotic
from llm_power.statistics.multiplicity import Procedure, adjusted_required_n
from llm_power.statistics.paired_binary import required_n_discordance
from replication.exhibits import Exhibit, Inputs
from replication.printed import PublishedCounts

MMLU_PRO, OLL_V1 = "MMLU-Pro", "OLL v1"
_FROM_COUNTS, _FROM_BOARD = "counts", "board"


def make(inputs: Inputs) -> Exhibit:
    """Make Table 5."""
    settings, printed = inputs.settings, inputs.printed(5)
    oll_v1 = table_05_oll_v1(printed, inputs.verdicts("oll_v1"))
    mmlu_pro = table_05(
        printed,
        inputs.counts(7, n_items=settings["mmlu_pro_n_items"]),
        np.array([effect.value for effect in inputs.printed(4)["design_effect"]]),
        all_pairs_family=settings["mmlu_pro_all_pairs_family"],
        all_pairs_unresolved=settings["mmlu_pro_all_pairs_unresolved"],
        mmlu_pro=inputs.verdicts("mmlu_pro_top10"),
    )
    frame = pd.concat([oll_v1, mmlu_pro], ignore_index=True)
    return Exhibit(present(frame, inputs.provenance()))


def table_05(
    published: pd.DataFrame,
    counts: PublishedCounts,
    design_effect: FloatArray,
    *,
    all_pairs_family: int,
    all_pairs_unresolved: int,
    mmlu_pro: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Unresolved adjacent-rank pairs of MMLU-Pro's top ten under each procedure.

    Parameters
    ----------
    published : DataFrame
        Table 5 as loaded.
    counts : PublishedCounts
        Table 7; its pairs are the adjacent family.
    design_effect : ndarray, shape (n_pairs,)
        The printed design effects (Table 4).
    all_pairs_family : int
        Size of the family of all pairs, 45.
    all_pairs_unresolved : int
        Unresolved pairs that Section 6.2 states for that family.
    mmlu_pro : DataFrame, optional
        Verdict table of the adjacent pairs, clustered by subject; it decides the clustered row.

    Returns
    -------
    DataFrame
        One row a procedure: ``board``, ``procedure``, ``basis`` (what decides the row),
        ``unresolved``, ``pairs``, ``which`` (labels of the unresolved pairs), ``printed`` (str,
        missing where the paper has no such row), ``where`` it is printed, and ``agrees``
        (missing likewise).

    Raises
    ------
    InvalidArgument
        If `design_effect` has another length than `counts`, or `mmlu_pro` is about other pairs.

    Notes
    -----
    The counts decide all rows but the clustered one: they hold no clusters. Without a board,
    that row is the printed design effect times the recomputed N*, and says so in ``basis``.

    Section 6.2 says that at m = 45 "all four verdicts stand" because every unresolved pair
    has q < 1 already. It overlooks the resolved ones: ranks 5 vs 6 need 5,786 x 2.14 =
    12,407 items, more than there are, which makes five.

    Section 6.5 asks of its fifth pair whether it is resolvable and answers as if asked
    whether it has crossed; the two questions have a row each, see
    `llm_power.statistics.e_process.anytime_required_n`.
    """
    if design_effect.shape != (len(counts),):
        raise InvalidArgument(
            f"design_effect must have shape ({len(counts)},), got {design_effect.shape}"
        )
    n, m = counts.n_items, len(counts)
    n_star = required_n_discordance(counts.b, counts.c, n)
    anytime = anytime_required_n(counts.b, counts.c, n, mixture=UNIFORM_98)
    if mmlu_pro is None:
        clustered, basis = n_star * design_effect > n, "printed DE × recomputed N*"
    else:
        board = in_printed_order(mmlu_pro, counts.label)
        clustered, basis = ~board["resolved_cluster"].to_numpy(dtype=bool), _FROM_BOARD
    cells: dict[str, PrintedCount] = dict(
        zip(published["procedure"], published["mmlu_pro"], strict=True)
    )
    texts = {procedure: cell.text for procedure, cell in cells.items()}
    corrected, labels = texts["Bonferroni / Holm"], np.array(counts.label)
    rows: list[tuple[str, BoolArray, str | None]] = [
        ("Fixed-n", n_star > n, texts["Fixed-n"]),
        (f"Bonferroni, m = {m}", unresolved_under(counts, "bonferroni", m), corrected),
        (f"Holm, m = {m}", unresolved_under(counts, "holm", m), corrected),
        (
            f"Bonferroni, m = {all_pairs_family}",
            unresolved_under(counts, "bonferroni", all_pairs_family),
            f"{all_pairs_unresolved}/{m}",
        ),
        ("Anytime-valid, not resolvable", ~anytime.resolved_anytime, texts["Anytime-valid"]),
        ("Anytime-valid, not crossed", ~anytime.crossed, None),
        ("Real-ICC clustered", clustered, texts["Real-ICC clustered"]),
    ]
    frame = _frame(MMLU_PRO, [(*row, ", ".join(labels[row[1]])) for row in rows], _FROM_COUNTS)
    frame.loc[frame["procedure"] == "Real-ICC clustered", "basis"] = basis
    # The table has no row for the family of all pairs.
    frame.loc[frame["procedure"] == f"Bonferroni, m = {all_pairs_family}", "where"] = "Section 6.2"
    return frame


def table_05_oll_v1(published: pd.DataFrame, verdicts: pd.DataFrame) -> pd.DataFrame:
    """Unresolved pairs of the Open LLM Leaderboard v1 under each procedure.

    Parameters
    ----------
    published : DataFrame
        Table 5 as loaded.
    verdicts : DataFrame
        Verdict table of the board, all pairs of all tasks.

    Returns
    -------
    DataFrame
        As `table_05`, but ``which`` counts the unresolved pairs of each task.
    """
    cells: dict[str, PrintedCount | None] = dict(
        zip(published["procedure"], published["oll_v1"], strict=True)
    )
    m = len(verdicts)
    rows: list[tuple[str, pd.Series, str | None]] = [
        ("Fixed-n", verdicts["resolved"], "Fixed-n"),
        (f"Bonferroni, m = {m}", verdicts["resolved_bonferroni"], "Bonferroni / Holm"),
        (f"Holm, m = {m}", verdicts["resolved_holm"], "Bonferroni / Holm"),
        ("Anytime-valid, not resolvable", verdicts["resolved_anytime"], "Anytime-valid"),
        ("Anytime-valid, not crossed", verdicts["crossed"], None),
    ]
    found = []
    for procedure, passed, name in rows:
        unresolved = ~passed.to_numpy(dtype=bool)
        cell, which = cells[name] if name else None, _by_task(verdicts["task"][unresolved])
        found.append((procedure, unresolved, cell.text if cell else None, which))
    return _frame(OLL_V1, found, _FROM_BOARD)


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
    """Dress the frame of `table_05`, alone or below that of `table_05_oll_v1`.

    `board_provenance` names the sources of the boards, where boards were used.
    """
    return Table(
        frame=frame,
        shown=_as_printed(frame),
        columns=[
            Column("procedure", "Procedure"),
            *(
                Column(str(board), str(board), align="center", printed=True)
                for board in frame["board"].unique()
            ),
        ],
        caption="Unresolved pairs by procedure: "
        + "; ".join(_SCOPES[str(board)] for board in frame["board"].unique())
        + ".",
        number="5",
        provenance=[*board_provenance, Provenance.published("Tables 4, 5 and 7")],
        notes=[
            "Anytime-valid: a gap of this size would not be found at the target power. The CSV "
            "names the pairs, and has the procedures that the paper's table has not."
        ],
    )


def _as_printed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the printed rows, a column a board; two counts in a cell that stands for both."""
    cells = frame[frame["where"] == "Table 5"].assign(
        ours=lambda rows: rows["unresolved"].astype(str) + "/" + rows["pairs"].astype(str),
        row=lambda rows: rows["procedure"].map(_row_of),
    )
    records = []
    for row, of_row in cells.groupby("row", sort=False):
        record: dict[str, object] = {"procedure": row}
        for board in frame["board"].unique():
            found = of_row[of_row["board"] == board]
            record |= {
                board: ", ".join(found["ours"].unique()) or "n/a",
                f"{board}_printed": next(iter(found["printed"]), None),
                f"{board}_agrees": bool(found["agrees"].all()),
            }
        records.append(record)
    return pd.DataFrame(records)


def _row_of(procedure: str) -> str:
    name = procedure.partition(",")[0]
    return "Bonferroni / Holm" if name in ("Bonferroni", "Holm") else name


_SCOPES = {
    OLL_V1: "all pairs of the OLL v1 tasks",
    MMLU_PRO: "adjacent pairs of MMLU-Pro's top ten",
}


def _by_task(tasks: pd.Series) -> str:
    counts = tasks.value_counts(sort=False)
    return ", ".join(f"{task_label(str(task))} {count}" for task, count in counts.items())


def unresolved_under(counts: PublishedCounts, procedure: Procedure, m: int) -> BoolArray:
    """Return which pairs a procedure leaves unresolved in a family of `m`."""
    delta = (counts.b - counts.c) / counts.n_items
    sigma_d = np.sqrt((counts.b + counts.c) / counts.n_items - np.square(delta))
    p = mcnemar_asymptotic(counts.b, counts.c)
    return ~adjusted_required_n(
        p, delta, sigma_d, counts.n_items, procedure=procedure, m=m
    ).resolved
