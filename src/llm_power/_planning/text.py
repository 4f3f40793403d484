"""The answer that a plan is, the number to take first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import inf, isfinite, isnan
from typing import Final

from llm_power._board.measure import p_value, points, whole
from llm_power._choices import MCNEMAR_TESTS, TEST_NAMES
from llm_power._errors import counted, grouped
from llm_power._planning.answer import (
    AtHand,
    ClusterItems,
    DetectableGap,
    Plan,
    PlanRange,
    RepeatsPlan,
)
from llm_power._planning.question import Question
from llm_power._report.answer import Answer, Notes, Table

_OfPairs = Plan | PlanRange | DetectableGap
AssumedPlan = _OfPairs | RepeatsPlan

_EQUIVALENCE: Final = "two one-sided tests"
_BOTH_TESTS: Final = "test by clusters and that of the items"
#: Both ends of what a range leaves open: the head of their column, and as a place in a sentence.
_ENDS: Final = {
    "correlation": (
        ("highest correlation", "at the highest correlation"),
        ("lowest correlation", "at the lowest correlation"),
    ),
    "discordance": (
        ("least discordance", "if one model solves all that the other solves"),
        ("full discordance", "where the models differ on every item"),
    ),
}
_OPEN: Final = (
    "A gap leaves open on how many items the models differ (their discordance): --discordance, the "
    "accuracies --p-a and --p-b, or a --pilot narrow the range."
)
_OBSERVED: Final = (
    "Assumed are the observed rates. An observed gap is not the true one, and a significant one is "
    "on average too large: --pilot plans with the uncertainty of the scores."
)


def plan_answer(result: AssumedPlan, *, observed: bool = False) -> Answer:
    """Return a plan with what it assumes, which a run may have shown, and what it rests on."""
    if isinstance(result, RepeatsPlan):
        return _of_repeats(result)
    plans, heads = _columns(result)
    plan = plans[-1]
    label = "" if isinstance(result, DetectableGap) else " (this plan)"
    parts: list[Table | Notes] = [*_required(plans, heads, label)]
    if plan.clusters is not None:
        parts.append(_ways(plan.clusters))
    if plan.sizes and not isinstance(result, PlanRange):
        parts.append(_errors(plan))
    notes = [*_notes(result, plan), *([_OBSERVED] if observed else [])]
    if isinstance(result, PlanRange) and result.open == "discordance":
        notes.append(_OPEN)
    return Answer(
        _headline(result),
        asdict(result),
        (_assumed(result, plan),),
        parts=(*parts, *([Notes(tuple(notes))] if notes else [])),
    )


def ends_of(plans: PlanRange) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return what the ends with the fewest and the most items are called, and where they are."""
    low, high = _ENDS[plans.open]
    rises = plans.fewest.pair.discordance <= plans.most.pair.discordance
    return (low, high) if rises else (high, low)


def _headline(result: _OfPairs) -> str:
    if isinstance(result, PlanRange):
        return _range_sentence(result)
    return _gap_sentence(result) if isinstance(result, DetectableGap) else _sentence(result)


def _columns(result: _OfPairs) -> tuple[list[Plan], list[str]]:
    if isinstance(result, PlanRange):
        return [result.fewest, result.most], [name for name, _ in ends_of(result)]
    if isinstance(result, DetectableGap):
        return [result.plan], ["items"]
    return [result], ["items"]


def _sentence(plan: Plan) -> str:
    gap = points(plan.pair.gap)
    if plan.decided_as == "equivalent":
        return (
            f"Plan {_items(plan.items)}: two one-sided score tests then show that the gap, "
            f"here {gap}, is within {points(plan.question.margin or 0)}, with power "
            f"{plan.question.power:g}."
        )
    if plan.clusters is not None:
        return _clusters_sentence(plan, plan.clusters, gap)
    if plan.decided_as == "undetermined":
        return (
            "No number of items separates models whose gap is zero; to show that it is within a "
            "margin, give --margin."
        )
    margin = plan.question.margin
    within = "" if margin is None else f"A gap of {gap} is not within {points(margin)}. "
    return (
        f"{within}Plan {_items(plan.items)} or more: they detect a true gap of {gap} with power "
        f"{plan.question.power:g}."
    )


def _clusters_sentence(plan: Plan, clusters: ClusterItems, gap: str) -> str:
    asked = plan.question
    more = f"{grouped(clusters.n_clusters_needed)} clusters of {counted(clusters.size, 'item')}"
    if not isfinite(clusters.per_cluster):
        return (
            f"{grouped(clusters.n_clusters)} clusters are too few at an ICC of {asked.icc:g}, "
            f"however many items they have: plan {more}, "
            f"{grouped(clusters.n_clusters_needed * clusters.size)} in all, for the gap of {gap}; "
            f"fewer than {grouped(clusters.fewest)} clusters never suffice."
        )
    return (
        f"Plan {_shared(plan, clusters)}: they detect a gap of {gap} with power {asked.power:g}; "
        f"{more} suffice too."
    )


def _items(number: float) -> str:
    return counted(int(number), "item")


def _shared(plan: Plan, clusters: ClusterItems) -> str:
    each = f"{grouped(clusters.per_cluster)} from each of {grouped(clusters.n_clusters)} clusters"
    return f"{_items(plan.items)}, {each}"


def _range_sentence(plans: PlanRange) -> str:
    most, clusters = plans.most, plans.most.clusters
    (_, at_fewest), (_, where) = ends_of(plans)
    if not isfinite(most.items):
        return f"{where[0].upper()}{where[1:]}, {_sentence(most)}" if clusters else _sentence(most)
    items = _items(most.items) if clusters is None else _shared(most, clusters)
    enough = (
        f"for power {most.question.power:g} on however many items the models differ"
        if plans.open == "discordance"
        else "at every correlation of the scores that the accuracies admit"
    )
    fewer = f"; {grouped(plans.fewest.items)} suffice {at_fewest}"
    return f"Plan {items}: enough {enough}{fewer if plans.fewest.items < most.items else ''}."


def _gap_sentence(detectable: DetectableGap) -> str:
    asked, clusters = detectable.plan.question, detectable.plan.clusters
    if not detectable.plan.pair.discordance:
        return "No number of items separates models that never differ on an item."
    if not isfinite(detectable.gap):
        never = clusters is not None and not isfinite(clusters.per_cluster)
        none = f"No gap is detectable on {counted(detectable.n_items, 'item')}"
        more = f" from {asked.clusters} clusters: plan more clusters." if never else ": plan more."
        return none + more
    return (
        f"{grouped(detectable.n_items)} items detect gaps of "
        f"{points(detectable.gap, up=True)} or more with power {asked.power:g}."
    )


def _assumed(answer: _OfPairs, plan: Plan) -> str:
    asked, pair = plan.question, plan.pair
    who = f"A alone solves {100 * pair.p10:.3g}% of the items, B alone {100 * pair.p01:.3g}%"
    if isinstance(answer, PlanRange):
        least, most = sorted([answer.fewest.pair.discordance, pair.discordance])
        who = (
            f"a gap of {points(pair.gap)}, at {100 * least:.3g}% to {100 * most:.3g}% of items "
            "that one model alone solves"
        )
    test = TEST_NAMES[asked.test] if plan.clusters is None else _BOTH_TESTS
    used = "" if plan.decided_as == "equivalent" else f"; {test}"
    return f"Assumed: {who}; {_level(asked)}{used}."


def _level(asked: Question) -> str:
    level = f"two-sided level {asked.alpha:g}"
    if asked.family_size == 1:
        return level
    how = "max-T" if asked.models else "Bonferroni and Holm"
    return f"{level} of {grouped(asked.family_size)} pairs, {asked.level:.3g} of each by {how}"


def _repeats_sentence(plan: RepeatsPlan) -> str:
    k = (
        f"{counted(plan.repeats_a, 'answer')} of each model"
        if plan.repeats_a == plan.repeats_b
        else f"{counted(plan.repeats_a, 'answer')} of A and {grouped(plan.repeats_b)} of B"
    )
    if not isfinite(plan.items):
        return "No number of items separates models whose gap is zero."
    if plan.gaps:
        return (
            f"The items detect gaps of {points(plan.gap, up=True)} or more with power "
            f"{plan.question.power:g}, with {k} to every one."
        )
    return (
        f"Plan {grouped(plan.items)} items with {k} to every one: they detect a gap of "
        f"{points(plan.gap)} with power {plan.question.power:g}."
    )


def _of_repeats(plan: RepeatsPlan) -> Answer:
    assumed = (
        f"Assumed: variance {plan.between:.4g} between items, {plan.within_a:.4g} of an answer of "
        f"A and {plan.within_b:.4g} of B; {_level(plan.question)}; paired t test."
    )
    cells = [points(gap, up=True) for _, gap in plan.gaps] or [whole(n) for _, n in plan.ways]
    rows = [["answers of each model", "detectable gap" if plan.gaps else "items"]]
    rows += [
        [grouped(k) if isfinite(k) else "ever more", cell]
        for (k, _), cell in zip(plan.ways, cells, strict=True)
    ]
    parts: list[Table | Notes] = [Table(rows)]
    if not plan.gaps and isfinite(plan.n_star):
        note = f"N* of eq. (9), by the normal law, is {whole(plan.n_star)}."
        parts.append(Notes((note,)))
    return Answer(_repeats_sentence(plan), asdict(plan), (assumed,), parts=tuple(parts))


def _required(plans: Sequence[Plan], heads: list[str], label: str) -> list[Table]:
    """Return the items of each test, the planned one first; apart, what is no plan of this run."""
    last = plans[-1]
    own = TEST_NAMES[last.question.test]
    tests = {TEST_NAMES[test]: [getattr(plan, test) for plan in plans] for test in MCNEMAR_TESTS}
    if last.holm is not None:
        tests[f"{own}, Holm"] = [plan.holm or inf for plan in plans]
    if last.clusters is not None:
        own = f"test by clusters, {grouped(last.clusters.n_clusters)} clusters"
        clusters = [plan.clusters for plan in plans if plan.clusters]
        tests[own] = [each.per_cluster * each.n_clusters for each in clusters]
    if last.equivalence is not None:
        tests[_EQUIVALENCE] = [plan.equivalence or inf for plan in plans]
    if last.decided_as == "equivalent":
        own = _EQUIVALENCE
    planned = {f"{own}{label}": tests.pop(own)} if isfinite(last.items) else {}
    tables = [
        _table("test", heads, planned | tests),
        _table(
            "for comparison, not a plan",
            heads,
            {"N*, normal approximation": [plan.n_star for plan in plans]},
        ),
    ]
    of = [plan.monitored for plan in plans if plan.monitored is not None]
    if len(of) == len(plans):
        rows = {
            "at most": [each.items for each in of],
            "used on average": [each.expected for each in of],
            "at most, for power 0.9": [each.by_90 for each in of],
        }
        tables.append(_table("another design: test after every item", heads, rows))
    return tables


def _table(first: str, heads: list[str], numbers: Mapping[str, Sequence[float]]) -> Table:
    return Table([[first, *heads], *([label, *map(whole, of)] for label, of in numbers.items())])


def _ways(clusters: ClusterItems) -> Table:
    rows = [["clusters", "items of each", "in all"]]
    rows += [[grouped(k), whole(m), whole(k * m)] for k, m in clusters.ways]
    return Table(rows)


def _errors(plan: Plan) -> Table:
    rows = [["items run", "power", "wrong sign", "times the gap"]]
    rows += [
        [
            *(grouped(at.n_items), f"{at.power:.2f}"),
            *([p_value(at.type_s), f"{at.type_m:.2f}"] if at.power else ["-", "-"]),
        ]
        for at in plan.sizes
    ]
    test = f"for a difference, by the {TEST_NAMES[plan.question.test]}"
    return Table(rows, test if plan.decided_as == "equivalent" else "")


def _notes(answer: _OfPairs, plan: Plan) -> list[str]:
    lines = []
    where = f", {ends_of(answer)[1][1]}" if isinstance(answer, PlanRange) else ""
    if plan.sizes and not isinstance(answer, PlanRange):
        lines.append(
            "Wrong sign: share of the significant gaps that favor the worse model. Times the gap: "
            "their mean size over the true gap."
        )
    if isinstance(answer, DetectableGap) and plan.sizes and plan.items != answer.n_items:
        lines.append(
            "The power of McNemar's test rises and falls with the number of items: at a gap of "
            f"{points(plan.pair.gap, up=True)} it is {plan.question.power:g} or more on "
            f"{_items(plan.items)} and on every larger number."
        )
    if isfinite(plan.n_star) and plan.clusters is None:
        lines.append(
            "N* is a formula that approximates: on N* items the test has power "
            f"{plan.power_at_n_star:.3f}{where}."
        )
    if plan.power_at_equivalence is not None and not isnan(plan.power_at_equivalence):
        lines.append(
            "The number of the two one-sided tests is a normal approximation; their exact power "
            f"there, summed over all tables, is {plan.power_at_equivalence:.3f}{where}."
        )
    if plan.question.models is not None:
        lines.append("Max-T assumes that all models are equally accurate and equally correlated.")
    if plan.at_hand is not None and not isinstance(answer, DetectableGap):
        lines.append(_hand(plan, plan.at_hand, where))
    return lines


def _hand(plan: Plan, hand: AtHand, where: str) -> str:
    items = f"The {_items(hand.n_items)} at hand detect{'s' * (hand.n_items == 1)}"
    if not isfinite(hand.detectable):
        return f"{items} no gap at this discordance{where}."
    this = "" if isnan(hand.power) else f"this gap with power {hand.power:.3f}, and "
    gaps = f"gaps of {points(hand.detectable, up=True)} or more"
    return f"{items} {this}{gaps} with power {plan.question.power:g}{where}."
