"""How many items a plan takes, when what is known of two models is a pilot, and its answer."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from math import isfinite, isnan
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from llm_power._board.measure import confidence, points, whole
from llm_power._board.repeats import variances_of_pair
from llm_power._choices import PILOT_MISSING, TEST_NAMES
from llm_power._errors import InvalidArgument, ScoreError, counted, grouped, listed
from llm_power._planning.curves import PlanCurves, sizes_around, sizes_of_gaps
from llm_power._planning.question import STANDARD, Question
from llm_power._report.answer import Answer, Notes, Table
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores
from llm_power._scores.selection import select_models
from llm_power._scores.store import TaskScores
from llm_power._statistics._numerics import smallest_that
from llm_power._statistics.argument_checks import one_of
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.cluster_moments import moments_from_differences
from llm_power._statistics.design_costs import Variances
from llm_power._statistics.designs import LARGEST_PLAN, MOST_UNITS, required_units
from llm_power._statistics.pilot_design import (
    BinaryPilot,
    ClusterPilot,
    MeanPilot,
    Pilot,
    PilotDesign,
    cluster_items_design,
    pilot_design,
    too_many_units,
)

Unit = Literal["items", "clusters"]

#: Chance that the true gap is at least the one that a pilot's own is corrected to.
CONFIDENCE: Final = 0.80

# Sizes of a curve of assurance.
_ROUGH: Final = 30

# Graded items that the interval of a variance takes.
_FEWEST: Final = 5


@dataclass(frozen=True, slots=True)
class GapPlan:
    """A plan at one gap, and what the pilot makes of it."""

    gap: float  # in score units; 0 where none is left
    units: float  # whose power at this gap is the target; inf at a gap of 0
    assurance: float  # power expected over the whole uncertainty; NaN without a number


@dataclass(frozen=True, slots=True)
class AssuredN:
    """What reaches a target assurance."""

    n_star: float  # smallest number of units that does; inf where none of `LARGEST_PLAN` does
    largest: float  # chance that the pilot's better model is the better one: more is out of reach


@dataclass(frozen=True, slots=True)
class OwnGap:
    """Plans for the gap that the pilot itself has, which is no declared one."""

    significant: bool  # the corrections are then made on that condition
    observed: GapPlan  # as if it were the true one
    median: GapPlan  # median-unbiased
    limit: GapPlan  # that the true one exceeds with a chance of `CONFIDENCE`
    assured: AssuredN


@dataclass(frozen=True, slots=True)
class PilotPlan:
    """How many items or clusters to take, as far as a pilot tells."""

    question: Question
    model_a: str
    model_b: str
    n_items: int
    n_unscored: int  # items left out, because one of the two has no score
    gap: float  # score of A less that of B in the pilot
    p: float
    test: str
    unit: Unit  # what numbers count
    cluster_size: float  # mean items of a unit: 1 where units are items
    declared: float | None  # gap to be found
    design: PilotDesign | None  # at the declared gap
    assured: float | None  # units whose expected power at the declared gap is the target
    same_clusters: PilotDesign | None  # were all items from the pilot's own clusters
    own: OwnGap | None  # where no gap was declared


def plan_pilot(
    task: TaskScores,
    model_a: str,
    model_b: str,
    *,
    gap: float | None = None,
    cluster: str | None = None,
    question: Question = STANDARD,
) -> PilotPlan:
    """Plan from a pilot that two models have answered."""
    if task.kind == "real":
        raise InvalidArgument(
            f"a pilot's scores lie in [0, 1], those of task {task.task} are real. Remedy: resolve "
            "it, which gives the items of a new run in its unit."
        )
    pilot, d = _read(task, model_a, model_b, cluster, question)
    if gap is None and pilot.delta == 0:
        raise InvalidArgument("gap must be given: that of the pilot is zero")
    design = None if gap is None else pilot_design(pilot, gap, power=question.power)
    return PilotPlan(
        question=question,
        model_a=model_a,
        model_b=model_b,
        n_items=len(d),
        n_unscored=task.n_items - len(d),
        gap=float(d.mean()),
        p=pilot.p,
        test=pilot.test,
        unit="items" if cluster is None else "clusters",
        cluster_size=pilot.cluster_size,
        declared=gap,
        design=design,
        assured=None if gap is None or design is None else _assured(pilot, gap, design, question),
        same_clusters=(
            cluster_items_design(pilot, gap, power=question.power)
            if gap is not None and isinstance(pilot, ClusterPilot)
            else None
        ),
        own=_own(pilot, question) if gap is None else None,
    )


def pilot_curves(plan: PilotPlan, task: TaskScores, *, cluster: str | None) -> PlanCurves:
    """Return the curves at the declared gap, or at the corrected gap of the pilot."""
    pilot, _ = _read(task, plan.model_a, plan.model_b, cluster, plan.question)
    if plan.design is not None:
        gap, interval = abs(plan.declared or 0.0), (plan.design.low, plan.design.high)
        planned = {"planned": plan.design.high, "at the pilot's estimates": plan.design.n_star}
    else:
        own = _own_gap(plan)
        gap, interval = own.limit.gap, None
        planned = {"planned": own.limit.units, "pilot's own gap": own.observed.units}
    if not isfinite(planned["planned"]):
        raise InvalidArgument("a plot must be of a plan that finds a gap: declare one with --gap")
    # A t test takes two units.
    most, least = planned["planned"], 1 if isinstance(pilot, BinaryPilot) else 2
    fine = sizes_around(most, least=least)
    rough = sizes_around(most, least=least, number=_ROUGH)
    sizes = sizes_of_gaps(most)
    gaps = pilot.detectable(sizes, plan.question.power)
    if plan.own is None:
        chances, name = pilot.expected(gap).power(rough), "assurance at this gap"
    else:
        chances = _assurance(pilot, rough)
        name = "assurance, the gap being the pilot's"
    gaps_of_power = [gap] if plan.own is None else [gap, plan.own.observed.gap]
    return PlanCurves(
        unit=plan.unit,
        power={
            f"power, gap of {points(x)}": (fine, pilot.at(x).quick().power(fine))
            for x in gaps_of_power
        },
        assurance={name: (rough, chances)},
        gap={"detectable gap": (sizes[np.isfinite(gaps)], gaps[np.isfinite(gaps)])},
        planned=planned,
        interval=interval,
        target=plan.question.power,
    )


def read_pilot(
    pilot: str | os.PathLike[str],
    model_a: str | None = None,
    model_b: str | None = None,
    *,
    cluster: str | None = None,
    missing: str | None = None,
    **declared: Any,
) -> tuple[TaskScores, str, str]:
    """Read the scores of a pilot, and say which two models are meant."""
    one_of("missing", missing or PILOT_MISSING[0], PILOT_MISSING)
    task = read_scores(pilot, ReadOptions(clusters=(cluster,) if cluster else (), **declared))
    names = [model_a, model_b]
    if names == [None, None] and task.n_models == len(names):
        names = [*task.models]
    if None in names:
        raise ScoreError(
            f"the pilot has {counted(task.n_models, 'model')}: {listed(task.models)}",
            remedy="name two of them with --model-a and --model-b",
            file=str(pilot),
        )
    model_a, model_b = map(str, names)
    lacking = np.count_nonzero(~_pair_of(task, model_a, model_b).scored.all(axis=1))
    if lacking == task.n_items:
        raise ScoreError(
            f"{model_a!r} and {model_b!r} have no item in common",
            remedy="name two models of the same items",
            file=str(pilot),
        )
    if lacking and missing != "pairwise":
        raise ScoreError(
            f"{lacking:,} of {task.n_items:,} items have no score of {model_a!r} or of {model_b!r}",
            remedy="choose pairwise to leave these items out",
            settings={"missing": "pairwise"},
            file=str(pilot),
        )
    return task, model_a, model_b


def _pair_of(task: TaskScores, model_a: str, model_b: str) -> TaskScores:
    if model_a == model_b:
        raise InvalidArgument(f"model_a and model_b must differ, got {model_a!r} twice")
    return select_models(task, [model_a, model_b])


def variances_of_pilot(
    task: TaskScores, model_a: str, model_b: str, *, cluster: str | None = None
) -> Variances:
    """Estimate the variance of the paired difference at each level from a pilot."""
    pair = _pair_of(task, model_a, model_b)
    variances = variances_of_pair(pair, 0, 1)
    if pair.repeats is None:
        items, within = float(variances.standard_error**2 * variances.n_items), 0.0
    else:
        items, within = float(variances.between), float(variances.within_a + variances.within_b)
    items = max(items, 0.0)
    if cluster is None:
        return Variances(0.0, items, within)
    d = pair.values[:, 0] - pair.values[:, 1]
    names, codes = pair.cluster_codes(cluster)
    subjects = ClusterPilot(moments_from_differences(d, np.asarray(names)[codes])).between
    return Variances(subjects, max(items - subjects, 0.0), within)


def discordance_of_pilot(task: TaskScores, model_a: str, model_b: str) -> float | None:
    """Return the share of items that one model alone solves; None for graded scores."""
    pair = _pair_of(task, model_a, model_b)
    return float(np.nanmean(np.ptp(pair.values, axis=1))) if pair.kind == "binary" else None


def _read(
    task: TaskScores, model_a: str, model_b: str, cluster: str | None, question: Question
) -> tuple[Pilot, FloatArray]:
    """Return what is asked of a pilot, and its differences."""
    if question.margin is not None or question.clusters is not None:
        raise InvalidArgument("a pilot must come without margin, clusters and icc: it has its own")
    pair = _pair_of(task, model_a, model_b)
    both = pair.scored.all(axis=1)
    d = pair.values[both, 0] - pair.values[both, 1]
    if not d.any():
        raise ScoreError(
            f"{model_a!r} and {model_b!r} differ on none of {len(d):,} items",
            remedy="give a larger pilot",
            file=task.provenance.file,
        )
    labels = None
    if cluster is not None:
        names, codes = pair.cluster_codes(cluster)
        labels = np.asarray(names)[codes][both]
    return _pilot(pair, d, labels, question), d


def _assured(pilot: Pilot, gap: float, design: PilotDesign, question: Question) -> float:
    expected = pilot.expected(gap)

    def suffices(units: int) -> bool:
        return bool(expected.power(units) >= question.power)

    # Among numbers that the pilot holds for possible, or beyond them where it tells little.
    least, most = int(design.low), int(design.high)
    while not suffices(most):
        if most > MOST_UNITS:
            raise too_many_units(gap)
        least, most = most, 2 * most
    return float(smallest_that(suffices, least, most))


def _own(pilot: Pilot, question: Question) -> OwnGap:
    significant, assurance = pilot.p <= question.level, pilot.assurance()

    def plan(gap: float) -> GapPlan:
        units = required_units(pilot.at(gap), question.power) if gap > 0 else np.inf
        if units > MOST_UNITS:
            return GapPlan(gap, units, np.nan)
        return GapPlan(gap, units, float(_assurance(pilot, np.array(units, dtype=np.int64))))

    return OwnGap(
        significant=significant,
        observed=plan(abs(pilot.delta)),
        median=plan(pilot.limit(0.5, selected=significant)),
        limit=plan(pilot.limit(CONFIDENCE, selected=significant)),
        assured=AssuredN(required_units(assurance, question.power), assurance.largest),
    )


def _pilot(
    pair: TaskScores, d: FloatArray, labels: NDArray[np.str_] | None, question: Question
) -> Pilot:
    if labels is not None:
        pilot = ClusterPilot(moments_from_differences(d, labels), alpha=question.level)
        if not (pilot.standard_error > 0 and pilot.freedom > 0):
            raise ScoreError(
                "the clusters do not differ, so the variance between them cannot be estimated",
                remedy="give more clusters, or leave --cluster out",
            )
        return pilot
    if pair.kind == "binary":
        b, c = int((d > 0).sum()), int((d < 0).sum())
        return BinaryPilot(b, c, len(d), test=question.test, alpha=question.level)
    if len(d) < _FEWEST or np.ptp(d) == 0:
        raise ScoreError(
            f"{len(d)} items with {np.unique(d).size} different gaps tell of no variance",
            remedy=f"give {_FEWEST} items or more, not all with one gap",
        )
    return MeanPilot(d, alpha=question.level)


def _assurance(pilot: Pilot, units: IntArray) -> FloatArray:
    """Assurance of numbers of units; NaN of more items than are summed over."""
    if isinstance(pilot, BinaryPilot) and units.max() > LARGEST_PLAN:
        return np.full(units.shape, np.nan)
    return pilot.assurance().power(units)


# A chance that is written as 1.
_CERTAIN: Final = 0.9995


def pilot_answer(plan: PilotPlan) -> Answer:
    """Return a plan from a pilot, the number to take first."""
    parts: tuple[Table | Notes, ...] = (
        (_own_table(plan), Notes(tuple(_notes(plan))))
        if plan.design is None
        else (_declared_table(plan, plan.design),)
    )
    return Answer(_headline(plan), asdict(plan), (_about(plan),), parts=parts)


def _headline(plan: PilotPlan) -> str:
    power = plan.question.power
    if plan.design is not None:
        design, gap = plan.design, points(plan.declared or 0)
        return (
            f"Plan {_units(plan, design.high)}: they detect a gap of {gap} with power {power:g} or "
            f"more, with confidence {(1 + design.confidence) / 2:g} given the pilot; at its "
            f"estimates {whole(design.n_star)} suffice."
        )
    limit = _own_gap(plan).limit
    if not isfinite(limit.units):
        return (
            "The pilot gives no number: its gap is too close to zero. Declare the gap to detect "
            "with --gap."
        )
    return (
        f"Plan {_units(plan, limit.units)}: they detect a gap of {points(limit.gap)} with power "
        f"{power:g}, and the true gap is as large or larger with confidence {CONFIDENCE:g}."
    )


def _about(plan: PilotPlan) -> str:
    question, clustered = plan.question, plan.unit == "clusters"
    lead = "ahead of" if plan.gap >= 0 else "behind"
    test = "the t test over clusters" if clustered else f"the {TEST_NAMES[plan.test]}"
    level = f"two-sided level {question.level:.3g}"
    out = counted(plan.n_unscored, "item")
    lacking = f" ({out} left out for want of a score)" if plan.n_unscored else ""
    return (
        f"Pilot: {counted(plan.n_items, 'item')}{lacking}, {plan.model_a} {points(plan.gap)} "
        f"{lead} {plan.model_b}, p = {plan.p:.2g} by {test}; {level}."
    )


def _declared_table(plan: PilotPlan, design: PilotDesign) -> Table:
    rows = [["", plan.unit, f"{confidence(1 - design.confidence)} interval", "assurance"]]
    rows.append(["required", *_with_interval(design)])
    power = plan.question.power
    rows.append([f"assurance of {power:g}", whole(plan.assured or 0), "-", _chance(power)])
    if plan.same_clusters is not None:
        rows.append(["items, from these clusters alone", *_with_interval(plan.same_clusters)])
    return Table(rows)


def _with_interval(design: PilotDesign) -> list[str]:
    interval = f"{whole(design.low)} to {whole(design.high)}"
    return [whole(design.n_star), interval, _chance(design.assurance)]


def _own_table(plan: PilotPlan) -> Table:
    own, chance = _own_gap(plan), f"{CONFIDENCE:g}"
    rows = [["gap", "points", plan.unit, "assurance"]]
    for name, at in (
        ("the pilot's own", own.observed),
        ("median-unbiased", own.median),
        (f"confidence of {chance}", own.limit),
    ):
        rows.append([name, f"{100 * at.gap:.3g}", whole(at.units), _chance(at.assurance)])
    power = plan.question.power
    assured = _chance(power) if isfinite(own.assured.n_star) else "-"
    rows.append([f"assurance of {power:g}", "-", whole(own.assured.n_star), assured])
    return Table(rows)


def _notes(plan: PilotPlan) -> list[str]:
    own, power = _own_gap(plan), plan.question.power
    if own.significant:
        why = "Significant gaps are too large on average; the second and third row correct that"
    else:
        why = "The pilot is not significant; the second and third row correct its uncertainty alone"
    lines = [f"{why}. To avoid this correction, declare the gap that matters with --gap."]
    if not isnan(own.observed.assurance):
        lines.insert(
            0,
            f"At the pilot's own gap {_units(plan, own.observed.units)} promise power {power:g}; "
            f"their power averaged over the pilot's uncertainty is {own.observed.assurance:.2f}.",
        )
    if own.assured.largest < _CERTAIN:
        lines.append(
            f"No number has an assurance above {own.assured.largest:.3g}, the chance that the "
            "model that leads in the pilot is the better one."
        )
    return lines


def _own_gap(plan: PilotPlan) -> OwnGap:
    assert plan.own is not None  # where no gap is declared
    return plan.own


def _units(plan: PilotPlan, number: float) -> str:
    if plan.unit == "items":
        return f"{whole(number)} items"
    return (
        f"{whole(number)} clusters of {grouped(plan.cluster_size)} items, "
        f"{whole(number * plan.cluster_size)} in all"
    )


def _chance(value: float) -> str:
    return "-" if isnan(value) else f"{value:.2f}"
