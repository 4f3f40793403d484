"""The command ``llm-power compare``."""

# Imports inside the function, for the reason that `llm_power._cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from llm_power._choices import (
    MCNEMAR_TESTS,
    MISSING_POLICIES,
    OUTCOMES,
    ClusterSampling,
    Format,
    McNemarTest,
    MissingPolicy,
)
from llm_power._command_options import (
    answer_options,
    clusters_of_items,
    level_and_power,
    reading_options,
)
from llm_power._errors import one_line
from llm_power._files import naming

# Of an outcome that the gate refuses.
EXIT_CODES: Final = {outcome: code for code, outcome in enumerate(OUTCOMES, start=10)}
_PATH: Final = click.Path(path_type=Path)
_EXAMPLES: Final = """\b
Examples:
  llm-power compare old.eval new.eval --margin 0.01
  llm-power compare old.csv new.csv --fail-if worse,undetermined --junit gate.xml
  llm-power compare scores.csv --baseline heron --candidate wren
"""


def _outcomes(_context: click.Context, _option: click.Parameter, text: str) -> list[str]:
    named = [word.strip() for word in text.split(",") if word.strip()]
    for word in named:
        if word not in OUTCOMES:
            raise click.BadParameter(f"{word!r} is none of {', '.join(OUTCOMES)}")
    return named


@click.command(epilog=_EXAMPLES)
@click.argument("old", type=_PATH)
@click.argument("new", type=_PATH, required=False)
@click.option("--baseline", metavar="MODEL", help="Model in use, where a file has several.")
@click.option("--candidate", metavar="MODEL", help="Model that would replace it.")
@click.option("--margin", type=float, metavar="GAP", help="Largest gap that counts as none.")
@click.option(
    "--fail-if",
    default="worse",
    show_default=True,
    metavar="OUTCOMES",
    callback=_outcomes,
    help=f"Outcomes that are refused, with commas, of {', '.join(OUTCOMES)}; none if empty.",
)
@click.option(
    "--test",
    type=click.Choice(MCNEMAR_TESTS),
    default="exact",
    show_default=True,
    help="Form of McNemar's test.",
)
@clusters_of_items
@click.option(
    "--missing",
    type=click.Choice(MISSING_POLICIES),
    default="error",
    show_default=True,
    help="What to do about items that one of them has no score on.",
)
@level_and_power
@reading_options
@answer_options
@click.option("--junit", type=_PATH, metavar="FILE", help="Write it as a JUnit report.")
def compare(
    *,
    old: Path,
    new: Path | None,
    baseline: str | None,
    candidate: str | None,
    margin: float | None,
    fail_if: Sequence[str],
    test: McNemarTest,
    cluster: str | None,
    clusters: ClusterSampling,
    missing: MissingPolicy,
    alpha: float,
    power: float,
    form: Format,
    report: Sequence[Path],
    junit: Path | None,
    reader: str,
    names: Mapping[str, str],
    **reading: Any,
) -> int:
    """Compare a candidate with the model that it would replace, on the same items.

    OLD is a table or a log of the baseline, NEW one of the candidate; or OLD has both, and
    --baseline and --candidate name them. Prints the outcome, the items that broke and those that
    were mended, and how many more would decide. Each of several tasks has an outcome, and the
    least favourable is that of all. Exit code 0, or that of the least favourable outcome of a task
    that --fail-if names: worse 10, undetermined 11, non_inferior 12, equivalent 13, better 14; 2
    for bad input.
    """
    from llm_power._board.operating_point import Declared, OperatingPoint
    from llm_power._gate.comparison import compare_models, overall_outcome
    from llm_power._gate.reading import read_sides
    from llm_power._gate.reports import comparison_answer, comparison_junit
    from llm_power._report.answer import reporting, shown
    from llm_power._scores.options import ReadOptions

    if new is not None and names:
        raise click.UsageError("give --name with OLD alone: of two files each is one run")
    options = ReadOptions(clusters=(cluster,) if cluster else (), names=names, **reading)
    notes: list[str] = []
    inputs = [old] if new is None else [old, new]
    also = [] if junit is None else [junit]
    with reporting(report, also=also, inputs=inputs) as write:
        tasks, first, second = read_sides(
            old,
            new,
            options,
            baseline=baseline,
            candidate=candidate,
            reader=reader,
            on_note=notes.append,
        )
        compared = compare_models(
            tasks,
            first,
            second,
            missing=missing,
            cluster=cluster,
            point=OperatingPoint(alpha=alpha, power=power),
            declared=Declared(
                test=test, margin=margin, clusters=clusters, weighted=missing == "weighted"
            ),
        )
        answer = comparison_answer(*compared)
        write(answer)
        for path in also:
            with naming(path):
                path.write_text(comparison_junit(*compared, fail_if=fail_if), encoding="utf-8")
    click.echo(shown(answer, form))
    for note in notes:
        click.echo(f"note: {one_line(note)}", err=True)
    refused = [one for one in compared if one.outcome in fail_if]
    return EXIT_CODES[overall_outcome(refused)] if refused else 0
