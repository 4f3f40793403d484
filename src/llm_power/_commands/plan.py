"""The command ``llm-power plan``."""

# Imports inside the function, for the reason that `llm_power._cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from llm_power._choices import MCNEMAR_TESTS, Format
from llm_power._commands.options import (
    answer_options,
    kind_and_item,
    level_and_power,
    metric_and_filter,
)

if TYPE_CHECKING:
    from llm_power._planning.ask import Planned

_EXAMPLES: Final = """\b
Examples:
  llm-power plan --p-a .65 --p-b .60 --rho .30
  llm-power plan --p-a .65 --p-b .60
  llm-power plan --b 295 --c 249 --n 10042
  llm-power plan --gap .02 --discordance .1 --clusters 14 --icc .004
  llm-power plan --n 2000 --discordance .1
  llm-power plan --gap 0 --discordance .1 --margin .01
  llm-power plan --p-a .65 --p-b .60 --agreement .8 --models 10
  llm-power plan --gap .05 --between .11 --within-a .17 --repeats-a 10
  llm-power plan --pilot scores.parquet --model-a heron --model-b wren --gap .01
  llm-power plan --gap .02 --discordance .2 --icc .01 --cost-subject 50 --cost-item 1 \
    --cost-answer .02
"""


@click.command(epilog=_EXAMPLES)
@click.option("--p-a", type=float, metavar="P", help="Accuracy of A, from 0 to 1.")
@click.option("--p-b", type=float, metavar="P", help="Accuracy of B.")
@click.option("--rho", type=float, help="Correlation of their scores; else all that is admissible.")
@click.option("--agreement", type=float, metavar="SHARE", help="Items both solve or both fail.")
@click.option("--b", type=int, metavar="COUNT", help="Items that only A solved, in a run.")
@click.option("--c", type=int, metavar="COUNT", help="Items that only B solved.")
@click.option("--n", type=click.IntRange(1), metavar="COUNT", help="Items of the run, or at hand.")
@click.option("--gap", type=float, help="Gap to be found, in score units.")
@click.option("--discordance", type=float, metavar="SHARE", help="Items that one alone solves.")
@click.option("--between", type=float, metavar="VARIANCE", help="Of graded scores, between items.")
@click.option("--within-a", type=float, metavar="VARIANCE", help="Of an answer of A to an item.")
@click.option("--within-b", type=float, metavar="VARIANCE", help="Of B; else as of A.")
@click.option("--repeats-a", type=click.IntRange(1), metavar="K", help="Answers of A to an item.")
@click.option("--repeats-b", type=click.IntRange(1), metavar="K", help="Of B; else as many.")
@click.option("--pilot", type=click.Path(path_type=Path), help="Scores that two models have.")
@click.option("--model-a", metavar="MODEL", help="A of the pilot, where it has more than two.")
@click.option("--model-b", metavar="MODEL", help="B of the pilot.")
@click.option("--cluster", metavar="COLUMN", help="Column of the pilot that groups its items.")
@click.option("--task", metavar="NAME", help="Task of a pilot of several.")
@kind_and_item
@metric_and_filter
@click.option("--cost-subject", type=float, metavar="COST", help="Of a subject, in any unit.")
@click.option("--cost-item", type=float, metavar="COST", help="Of an item beside its answers.")
@click.option("--cost-answer", type=float, metavar="COST", help="Of an answer of one model.")
@click.option("--budget", type=float, help="What there is to be spent, in place of --gap.")
@click.option("--clusters", type=int, metavar="K", help="Subjects that the items come from.")
@click.option("--icc", type=float, help="Correlation of the paired difference within a subject.")
@click.option("--margin", type=float, metavar="GAP", help="Largest gap that counts as none.")
@click.option("--comparisons", type=int, default=1, metavar="K", help="Pairs, adjusted by Holm.")
@click.option("--models", type=int, metavar="M", help="Models whose pairs max-T adjusts.")
@click.option(
    "--test",
    type=click.Choice(MCNEMAR_TESTS),
    default="exact",
    show_default=True,
    help="Form of McNemar's test that will decide.",
)
@level_and_power
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw it: .png, .svg or .pdf."
)
@answer_options
def plan(*, plot: Path | None, form: Format, report: Sequence[Path], **given: Any) -> None:
    """Say how many items to run, before they are run.

    From two accuracies, from the counts of a run, or from a gap and the share of items that one
    model alone solves; from --n in place of the gap, which gap so many items find. What the numbers
    cannot be is refused with what they can. docs/planning.md has worked plans.
    """
    from llm_power._planning.ask import plan as planned_by
    from llm_power._report.answer import reporting, shown

    if plot is not None:
        _require_drawable(plot)
    with reporting(report) as write:
        reply = planned_by(**given)
        if plot is not None:
            _draw(plot, reply)
        write(reply.answer)
    click.echo(shown(reply, form))


def _require_drawable(plot: Path) -> None:
    from llm_power._extra import installed, left_out

    if not installed("matplotlib"):
        raise click.UsageError(left_out({plot.name: "matplotlib"}))
    from llm_power._report.figures import require_picture

    require_picture(plot)


def _draw(plot: Path, reply: Planned) -> None:
    from llm_power._planning.figure import draw_plan
    from llm_power._report.figures import house_style, save_picture

    if reply.curves is None:
        raise click.UsageError("leave --plot out: plans of costs have no picture")
    curves = reply.curves()
    with house_style():
        save_picture(draw_plan(curves), plot, title=reply.headline)
