"""The verdict on the average over several tasks, beside those by task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import gammaln

from llm_power._board.all_pairs import (
    ALL_ESTIMATES,
    BoardPairs,
    controlled_family,
    gap_draws,
    in_threads,
    item_keys,
    lead_counts,
)
from llm_power._board.cluster_robustness import read_otherwise, reading
from llm_power._board.clusters import sample_column, sampled_clusters
from llm_power._board.decision import all_verdict_columns, size_columns
from llm_power._board.evidence import Evidence, weighted_gaps
from llm_power._board.operating_point import OperatingPoint, pair_indices, pairs_at
from llm_power._board.ranks import item_error, rank_rows, with_clusters
from llm_power._board.resolution import without_strangers
from llm_power._choices import WEIGHTINGS, Family, Weighting
from llm_power._documents import read_yaml
from llm_power._errors import InvalidArgument
from llm_power._scores._logs import SUBTASK
from llm_power._scores.selection import best_first, select_models
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray, ratio
from llm_power._statistics.average_gap import (
    AverageGap,
    TaskGap,
    average_gap,
    mean_gap,
    share_solved,
)
from llm_power._statistics.cluster_robust import ClusterRobustTest
from llm_power._statistics.inversion import required_n, resolution_ratio
from llm_power._statistics.max_t import GapDraws, centred_scores
from llm_power._statistics.missing_scores import WeightedGap
from llm_power._statistics.multiplicity import FamilyTest, family_size
from llm_power._statistics.predictive_power import spread_of_gaps
from llm_power._statistics.verdict import (
    DIFFERENT,
    Verdicts,
    agreed_verdicts,
    average_p,
    average_verdicts,
)
from llm_power._statistics.verdict_stability import chance_of_turning

AVERAGE_COLUMNS: Final = [
    *["rank_a", "rank_b", "model_a", "model_b", "n_items", "p_a", "p_b", "delta"],
    *["verdict", "direction", "test", "p_single", "p_family", "family_size", "close_call"],
    *["gap", "gap_low", "gap_high", "gap_low_single", "gap_high_single"],
    *["attainable", "p_equivalence", "within_margin", "items_needed", "more_items_needed"],
    *["items_even", "items_assured", "smallest_gap"],
    *["decided_as", "chance_of_turning", "n_star", "n_star_low", "n_star_high"],
    *["q", "q_low", "q_high"],
    *["type_s", "type_m", "gap_lowest", "gap_highest"],
]
_RANK_COLUMNS: Final = [
    *["rank", "model", "score", "score_low", "score_high", "n_missing", "rank_low", "rank_high"],
    *["score_further", "lead_further", "first", "p_first"],
]
_MOST_NAMES: Final = 10
_COINCIDENCE: Final = 1e-6
_LEAVES_OUT: Final = "the average over tasks leaves out"


@dataclass(frozen=True, slots=True)
class TaskAverage:
    """The verdicts and ranks of a board's models by their average over tasks."""

    verdicts: pd.DataFrame
    ranks: pd.DataFrame
    weights: Mapping[str, float]
    # Models with the tasks that lack them; tasks with the task in the average that has their items.
    left_out: Mapping[str, Sequence[str]]
    repeated: Mapping[str, str] = field(default_factory=dict)
    # Pairs that differ by either reading of the clusters, as `cluster_readings` has those of tasks.
    readings: Sequence[Mapping[str, Any]] = ()

    @property
    def why_none(self) -> str:
        """Why there is no average, where its tables are empty."""
        same = len(self.weights) < 2
        return "they share items" if same else "fewer than two models have every task"

    @property
    def weights_in_words(self) -> str:
        """Each task with its weight."""
        return ", ".join(f"{task} {weight:.3g}" for task, weight in self.weights.items())

    def warnings(self) -> list[str]:
        """Name the tasks and models that the average leaves out."""
        lines = []
        for whole in dict.fromkeys(self.repeated.values()):
            parts = _named([task for task, has in self.repeated.items() if has == whole], "tasks")
            out = "no average over tasks without" if len(self.weights) < 2 else _LEAVES_OUT
            lines.append(f"{out} {parts}: items of {whole} do not count twice")
        if not self.left_out:
            return lines
        models = [f"{model} (not in {', '.join(tasks)})" for model, tasks in self.left_out.items()]
        names = _named(models, "models")
        if self.verdicts.empty:
            few = "no average over tasks: fewer than two models are in all of them"
            return [*lines, f"{few}; {names}"]
        return [*lines, f"{_LEAVES_OUT} {names}"]


def _named(names: Sequence[str], what: str) -> str:
    hidden = len(names) - _MOST_NAMES
    more = [f"and {hidden:,} more {what}"] if hidden > 0 else []
    return ", ".join([*names[:_MOST_NAMES], *more])


def average_tasks(pairs: BoardPairs, family: Family, top: int | None) -> TaskAverage | None:
    """Return the verdicts on the average over a board's tasks, None for a single task.

    With `top` the verdicts are those of so many best models alone.
    """
    tasks, cluster, declared = pairs.tasks, pairs.cluster, pairs.declared
    if len(tasks) < 2:
        return None
    weights, repeated = task_weights(tasks, declared.weights), _repeated(tasks)
    if repeated:
        tasks = tuple(task for task in tasks if task.task not in repeated)
        total = sum(weights[task.task] for task in tasks)
        weights = {task.task: weights[task.task] / total for task in tasks}
    share = [weights[task.task] for task in tasks]
    names, left_out = _common_models(tasks)
    if len(names) < 2 or len(tasks) < 2:
        empty = pd.DataFrame(columns=AVERAGE_COLUMNS), pd.DataFrame(columns=_RANK_COLUMNS)
        return TaskAverage(*empty, weights, left_out, repeated)
    kept = [select_models(task, names) for task in tasks]
    order = best_first(kept, _mean(share, [task.mean_merits for task in kept]))
    ordered = [task.part(models=order) for task in kept]
    every = BoardPairs(ordered, family, cluster, pairs.point, declared)
    strata = _Strata.of(every, share)
    rows = _verdict_rows(strata)
    labels = [own for task in kept if (own := sampled_clusters(task, cluster)) is not None]
    readings = []
    if labels:
        again = strata.pairs.otherwise(family, read_otherwise(declared))
        other = _verdict_rows(replace(strata, pairs=again))
        different = (x["verdict"].to_numpy() == DIFFERENT for x in (rows, other))
        readings = [reading("average", sum(len({*own}) for own in labels), declared, *different)]
    shown = rows[rows["rank_b"] <= (top or len(names))]
    return TaskAverage(shown, _ranks(strata, rows), weights, left_out, repeated, readings)


def task_weights(
    tasks: Sequence[TaskScores], declared: Weighting | Mapping[str, float]
) -> dict[str, float]:
    """Return the weight of each task, in their order and with sum 1."""
    names = [task.task for task in tasks]
    if isinstance(declared, str):
        if declared not in WEIGHTINGS:
            raise InvalidArgument(
                f"weights must be one of {WEIGHTINGS} or numbers, got {declared!r}"
            )
        raw = [1.0 if declared == "equal" else float(task.n_items) for task in tasks]
    else:
        if set(declared) != set(names):
            raise InvalidArgument(
                f"weights must name each task once ({', '.join(names)}), got "
                f"{', '.join(map(str, declared)) or 'none'}"
            )
        raw = [_positive_weight(name, declared[name]) for name in names]
    total = sum(raw)
    if not isfinite(total):
        raise InvalidArgument(f"weights must have a finite sum, got {raw!r}")
    return {name: weight / total for name, weight in zip(names, raw, strict=True)}


def read_weights(text: str) -> Weighting | dict[str, Any]:
    """Parse weights: "equal", "items", ``TASK=W,...``, or the path of a YAML file."""
    for rule in WEIGHTINGS:
        if text == rule:
            return rule
    if Path(text).exists() or "=" not in text:
        by_task = read_yaml(Path(text))
        if not isinstance(by_task, dict):
            raise InvalidArgument(f"the weights in {text} must be a number a task, got {by_task!r}")
        return by_task
    weights: dict[str, Any] = {}
    for entry in text.split(","):
        name, _, number = entry.rpartition("=")
        name = name.strip()
        if name in weights:
            raise InvalidArgument(f"weights name task {name!r} twice")
        try:
            weights[name] = float(number)
        except ValueError:
            raise InvalidArgument(
                f"weights must be equal, items, a file or TASK=W,..., got {entry!r}"
            ) from None
    return weights


def _positive_weight(task: str, weight: Any) -> float:
    is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not is_number or not 0 < weight < float("inf"):
        raise InvalidArgument(f"weight of task {task!r} must be a positive number, got {weight!r}")
    return float(weight)


def _common_models(tasks: Sequence[TaskScores]) -> tuple[list[str], dict[str, list[str]]]:
    every = list(dict.fromkeys(model for task in tasks for model in task.models))
    lacking = {model: [task.task for task in tasks if model not in task.models] for model in every}
    left_out = {model: without for model, without in lacking.items() if without}
    return [model for model in every if model not in left_out], left_out


def _repeated(tasks: Sequence[TaskScores]) -> dict[str, str]:
    """Return the tasks that share an item with a task as large, and that task, which stays."""
    repeated: dict[str, str] = {}
    kept: list[tuple[TaskScores, _Parts]] = []
    for task in sorted(tasks, key=lambda task: -task.n_items):
        parts = _parts(task)
        whole = (other for other, theirs in kept if _share_items(task, parts, other, theirs))
        if (first := next(whole, None)) is not None:
            repeated[task.task] = first.task
        else:
            kept.append((task, parts))
    return repeated


_Parts = Mapping[str, Mapping[str, int]]


def _parts(task: TaskScores) -> _Parts:
    """Return the rows of the items by their task, which a pooled group names, and by id."""
    parts: dict[str, dict[str, int]] = {}
    names = task.clusters.get(SUBTASK, (task.task,) * task.n_items)
    for row, (name, item) in enumerate(zip(names, task.item_ids, strict=True)):
        parts.setdefault(name, {})[item.removeprefix(f"{name}/")] = row
    return parts


def _share_items(first: TaskScores, parts: _Parts, second: TaskScores, others: _Parts) -> bool:
    """Return whether items of one id are the same, by task, by file, or by all scores."""
    position = {model: j for j, model in enumerate(second.models)}
    places = [(i, position[model]) for i, model in enumerate(first.models) if model in position]
    if len(places) < 2:
        return False
    files, theirs = _whole_files(first), _whole_files(second)
    nested = bool(files and theirs) and (files <= theirs or theirs <= files)
    for (name, rows), (other, other_rows) in product(parts.items(), others.items()):
        common = list(rows.keys() & other_rows.keys())
        if not common:
            continue
        if name == other or nested:
            return True
        own, their = [rows[item] for item in common], [other_rows[item] for item in common]
        if all(
            np.array_equal(first.values[own, i], second.values[their, j], equal_nan=True)
            for i, j in places
        ) and _is_no_coincidence(first.values[np.ix_(own, [i for i, _ in places[:_MOST_NAMES]])]):
            return True
    return False


def _whole_files(task: TaskScores) -> set[str]:
    """Return the sums of the files that the task has all of, none where that is not known."""
    reading = task.provenance.reading
    if "task_column" in reading or reading.get("reader") in {None, "canonical", "counts"}:
        return set()
    return {*task.provenance.files.values()}


def _is_no_coincidence(scores: FloatArray) -> bool:
    """Return whether these scores, in random order, would hardly ever match the items' order."""
    _, counts = np.unique(np.nan_to_num(scores, nan=-1.0), axis=0, return_counts=True)
    return bool(gammaln(counts + 1).sum() - gammaln(len(scores) + 1) < np.log(_COINCIDENCE))


def _mean(weights: Sequence[float], values: Iterable[FloatArray]) -> FloatArray:
    return np.asarray(np.sum([w * x for w, x in zip(weights, values, strict=True)], axis=0))


@dataclass(frozen=True, slots=True)
class _Strata:
    """The pairs of the tasks of an average, models in one order, with the weight of each task."""

    pairs: BoardPairs
    weights: Sequence[float]
    draws: GapDraws
    # Spread of the gaps between models, by which further items are planned.
    prior: float

    @classmethod
    def of(cls, pairs: BoardPairs, weights: Sequence[float]) -> _Strata:
        rows = [
            centred_scores(task.values) * (weight / task.n_items)
            for task, weight in zip(pairs.tasks, weights, strict=True)
        ]
        keys = np.concatenate([item_keys(task) for task in pairs.tasks])
        prior = spread_of_gaps([task.values for task in pairs.tasks], weights)
        return cls(pairs, weights, gap_draws(np.concatenate(rows), keys), prior)

    @property
    def tasks(self) -> Sequence[TaskScores]:
        return self.pairs.tasks

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return both bounds of each model's average over all items, by the missing scores."""
        least, most = zip(*(task.merit_bounds for task in self.tasks), strict=True)
        return _mean(self.weights, least), _mean(self.weights, most)

    def p_values(self) -> FloatArray:
        """Return the p-value of each pair by itself, (n_pairs,)."""
        n_models, family, block = len(self.tasks[0].models), self.pairs.family, self.pairs.block
        n_pairs = family_size(n_models, family)

        def of_block(start: int) -> FloatArray:
            places = np.arange(start, min(start + block, n_pairs))
            return _averaged(self, *pairs_at(n_models, family, places)).p

        return np.concatenate([*in_threads(of_block, ((k,) for k in range(0, n_pairs, block)))])

    def adjusted(self, p: FloatArray) -> FamilyTest:
        """Adjust the p-values of the family by the joint law of the items of all tasks."""
        largest = partial(self.draws.largest, family=self.pairs.family)
        alpha, control = self.pairs.point.alpha, self.pairs.declared.control
        return controlled_family(p, largest, alpha=alpha, control=control)


def _verdict_rows(strata: _Strata) -> pd.DataFrame:
    first, second = pair_indices(len(strata.tasks[0].models), strata.pairs.family)
    gaps = _averaged(strata, first, second)
    items, clusters, n = gaps.items, gaps.clusters, gaps.n_items
    models = np.array(strata.tasks[0].models, dtype=object)
    key = {"rank_a": first + 1, "rank_b": second + 1}
    key |= {"model_a": models[first], "model_b": models[second]}
    single = gaps.judged()
    adjusted = strata.adjusted(single.p)
    verdicts = gaps.judged(adjusted)
    error = items.standard_error
    if clusters is not None:
        error = np.maximum(error, clusters.standard_error)
    columns = all_verdict_columns(verdicts, single, n, adjusted, strata.tasks[0].largest_gap)
    columns |= _sizes(single, error, n, strata.pairs.point)
    # Of two models that share no item of a task there is no average.
    strangers = np.any([each.n_items == 0 for each in gaps.evidence], axis=0)
    columns |= {
        "n_items": np.where(strangers, 0, n),
        "delta": items.delta,
        "chance_of_turning": chance_of_turning(
            verdicts.p, verdicts.direction, level=adjusted.level
        ),
    }
    columns |= _scores_and_bounds(strata, gaps.evidence, first, second)
    table = pd.DataFrame(key | columns)[AVERAGE_COLUMNS]
    unknown = [name for name in AVERAGE_COLUMNS if name in ALL_ESTIMATES]
    return without_strangers(table, table, unknown)


@dataclass(frozen=True, slots=True)
class _Averaged:
    """Average gaps of some pairs, by items and by clusters if these are a sample."""

    of: _Strata
    evidence: Sequence[Evidence]
    n_items: IntArray
    discordant: IntArray
    items: AverageGap
    clusters: AverageGap | None

    @property
    def p(self) -> FloatArray:
        """P-value of each pair by itself."""
        laws = [self.items] if self.clusters is None else [self.items, self.clusters]
        return np.asarray(np.max([average_p(law, self.discordant) for law in laws], axis=0))

    def judged(self, family: FamilyTest | None = None) -> Verdicts:
        point, margin = self.of.pairs.point, self.of.pairs.declared.margin
        law: dict[str, Any] = {"alpha": point.alpha, "power": point.power, "family": family}
        law |= {"margin": margin, "prior": self.of.prior}
        by_items = average_verdicts(self.items, self.n_items, self.discordant, **law)
        if self.clusters is None:
            return by_items
        by_clusters = average_verdicts(
            self.clusters, self.n_items, self.discordant, test="cluster", **law
        )
        return agreed_verdicts(by_clusters, by_items)


def _averaged(strata: _Strata, first: IntArray, second: IntArray) -> _Averaged:
    declared, evidence = strata.pairs.declared, strata.pairs.evidence(first, second)
    known = [each.with_an_item() for each in evidence]
    n = np.sum([each.n_items for each in known], axis=0)
    discordant = np.sum([each.of_items.n_differing for each in evidence], axis=0)
    weighted = declared.weighted
    gaps = [_gap_by_items(each, weighted=weighted) for each in known]
    gaps = [gap.unknown_where(own.n_items == 0) for gap, own in zip(gaps, evidence, strict=True)]
    items, clusters = average_gap(gaps, strata.weights), None
    sampled = [sampled_clusters(x, strata.pairs.cluster) is not None for x in strata.tasks]
    if declared.clusters == "random" and any(sampled):
        by_clusters = [
            _gap_of(each.tested_clusters(weighted=weighted)[1]) if is_sampled else gap
            for each, gap, is_sampled in zip(known, gaps, sampled, strict=True)
        ]
        clusters = average_gap(by_clusters, strata.weights)
    return _Averaged(strata, evidence, n, discordant, items, clusters)


def _gap_by_items(evidence: Evidence, *, weighted: bool) -> TaskGap:
    gaps = weighted_gaps(evidence) if weighted else None
    return evidence.of_items.gap if gaps is None else _gap_of(gaps.gap)


def _gap_of(estimate: WeightedGap | ClusterRobustTest) -> TaskGap:
    return mean_gap(estimate.delta, estimate.standard_error, estimate.df)


def _sizes(
    verdicts: Verdicts, error: FloatArray, n: IntArray, point: OperatingPoint
) -> dict[str, Any]:
    """Return N* of eq. (3), with all tasks multiplied alike, and the columns beside it."""
    delta, varies = verdicts.interval.delta, np.isfinite(error)
    sigma = np.where(varies, error, 0.0) * np.sqrt(n)
    need = required_n(delta, sigma, alpha=point.alpha, power=point.power)
    need = np.where(varies, need, np.inf)
    mean_square = np.square(sigma) + np.square(delta)
    sizes = size_columns(verdicts, error, n, mean_square, point)
    return sizes | {"n_star": need, "q": resolution_ratio(n, need)}


def _scores_and_bounds(
    strata: _Strata, evidence: Sequence[Evidence], first: IntArray, second: IntArray
) -> dict[str, FloatArray]:
    every, (least, most) = [each.of_items for each in evidence], strata.bounds()
    return {
        "p_a": _mean(strata.weights, (ratio(items.sum_a, items.n_items) for items in every)),
        "p_b": _mean(strata.weights, (ratio(items.sum_b, items.n_items) for items in every)),
        "gap_lowest": least[first] - most[second],
        "gap_highest": most[first] - least[second],
    }


def _score_by_items(task: TaskScores) -> TaskGap:
    n = task.scored.sum(axis=0)
    if task.kind == "binary":
        return share_solved(np.nansum(task.values, axis=0), n)
    return mean_gap(task.mean_scores, np.where(n > 1, item_error(task), np.inf), n - 1.0)


def _ranks(strata: _Strata, verdicts: pd.DataFrame) -> pd.DataFrame:
    tasks, pairs, alpha = strata.tasks, strata.pairs, strata.pairs.point.alpha
    sampled = sample_column(pairs.cluster, pairs.declared)
    items = average_gap([_score_by_items(task) for task in tasks], strata.weights).interval(alpha)
    every = replace(strata, pairs=pairs.for_ranks())
    # The test of an average is one, whatever is compared and how it is adjusted.
    p = verdicts["p_single"].to_numpy() if pairs.family == "all" else every.p_values()
    least, most = strata.bounds()
    is_open = not all(task.scored.all() for task in tasks) and np.any(least[0] <= most[1:])
    rows = rank_rows(
        tasks,
        strata.weights,
        score=_mean(strata.weights, (task.mean_scores for task in tasks)),
        interval=with_clusters(
            (items.low, items.high), tasks, strata.weights, alpha=alpha, cluster=sampled
        ),
        ends=lead_counts(p, every.adjusted(p).level, (least, most)),
        # As of `leader_p`, by the first pairs of all.
        p_first=1.0 if is_open else p[: len(least) - 1].max(),
        alpha=alpha,
        cluster=sampled,
    )
    return rows[_RANK_COLUMNS]
