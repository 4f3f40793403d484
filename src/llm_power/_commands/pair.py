"""The command ``llm-power pair``."""

# Imports inside the function, for the reason that `llm_power._cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from llm_power._choices import MCNEMAR_TESTS, Format, McNemarTest
from llm_power._commands.options import answer_options, level_and_power

_EXAMPLES: Final = """\b
Examples:
  llm-power pair --b 295 --c 249 --n 10042
  llm-power pair --b 40 --c 38 --n 2000 --margin 0.02 --format json
  llm-power pair --accuracy .812 .794 --n 1319
  llm-power pair --accuracy .812 .794 --n 1319 --rho 0.6 --format markdown
"""


@click.command(epilog=_EXAMPLES)
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
    from llm_power._report.answer import Reply, reporting, shown
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
    click.echo(shown(Reply(answer), form))
