"""The command ``llm-power compare``."""

# Imports inside the function, for the reason that `llm_power._cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from llm_power._choices import OUTCOMES, Format
from llm_power._commands import options
from llm_power._commands.options import PATH, Group, GroupedCommand, option
from llm_power._errors import one_line
from llm_power._files import write_whole

# Of an outcome that the gate refuses.
EXIT_CODES: Final = {outcome: code for code, outcome in enumerate(OUTCOMES, start=10)}
_EXAMPLES: Final = (
    "llm-power compare old.eval new.eval --margin 0.01",
    "llm-power compare old.csv new.csv --fail-if worse,undetermined --junit gate.xml",
    "llm-power compare scores.csv --baseline heron --candidate wren",
)


def _outcomes(_context: click.Context, _option: click.Parameter, text: str) -> list[str]:
    named = [word.strip() for word in text.split(",") if word.strip()]
    for word in named:
        if word not in OUTCOMES:
            raise click.BadParameter(f"{word!r} is none of {', '.join(OUTCOMES)}")
    return named


_GROUPS: Final = (
    Group(
        "What to read",
        (options.CLUSTER, options.METRIC),
        (options.TASK, options.FILTER, options.LATEST, *options.READING),
    ),
    Group(
        "What to compare",
        (
            option("--baseline", metavar="MODEL", help="Model in use, if a file has several."),
            option("--candidate", metavar="MODEL", help="Model to replace it."),
            *(options.MARGIN, options.MISSING),
        ),
    ),
    Group("How to test", (), (options.TEST, options.CLUSTERS, options.ALPHA, options.POWER)),
    Group(
        "What to write",
        (
            option(
                "--fail-if",
                default="worse",
                metavar="OUTCOMES",
                callback=_outcomes,
                help=f"Outcomes that fail, of {', '.join(OUTCOMES)}; none if empty.",
            ),
            *(options.EXPLAIN, options.FORMAT, options.REPORT),
        ),
        (option("--junit", type=PATH, metavar="FILE", help="Write a JUnit report, .xml."),),
    ),
)


@click.command(cls=GroupedCommand, groups=_GROUPS, examples=_EXAMPLES)
@click.argument("old", type=PATH)
@click.argument("new", type=PATH, required=False)
def compare(
    *,
    old: Path,
    new: Path | None,
    fail_if: Sequence[str],
    form: Format,
    explain: bool,
    report: Sequence[Path],
    junit: Path | None,
    **asked: Any,
) -> int:
    """Compare a candidate with the model that it would replace, on the same items.

    OLD is a table or a log of the baseline, NEW one of the candidate; or OLD has both, and
    --baseline and --candidate name them. Prints the outcome, the items that broke and those that
    were mended, and how many more would decide.

    Each of several tasks has an outcome, and the least favourable is that of all. Exit code 0, or
    that of the least favourable outcome of a task that --fail-if names: worse 10, undetermined 11,
    non_inferior 12, equivalent 13, better 14; 2 for bad input.
    """
    from llm_power._door import compare as compared_by
    from llm_power._gate.comparison import overall_outcome
    from llm_power._gate.reports import comparison_junit
    from llm_power._report.answer import report_writer, require_report
    from llm_power._report.explained import shown

    inputs = [old] if new is None else [old, new]
    write = report_writer(report, inputs=inputs)
    if junit is not None:
        require_report(junit, "--junit", inputs=inputs)
    compared = compared_by(old, new, **asked)
    write(compared.answer)
    if junit is not None:
        write_whole(junit, comparison_junit(*compared.tasks, fail_if=fail_if))
    click.echo(shown(compared, form, explain=explain))
    for note in compared.notes:
        click.echo(f"note: {one_line(note)}", err=True)
    refused = [one for one in compared.tasks if one.outcome in fail_if]
    return EXIT_CODES[overall_outcome(refused)] if refused else 0
