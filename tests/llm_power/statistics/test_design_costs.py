"""Designs at least cost: every design tried, the bound of Cauchy and Schwarz, Cochran's optimum."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from llm_power._errors import InvalidArgument
from llm_power._statistics.cluster_requirement import cluster_power
from llm_power._statistics.design_costs import Costs, Variances, best_design, cheapest_design
from llm_power._statistics.inversion import z_sum

LEVELS = [
    (Variances(0.01, 0.2, 0.1), Costs(5, 1, 0.1)),
    (Variances(0.0, 0.2, 0.1), Costs(3, 1, 0.2)),
    (Variances(0.02, 0.0, 0.2), Costs(5, 1, 0.3)),
    (Variances(0.02, 0.2, 0.0), Costs(2, 0, 0.5)),
    (Variances(0.01, 0.1, 0.3), Costs(0, 1, 0.05)),
]


def power(gap: float, v: Variances, subjects: int, items: int, repeats: int) -> float:
    each = v.subjects + (v.items + v.repeats / repeats) / items
    return float(cluster_power(gap, each**0.5, 0.0, subjects, 1))


def cost(c: Costs, subjects: int, items: int, repeats: int) -> float:
    return subjects * (c.subject + items * (c.item + 2 * c.answer * repeats))


@pytest.mark.parametrize(("variances", "costs"), LEVELS)
def test_no_design_that_has_the_power_costs_less(variances: Variances, costs: Costs) -> None:
    """All designs up to 40 x 40 x 8, where the best one lies."""
    gap = 0.25
    tried = [
        (cost(costs, *design), design)
        for design in product(range(2, 60), range(1, 40), range(1, 9))
    ]
    tried.sort()
    cheapest = next(paid for paid, design in tried if power(gap, variances, *design) >= 0.8)
    found = cheapest_design(gap, variances, costs)
    np.testing.assert_allclose(found.cost, cheapest)
    chosen = (found.subjects, found.items, found.repeats)
    assert power(gap, variances, *chosen) >= 0.8
    np.testing.assert_allclose(found.cost, cost(costs, *chosen))
    # The gap that is found with power .80, by the power itself.
    np.testing.assert_allclose(power(found.detectable_gap, variances, *chosen), 0.8)


@pytest.mark.parametrize(("variances", "costs"), LEVELS)
def test_nothing_within_the_budget_finds_a_smaller_gap(variances: Variances, costs: Costs) -> None:
    budget = 60.0
    found = best_design(budget, variances, costs)
    assert found.cost <= budget * (1 + 1e-12)
    others = [
        design
        for design in product(range(2, 40), range(1, 31), range(1, 7))
        if cost(costs, *design) <= budget
    ]
    powers = [power(found.detectable_gap, variances, *design) for design in others]
    assert max(powers) <= 0.8 + 1e-9
    # The same budget buys the gap, and that gap the budget.
    np.testing.assert_allclose(
        cheapest_design(found.detectable_gap * (1 + 1e-9), variances, costs).cost,
        found.cost,
        rtol=1e-9,
    )


def test_large_designs_are_cochrans() -> None:
    """Items: sqrt(c_s / c_i (1 - ICC) / ICC) and r alike; the cost by Cauchy and Schwarz."""
    variances, costs, gap = Variances(0.002, 0.18, 0.12), Costs(40, 1, 0.02), 0.002
    found = cheapest_design(gap, variances, costs)
    icc = 0.002 / 0.182
    assert abs(found.items - np.sqrt(40 * (1 - icc) / icc)) <= 2
    assert abs(found.repeats - np.sqrt(1 * 0.12 / (0.04 * 0.18))) <= 1
    root = np.sqrt(40 * 0.002) + np.sqrt(1 * 0.18) + np.sqrt(0.04 * 0.12)
    bound = (root * z_sum(0.05, 0.8) / gap) ** 2
    assert bound <= found.cost <= 1.002 * bound


@pytest.mark.parametrize(
    ("variances", "costs", "gap"),
    [
        (Variances(0.0001, 0.2, 0.1), Costs(1000, 1, 0.001), 0.02),
        (Variances(0.0, 0.2, 0.1), Costs(10, 1, 0.01), 0.01),
        (Variances(0.01, 0.0, 0.1), Costs(10, 0, 0.01), 0.01),
        (Variances(0.001, 0.2), Costs(0, 0, 0.01), 0.005),
        (Variances(0.5, 0.0), Costs(1, 1, 1), 1e-3),
    ],
)
def test_levels_that_cost_or_vary_nothing(variances: Variances, costs: Costs, gap: float) -> None:
    found = cheapest_design(gap, variances, costs)
    again = best_design(found.cost, variances, costs)
    assert gap * (1 - 1e-9) <= found.detectable_gap * (1 + 1e-3)
    assert found.detectable_gap <= gap
    assert again.detectable_gap <= found.detectable_gap * (1 + 1e-12)
    if costs.subject == 0:
        assert found.items == 1  # of subjects that cost nothing there is one an item
    if costs.item == 0 and variances.items > 0:
        assert found.repeats == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Variances(-0.1, 0.2), "subjects must not be negative, got -0.1"),
        (lambda: Variances(0, 0, 0), "one of the variances must be positive"),
        (lambda: Costs(1, 1, 0), "answer must be positive, got 0"),
        (
            lambda: best_design(3, Variances(0, 1), Costs(1, 1, 0.25)),
            "budget must be at least 5, what two subjects of one item cost, got 3",
        ),
        (lambda: cheapest_design(0, Variances(0, 1), Costs(1, 1, 1)), "gap must be positive"),
    ],
)
def test_arguments_outside_their_domain_are_named(call: object, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        call()  # type: ignore[operator]
