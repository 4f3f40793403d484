"""The files of a board of the workflow: its pairs, tables, page and figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llm_power._board.columns import PAIRS_COLUMNS
from llm_power._board.page_data import page_data
from llm_power._board.resolve import BoardVerdicts
from llm_power._board.summary import describe_board, summary_json
from llm_power._choices import MissingPolicy
from llm_power._report.board_figure import save_board_figure
from llm_power._report.board_page import render_board_page
from llm_power._report.board_tables import average_tables, board_tables
from llm_power._report.landscape import landscape_tables
from llm_power._report.tables import score_provenance
from llm_power._scores.store import TaskScores
from replication.stages import write_csv, write_stage
from replication.table_files import write_table


def write_board(
    output: Any,
    board: BoardVerdicts,
    tasks: Sequence[TaskScores],
    *,
    title: str,
    missing: MissingPolicy,
) -> None:
    """Write a board; its page leads back to the index of the run."""
    sources, pairs, csv = score_provenance(tasks), board.verdicts[PAIRS_COLUMNS], Path(output.csv)
    write_stage(pairs, output.parquet)
    write_csv(pairs, output.csv)
    summary = describe_board(board, tasks, missing=missing)
    Path(output.summary).write_text(summary_json(summary), encoding="utf-8")
    tables, average = board_tables(board, tasks, title=title), board.average
    if board.streamed is not None:
        tables |= landscape_tables(summary["landscape"], sources, title=title, point=board.point)
    if average is not None:
        write_stage(average.verdicts, output.average_parquet)
        write_csv(average.verdicts, output.average_csv)
        tables |= average_tables(average, tasks, title=title, point=board.point)
    for name, table in tables.items():
        write_table(table, Path(output.page).with_name(name))
    data = page_data(
        board.verdicts,
        summary,
        title=title,
        average=average,
        result=f"pairs/{csv.name}",
        average_result=f"pairs/{csv.stem}.average.csv",
    )
    page = render_board_page(data, index="../../index.html")
    Path(output.page).write_text(page, encoding="utf-8")
    save_board_figure(board.verdicts, data, output.pdf.removesuffix(".pdf"), sources)
