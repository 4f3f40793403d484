"""The command line: `llm-power resolve` a board or one `pair`, and commands of other packages."""

# A command imports what it needs when it runs, so that help and errors of usage come at once.

# ruff: noqa: PLC0415
from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from llm_power import __version__
from llm_power._choices import (
    CLUSTER_TESTS,
    FAMILIES,
    MCNEMAR_TESTS,
    MISSING_POLICIES,
    ClusterSampling,
    ClusterTest,
    Family,
    Format,
    McNemarTest,
    MissingPolicy,
)
from llm_power._command_options import (
    answer_options,
    clusters_of_items,
    format_of_answer,
    level_and_power,
    reading_options,
)
from llm_power._errors import LLMPowerError, one_line
from llm_power._files import naming
from llm_power._gate.command import compare
from llm_power._planning.command import plan
from llm_power._plugins import COMMANDS, load_plugin, plugin_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from llm_power._board.resolve import BoardVerdicts


_BAD_INPUT: Final = 2
_UNFORESEEN: Final = 3
_INTERRUPTED: Final = 130
_NOBODY_READS: Final = 141


_PAIR_EXAMPLES: Final = """\b
Examples:
  llm-power pair --b 295 --c 249 --n 10042
  llm-power pair --b 40 --c 38 --n 2000 --margin 0.02 --format json
  llm-power pair --accuracy .812 .794 --n 1319
  llm-power pair --accuracy .812 .794 --n 1319 --rho 0.6 --format markdown
"""

_RESOLVE_EXAMPLES: Final = """\b
Examples:
  llm-power resolve scores.csv --out board
  llm-power resolve scores.csv --cluster subject --pairs all --margin 0.01 --out board
  llm-power resolve scores.parquet --top 100 --missing pairwise --out board
  llm-power resolve scores.parquet --pairs all --keep undecided --out board
  llm-power resolve logs/ --metric match --reducer max --latest --out board
  llm-power resolve runs/ --metric acc,exact_match --pool groups --cluster subtask --out board
  llm-power resolve --name old=a.eval --name new=b.eval --out board
"""
_EXAMPLE_EXAMPLES: Final = """\b
Examples:
  llm-power example demo
  llm-power resolve demo/mmlu_pro.csv --cluster category --pairs all --out demo/out
"""


@dataclass(slots=True)
class _Settings:
    debug: bool = False


class _Commands(click.Group):
    """The commands of the library, then those that packages add by an entry point."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *plugin_names(COMMANDS)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name not in plugin_names(COMMANDS):
            return own
        command = load_plugin(COMMANDS, cmd_name)
        return command if isinstance(command, click.Command) else None


@click.group(cls=_Commands, invoke_without_command=True)
@click.version_option(__version__, prog_name="llm-power")
@click.option("--debug", is_flag=True, help="Show the traceback of an error as well.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """Resolution diagnostics for paired LLM evaluation.

    Exit code 0: done; 1: audit found a contradicted claim; 2: bad input, or a file that cannot be
    read or written; 3: the memory does not suffice, or a fault of this program; 130: interrupted;
    141: nobody reads the output. `compare` has codes of its own for outcomes that are refused.
    """
    context.obj.debug = debug
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _where(out: Path, board: BoardVerdicts, kept: bool, csv: bool) -> str:
    """Say where the numbers are."""
    shown = out / ("pairs.csv" if csv else "pairs.parquet")
    if board.streamed is None:
        return f"Every number of each pair is in {shown}; the board, beside it."
    where = f"are in {out / 'pairs'}" if kept else "are none"
    return (
        f"{board.n_pairs:,} pairs were compared: those kept ({board.streamed.keep.words}) {where}, "
        f"the {len(board.verdicts):,} {board.shown_words}, with every column, are in {shown}; the "
        "board, beside it."
    )


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


@cli.command(epilog=_RESOLVE_EXAMPLES)
@click.argument("scores", nargs=-1, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder of the results."
)
@click.option(
    "--pairs",
    "family",
    type=click.Choice(FAMILIES),
    default="adjacent",
    show_default=True,
    help="Family of pairs: each rank against the next, or every pair.",
)
@click.option("--top", type=int, metavar="K", help="Keep only the K best models of each task.")
@click.option(
    "--keep",
    metavar="all|adjacent|top:K|band:W|undecided",
    help="Of all pairs, count every one and write these, as they pass; never holds all of them.",
)
@click.option("--csv", is_flag=True, help="Write pairs.csv, however many pairs it has.")
@clusters_of_items
@click.option(
    "--cluster-test",
    type=click.Choice(CLUSTER_TESTS),
    default="cr2",
    show_default=True,
    help="How random clusters are tested: t test, wild cluster bootstrap, or flips of signs.",
)
@click.option(
    "--test",
    type=click.Choice(MCNEMAR_TESTS),
    default="exact",
    show_default=True,
    help="Form of McNemar's test that 0/1 scores are compared by.",
)
@click.option(
    "--margin",
    type=float,
    metavar="GAP",
    help="Largest gap that counts as none, in score units: declares pairs equivalent.",
)
@click.option(
    "--weights",
    default="equal",
    show_default=True,
    metavar="equal|items|TASK=W,...|FILE",
    help="How much each of several tasks counts in their average; FILE is YAML, a number a task.",
)
@click.option("--monitored", is_flag=True, help="Add what continuous monitoring takes (seconds).")
@click.option(
    "--missing",
    type=click.Choice(MISSING_POLICIES),
    default="error",
    show_default=True,
    help="What to do about items that a model has no score on.",
)
@level_and_power
@reading_options
@format_of_answer
def resolve(
    *,
    scores: Sequence[Path],
    out: Path,
    family: Family,
    top: int | None,
    keep: str | None,
    csv: bool,
    cluster: str | None,
    clusters: ClusterSampling,
    cluster_test: ClusterTest,
    test: McNemarTest,
    margin: float | None,
    weights: str,
    monitored: bool,
    missing: MissingPolicy,
    alpha: float,
    power: float,
    reader: str,
    form: Format,
    names: Mapping[str, str],
    **reading: Any,
) -> None:
    """Resolve the pairs of a leaderboard from its per-item SCORES.

    A table (Parquet, CSV, TSV, JSON Lines, .xlsx; - is standard input) is one task, wide or long.
    Logs, or folders of them, are read together: a task has the models that any of them has.
    docs/logs.md lists the tools whose logs are read. Writes pairs.parquet, pairs.csv, summary.json
    and error_bars.md, the standard errors for a report, into the folder of --out, of several tasks
    average.parquet and average.csv, and where scores are means of repeats repeats.parquet and
    repeats.csv; with the extra `report` installed also the page board.html, the tables board.md
    and the picture board.pdf, .png and .svg. pairs.csv is left out above 10,000 pairs. Of more
    than 100,000 pairs, all are counted and written to the folder pairs as they pass, in Parquet;
    pairs.parquet, screen, page and JSON have the adjacent ones.
    """
    from llm_power._board.average import read_weights
    from llm_power._board.operating_point import Declared, OperatingPoint
    from llm_power._board.ranking import prepare_task
    from llm_power._board.resolve import N_STAGES, require_different_tasks
    from llm_power._board.stream import Keep
    from llm_power._board.summary import describe_board
    from llm_power._report.board_files import (
        board_answer,
        resolved_board,
        write_board,
        writes_csv,
    )
    from llm_power._scores.options import ReadOptions
    from llm_power._scores.readers import read_tasks

    if not scores and not names:
        raise click.UsageError("Missing argument 'SCORES...'.")
    options = ReadOptions(clusters=(cluster,) if cluster else (), names=names, **reading)
    point = OperatingPoint(alpha=alpha, power=power)
    declared = Declared(
        test=test,
        margin=margin,
        clusters=clusters,
        cluster_test=cluster_test,
        monitored=monitored,
        weighted=missing == "weighted",
        weights=read_weights(weights),
    )
    kept = None if keep is None else Keep.parsed(keep)
    notes: list[str] = []
    with ExitStack() as stack:
        paths = stack.enter_context(_without_dash(scores))
        with _progress(len(scores) + len(names) + N_STAGES) as advance:
            read = read_tasks(
                paths,
                options,
                reader=reader,
                on_path=lambda path: advance(f"reading {path.name}"),
                on_note=notes.append,
            )
            tasks = [prepare_task(task, top=top, missing=missing) for task in read]
            require_different_tasks(tasks)
            board, dataset = stack.enter_context(
                resolved_board(
                    out,
                    tasks,
                    family=family,
                    keep=kept,
                    cluster=cluster,
                    point=point,
                    declared=declared,
                    on_stage=advance,
                )
            )
        summary = describe_board(board, tasks, missing=missing, cluster=cluster)
        # The answer comes first, for the picture takes as long as all before it; and if nobody
        # reads the answer to its end, the files are written all the same.
        try:
            click.echo(board_answer(board, summary, form))
        finally:
            csv = csv or writes_csv(board)
            left_out = write_board(out, board, tasks, summary, dataset=dataset, csv=csv)
    if form == "table":
        click.echo(f"\n{_where(out, board, dataset is not None, csv)}")
    warnings = [f"warning: {one_line(text)}" for text in summary["warnings"]]
    _warn(*(f"note: {one_line(text)}" for text in notes), *warnings, left_out)


@cli.command(epilog=_PAIR_EXAMPLES)
@click.option("--b", type=int, metavar="COUNT", help="Items that only A solves.")
@click.option("--c", type=int, metavar="COUNT", help="Items that only B solves.")
@click.option("--n", "n_items", type=click.IntRange(1), required=True, help="Items of both.")
@click.option("--accuracy", type=float, nargs=2, metavar="A B", help="Accuracies, from 0 to 1.")
@click.option("--rho", type=float, help="Correlation of the scores, if it is known.")
@click.option(
    "--test",
    type=click.Choice(MCNEMAR_TESTS),
    default="exact",
    show_default=True,
    help="Form of McNemar's test that decides.",
)
@click.option("--margin", type=float, metavar="GAP", help="Largest gap that counts as none.")
@level_and_power
@answer_options
def pair(
    *,
    b: int | None,
    c: int | None,
    n_items: int,
    accuracy: tuple[float, float] | None,
    rho: float | None,
    test: McNemarTest,
    margin: float | None,
    alpha: float,
    power: float,
    form: Format,
    report: Sequence[Path],
) -> None:
    """Answer for one pair of models without files.

    From the discordant counts of 0/1 scores: gap, tests, verdict, required items, monitoring and
    errors. From two accuracies alone: what holds over every correlation that they admit.
    """
    from llm_power._board.operating_point import Declared, OperatingPoint
    from llm_power._report.answer import reporting, shown
    from llm_power._report.pair_answers import (
        answer_from_accuracies,
        answer_from_counts,
    )

    point, declared = OperatingPoint(alpha=alpha, power=power), Declared(test=test, margin=margin)
    with reporting(report) as write:
        if accuracy is not None and b is None and c is None:
            answer = answer_from_accuracies(
                *accuracy, n_items, rho=rho, point=point, declared=declared
            )
        elif accuracy is None and b is not None and c is not None and rho is None:
            answer = answer_from_counts(b, c, n_items, point=point, declared=declared)
        else:
            raise click.UsageError("give --b and --c, or --accuracy A B with or without --rho")
        write(answer)
    click.echo(shown(answer, form))


@cli.command(epilog=_EXAMPLE_EXAMPLES)
@click.argument("folder", type=click.Path(path_type=Path))
def example(*, folder: Path) -> None:
    """Write a small real board into FOLDER, to try resolve on.

    Six models on 602 items of MMLU-Pro, published by its authors under the Apache License 2.0, with
    a notice that says which part of theirs it is.
    """
    from llm_power._example import write_example_board

    scores = write_example_board(folder)
    click.echo(f"llm-power resolve {scores} --cluster category --pairs all --out {folder / 'out'}")


cli.add_command(compare)
cli.add_command(plan)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; an error is one line on standard error."""
    settings = _Settings()
    try:
        code = cli.main(arguments, "llm-power", standalone_mode=False, obj=settings) or 0
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        code = _INTERRUPTED
    except SystemExit:  # click's answer to a closed pipe, with the code of a contradiction
        code = _NOBODY_READS
    except Exception as error:
        if settings.debug:
            traceback.print_exc()
        code, message = _explain(error)
        print(f"error: {one_line(message)}", file=sys.stderr)
    sys.exit(code)


def _explain(error: Exception) -> tuple[int, str]:
    lack = _lack_of_memory(error)
    if lack is not None:
        problem = f"the memory does not suffice ({str(lack) or 'no details'})"
        remedy = "give fewer models or tasks, or run where there is more of it"
        return _UNFORESEEN, f"{problem}. Remedy: {remedy}."
    if isinstance(error, LLMPowerError):
        return _BAD_INPUT, str(error)
    if isinstance(error, click.ClickException):
        return _BAD_INPUT, error.format_message()
    if isinstance(error, OSError):
        return _BAD_INPUT, f"{error.filename or 'output'}: {error.strerror or error}"
    problem = f"a fault of this program ({type(error).__name__}: {error})"
    remedy = "report it with what the same command shows after `llm-power --debug`"
    return _UNFORESEEN, f"{problem}. Remedy: {remedy}."


def _lack_of_memory(error: BaseException | None) -> BaseException | None:
    """Return the lack of memory that an error is, or came from."""
    while error is not None:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return error
        error = error.__cause__
    return None


def console() -> NoReturn:
    """Run `main` as a program, and end the process once all is said."""
    # Arrow's threads can abort an interpreter that shuts down (apache/arrow#34314).
    code: Any = _UNFORESEEN
    try:
        main()
    except SystemExit as stop:
        code = stop.code
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # as it is where the caller has closed it
                stream.flush()
        except OSError:
            code = code or _NOBODY_READS
    os._exit(code)


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


def _warn(*lines: str) -> None:
    for line in filter(None, lines):
        click.echo(line, err=True)


if __name__ == "__main__":
    console()
