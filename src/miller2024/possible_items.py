"""Items of which an eval's numbers would be printed, whatever its tables have been made to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, milp

from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power_audit.agreement import interval
from miller2024.tables import (
    MODELS,
    Z_95,
    as_share,
    bernoulli_error,
    error_of_difference,
    rows_of,
    rows_of_table_05,
)

#: Answers to a question, whose mean is its score.
ANSWERS: Final = (1, 2, 20)
#: Clusters that are alike: how many, and in each the scores of items and how many have them.
Clusters = list[tuple[int, list[tuple[float, ...]]]]
Ends = tuple[float, float]


@dataclass(frozen=True)
class Questions:
    """Questions in clusters as equal as can be, and the answers to each."""

    n: int
    n_clusters: int
    answers: int = 1

    @property
    def are_clustered(self) -> bool:
        """Whether there are fewer clusters than questions."""
        return self.n_clusters < self.n

    def totals(self, score: Ends) -> range:
        """Return the numbers of right answers with a score between two ends."""
        low, high = (round(end * self.n * self.answers, 9) for end in score)
        return range(int(np.ceil(low)), int(np.floor(high)) + 1)

    def mean(self, total: ArrayLike) -> FloatArray:
        """Return the score that so many right answers are."""
        return np.asarray(total) / (self.n * self.answers)

    def clusters(
        self,
        totals: Sequence[int],
        products: Mapping[tuple[int, int], Ends],
        both: Ends = (-np.inf, np.inf),
    ) -> Clusters | None:
        """Return clusters with the right answers of each model and sums of products between ends.

        `products` are of two models' scores less their means, summed in each cluster; `both` is of
        the scores of an item. None where the solver finds no such clusters.
        """
        patterns = np.array([*product(range(self.answers + 1), repeat=len(totals))])
        size, n_larger = divmod(self.n, self.n_clusters)
        sizes = {size: self.n_clusters - n_larger} | ({size + 1: n_larger} if n_larger else {})
        kinds = np.array([kind for each in sizes for kind in self._kinds(patterns, each)])
        right, scores = kinds @ patterns, patterns / self.answers
        off = right / self.answers - np.outer(kinds.sum(axis=1), self.mean(totals))
        rows = [
            *((kinds.sum(axis=1) == each, (n, n)) for each, n in sizes.items()),
            *((right[:, i], (total, total)) for i, total in enumerate(totals)),
            *((off[:, i] * off[:, j], ends) for (i, j), ends in products.items()),
            (kinds @ scores.prod(axis=1), both),
        ]
        solution = milp(
            # As few are partly right as may be, roughly.
            kinds @ (patterns % self.answers != 0).any(axis=1),
            integrality=np.ones(len(kinds), dtype=int),
            constraints=[LinearConstraint(row, *ends) for row, ends in rows],
            options={"time_limit": 20, "mip_rel_gap": 0.5},
        )
        if solution.x is None:
            return None
        numbers = np.round(solution.x).astype(int)
        return [
            (
                int(numbers[k]),
                [(*scores[p].tolist(), int(kinds[k, p])) for p in np.flatnonzero(kinds[k])],
            )
            for k in np.flatnonzero(numbers)
        ]

    def _kinds(self, patterns: NDArray[np.int_], size: int) -> Iterator[NDArray[np.int_]]:
        """Yield numbers of items by pattern of clusters with at most one that is partly right."""
        is_whole = (patterns % self.answers == 0).all(axis=1)
        for n_partly in (0, 1):
            partly = np.flatnonzero(~is_whole) if n_partly else [None]
            for one, chosen in product(
                partly, combinations_with_replacement(np.flatnonzero(is_whole), size - n_partly)
            ):
                members = [*chosen, *([] if one is None else [one])]
                yield np.bincount(members, minlength=len(patterns))


def items_of(tables: Mapping[int, pd.DataFrame], number: int, name: str) -> Clusters | None:
    """Return items that have an eval's numbers: of the model of Table 4, or of both of the others.

    The standard errors of Table 2 are left out where no scores from 0 to 1 have them.
    """
    return (items_of_one if number == 4 else items_of_two)(tables, name)


def written(clusters: Clusters) -> str:
    """Write numbers of clusters, each with the scores of its items and how many have them."""
    return "; ".join(
        f"{n} × " + " ".join(f"{'/'.join(f'{s:g}' for s in scores)}:{k}" for *scores, k in items)
        for n, items in clusters
    )


def items_of_two(tables: Mapping[int, pd.DataFrame], name: str) -> Clusters | None:
    """Return items of both models that have an eval's numbers of Tables 2, 3 and 5."""
    rows = rows_of_table_05(*(tables[number] for number in (5, 2, 3)))
    row = next(one for one in rows if one["eval"] == name)
    scores = _row(tables[2], name)
    clusters = _row(tables[3], name).get("clusters", scores["n"])
    for answers in ANSWERS:
        questions = Questions(int(scores["n"].value), int(clusters.value), answers)
        totals = product(*(questions.totals(interval(scores[model])) for model in MODELS))
        aims = filter(None, (_aim(questions, row, pair) for pair in totals))
        for aim in sorted(aims, key=lambda one: -one.room):
            if items := aim.items(questions):
                return items
    return None


def items_of_one(tables: Mapping[int, pd.DataFrame], name: str) -> Clusters | None:
    """Return items of one model that have an eval's errors of Table 4."""
    row, of_eval = _row(tables[4], name), _row(tables[3], name)
    questions = Questions(int(of_eval["n"].value), int(of_eval["clusters"].value))
    n = questions.n
    clustered, naive, ratio = (
        interval(as_share(row[column]) if column != "ratio" else row[column])
        for column in ("clustered", "naive", "ratio")
    )
    aims = []
    # With right answers more than half of them.
    for total in questions.totals((0.5, 1)):
        error = float(bernoulli_error(questions.mean(total), n - 1))
        low, high = max(clustered[0], error * ratio[0]), min(clustered[1], error * ratio[1])
        room = min(error - naive[0], naive[1] - error, (high - low) / 2)
        if room > 0:
            aims.append((room, total, ((n * low) ** 2, (n * high) ** 2)))
    for _, total, ends in sorted(aims, reverse=True):
        if clusters := questions.clusters([total], {(0, 0): ends}):
            return clusters
    return None


def _row(table: pd.DataFrame, name: str) -> dict[str, Any]:
    return next((row for row in rows_of(table) if row["eval"] == name), {})


@dataclass(frozen=True)
class Aim:
    """Right answers, variances of both scores and their covariance, and how far all may be off.

    The paired error, its interval and the correlation are printed of them.
    """

    totals: Sequence[int]
    variances: tuple[float, float]
    covariance: float
    room: float  # A share of each of the three

    def items(self, questions: Questions) -> Clusters | None:
        """Return items that have them."""
        n, (a, b), shared = questions.n, self.variances, self.covariance
        scale = n * n if questions.are_clustered else n * (n - 1)
        low, high = 1 - self.room, 1 + self.room
        products = {
            (i, j): (scale * one * low, scale * one * high)
            for (i, j), one in {(0, 0): a, (1, 1): b, (0, 1): shared}.items()
        }
        if not questions.are_clustered:
            return questions.clusters(self.totals, products)
        # The correlation of the scores is printed as that of the clusters' sums.
        p, q = questions.mean(self.totals).tolist()
        joint = (p * (1 - p) * q * (1 - q) / a / b) ** 0.5 * shared
        both = (n * (p * q + joint * low), n * (p * q + joint * high))
        return questions.clusters(self.totals, products, both)


def _aim(questions: Questions, row: Mapping[str, Any], totals: Sequence[int]) -> Aim | None:
    """Return variances and a covariance that may be off farthest, if there are any such."""
    difference = float(np.subtract(*questions.mean(totals)))
    ends = {name: interval(row[name]) for name in ("difference", "se", "low", "high")}
    least = [difference - ends["low"][1], ends["high"][0] - difference]
    most = [difference - ends["low"][0], ends["high"][1] - difference]
    low, high = (
        max(ends["se"][0], *np.divide(least, Z_95)),
        min(ends["se"][1], *np.divide(most, Z_95)),
    )
    if not ends["difference"][0] <= difference <= ends["difference"][1] or low >= high:
        return None
    spans = [
        _errors(questions, row[model], total) for model, total in zip(MODELS, totals, strict=True)
    ]
    spans.append((row["correlation"].lower, row["correlation"].upper))
    grid = np.meshgrid(*(np.linspace(*span, 81) for span in spans))
    a, b, r = values = np.array([one.ravel() for one in grid])
    error, covariance = error_of_difference(a, b, r), a * b * r
    # Variances move twice as far as errors, and a correlation up to twice as far as they.
    factors = np.array([2, 2, 0.5])
    room = np.minimum(error**2 - low**2, high**2 - error**2) / (a**2 + b**2 + 2 * covariance)
    for value, (start, end), factor in zip(values, spans, factors, strict=True):
        if start < end:
            room = np.minimum(room, factor * np.minimum(value - start, end - value) / value)
    best = int(np.argmax(room))
    if room[best] <= 0:
        return None
    variances = float(a[best] ** 2), float(b[best] ** 2)
    return Aim(totals, variances, float(covariance[best]), float(room[best]) * 0.9)


def _errors(questions: Questions, printed: Any, total: int) -> Ends:
    """Return the ends of a score's error: of what is printed, if any scores in [0, 1] have it."""
    if questions.are_clustered:
        return printed.lower, printed.upper
    widest = float(bernoulli_error(questions.mean(total), questions.n - 1))
    if questions.answers == 1:
        return widest, widest
    return printed.lower if printed.lower < widest else widest / 2, min(printed.upper, widest)
