"""The result files of one board, for use without the workflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from llm_power._board.columns import PAIR_COLUMNS, PAIRS_COLUMNS
from llm_power._board.page_data import PageData, page_data
from llm_power._board.repeats import REPEAT_COLUMNS
from llm_power._board.resolve import DATASET, BoardVerdicts
from llm_power._board.summary import summary_json
from llm_power._choices import PICTURE_FORMATS, Picture
from llm_power._errors import counted
from llm_power._files import write_together
from llm_power._plugins import installed, left_out
from llm_power._report.board_tables import average_tables, board_tables, error_bars
from llm_power._report.landscape import landscape_tables
from llm_power._report.tables import score_provenance, to_markdown, write_described_csv
from llm_power._scores.store import TaskScores

_TITLES: Final = {
    "pairs": "Resolution of the pairs of a leaderboard",
    "average": "Verdicts on the average over the tasks of a leaderboard",
    "repeats": "Items or repeats for the pairs of a leaderboard",
}
#: Pairs up to which pairs.csv is written unasked: 10 MB.
CSV_UP_TO: Final = 10_000
_CARD: Final = "card.png"
_TABLE_ENDS: Final = (".parquet", ".csv", ".csv-metadata.json")


def title_of(board: BoardVerdicts, tasks: Sequence[TaskScores]) -> str:
    """Return the title of a board's page: the names of its tasks, and how many models it shows."""
    names = ", ".join(task.task for task in tasks)
    if board.top is not None and board.streamed is None:
        return f"{names}, the best {board.top:,} models"
    return names


def write_board(
    out: Path,
    board: BoardVerdicts,
    tasks: Sequence[TaskScores],
    summary: Mapping[str, Any],
    *,
    dataset: Path | None = None,
    csv: bool | None = None,
    plots: Sequence[Picture] = (),
) -> str:
    """Write the files of a board, and pictures in the formats `plots`; return notes on what lacks.

    Without `csv`, pairs.csv is left out above `CSV_UP_TO` pairs. The folder `dataset` of
    `stream_board`, on the same disk, becomes the folder ``pairs``.
    """
    made = {"pairs": board.verdicts[PAIRS_COLUMNS]}
    if board.average is not None:
        made["average"] = board.average.verdicts
    if board.repeats is not None:
        made["repeats"] = board.repeats
    provenance = score_provenance(tasks)
    pictures = [f"board.{each}" for each in plots]

    writes_csv = len(board.verdicts) <= CSV_UP_TO if csv is None else csv
    title = title_of(board, tasks)
    best = tasks if board.top is None else [x.part(models=range(board.top)) for x in tasks]
    shown = page_data(board.verdicts, summary, title=title, average=board.average)

    def write(folder: Path) -> None:
        for stem, table in made.items():
            table.to_parquet(folder / f"{stem}.parquet", index=False, compression="zstd")
            if writes_csv or stem != "pairs":
                write_described_csv(
                    table,
                    folder / f"{stem}.csv",
                    title=_TITLES[stem],
                    provenance=provenance,
                    columns=REPEAT_COLUMNS if stem == "repeats" else PAIR_COLUMNS,
                )
        if dataset is not None:
            dataset.rename(folder / DATASET)
        (folder / "summary.json").write_text(summary_json(summary), encoding="utf-8")
        (folder / "error_bars.md").write_text(error_bars(board, best), encoding="utf-8")
        # On demand: not everybody has what these are made with.
        if installed("jinja2"):
            from llm_power._report.board_page import render_board_page  # noqa: PLC0415

            (folder / "board.html").write_text(render_board_page(shown), encoding="utf-8")
        if installed("tabulate"):
            (folder / "board.md").write_text(
                _tables(board, tasks, summary, title), encoding="utf-8"
            )
        if plots and installed("matplotlib"):
            from llm_power._report.board_figure import save_board_figure, save_card  # noqa: PLC0415

            picture = folder / "board"
            save_board_figure(board.verdicts, shown, picture, provenance, formats=plots)
            save_card(board.verdicts, shown, folder / _CARD)

    # A board without pictures, an average or repeats leaves none of an earlier run.
    replaces = [
        DATASET,
        _CARD,
        *(f"board.{each}" for each in PICTURE_FORMATS),
        *(f"{stem}{end}" for stem in _TITLES for end in _TABLE_ENDS),
    ]
    write_together(out, write, replaces=replaces)
    needs = {"board.html": "jinja2", "board.md": "tabulate"}
    absent = left_out(needs | dict.fromkeys([*pictures, *([_CARD] * bool(plots))], "matplotlib"))
    return "\n".join(filter(None, [absent, _boxes(shown, pictures)]))


def _boxes(shown: PageData, pictures: Sequence[str]) -> str:
    """Return a note on the characters of the board's names that are boxes in its pictures."""
    if not pictures or not installed("matplotlib"):
        return ""
    from llm_power._report.board_figure import MOST_ROWS  # noqa: PLC0415
    from llm_power._report.figures import missing_glyphs  # noqa: PLC0415

    models = [model["name"] for task in shown["tasks"] for model in task["models"][:MOST_ROWS]]
    lacking = missing_glyphs([shown["title"], *models])
    what = counted(len(lacking), "character")
    drawn = ", ".join([*pictures, _CARD])
    return f"note: {drawn}: boxes for {what} that the fonts lack" if lacking else ""


def _tables(
    board: BoardVerdicts, tasks: Sequence[TaskScores], summary: Mapping[str, Any], title: str
) -> str:
    tables = board_tables(board, tasks, title=title) | landscape_tables(
        summary["landscape"], score_provenance(tasks), title=title, point=board.point
    )
    if board.average is not None:
        tables |= average_tables(board.average, tasks, title=title, point=board.point)
    return "\n".join(to_markdown(table) for table in tables.values())
