"""The command line: ``llm-power resolve`` a board, ``llm-power audit`` what is claimed of it."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, NoReturn, get_args
from urllib.parse import quote

import click
import pandas as pd
from tabulate import tabulate
from tqdm import tqdm

from llm_power.board.operating_point import OperatingPoint
from llm_power.board.ranking import prepare_task
from llm_power.board.resolve import (
    N_STAGES,
    BoardVerdicts,
    require_different_tasks,
    resolve_board,
)
from llm_power.board.summary import summarize_board
from llm_power.errors import LLMPowerError, one_line
from llm_power.provenance import Provenance
from llm_power.report.score_provenance import score_provenance
from llm_power.report.tables import describe_csv
from llm_power.result_set import write_together
from llm_power.scores.options import ANSWER_KEYS, ReadOptions
from llm_power.scores.readers import read_scores, reader_names
from llm_power.scores.selection import MISSING_POLICIES, MissingPolicy
from llm_power.scores.store import KINDS, TaskScores
from llm_power.statistics.multiplicity import Family

if TYPE_CHECKING:
    from llm_power.claims.evaluate import Audit

_CONTRADICTED: Final = 1
_BAD_INPUT: Final = 2
_UNFORESEEN: Final = 3
_INTERRUPTED: Final = 130
_NOBODY_READS: Final = 141


@dataclass(slots=True)
class _Settings:
    debug: bool = False


@click.group()
@click.version_option(version("llm-power"), prog_name="llm-power")
@click.option("--debug", is_flag=True, help="Show the traceback of an error as well.")
@click.pass_obj
def cli(settings: _Settings, debug: bool) -> None:
    """Resolution diagnostics for paired LLM evaluation.

    Exit code 0: done; 1: audit found a contradicted claim; 2: bad input, or a file that cannot be
    read or written; 3: the memory does not suffice, or a fault of this program; 130: interrupted;
    141: nobody reads the output.
    """
    settings.debug = debug


@cli.command()
@click.argument("scores", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder of the results."
)
@click.option(
    "--pairs",
    "family",
    type=click.Choice(get_args(Family)),
    default="adjacent",
    show_default=True,
    help="Family of pairs: each rank against the next, or every pair.",
)
@click.option("--top", type=int, metavar="K", help="Keep only the K best models of each task.")
@click.option("--cluster", metavar="COLUMN", help="Column that groups the items.")
@click.option(
    "--missing",
    type=click.Choice(MISSING_POLICIES),
    default="error",
    show_default=True,
    help="What to do about items that a model has no score on.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Two-sided level.")
@click.option("--power", type=float, default=0.80, show_default=True, help="Target power.")
@click.option(
    "--reader",
    type=click.Choice(["auto", *reader_names()]),
    default="auto",
    show_default=True,
    help="How to read the scores.",
)
@click.option("--kind", type=click.Choice(KINDS), help="0/1 scores, or scores in [0, 1].")
@click.option("--item", metavar="COLUMN", help="Column of the item ids.")
@click.option("--model", metavar="COLUMN", help="Column of the model names of a long table.")
@click.option("--score", metavar="COLUMN", help="Column of the scores of a long table.")
@click.option("--metric", metavar="NAME", help="Which metric or scorer of a log is the score.")
@click.option("--filter", metavar="NAME", help="Which answer filter, or split, of a log.")
@click.option("--task", metavar="NAME", help="Name of the task; picks it from a folder of several.")
@click.option("--exclude", multiple=True, metavar="MODEL", help="Leave a model out; repeatable.")
@click.option("--skip-malformed", is_flag=True, help="Count malformed records and leave them out.")
@click.option(
    "--answer-key",
    type=click.Choice(ANSWER_KEYS),
    default="shared",
    show_default=True,
    help="MMLU-Pro zips: stop where two disagree about an answer, or judge each by its own.",
)
def resolve(
    *,
    scores: Sequence[Path],
    out: Path,
    family: Family,
    top: int | None,
    cluster: str | None,
    missing: MissingPolicy,
    alpha: float,
    power: float,
    reader: str,
    **declared: Any,
) -> None:
    """Resolve the pairs of a leaderboard from its per-item SCORES.

    Each of SCORES is one task: a table (Parquet, CSV or JSON Lines), wide or long, or a folder of
    logs, one a model: of lm-evaluation-harness, Inspect, HELM or SWE-bench, details of the Open LLM
    Leaderboards, MMLU-Pro output zips. Writes pairs.parquet, pairs.csv and summary.json into the
    folder of --out.
    """
    options = ReadOptions(clusters=(cluster,) if cluster else (), **declared)
    point = OperatingPoint(alpha=alpha, power=power)
    # Hidden where nobody watches: the bar is for terminals, not for logs.
    with tqdm(total=len(scores) + N_STAGES, disable=None, leave=False, file=sys.stderr) as bar:

        def advance(stage: str) -> None:
            bar.set_description(stage)
            bar.update()

        tasks = []
        for path in scores:
            advance(f"reading {path.name}")
            task = read_scores(path, options, reader=reader)
            tasks.append(prepare_task(task, top=top, missing=missing))
            require_different_tasks(tasks)
        board = resolve_board(tasks, family=family, cluster=cluster, point=point, on_stage=advance)
    summary = {
        "llm_power": version("llm-power"),
        "family": family,
        "alpha": alpha,
        "power": power,
        "missing": missing,
        "cluster": cluster,
        "scores": [_describe(task) for task in tasks],
        **summarize_board(board.counts, board.verdicts, board.multiplicity),
    }
    _write_results(out, board, summary, score_provenance(tasks))
    _print_summary(out, summary)


@cli.command()
@click.argument("claims", type=click.Path(path_type=Path))
@click.option(
    "--results",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder that the result files of CLAIMS are relative to.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the claims as CSV, Markdown, HTML."
)
def audit(*, claims: Path, results: Path, out: Path | None) -> int:
    """Hold the register of CLAIMS against the results of a run.

    Each claim of the YAML file names a result file, a row of it, a column and the number that
    was printed. Exit code 0: nothing is contradicted; 1: something is; others as of llm-power
    itself. With --out, claims.csv, claims.md and report.html are written into that folder.
    """
    # On demand: every other command starts faster without the parsers of registers.
    from llm_power.claims.evaluate import audit as judge  # noqa: PLC0415
    from llm_power.claims.register import load_register  # noqa: PLC0415

    judged = judge(load_register(claims), results)
    if out is not None:
        _write_audit(out, judged, results)
    _print_audit(judged)
    for missing in judged.missing_texts():
        click.echo(f"warning: {one_line(missing)}", err=True)
    return _CONTRADICTED if judged.with_verdict("contradicted") else 0


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
    if isinstance(error, LLMPowerError):
        return _BAD_INPUT, str(error)
    if isinstance(error, click.ClickException):
        return _BAD_INPUT, error.format_message()
    if isinstance(error, OSError):
        return _BAD_INPUT, f"{error.filename or 'output'}: {error.strerror or error}"
    if isinstance(error, MemoryError):
        problem = f"the memory does not suffice ({str(error) or 'no details'})"
        remedy = "give fewer models or tasks, or run where there is more of it"
    else:
        problem = f"a fault of this program ({type(error).__name__}: {error})"
        remedy = "report it with what the same command shows after `llm-power --debug`"
    return _UNFORESEEN, f"{problem}. Remedy: {remedy}."


def console() -> NoReturn:
    """Run `main` as a program, and end the process once all is said.

    Arrow's threads can abort an interpreter that shuts down (apache/arrow#34314).
    """
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


def _describe(task: TaskScores) -> dict[str, Any]:
    return {
        "task": task.task,
        "kind": task.kind,
        "source": task.provenance.source,
        "revision": task.provenance.revision,
        "retrieved": task.provenance.retrieved,
        "sha256": dict(task.provenance.files),
        "tolerated": {fault: dict(n) for fault, n in task.provenance.tolerated.items()},
        "items": task.n_items,
        "scored_items": dict(zip(task.models, task.scored.sum(axis=0).tolist(), strict=True)),
    }


def _write_results(
    out: Path, board: BoardVerdicts, summary: dict[str, Any], provenance: Sequence[Provenance]
) -> None:
    description = describe_csv(
        board.verdicts,
        "pairs.csv",
        title="Resolution of the pairs of a leaderboard",
        description="",
        provenance=provenance,
    )

    def write(folder: Path) -> None:
        board.verdicts.to_parquet(folder / "pairs.parquet", index=False, compression="zstd")
        board.verdicts.to_csv(folder / "pairs.csv", index=False, lineterminator="\n")
        # An audit reads from it what the numbers rest on.
        (folder / "pairs.csv-metadata.json").write_text(description, encoding="utf-8")
        text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
        (folder / "summary.json").write_text(text + "\n", encoding="utf-8")

    write_together(out, write)


def _write_audit(out: Path, judged: Audit, results: Path) -> None:
    from llm_power.claims.report import render_report  # noqa: PLC0415
    from llm_power.claims.tables import write_claims  # noqa: PLC0415

    def write(folder: Path) -> None:
        write_claims(judged, folder / "claims.csv", folder / "claims.md")
        report = render_report(judged, links=_links(judged, results, out))
        (folder / "report.html").write_bytes(report.encode("utf-8"))

    write_together(out, write)


def _links(judged: Audit, results: Path, out: Path) -> dict[str, str]:
    """Return where each file that the audit names is, seen from the report."""
    named = {check.result for claim in judged.judged for check in claim.claim.checks}
    named |= {exhibit.file for exhibit in judged.exhibits.values()}
    base = os.path.relpath(results.resolve(), out.resolve())
    present = sorted(name for name in named if name and (results / name).is_file())
    return {
        name: quote(PurePath(os.path.normpath(Path(base, name))).as_posix()) for name in present
    }


def _print_audit(judged: Audit) -> None:
    from llm_power.claims.display import display_number  # noqa: PLC0415
    from llm_power.claims.tables import totals_cells  # noqa: PLC0415

    click.echo(tabulate(totals_cells(judged), headers="firstrow"))
    contradicted = judged.with_verdict("contradicted")
    if contradicted:
        click.echo()
    for entry in contradicted:
        found = display_number(entry.claim, entry.deciding.value) if entry.deciding else "no value"
        line = f"contradicted: {entry.claim.id}: printed {entry.claim.printed}, found {found}"
        click.echo(one_line(line))


def _print_summary(out: Path, summary: dict[str, Any]) -> None:
    coverage = pd.DataFrame(summary["tasks"])
    for name in ("coverage_min", "coverage_median"):
        coverage[name] = (100 * coverage[name]).map("{:.1f}%".format)
    verdicts = pd.DataFrame(summary["procedures"])
    applicable = verdicts[verdicts["n_pairs"] > 0]
    for table in (coverage, applicable):
        click.echo(
            tabulate(table.to_dict("list"), headers="keys", showindex=False, disable_numparse=True)
        )
        click.echo()
    click.echo(f"{summary['n_resolved']} of {summary['n_pairs']} pairs are resolved; see {out}")
