"""One plan for all that may be known of two models: the numbers given say which is meant."""

# What tables, optimizers and curves take to load is not for a plan of closed forms.
# ruff: noqa: PLC0415
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Unpack

from llm_power._choices import McNemarTest, PilotMissing
from llm_power._errors import InvalidArgument
from llm_power._planning.answer import plan_detectable, plan_pair, plan_range, plan_repeats
from llm_power._planning.question import (
    SAME_GAP,
    AssumedPair,
    Question,
    pair_from_accuracies,
    pair_from_counts,
    pair_from_gap,
    pairs_of_accuracies,
)
from llm_power._planning.text import AssumedPlan, plan_answer
from llm_power._report.answer import Reply
from llm_power._statistics.argument_checks import (
    counts,
    non_negative,
    percent_meant,
    positive,
    positive_count,
    proportions,
)

if TYPE_CHECKING:
    from llm_power._planning.costs import CostPlan
    from llm_power._planning.curves import PlanCurves
    from llm_power._planning.pilot import PilotPlan
    from llm_power._scores.options import Reading
    from llm_power._scores.store import TaskScores

# Which numbers are asked about, and which say how much the models differ.
_QUESTION: Final = (
    *("clusters", "icc", "margin", "comparisons", "models", "test", "alpha", "power"),
)
_PILOT: Final = ("pilot", "model_a", "model_b", "cluster", "missing")
_PRICES: Final = ("cost_subject", "cost_item", "cost_answer", "budget")
_REPEATS: Final = ("between", "within_a", "within_b", "repeats_a", "repeats_b")
_PAIR: Final = ("p_a", "p_b", "rho", "agreement", "b", "c", "n", "gap", "discordance", *_REPEATS)


@dataclass(frozen=True, slots=True, repr=False)
class Planned(Reply):
    """What `plan` answers: its repr is the headline, `print` shows the screen of the command.

    Attributes
    ----------
    numbers : Plan, PlanRange, DetectableGap, RepeatsPlan, PilotPlan or CostPlan
        Every number behind it, by what was given.
    answer : Answer
        What `to_dict`, `to_markdown` and `to_html` show.
    curves : callable or None
        Makes the curves of its picture; None for plans of costs.

    Examples
    --------
    >>> from llm_power import plan
    >>> plan(n=2_000, discordance=0.1)
    2,000 items detect gaps of 2.03 points or more with power 0.8.
    """

    numbers: AssumedPlan | PilotPlan | CostPlan
    curves: Callable[[], PlanCurves] | None = None


def plan(
    *,
    p_a: float | None = None,
    p_b: float | None = None,
    rho: float | None = None,
    agreement: float | None = None,
    b: int | None = None,
    c: int | None = None,
    n: int | None = None,
    gap: float | None = None,
    discordance: float | None = None,
    between: float | None = None,
    within_a: float | None = None,
    within_b: float | None = None,
    repeats_a: int | None = None,
    repeats_b: int | None = None,
    pilot: str | os.PathLike[str] | None = None,
    model_a: str | None = None,
    model_b: str | None = None,
    cluster: str | None = None,
    missing: PilotMissing | None = None,
    cost_subject: float | None = None,
    cost_item: float | None = None,
    cost_answer: float | None = None,
    budget: float | None = None,
    clusters: int | None = None,
    icc: float | None = None,
    margin: float | None = None,
    comparisons: int = 1,
    models: int | None = None,
    test: McNemarTest = "exact",
    alpha: float = 0.05,
    power: float = 0.80,
    **reading: Unpack[Reading],
) -> Planned:
    """Plan how many items to run, before they are run, as ``llm-power plan`` does.

    Parameters
    ----------
    p_a, p_b, rho, agreement : float, optional
        Accuracies, and how their scores correlate or how often they agree.
    b, c, n : int, optional
        Items that A alone solved, B alone, and all, in a run; `n` alone with `discordance`: the
        items at hand.
    gap, discordance : float, optional
        Gap to be found in score units, and the share of items that one model alone solves.
    between, within_a, within_b, repeats_a, repeats_b : float or int, optional
        Variances of graded scores between and within items, and answers to an item.
    pilot : path, optional
        Scores that two models have.
    model_a, model_b, cluster : str, optional
        Models of the pilot, and the column that groups its items.
    missing : {"error", "pairwise"}, optional
        What to do about items that one of the models has no score on: stop, or leave them out.
    cost_subject, cost_item, cost_answer, budget : float, optional
        Costs, in any unit.
    clusters, icc, margin, comparisons, models, test, alpha, power
        As the options of the command.
    **reading
        How the pilot is read, as the attributes of `ReadOptions`.

    Returns
    -------
    Planned
        Its repr is the headline; `numbers` holds what it rests on.

    Raises
    ------
    InvalidArgument
        If the numbers given do not say what to plan, or one is outside its domain.
    ScoreError
        If the pilot cannot be read.

    Examples
    --------
    >>> from llm_power import plan
    >>> answer = plan(p_a=0.65, p_b=0.60, rho=0.30)
    >>> answer.numbers.items
    1069.0
    """
    asked = locals()
    question, how, prices, pair = (
        {name: asked[name] for name in names} for names in (_QUESTION, _PILOT, _PRICES, _PAIR)
    )
    how |= reading
    given = {name: value for name, value in pair.items() if value is not None}
    if any(price is not None for price in prices.values()):
        return _at_cost(prices, how, given, question)
    if pilot is not None:
        return _from_pilot(how, given, question)
    if alone := next((name for name, value in how.items() if value), None):
        raise InvalidArgument(f"give --pilot with --{alone}, which says how it is read")
    assumed = _of_numbers(dict(given), Question(**question))

    def curves() -> PlanCurves:
        from llm_power._planning.curves import plan_curves

        return plan_curves(assumed)

    return Planned(plan_answer(assumed, observed="b" in given), assumed, curves)


def planned_from_task(
    task: TaskScores,
    model_a: str,
    model_b: str,
    *,
    cluster: str | None = None,
    gap: float | None = None,
    **question: Any,
) -> Planned:
    """Plan for two models of a task, whose scores are the pilot."""
    from llm_power._planning.pilot import pilot_answer, pilot_curves, plan_pilot

    pilot_plan = plan_pilot(
        task, model_a, model_b, cluster=cluster, gap=gap, question=Question(**question)
    )
    answer = pilot_answer(pilot_plan)
    return Planned(answer, pilot_plan, lambda: pilot_curves(pilot_plan, task, cluster=cluster))


def _from_pilot(
    reading: Mapping[str, Any], given: Mapping[str, Any], question: Mapping[str, Any]
) -> Planned:
    from llm_power._planning.pilot import read_pilot

    if not set(given) <= {"gap"}:
        raise InvalidArgument("give --gap with --pilot, or nothing: the rest is in the pilot")
    task, first, second = read_pilot(**reading)
    return planned_from_task(task, first, second, cluster=reading["cluster"], **given, **question)


def _by_t_test(question: Question) -> None:
    """Refuse a form of McNemar's test where means are compared."""
    if question.test != "exact":
        raise InvalidArgument("leave --test out: this plan is for the paired t test")


def _at_cost(
    prices: Mapping[str, Any],
    reading: Mapping[str, Any],
    given: dict[str, Any],
    question: dict[str, Any],
) -> Planned:
    from llm_power._planning.costs import costs_answer, plan_costs, variances_of_levels
    from llm_power._planning.pilot import discordance_of_pilot, read_pilot, variances_of_pilot
    from llm_power._statistics.design_costs import Costs

    for price in _PRICES[:3]:
        non_negative(price, prices[price] or 0.0)
    for name in given.keys() & {"between", "discordance"}:
        positive(name, given[name])
    if not prices["cost_answer"]:
        raise InvalidArgument("give a positive --cost-answer with the other costs")
    if question["clusters"] is not None:
        raise InvalidArgument("leave --clusters out: how many of them, costs decide")
    gap, icc, within = given.pop("gap", None), question.pop("icc"), given.pop("within_a", None)
    noise = 0.0 if within is None else within + given.pop("within_b", within)
    levels = {"icc": icc or 0.0, "within": noise}
    discordance = given.get("discordance")
    if reading["pilot"] is not None and not given and within is None and icc is None:
        pilot, cluster = read_pilot(**reading), reading["cluster"]
        variances, discordance = variances_of_pilot(*pilot, cluster=cluster), None
        if cluster is None:
            discordance = discordance_of_pilot(*pilot)
    elif reading["pilot"] is None and set(given) == {"discordance"}:
        pair = pair_from_gap(gap or 0.0, given["discordance"])
        variances = variances_of_levels(pair.sigma_d**2, **levels)
    elif reading["pilot"] is None and set(given) == {"between"}:
        variances = variances_of_levels(given["between"] + noise, **levels)
    else:
        raise InvalidArgument(
            "give --discordance or --between with the costs, perhaps with --icc and --within-a, or "
            "--pilot alone"
        )
    costs = Costs(prices["cost_subject"] or 0.0, prices["cost_item"] or 0.0, prices["cost_answer"])
    asked = Question(**question)
    _by_t_test(asked)
    target = {"gap": gap, "budget": prices["budget"], "discordance": discordance}
    cost_plan = plan_costs(variances, costs, **target, question=asked)
    return Planned(costs_answer(cost_plan), cost_plan)


# What makes a pair of these numbers; of both dependences one is refused.
_PAIRS: Final[Mapping[frozenset[str], Callable[..., AssumedPair]]] = {
    frozenset({"gap", "discordance"}): pair_from_gap,
    frozenset({"p_a", "p_b", "rho"}): pair_from_accuracies,
    frozenset({"p_a", "p_b", "agreement"}): pair_from_accuracies,
    frozenset({"p_a", "p_b", "rho", "agreement"}): pair_from_accuracies,
}


# What each of these must be in any plan.
_CHECKS: Final[Mapping[str, Callable[[str, Any], object]]] = {
    **dict.fromkeys(("p_a", "p_b"), proportions),
    **dict.fromkeys(("b", "c"), counts),
    **dict.fromkeys(("n", "repeats_a", "repeats_b"), positive_count),
}


def _of_numbers(given: dict[str, Any], question: Question) -> AssumedPlan:
    for name, value in given.items():
        if name in _CHECKS:
            _CHECKS[name](name, value)
    n_items = given.pop("n", None)
    if "gap" in given and ("p_a" in given) != ("p_b" in given):
        gap = given.pop("gap")
        given |= (
            {"p_b": _less(given["p_a"], gap)}
            if "p_a" in given
            else {"p_a": _less(given["p_b"], -gap)}
        )
    names = set(given)
    common: dict[str, Any] = {"n_items": n_items, "question": question}
    if names == {"gap"}:
        gap = given["gap"]
        ends = pair_from_gap(gap, abs(gap)), pair_from_gap(gap, 1.0)
        return plan_range(ends, of="discordance", **common)
    if names == {"p_a", "p_b"}:
        return plan_range(pairs_of_accuracies(**given), of="correlation", **common)
    if pair_of := _PAIRS.get(frozenset(names)):
        return plan_pair(pair_of(**given), **common)
    if names == {"b", "c"} and n_items is not None:
        return plan_pair(pair_from_counts(**given, n_items=n_items), **common)
    if names == {"discordance"} and n_items is not None:
        return plan_detectable(**given, **common)
    if {"between", "within_a"} <= names <= {"gap", *_REPEATS}:
        _by_t_test(question)
        return plan_repeats(**given, **common)
    raise InvalidArgument(
        "give --gap (alone, or with --p-a, --p-b or --discordance), --p-a and --p-b (alone, or "
        "with --rho or --agreement), --b, --c and --n, --discordance and --n, --between and "
        "--within-a with --gap or --n, or --pilot"
    )


def _less(accuracy: float, gap: float) -> float:
    """Return the other accuracy of a gap, without an error of representation."""
    other = round(accuracy - gap, 12)
    if 0 <= accuracy <= 1 and not 0 <= other <= 1:
        raise InvalidArgument(
            f"gap must leave both accuracies from 0 to 1, got {abs(gap):g} beside {accuracy:g}"
            f"{percent_meant(gap)}"
        )
    if abs(accuracy - other - gap) > SAME_GAP * abs(gap):
        raise InvalidArgument(f"gap must be 0, or farther from it beside accuracies, got {gap!r}")
    return other
