"""The command ``llm-power resolve``."""

# Imports inside the function, for the reason that `llm_power._cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from llm_power._choices import (
    CLUSTER_TESTS,
    CONTROLS,
    FAMILIES,
    PICTURE_FORMATS,
    Format,
    Picture,
)
from llm_power._commands import options
from llm_power._commands.options import PATH, Group, GroupedCommand, choice, option
from llm_power._errors import one_line
from llm_power._files import naming

if TYPE_CHECKING:
    from llm_power._door import Resolved

_EXAMPLES: Final = (
    "llm-power resolve scores.csv",
    "llm-power resolve scores.csv --cluster subject --pairs all --margin 0.01 --out board",
    "llm-power resolve logs/ --metric match --reducer max --latest --out board",
    "llm-power resolve old=a.eval new=b.eval",
    "llm-power resolve runs/ --metric acc,exact_match --pool groups --cluster subtask --out board",
    "llm-power resolve scores.parquet --top 100 --missing pairwise --out board",
    "llm-power resolve scores.parquet --pairs all --keep undecided --out board",
)
_GROUPS: Final = (
    Group(
        "What to read",
        (options.CLUSTER, options.METRIC, options.FILTER, options.LATEST),
        (options.TASK, *options.READING),
    ),
    Group(
        "What to compare",
        (
            choice(
                "--pairs", values=FAMILIES, help="Compare each rank with the next, or every pair."
            ),
            *(options.MARGIN, options.MISSING),
        ),
        (
            option(
                "--top",
                type=int,
                metavar="K",
                help="Show the K best models of a task; rank and adjust all.",
            ),
            option(
                "--keep",
                metavar="all|adjacent|top:K|band:W|undecided|different",
                help="Count all pairs; write only these.",
            ),
            option(
                "--weights",
                default="equal",
                metavar="equal|items|TASK=W,...|FILE",
                help="Weight of each task in the average; FILE is YAML.",
            ),
        ),
    ),
    Group(
        "How to test",
        (),
        (
            choice(
                "--family",
                values=CONTROLS,
                help="Error rate to control: family-wise, or false discoveries.",
            ),
            *(options.TEST, options.CLUSTERS),
            choice(
                "--cluster-test",
                values=CLUSTER_TESTS,
                help="Test of random clusters: t test, wild bootstrap, or sign flips.",
            ),
            *(options.ALPHA, options.POWER),
            option(
                "--monitored",
                is_flag=True,
                help="Add the items of continuous monitoring (takes seconds).",
            ),
        ),
    ),
    Group(
        "What to write",
        (
            option("--out", type=PATH, help="Write page, tables and files into this folder."),
            *(options.EXPLAIN, options.FORMAT),
        ),
        (
            option(
                "--plot",
                "plots",
                type=click.Choice(PICTURE_FORMATS),
                multiple=True,
                help="Also draw the board in this format; repeatable.",
            ),
            option("--csv", is_flag=True, help="Write pairs.csv, whatever its size."),
        ),
    ),
)


@click.command(cls=GroupedCommand, groups=_GROUPS, examples=_EXAMPLES)
@click.argument("scores", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
def resolve(
    *,
    scores: Sequence[Path],
    out: Path | None,
    plots: Sequence[Picture],
    csv: bool,
    names: Mapping[str, str],
    form: Format,
    explain: bool,
    **asked: Any,
) -> None:
    """Resolve the pairs of a leaderboard from its per-item SCORES.

    A table (Parquet, CSV, TSV, JSON Lines, .xlsx; - is standard input) is one task, wide or long.
    Logs, or folders of them, are read together: a task has the models of all logs. docs/logs.md
    lists the tools; NAME=PATH reads a log under your own name.

    Without --out the command prints the answer and writes nothing. With it the folder gets
    pairs.parquet, pairs.csv, summary.json and error_bars.md (standard errors for a report);
    average.parquet and average.csv for several tasks; repeats.parquet and repeats.csv if scores
    are means of repeats; the page board.html and the tables board.md if the extra `report` is
    installed; and a picture with --plot. pairs.csv is omitted above 10,000 pairs. More than
    100,000 pairs are all counted and streamed to the folder pairs, in Parquet; pairs.parquet,
    screen, page and JSON then have the adjacent pairs.
    """
    from llm_power._board.resolve import N_STAGES
    from llm_power._door import resolve_for
    from llm_power._report.explained import shown

    if not scores and not names:
        raise click.UsageError("Missing argument 'SCORES...'.")
    if out is None and (csv or plots):
        raise click.UsageError("give --out, the folder for the files of --csv and --plot")
    left_out = ""
    with ExitStack() as stack:
        paths = stack.enter_context(_without_dash(scores))
        with _progress(len(scores) + len(names) + N_STAGES) as advance:
            resolved = stack.enter_context(
                resolve_for(out, paths, names=names, on_stage=advance, **asked)
            )
        # The answer comes first; and if nobody reads it to its end, the files are written all the
        # same.
        try:
            click.echo(shown(resolved, form, explain=explain))
        finally:
            if out is not None:
                left_out = resolved.save(out, csv=csv or None, plots=plots)
    if form == "table" and out is not None:
        click.echo(f"\n{_where(out, resolved)}")
    notes = [f"note: {one_line(text)}" for text in resolved.notes]
    notes += [f"warning: {one_line(text)}" for text in resolved.summary["warnings"]]
    for line in filter(None, [*notes, left_out]):
        click.echo(line, err=True)


def _where(out: Path, resolved: Resolved) -> str:
    """Name the page, the table with every column, and the folder of the pairs that are kept."""
    board, page, kept = resolved.board, out / "board.html", out / "pairs"
    shown = out / ("pairs.csv" if (out / "pairs.csv").exists() else "pairs.parquet")
    lines = [f"Page: {page}"] if page.exists() else []
    if board.streamed is None:
        return "\n".join([*lines, f"All columns: {shown}"])
    where = kept if kept.is_dir() else "none"
    lines += [
        f"All columns of the {len(board.verdicts):,} {board.shown_words}: {shown}",
        f"Compared: {board.n_pairs:,} pairs. Kept ({board.streamed.keep.words}): {where}",
    ]
    return "\n".join(lines)


@contextmanager
def _without_dash(scores: Sequence[Path]) -> Iterator[list[Path]]:
    """Have standard input as a file, where a path is a dash."""
    if Path("-") not in scores:
        yield list(scores)
        return
    with TemporaryDirectory() as folder:
        spooled = Path(folder, "stdin")
        with naming(spooled), spooled.open("wb") as file:
            copyfileobj(sys.stdin.buffer, file)
        yield [spooled if path == Path("-") else path for path in scores]


@contextmanager
def _progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Show a bar, hidden where nobody watches: it is for terminals, not for logs."""
    with click.progressbar(
        length=steps,
        file=sys.stderr,
        hidden=sys.stderr is None or not sys.stderr.isatty(),
        item_show_func=lambda stage: stage or "",
    ) as bar:
        yield lambda stage: bar.update(1, one_line(stage, 60))
