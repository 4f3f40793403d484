"""The command ``llm-power compare``."""

# Imports inside the function, for the reason that `llm_power._cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from llm_power._choices import (
    MCNEMAR_TESTS,
    MISSING_POLICIES,
    OUTCOMES,
    Format,
)
from llm_power._commands.options import (
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
    fail_if: Sequence[str],
    form: Format,
    report: Sequence[Path],
    junit: Path | None,
    **asked: Any,
) -> int:
    """Compare a candidate with the model that it would replace, on the same items.

    OLD is a table or a log of the baseline, NEW one of the candidate; or OLD has both, and
    --baseline and --candidate name them. Prints the outcome, the items that broke and those that
    were mended, and how many more would decide. Each of several tasks has an outcome, and the
    least favourable is that of all. Exit code 0, or that of the least favourable outcome of a task
    that --fail-if names: worse 10, undetermined 11, non_inferior 12, equivalent 13, better 14; 2
    for bad input.
    """
    from llm_power._door import compare as compared_by
    from llm_power._gate.comparison import overall_outcome
    from llm_power._gate.reports import comparison_junit
    from llm_power._report.answer import reporting, shown

    inputs = [old] if new is None else [old, new]
    also = [] if junit is None else [junit]
    with reporting(report, also=also, inputs=inputs) as write:
        compared = compared_by(old, new, **asked)
        write(compared.answer)
        for path in also:
            with naming(path):
                path.write_text(
                    comparison_junit(*compared.tasks, fail_if=fail_if), encoding="utf-8"
                )
    click.echo(shown(compared, form))
    for note in compared.notes:
        click.echo(f"note: {one_line(note)}", err=True)
    refused = [one for one in compared.tasks if one.outcome in fail_if]
    return EXIT_CODES[overall_outcome(refused)] if refused else 0
