"""The command ``llm-power plan``."""

# Imports inside the function, for the reason that `llm_power.cli` gives.
# ruff: noqa: PLC0415
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from llm_power.choices import MCNEMAR_TESTS
from llm_power.command_options import level_and_power

if TYPE_CHECKING:
    from llm_power.plan.question import Question
    from llm_power.plan.text import Answer

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
"""
# What says how much the models differ; the other options are the question's.
_REPEATS: Final = ("between", "within_a", "within_b", "repeats_a", "repeats_b")
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
@click.option("--json", "as_json", is_flag=True, help="For programs, at full precision.")
def plan(*, as_json: bool, **given: Any) -> None:
    """Say how many items to run, before they are run.

    From two accuracies, from the counts of a run, or from a gap and the share of items that one
    model alone solves; from --n in place of the gap, which gap so many items find. What the numbers
    cannot be is refused with what they can. docs/planning.md has worked plans.
    """
    from llm_power.plan.question import Question
    from llm_power.plan.text import plan_json, plan_text

    pair = {name: given.pop(name) for name in _PAIR}
    said = {name: value for name, value in pair.items() if value is not None}
    answer = _answer(said, Question(**given))
    click.echo(plan_json(answer) if as_json else plan_text(answer))


def _answer(given: dict[str, Any], question: Question) -> Answer:
    from llm_power.plan import answer
    from llm_power.plan.repeats import plan_repeats

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
        return plan_repeats(**given, **common)
    raise click.UsageError(
        "give --p-a and --p-b (with --rho or --agreement), --b, --c and --n, --gap or "
        "--n and --discordance, or --gap or --n with --between and --within-a"
    )
