"""Eq. (2), the relation of Section 4.2 and the repeats of Section 3.1 against computed errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from llm_power._errors import InvalidArgument
from llm_power._statistics.standard_errors import (
    difference_errors,
    score_correlation,
    score_errors,
)
from llm_power_audit.printed import Printed, parse_printed
from miller2024.findings import variance_removed
from miller2024.tables import (
    Recomputed,
    _by_one_rule,
    _narrowed,
    bernoulli_error,
    correlation_from_errors,
    error_of_difference,
    most_items,
    over_roundings,
)

RNG = np.random.default_rng(4)
CLUSTERS = np.repeat(np.arange(9), [3, 7, 1, 4, 6, 2, 5, 8, 4])
LEVEL = RNG.random((9, 3))[CLUSTERS]
SCORES = (RNG.random(LEVEL.shape) < LEVEL).astype(float)


def test_equation_1_of_zeros_and_ones_is_equation_2_with_one_item_less() -> None:
    mean = SCORES.mean(axis=0)
    np.testing.assert_allclose(
        bernoulli_error(mean, len(SCORES) - 1), score_errors(SCORES).standard_error, rtol=1e-14
    )


def test_relation_of_section_4_2_is_exact_with_the_fitting_correlation() -> None:
    a, b = SCORES[:, 0], SCORES[:, 1]
    for clusters in (None, CLUSTERS):
        options: dict[str, Any] = {"variance": "CR0"}
        first, second = (score_errors(x, clusters, **options).standard_error for x in (a, b))
        direct = difference_errors(a, b, clusters, **options).standard_error
        r = score_correlation(a, b, clusters)
        np.testing.assert_allclose(error_of_difference(first, second, r), direct, rtol=1e-12)
        np.testing.assert_allclose(correlation_from_errors(first, second, direct), r, rtol=1e-10)


def test_section_4_2_is_of_a_correlation_of_one_third() -> None:
    """Uniform scores correlated by one half: pairing halves 1/6. His 1/9 has a third for it."""
    error = (1 / 12) ** 0.5
    squares = error_of_difference(error, error, [0.5, 1 / 3]) ** 2
    np.testing.assert_allclose(squares, [1 / 12, 1 / 9])


def test_section_3_1() -> None:
    """One model, item means uniform: two repeats save 1/3, four 1/2, six 5/9, all of them 2/3."""
    removed = [variance_removed(1 / 12, 1 / 6, k) for k in (1, 2, 4, 6, np.inf)]
    np.testing.assert_allclose(removed, [0, 1 / 3, 1 / 2, 5 / 9, 2 / 3], atol=1e-15)


def test_errors_and_correlations_outside_their_range_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"correlation must lie.*got 1\.5"):
        error_of_difference(0.1, 0.1, [0.5, 1.5])
    with pytest.raises(InvalidArgument, match="must not be negative"):
        error_of_difference(-0.1, 0.1)


def test_one_rule_of_rounding_explains_a_column() -> None:
    """The first cell is right if rounded up, the two others if rounded to the nearest."""
    cells = [(5.95, 6.34, "7"), (2.2, 2.3, "2"), (3.1, 3.2, "3")]
    assert _by_one_rule(cells) == [False, True, True]
    assert _by_one_rule(cells[:1]) == [True]


def test_more_items_than_the_most_have_a_smaller_error() -> None:
    """Scores of 0 and 1 with the error of eq. (1), and scores of which the second never varies."""
    a, b = SCORES[:, 0], SCORES[:, 1]
    error = difference_errors(a, b).standard_error
    most = most_items(a.mean(), b.mean(), np.corrcoef(a, b)[0, 1], error)
    np.testing.assert_allclose(most, len(a), rtol=1e-12)
    constant = np.full(len(a), b.mean())
    error = difference_errors(a, constant).standard_error
    assert most_items(a.mean(), b.mean(), 0.9, error) >= len(a) - 1e-9


def test_ends_of_roundings_are_not_reached() -> None:
    """65.5% is not also printed as 65.6%."""
    made = over_roundings(float, parse_printed("65.5%"))
    assert made == Recomputed(0.655, 0.654500000001, 0.655499999999)
    count = over_roundings(float, Printed("=", 1.0))
    assert count == Recomputed(1.0, 1.0, 1.0)


def test_what_others_say_narrows_a_rounded_number() -> None:
    cell = parse_printed("0.50")
    assert _narrowed(cell, 0.5, 1) == Recomputed(0.5, 0.5, 0.505)
    assert _narrowed(cell, 0.6, 1) == Recomputed(0.5, 0.495, 0.505)
    doubled = over_roundings(lambda x: 2 * x, _narrowed(cell, 0.501, 1))
    assert doubled == Recomputed(1.002000000001, 1.002000000001, 1.009999999999)
