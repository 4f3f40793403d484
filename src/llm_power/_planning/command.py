"""The command ``llm-power plan``."""

# Imports inside the function, for the reason that `llm_power._cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from llm_power._choices import MCNEMAR_TESTS, Format
from llm_power._command_options import (
    answer_options,
    kind_and_item,
    level_and_power,
    metric_and_filter,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from llm_power._planning.curves import PlanCurves
    from llm_power._planning.question import Question
    from llm_power._planning.text import Found
    from llm_power._report.answer import Answer

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
# What says how much the models differ; the other options are the question's.
_REPEATS: Final = ("between", "within_a", "within_b", "repeats_a", "repeats_b")
_READING: Final = (
    *("pilot", "model_a", "model_b", "cluster", "task", "kind", "item", "metric", "filter"),
)
_PRICES: Final = ("cost_subject", "cost_item", "cost_answer", "budget")
_PAIR: Final = ("p_a", "p_b", "rho", "agreement", "b", "c", "n", "gap", "discordance", *_REPEATS)


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
    from llm_power._planning.question import Question
    from llm_power._report.answer import reporting, shown

    if plot is not None:
        _require_drawable(plot)
    reading = {name: given.pop(name) for name in _READING}
    prices = {name: given.pop(name) for name in _PRICES}
    pair = {name: given.pop(name) for name in _PAIR}
    said = {name: value for name, value in pair.items() if value is not None}
    with reporting(report) as write:
        if any(price is not None for price in prices.values()):
            reply = _at_cost(prices, reading, said, given)
        elif reading["pilot"] is not None:
            reply = _from_pilot(reading, said, Question(**given))
        elif any(value is not None for value in reading.values()):
            raise click.UsageError("give --pilot with the options that say how it is read")
        else:
            reply = _from_numbers(said, Question(**given))
        if plot is not None:
            _draw(plot, reply)
        write(reply.answer)
    click.echo(shown(reply.answer, form))


@dataclass(frozen=True, slots=True)
class _Reply:
    answer: Answer
    curves: Callable[[], PlanCurves] | None = None


def _from_numbers(said: dict[str, Any], question: Question) -> _Reply:
    from llm_power._planning.text import plan_answer

    found = _found(dict(said), question)

    def curves() -> PlanCurves:
        from llm_power._planning.curves import plan_curves

        return plan_curves(found)

    return _Reply(plan_answer(found, observed="b" in said), curves)


def _by_t_test(question: Question) -> None:
    """Refuse a form of McNemar's test where means are compared."""
    if question.test != "exact":
        raise click.UsageError("leave --test out: this plan is for the paired t test")


def _at_cost(
    prices: dict[str, Any], reading: dict[str, Any], said: dict[str, Any], given: dict[str, Any]
) -> _Reply:
    from llm_power._planning.costs import plan_costs, variances_of_levels
    from llm_power._planning.costs_text import costs_answer
    from llm_power._planning.pair import pair_from_gap
    from llm_power._planning.question import Question
    from llm_power._statistics.design_costs import Costs

    if prices["cost_answer"] is None:
        raise click.UsageError("give --cost-answer with the other costs")
    if given["clusters"] is not None:
        raise click.UsageError("leave --clusters out: how many of them, costs decide")
    gap, icc, within = said.pop("gap", None), given.pop("icc"), said.pop("within_a", None)
    noise = 0.0 if within is None else within + said.pop("within_b", within)
    levels = {"icc": icc or 0.0, "within": noise}
    if reading["pilot"] is not None and not said and within is None and icc is None:
        from llm_power._planning.pilot import read_pilot, variances_of_pilot

        cluster = reading["cluster"]
        variances = variances_of_pilot(*read_pilot(**reading), cluster=cluster)
    elif reading["pilot"] is None and set(said) == {"discordance"}:
        pair = pair_from_gap(gap or 0.0, said["discordance"])
        variances = variances_of_levels(pair.sigma_d**2, **levels)
    elif reading["pilot"] is None and set(said) == {"between"}:
        variances = variances_of_levels(said["between"] + noise, **levels)
    else:
        raise click.UsageError(
            "give --discordance or --between with the costs, perhaps with --icc and --within-a, or "
            "--pilot alone"
        )
    costs = Costs(prices["cost_subject"] or 0.0, prices["cost_item"] or 0.0, prices["cost_answer"])
    question, budget = Question(**given), prices["budget"]
    _by_t_test(question)
    found = plan_costs(variances, costs, gap=gap, budget=budget, question=question)
    return _Reply(costs_answer(found))


def _from_pilot(reading: dict[str, Any], said: dict[str, Any], question: Question) -> _Reply:
    from llm_power._planning.pilot import pilot_curves, plan_pilot, read_pilot
    from llm_power._planning.pilot_text import pilot_answer

    if not set(said) <= {"gap"}:
        raise click.UsageError("give --gap with --pilot, or nothing: the rest is in the pilot")
    cluster = reading["cluster"]
    task, first, second = read_pilot(**reading)
    found = plan_pilot(task, first, second, cluster=cluster, question=question, **said)
    return _Reply(pilot_answer(found), lambda: pilot_curves(found, task, cluster=cluster))


def _require_drawable(plot: Path) -> None:
    from llm_power._extra import installed, left_out

    if not installed("matplotlib"):
        raise click.UsageError(left_out({plot.name: "matplotlib"}))
    from llm_power._report.figures import require_picture

    require_picture(plot)


def _draw(plot: Path, reply: _Reply) -> None:
    from llm_power._planning.figure import draw_plan
    from llm_power._report.figures import house_style, save_picture

    if reply.curves is None:
        raise click.UsageError("leave --plot out: plans of costs have no picture")
    curves = reply.curves()
    with house_style():
        save_picture(draw_plan(curves), plot, title=reply.answer.headline)


def _found(given: dict[str, Any], question: Question) -> Found:
    from llm_power._planning import answer
    from llm_power._planning.repeats import plan_repeats

    n_items, names = given.pop("n", None), set(given)
    common: dict[str, Any] = {"n_items": n_items, "question": question}
    if names == {"p_a", "p_b"}:
        return answer.plan_any_correlation(**given, **common)
    if {"p_a", "p_b"} < names <= {"p_a", "p_b", "rho", "agreement"}:
        return answer.plan_accuracies(**given, **common)
    if names == {"gap", "discordance"}:
        return answer.plan_gap(**given, **common)
    if names == {"b", "c"} and n_items is not None:
        return answer.plan_counts(**given, **common)
    if names == {"discordance"} and n_items is not None:
        return answer.plan_detectable(**given, **common)
    if {"between", "within_a"} <= names <= {"gap", *_REPEATS}:
        _by_t_test(question)
        return plan_repeats(**given, **common)
    raise click.UsageError(
        "give --p-a and --p-b (perhaps with --rho or --agreement), or --b, --c and --n, or "
        "--discordance with --gap or --n, or --between and --within-a with --gap or --n, or --pilot"
    )
