"""What is looked up by counts is what each pair has by itself."""

from __future__ import annotations

import numpy as np
import pytest

from llm_power._statistics.arrays import FloatArray, IntArray, by_counts, ordered_sum
from llm_power._statistics.intervals import tango_interval


@pytest.mark.parametrize(("most", "evaluated"), [(9, 100), (200, 3_000)])
def test_equal_counts_are_worked_out_once(most: int, evaluated: int) -> None:
    rng = np.random.default_rng(1)
    b, c = rng.integers(0, most + 1, (2, 3_000))
    sizes: list[int] = []

    def function(first: IntArray, second: IntArray) -> FloatArray:
        sizes.append(first.size)
        return np.asarray(np.sqrt(first + 0.3 * second))

    np.testing.assert_array_equal(by_counts(function, b, c), np.sqrt(b + 0.3 * c))
    assert sizes == [evaluated]
    assert by_counts(function, b[:0], c[:0]).shape == (0,)


def test_intervals_of_many_pairs_are_those_of_each() -> None:
    b, c = np.random.default_rng(2).integers(0, 12, (2, 500))
    many = tango_interval(b, c, np.full(500, 40))
    for k in range(0, 500, 7):
        one = tango_interval(b[k], c[k], 40)
        assert (many.low[k], many.high[k]) == (float(one.low), float(one.high))


@pytest.mark.parametrize("terms", [3, 70, 5_000])
def test_the_sum_of_a_column_depends_on_no_other_column(terms: int) -> None:
    values = np.random.default_rng(terms).normal(size=(terms, 130))
    many = ordered_sum(values)
    for columns in (1, 2, 3, 64):
        np.testing.assert_array_equal(ordered_sum(values[:, :columns]), many[:columns])
    np.testing.assert_array_equal(ordered_sum(np.asfortranarray(values)), many)
    assert ordered_sum(values[:, 0]) == many[0]
    assert ordered_sum(values[:, :0]).size == 0


def test_the_sum_of_a_million_terms_keeps_its_digits() -> None:
    assert ordered_sum(np.full(10**6, 0.1)) == pytest.approx(1e5, rel=1e-14)
