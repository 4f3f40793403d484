"""The result files of one board, for use without the workflow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from llm_power.board.columns import PAIR_COLUMNS, REPEAT_COLUMNS
from llm_power.board.page_data import PageData, page_data
from llm_power.board.resolve import BoardVerdicts
from llm_power.board.verdicts import PAIRS_COLUMNS
from llm_power.choices import Format
from llm_power.extra import installed, left_out
from llm_power.report.board_tables import average_tables, board_tables
from llm_power.report.plain_text import board_text
from llm_power.report.score_provenance import score_provenance
from llm_power.report.tables import describe_csv, to_markdown
from llm_power.result_set import write_together
from llm_power.scores.store import TaskScores

_TITLES: Final = {
    "pairs": "Resolution of the pairs of a leaderboard",
    "average": "Verdicts on the average over the tasks of a leaderboard",
    "repeats": "Items or repeats for the pairs of a leaderboard",
}
_TABLE_ENDS: Final = (".parquet", ".csv", ".csv-metadata.json")


def write_board(
    out: Path, board: BoardVerdicts, tasks: Sequence[TaskScores], summary: Mapping[str, Any]
) -> str:
    """Write the files of a board, all of them or none.

    Parameters
    ----------
    out : Path
        Folder, made if it is not there. It gets pairs.parquet, pairs.csv with its metadata and
        summary.json, the same of average of several tasks, and of repeats where scores are means
        of them; with the extra `report` also board.html, board.md, board.pdf, board.png and
        board.svg.
    board : BoardVerdicts
        What `resolve_board` returned.
    tasks : sequence of TaskScores
        The tasks it was given.
    summary : mapping
        What `describe_board` returned.

    Returns
    -------
    str
        One line that says which files were left out for want of the extra; empty if none was.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power import resolve_board
    >>> from llm_power.board.summary import describe_board
    >>> from llm_power.example import example_task
    >>> from llm_power.report.board_files import write_board
    >>> tasks = [example_task()]
    >>> board = resolve_board(tasks)
    >>> summary = describe_board(board, tasks, missing="error")
    >>> left_out = write_board(Path("out"), board, tasks, summary)
    >>> Path("out", "pairs.csv").is_file(), Path("out", "summary.json").is_file()
    (True, True)
    """
    made = {"pairs": board.verdicts[PAIRS_COLUMNS]}
    if board.average is not None:
        made["average"] = board.average.verdicts
    if board.repeats is not None:
        made["repeats"] = board.repeats
    provenance = score_provenance(tasks)

    title = ", ".join(task.task for task in tasks)
    shown = page_data(board.verdicts, summary, title=title, average=board.average)

    def write(folder: Path) -> None:
        for stem, table in made.items():
            table.to_parquet(folder / f"{stem}.parquet", index=False, compression="zstd")
            table.to_csv(folder / f"{stem}.csv", index=False, lineterminator="\n")
            # An audit reads from it what the numbers rest on.
            (folder / f"{stem}.csv-metadata.json").write_text(
                describe_csv(
                    table,
                    f"{stem}.csv",
                    title=_TITLES[stem],
                    description="",
                    provenance=provenance,
                    columns=REPEAT_COLUMNS if stem == "repeats" else PAIR_COLUMNS,
                ),
                encoding="utf-8",
            )
        text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
        (folder / "summary.json").write_text(text + "\n", encoding="utf-8")
        if installed("jinja2"):
            (folder / "board.html").write_text(_page(shown), encoding="utf-8")
        if installed("tabulate"):
            (folder / "board.md").write_text(_tables(board, tasks, title), encoding="utf-8")
        if installed("seaborn"):
            _draw(board, tasks, shown, folder / "board")

    # A board without an average or repeats leaves none of an earlier run.
    replaces = [f"{stem}{end}" for stem in _TITLES for end in _TABLE_ENDS]
    write_together(out, write, replaces=replaces)
    return left_out(
        {
            "board.html": "jinja2",
            "board.md": "tabulate",
            "board.pdf, board.png, board.svg": "seaborn",
        }
    )


def board_answer(board: BoardVerdicts, summary: Mapping[str, Any], form: Format) -> str:
    """Return what is printed of a board.

    Parameters
    ----------
    board : BoardVerdicts
        What `resolve_board` returned.
    summary : mapping
        What `describe_board` returned.
    form : {"table", "json", "markdown"}
        Text for a terminal, one JSON object (the summary, with the ``pairs`` as a list; numbers
        that are not finite are null), or Markdown.

    Returns
    -------
    str
        Without a newline at its end.

    Examples
    --------
    >>> import json
    >>> from llm_power import resolve_board
    >>> from llm_power.example import example_task
    >>> from llm_power.report.board_files import board_answer
    >>> text = board_answer(resolve_board([example_task()]), {"family": "adjacent"}, "json")
    >>> json.loads(text)["pairs"][0]["verdict"]
    'undetermined'
    """
    if form != "json":
        return board_text(board, markdown=form == "markdown")
    pairs = board.verdicts[PAIRS_COLUMNS].to_json(orient="records", double_precision=15)
    whole = {**summary, "pairs": json.loads(pairs)}
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False)


def _page(shown: PageData) -> str:
    # On demand: not everybody has what it is made with.
    from llm_power.report.board_page import render_board_page  # noqa: PLC0415

    return render_board_page(shown)


def _tables(board: BoardVerdicts, tasks: Sequence[TaskScores], title: str) -> str:
    tables = board_tables(
        board.verdicts,
        board.ranks,
        tasks,
        title=title,
        family=board.family,
        point=board.point,
    )
    if board.average is not None:
        tables |= average_tables(board.average, tasks, title=title, point=board.point)
    return "\n".join(to_markdown(table) for table in tables.values())


def _draw(board: BoardVerdicts, tasks: Sequence[TaskScores], shown: PageData, stem: Path) -> None:
    from llm_power.report.board_figure import draw_board  # noqa: PLC0415
    from llm_power.report.figures import house_style, save_figure  # noqa: PLC0415

    with house_style():
        figure = draw_board(board.verdicts, shown)
        save_figure(figure, stem, score_provenance(tasks), title=shown["title"], heading=True)
