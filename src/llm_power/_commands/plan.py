"""The command ``llm-power plan``."""

# Imports inside the function, for the reason that `llm_power._cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from llm_power._choices import PILOT_MISSING, Format
from llm_power._commands import options
from llm_power._commands.options import PATH, Group, GroupedCommand, option

if TYPE_CHECKING:
    from llm_power._planning.ask import Planned

_EXAMPLES: Final = (
    "llm-power plan --gap .05",
    "llm-power plan --p-a .65 --p-b .60",
    "llm-power plan --n 2000 --discordance .1",
    "llm-power plan --pilot scores.parquet --model-a heron --model-b wren --gap .01",
    "llm-power plan --p-a .65 --p-b .60 --rho .30",
    "llm-power plan --p-a .65 --p-b .60 --agreement .8 --models 10",
    "llm-power plan --b 295 --c 249 --n 10042",
    "llm-power plan --gap .02 --discordance .1 --clusters 14 --icc .004",
    "llm-power plan --gap 0 --discordance .1 --margin .01",
    "llm-power plan --gap .05 --between .11 --within-a .17 --repeats-a 10",
    "llm-power plan --gap .02 --discordance .2 --cost-subject 50 --cost-item 1 --cost-answer .02",
)
_REPEATS: Final = (
    option("--between", type=float, metavar="VARIANCE", help="Between-item variance of scores."),
    option("--within-a", type=float, metavar="VARIANCE", help="Variance of A within an item."),
    option("--within-b", type=float, metavar="VARIANCE", help="Variance of B; A's if omitted."),
    option("--repeats-a", type=click.IntRange(1), metavar="K", help="Answers of A to an item."),
    option("--repeats-b", type=click.IntRange(1), metavar="K", help="Answers of B; else as many."),
)
# Beside those of every table or log, what the refusal of one may advise.
_READING: Final = (
    *("kind", "item", "model", "score", "exclude", "true", "percent", "decimal", "repeat_column"),
    *("task_column", "reducer", "accept_other_score"),
)
_PILOT: Final = (
    option("--model-a", metavar="MODEL", help="Model A, if the pilot has several."),
    option("--model-b", metavar="MODEL", help="Model B."),
    *(options.CLUSTER, options.TASK, options.METRIC, options.FILTER, options.LATEST),
    *(one for one in options.READING if one.name in _READING),
    option("--missing", type=click.Choice(PILOT_MISSING), help="Missing scores: stop, or skip."),
)
_COSTS: Final = (
    option("--cost-subject", type=float, metavar="COST", help="Cost of a subject, in any unit."),
    option(
        "--cost-item", type=float, metavar="COST", help="Fixed cost per item, without its answers."
    ),
    option("--cost-answer", type=float, metavar="COST", help="Cost of an answer of one model."),
    option("--budget", type=float, help="Budget in the same unit, in place of --gap."),
)
_FAMILY: Final = (
    option("--comparisons", type=int, default=1, metavar="K", help="Pairs to adjust by Holm."),
    option("--models", type=int, metavar="M", help="Models; max-T adjusts all their pairs."),
    option("--clusters", type=int, metavar="K", help="Subjects that the items come from."),
    option("--icc", type=float, help="Correlation of paired differences within a subject."),
)
_GROUPS: Final = (
    Group(
        "What to read",
        (option("--pilot", type=PATH, help="Scores of two models from an earlier run."),),
        _PILOT,
    ),
    Group(
        "What to compare",
        (
            option(
                "--gap", type=float, help="True gap to detect, in score units: .05 is 5 points."
            ),
            *(options.P_A, options.P_B),
            option(
                "--discordance",
                type=float,
                metavar="SHARE",
                help="Share of items that one model alone solves.",
            ),
            *(options.N, options.MARGIN),
        ),
        (
            options.RHO,
            option("--agreement", type=float, metavar="SHARE", help="Items both solve or fail."),
            *(options.B, options.C),
            *_REPEATS,
            *_COSTS,
        ),
    ),
    Group("How to test", (options.POWER,), (options.ALPHA, options.TEST, *_FAMILY)),
    Group(
        "What to write",
        (options.EXPLAIN, options.FORMAT),
        (
            option("--plot", type=PATH, metavar="FILE", help="Draw it: .png, .svg or .pdf."),
            options.REPORT,
        ),
    ),
)


@click.command(cls=GroupedCommand, groups=_GROUPS, examples=_EXAMPLES)
def plan(
    *, plot: Path | None, form: Format, explain: bool, report: Sequence[Path], **given: Any
) -> None:
    """Plan how many items to run.

    Start from a gap alone, and get the range of items that it leaves open; from a gap and
    --discordance; from two accuracies; or from the counts of a run. With --n in place of the gap,
    get the gap that so many items detect. docs/planning.md has worked plans.
    """
    from llm_power._planning.ask import plan as planned_by
    from llm_power._report.answer import report_writer
    from llm_power._report.explained import shown

    if plot is not None:
        _require_drawable(plot)
    write = report_writer(report)
    reply = planned_by(**given)
    if plot is not None:
        _draw(plot, reply)
    write(reply.answer)
    click.echo(shown(reply, form, explain=explain))


def _require_drawable(plot: Path) -> None:
    from llm_power._plugins import installed, left_out

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
