"""The command ``llm-power pair``."""

# Imports inside the function, for the reason that `llm_power._cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from llm_power._choices import Format, McNemarTest
from llm_power._commands import options
from llm_power._commands.options import Group, GroupedCommand

_EXAMPLES: Final = (
    "llm-power pair --b 295 --c 249 --n 10042",
    "llm-power pair --b 40 --c 38 --n 2000 --margin 0.02 --format json",
    "llm-power pair --p-a .812 --p-b .794 --n 1319",
    "llm-power pair --p-a .812 --p-b .794 --n 1319 --rho 0.6 --format markdown",
)
_WHAT_TO_GIVE: Final = "give --n with --b and --c, or --n with --p-a and --p-b, perhaps --rho"
_GROUPS: Final = (
    Group(
        "What to compare",
        (options.B, options.C, options.N, options.P_A, options.P_B, options.RHO, options.MARGIN),
    ),
    Group("How to test", (options.POWER,), (options.TEST, options.ALPHA)),
    Group("What to write", (options.EXPLAIN, options.FORMAT), (options.REPORT,)),
)


@click.command(cls=GroupedCommand, groups=_GROUPS, examples=_EXAMPLES)
def pair(
    *,
    b: int | None,
    c: int | None,
    n: int | None,
    p_a: float | None,
    p_b: float | None,
    rho: float | None,
    test: McNemarTest,
    margin: float | None,
    alpha: float,
    power: float,
    form: Format,
    explain: bool,
    report: Sequence[Path],
) -> None:
    """Compare one pair of models by counts or accuracies, without files.

    From the discordant counts of 0/1 scores: gap, tests, verdict, required items, monitoring and
    errors. From two accuracies alone: what holds over every correlation that they admit.
    """
    from llm_power._board.operating_point import Declared, OperatingPoint
    from llm_power._report.answer import Reply, report_writer
    from llm_power._report.explained import shown
    from llm_power._report.pair_answers import (
        answer_from_accuracies,
        answer_from_counts,
    )

    point, declared = OperatingPoint(alpha=alpha, power=power), Declared(test=test, margin=margin)
    write = report_writer(report)
    if n is None or (b is None) != (c is None) or (p_a is None) != (p_b is None):
        raise click.UsageError(_WHAT_TO_GIVE)
    if p_a is not None and p_b is not None and b is None:
        answer = answer_from_accuracies(p_a, p_b, n, rho=rho, point=point, declared=declared)
    elif b is not None and c is not None and p_a is None and rho is None:
        answer = answer_from_counts(b, c, n, point=point, declared=declared)
    else:
        raise click.UsageError(_WHAT_TO_GIVE)
    write(answer)
    click.echo(shown(Reply(answer), form, explain=explain))
