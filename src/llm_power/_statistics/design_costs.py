r"""Subjects, items and repeats at least cost.

A subject has items, an item has repeats, and both models answer each. Over K subjects of m items
with r repeats the gap has

.. math:: \mathrm{Var}(\hat\delta) = \frac{1}{K}
    \left(\sigma_s^2 + \frac{\sigma_i^2}{m} + \frac{\sigma_e^2}{m r}\right), \qquad
    \text{cost} = K\,(c_s + c_i\,m + 2 c_a\,m\,r)

with the variance of the paired difference between subjects, between items of a subject, and between
repeats of an item. By the inequality of Cauchy and Schwarz

.. math:: \mathrm{Var} \cdot \text{cost} \ge
    \left(\sqrt{c_s}\,\sigma_s + \sqrt{c_i}\,\sigma_i + \sqrt{2 c_a}\,\sigma_e\right)^2,

with equality at :math:`m = \sqrt{c_s \sigma_i^2 / (c_i \sigma_s^2)}`, which is Cochran's
:math:`\sqrt{(c_s/c_i)(1-\mathrm{ICC})/\mathrm{ICC}}`, and
:math:`r = \sqrt{c_i \sigma_e^2 / (2 c_a \sigma_i^2)}`. The best whole numbers are found among all
that this bound leaves.

References
----------
Cochran (1977), Sampling Techniques, sections 10.6 and 10.10; Raudenbush (1997),
doi:10.1037/1082-989X.2.2.173, for clusters and their members in trials.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import finite, non_negative, positive
from llm_power._statistics.arrays import FloatArray, ratio
from llm_power._statistics.cluster_requirement import items_per_cluster
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.t_test import shift_of_power

# Relative size below which a number is exceeded by rounding alone.
_ROUNDING: Final = 1e-12

# Designs that are computed at a time, the most promising ones first.
_BLOCK: Final = 2_000

# Subjects and repeats of the first designs that are tried.
_STARTS: Final = 2.0 ** np.arange(25)


@dataclass(frozen=True, slots=True)
class Variances:
    """Variance of the paired difference at each level, in squared score units.

    Attributes
    ----------
    subjects : float
        Between subjects; 0 where they do not differ.
    items : float
        Between the items of a subject.
    repeats : float, default 0.0
        Between repeats of an item, of the answers of both models together.

    Examples
    --------
    >>> from llm_power import Variances
    >>> Variances(subjects=0.002, items=0.15, repeats=0.1).items
    0.15
    """

    subjects: float
    items: float
    repeats: float = 0.0

    def __post_init__(self) -> None:
        total = sum(float(non_negative(name, getattr(self, name))) for name in self.__slots__)
        if total == 0:
            raise InvalidArgument("one of the variances must be positive, got 0 for all of them")


@dataclass(frozen=True, slots=True)
class Costs:
    """What a design is paid for, in any unit of money or time.

    Attributes
    ----------
    subject : float
        Cost of a subject.
    item : float
        Cost of an item beside its answers.
    answer : float
        Cost of one answer of one model, positive: each repeat of an item takes two.

    Examples
    --------
    >>> from llm_power import Costs
    >>> Costs(subject=50, item=1, answer=0.02).answer
    0.02
    """

    subject: float
    item: float
    answer: float

    def __post_init__(self) -> None:
        non_negative("subject", self.subject)
        non_negative("item", self.item)
        positive("answer", self.answer)


@dataclass(frozen=True, slots=True)
class CostedDesign:
    """A design in whole numbers, what it costs and what it finds."""

    #: `subjects`, `items`, `repeats`: Subjects, items of each, and repeats of each item.
    subjects: int
    items: int
    repeats: int
    #: In the unit of the costs.
    cost: float
    #: Gap that the tests over subjects find with the target power, in score units.
    detectable_gap: float


def cheapest_design(
    gap: float,
    variances: Variances,
    costs: Costs,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
) -> CostedDesign:
    """Subjects, items and repeats that find a gap at least cost.

    Where a subject costs nothing itself, each has one item: items are then the sample.
    """
    size = float(positive("gap", abs(float(finite("gap", gap)))))
    search = _Search(variances, costs, alpha, power)
    allowed = (size / search.z) ** 2

    def cost(shift: FloatArray, subjects: FloatArray, repeats: FloatArray) -> _Tried:
        most, within = subjects * np.square(size / shift), search.item_variance(repeats)
        items = items_per_cluster(most, search.variances.subjects, within)
        items = np.maximum(np.ceil(items * (1 - _ROUNDING)), 1.0)
        return subjects * search.subject_cost(items, repeats), items

    return search.smallest(cost, lambda cost: (cost, allowed))


def best_design(
    budget: float,
    variances: Variances,
    costs: Costs,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
) -> CostedDesign:
    """Subjects, items and repeats that find the smallest gap within a budget."""
    most = float(positive("budget", budget))
    least = 2 * (costs.subject + costs.item + 2 * costs.answer)
    if most < least:
        raise InvalidArgument(
            f"budget must be at least {least:g}, what two subjects of one item cost, got {budget!r}"
        )
    search = _Search(variances, costs, alpha, power)

    def gap(shift: FloatArray, subjects: FloatArray, repeats: FloatArray) -> _Tried:
        left = most / subjects * (1 + _ROUNDING) - search.costs.subject
        items = np.floor(left / search.item_cost(repeats))
        variance = ratio(search.item_variance(repeats), items, np.inf, where=items >= 1)
        return shift * np.sqrt((search.variances.subjects + variance) / subjects), items

    return search.smallest(gap, lambda gap: (most, (gap / search.z) ** 2))


# Values of designs, and their items.
_Tried = tuple[FloatArray, FloatArray]


#: From shifts, subjects and repeats of designs.
_Evaluate = Callable[[FloatArray, FloatArray, FloatArray], _Tried]


# Numbers of subjects or repeats that are tried one by one: 2 s.
_MOST_TRIED: Final = 2 * 10**7


def _whole_numbers(least: float, most: float) -> FloatArray:
    """Return those from `least` to `most`, if they are not too many to try."""
    if most - least > _MOST_TRIED:
        raise InvalidArgument(
            "gap must be farther from 0, or the budget smaller: of designs that could be the best "
            f"at most {_MOST_TRIED:,} are tried"
        )
    return np.arange(least, most + 1)


class _Search:
    """Find the design of the smallest value, be it a cost or a gap, by subjects and repeats.

    A value rises with the shift at which the test has its power. That of z is less than that of t,
    and the value at it a bound, which sets the order in which designs are tried.
    """

    def __init__(self, variances: Variances, costs: Costs, alpha: float, power: float) -> None:
        self.alpha, self.power, self.z = alpha, power, float(z_sum(alpha, power))
        # Smallest value so far, and the subjects, items and repeats that have it.
        self.value, self.best = np.inf, (0.0, 0.0, 0.0)
        # Items that do not differ are best taken once: their repeats are in their place.
        self.swapped = variances.items == 0
        self.variances, self.costs = variances, costs
        if self.swapped:
            self.variances = Variances(variances.subjects, variances.repeats)
            self.costs = Costs(costs.subject + costs.item, 0.0, costs.answer)

    def item_variance(self, repeats: FloatArray) -> FloatArray:
        return np.asarray(self.variances.items + self.variances.repeats / repeats)

    def item_cost(self, repeats: FloatArray) -> FloatArray:
        return np.asarray(self.costs.item + 2 * self.costs.answer * repeats)

    def subject_cost(self, items: FloatArray, repeats: FloatArray) -> FloatArray:
        return np.asarray(self.costs.subject + items * self.item_cost(repeats))

    def smallest(
        self, evaluate: _Evaluate, bounds: Callable[[float], tuple[float, float]]
    ) -> CostedDesign:
        """Search all designs whose cost and variance are within the bounds of a value."""
        grid = np.meshgrid(_STARTS[1:], _STARTS[:1] if self.costs.item == 0 else _STARTS)
        self._try(evaluate, *(x.ravel() for x in grid))
        for repeats in self._repeats(*bounds(self.value)):
            subjects = self._subjects(repeats, *bounds(self.value))
            self._try(evaluate, subjects, np.full(subjects.shape, repeats))
        return self._design(*self.best)

    def _try(self, evaluate: _Evaluate, subjects: FloatArray, repeats: FloatArray) -> None:
        least = evaluate(np.full(subjects.shape, self.z), subjects, repeats)[0]
        order = np.argsort(least, kind="stable")
        for block in np.split(order, range(_BLOCK, len(order), _BLOCK)):
            bound = self.value * (1 - _ROUNDING)
            at = block[least[block] < bound]
            if not at.size:
                break
            shift = shift_of_power(subjects[at], self.alpha, self.power)
            values, items = evaluate(shift, subjects[at], repeats[at])
            first = int(np.argmin(values))
            if values[first] < bound:
                self.value = float(values[first])
                found = subjects[at][first], items[first], repeats[at][first]
                self.best = (float(found[0]), float(found[1]), float(found[2]))

    def _repeats(self, cost: float, variance: float) -> list[float]:
        """Numbers of repeats that some design within the bounds has, the best ones first."""
        if self.costs.item == 0:
            # An item that costs nothing beside its answers is better than a repeat.
            return [1.0]
        most = (cost / 2 - self.costs.subject - self.costs.item) / (2 * self.costs.answer)
        slack = cost * variance * (1 + _ROUNDING)
        most = min(most, slack / (2 * self.costs.answer * self.variances.items))
        repeats = _whole_numbers(1.0, max(most, 1.0))
        product = self.item_cost(repeats) * self.item_variance(repeats)
        outer = np.sqrt(self.costs.subject * self.variances.subjects)
        inside = np.flatnonzero(np.square(outer + np.sqrt(product)) <= slack)
        return [float(each) for each in repeats[inside[np.argsort(product[inside])]]]

    def _subjects(self, repeats: float, cost: float, variance: float) -> FloatArray:
        """Numbers of subjects that some design of so many repeats within the bounds has.

        With g and h the cost and variance of an item, its m items have
        (c_s + g m)(sigma_s^2 + h / m) at most the product of the bounds: a quadratic inequality.
        """
        g, h = (float(of(np.asarray(repeats))) for of in (self.item_cost, self.item_variance))
        between, fixed = self.variances.subjects, self.costs.subject
        room = cost * variance * (1 + _ROUNDING) - fixed * between - g * h
        root = room**2 - 4 * g * h * fixed * between
        if room < 0 or root < 0:
            return np.zeros(0)
        reach = room + np.sqrt(root)
        highest = (cost / 2 - fixed) / g
        if between > 0:
            highest = min(highest, reach / (2 * g * between))
        lowest = max(2 * fixed * h / reach, 1.0) if reach > 0 else 1.0
        # Of subjects that cost nothing more is better than of their items.
        highest = max(highest, 1.0) if fixed > 0 else 1.0
        least = max((between + h / highest) / variance * (1 - _ROUNDING), 2.0)
        most = cost / (fixed + g * lowest) * (1 + _ROUNDING)
        return _whole_numbers(np.ceil(least), np.floor(most))

    def _design(self, subjects: float, items: float, repeats: float) -> CostedDesign:
        each, k = np.asarray(items), np.asarray(repeats)
        variance = self.variances.subjects + self.item_variance(k) / each
        shift = float(shift_of_power(subjects, self.alpha, self.power))
        inner = (int(items), int(repeats))
        items_of_each, repeats_of_each = inner[::-1] if self.swapped else inner
        return CostedDesign(
            subjects=int(subjects),
            items=items_of_each,
            repeats=repeats_of_each,
            cost=float(subjects * self.subject_cost(each, k)),
            detectable_gap=shift * float(np.sqrt(variance / subjects)),
        )
