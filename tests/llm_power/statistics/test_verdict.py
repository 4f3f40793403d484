"""The three verdicts: single cases, and what must hold for every table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from graded_pairs import graded_verdicts
from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics.intervals import tango_interval
from llm_power._statistics.mcnemar import P_VALUES
from llm_power._statistics.verdict import (
    Verdicts,
    agreed_verdicts,
    binary_verdicts,
    mean_verdicts,
)

TESTS: tuple[McNemarTest, ...] = ("exact", "mid_p", "asymptotic")
UNKNOWN: Any = "unknown"


def tables(n: int, largest: int) -> tuple[np.ndarray, np.ndarray]:
    b, c = np.meshgrid(np.arange(largest + 1), np.arange(largest + 1))
    return b[b + c <= n], c[b + c <= n]


def assert_interval_says_so(found: Verdicts) -> None:
    """The interval holds 0 and lies within the margin exactly where the verdict says so."""
    low, high = found.interval.low, found.interval.high
    np.testing.assert_array_equal((low > 0) | (high < 0), found.verdict == "different")
    if found.margin is not None:
        inside = (low >= -found.margin) & (high <= found.margin)
        np.testing.assert_array_equal(inside, found.within_margin)


def assert_consistent(found: Verdicts, b: np.ndarray, c: np.ndarray, n: int) -> None:
    """What attainability, direction, level, margin and interval owe each other."""
    different = found.verdict == "different"
    equivalent = found.verdict == "equivalent"
    undetermined = found.verdict == "undetermined"
    assert np.all(different | equivalent | undetermined)
    np.testing.assert_array_equal(different, found.p <= found.alpha)
    assert np.all(found.attainable | ~different)
    np.testing.assert_array_equal(found.direction, np.where(different, np.sign(b - c), 0))
    assert np.all(found.direction[different] != 0)
    np.testing.assert_array_equal(found.within_margin & ~different, equivalent)
    # An attainable level is attained by a clean sweep of the same discordant items.
    assert found.test != "student"
    sweep = P_VALUES[found.test](b + c, 0) <= found.alpha
    np.testing.assert_array_equal(found.attainable, sweep)
    assert_interval_says_so(found)
    assert np.all(found.further_items[~undetermined] == 0)
    assert np.all(found.further_items[undetermined] >= 1)
    np.testing.assert_array_equal(found.decided_as[~undetermined], found.verdict[~undetermined])
    np.testing.assert_array_equal(
        np.isinf(found.further_items), undetermined & (found.decided_as == "undetermined")
    )


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("margin", [None, 0.1])
@pytest.mark.parametrize("n", [1, 3, 12, 45])
def test_no_table_contradicts_itself(test: McNemarTest, margin: float | None, n: int) -> None:
    b, c = tables(n, n)
    assert_consistent(binary_verdicts(b, c, n, margin=margin, test=test), b, c, n)


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_no_table_of_up_to_200_items_contradicts_itself(test: McNemarTest) -> None:
    """All (b, c) up to 60 and n up to 200, at two levels; exchanging the models mirrors all."""
    for n in range(1, 201):
        b, c = tables(n, 60)
        strict = binary_verdicts(b, c, n, margin=0.05, test=test, alpha=0.01)
        assert_consistent(strict, b, c, n)
        lenient = binary_verdicts(b, c, n, margin=0.05, test=test, alpha=0.1)
        assert_consistent(lenient, b, c, n)
        assert np.all((lenient.verdict == "different") | (strict.verdict != "different"))
        assert np.all(lenient.within_margin | ~strict.within_margin)
        assert np.all(lenient.attainable | ~strict.attainable)
        if n % 10:
            continue
        mirrored = binary_verdicts(c, b, n, margin=0.05, test=test, alpha=0.1)
        np.testing.assert_array_equal(mirrored.verdict, lenient.verdict)
        np.testing.assert_array_equal(mirrored.direction, -lenient.direction)
        np.testing.assert_array_equal(mirrored.further_items, lenient.further_items)


def test_the_exact_test_is_never_more_lenient_than_mid_p() -> None:
    b, c = tables(60, 60)
    exact, mid_p = (binary_verdicts(b, c, 60, test=t) for t in ("exact", "mid_p"))
    assert np.all((mid_p.verdict == "different") | (exact.verdict != "different"))


def test_five_to_nothing_of_ten_items_is_undetermined() -> None:
    found = binary_verdicts(5, 0, 10)
    assert found.verdict == "undetermined"
    assert float(found.p) == 0.0625
    assert not found.attainable
    assert found.interval.low == 0 < float(tango_interval(5, 0, 10).low)
    for test in TESTS[1:]:
        assert binary_verdicts(5, 0, 10, test=test).verdict == "different"


def test_a_pair_can_be_different_by_less_than_the_margin() -> None:
    found = binary_verdicts(400, 300, 100_000, margin=0.02)
    assert found.verdict == "different"
    assert found.within_margin
    assert binary_verdicts(400, 300, 100_000).verdict == "different"
    assert not binary_verdicts(400, 300, 100_000).within_margin


def test_no_number_of_items_decides_equal_counts_without_a_margin() -> None:
    alone = binary_verdicts(20, 20, 200)
    assert alone.further_items == np.inf
    assert alone.decided_as == "undetermined"
    asked = binary_verdicts(20, 20, 200, margin=0.05)
    assert 0 < float(asked.further_items) < np.inf
    assert asked.decided_as == "equivalent"


def test_an_undetermined_pair_needs_at_least_one_further_item() -> None:
    """The chance asked for may be reached where the observed p-value is above the level."""
    found = binary_verdicts(12, 5, 100, power=0.1)
    assert found.verdict == "undetermined"
    assert 1 <= float(found.further_items) < 15


def test_graded_verdicts_are_those_of_the_t_test() -> None:
    noise = np.random.default_rng(8).normal(0, [0.3, 0.3, 0.3, 0.02], (30, 4))
    d = np.array([0.0, -0.02, 0.3, 0.0]) + np.concatenate([noise, -noise])
    found = graded_verdicts(d, margin=0.03)
    expected = ttest_1samp(d, 0)
    np.testing.assert_allclose(found.p, expected.pvalue, rtol=1e-10)
    below = ttest_1samp(d, 0.03, alternative="less").pvalue
    above = ttest_1samp(d, -0.03, alternative="greater").pvalue
    np.testing.assert_allclose(found.p_equivalence, np.maximum(below, above), rtol=1e-10)
    # The interval of the equivalent pair ends at the margin.
    interval, student = found.interval, expected.confidence_interval(0.95)
    np.testing.assert_allclose([interval.low[:3], interval.high[:3]], np.array(student)[:, :3])
    assert found.verdict.tolist() == ["undetermined", "undetermined", "different", "equivalent"]
    assert found.direction.tolist() == [0, 0, 1, 0]
    assert_interval_says_so(found)
    assert np.all(found.further_items[:2] >= 1)


def test_a_few_differing_items_are_few_whatever_the_number_of_items() -> None:
    """Five of six hundred, all one way: Student's p is .035, that of their signs .0625."""
    gains = np.zeros(600)
    gains[:5] = [0.1, 0.2, 0.25, 0.3, 0.35]
    found = graded_verdicts(gains)
    assert ttest_1samp(gains, 0).pvalue < 0.05 < found.p
    assert found.verdict == "undetermined"
    assert found.interval.low < 0 < found.interval.high
    gains[5:12] = 0.2
    assert graded_verdicts(gains).verdict == "different"


@pytest.mark.parametrize("margin", [None, 0.08])
def test_no_graded_pair_contradicts_itself(margin: float | None) -> None:
    """Sparse, skewed and dense differences: p, interval, direction and level are of one test."""
    rng = np.random.default_rng(6)
    share = rng.uniform(0, 1, 4_000) ** 2
    differ = rng.random((40, 4_000)) < share
    d = np.where(differ, rng.beta(1, 4, (40, 4_000)) - 0.2 * (share < 0.5), 0.0)
    found = graded_verdicts(d, margin=margin)
    different = found.verdict == "different"
    assert 0.1 < different.mean() < 0.9
    np.testing.assert_array_equal(different, found.p <= 0.05)
    assert_interval_says_so(found)
    np.testing.assert_array_equal(found.direction, np.where(different, np.sign(d.mean(axis=0)), 0))
    differing = np.count_nonzero(d, axis=0)
    np.testing.assert_array_equal(found.attainable, differing > 1)
    some = differing > 1
    least = 2 * t.sf(np.abs(ttest_1samp(d[:, some], 0).statistic), differing[some] - 1)
    assert np.all(found.p[some] >= least * (1 - 1e-9))
    mirrored = graded_verdicts(-d, margin=margin)
    np.testing.assert_array_equal(mirrored.verdict, found.verdict)
    np.testing.assert_allclose(mirrored.interval.low, -found.interval.high)


def test_a_skewed_mean_needs_both_tests() -> None:
    """Rare large losses against the gap: Hall's test decides what Student's would."""
    d = np.r_[np.full(60, 0.05), np.full(5, -0.25), np.zeros(14)]
    found = graded_verdicts(d)
    assert ttest_1samp(d, 0).pvalue < 0.05 < found.p
    assert found.interval.low < 0


def test_two_tests_that_contradict_each_other_stay_undetermined_whatever_is_added() -> None:
    """One finds the gap, the other that it is within the margin: each needs no further item."""
    different = mean_verdicts([0.2], 0.01, 99, 100, margin=0.1, test="cluster")
    equivalent = mean_verdicts([0.02], 0.03, 99, 100, margin=0.1)
    assert (str(different.verdict[0]), str(equivalent.verdict[0])) == ("different", "equivalent")
    for pair in ((different, equivalent), (equivalent, different)):
        found = agreed_verdicts(*pair)
        assert (found.verdict.tolist(), found.decided_as.tolist()) == (["undetermined"],) * 2
        assert found.further_items.tolist() == [np.inf]


def test_an_equivalence_that_two_tests_must_find_has_the_larger_p() -> None:
    precise = mean_verdicts([0.02], 0.03, 99, 100, margin=0.1, test="cluster")
    coarse = mean_verdicts([0.02], 0.06, 99, 100, margin=0.1)
    assert precise.p_equivalence < 0.05 < coarse.p_equivalence
    for pair in ((precise, coarse), (coarse, precise)):
        found = agreed_verdicts(*pair)
        assert found.p_equivalence == coarse.p_equivalence
        assert not found.within_margin.any()


@pytest.mark.parametrize(
    "differences", [[0.5], [0.0], [1.0, 1.0], [0.0, 0.0, 0.0], [0.05] * 7, [0.3 - 0.2, 0.5 - 0.4]]
)
def test_graded_differences_that_do_not_vary_decide_nothing(differences: list[float]) -> None:
    found = graded_verdicts(differences, margin=0.1)
    assert found.verdict == "undetermined"
    assert not found.attainable
    assert found.further_items == np.inf
    assert found.p_equivalence == 0.5
    assert found.interval.low == -np.inf
    assert found.interval.high == np.inf
    assert_interval_says_so(found)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: binary_verdicts(1, 2, 5, test=UNKNOWN), "test must be one of"),
        (lambda: binary_verdicts(4, 2, 5), "at least b \\+ c"),
        (lambda: binary_verdicts(1, 2, 5, alpha=0.0), "alpha"),
        (lambda: binary_verdicts(1, 2, 5, margin=1.5), "margin"),
        (lambda: mean_verdicts(0.1, 0.05, 9, 10, margin=-1), "margin"),
    ],
)
def test_faults_are_named(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument, match=said):
        call()


def test_items_of_a_new_run_that_is_to_show_equivalence_are_those_within_the_margin() -> None:
    """An observed gap of 0 is shown to be small, and not to differ."""
    alone, near = (binary_verdicts(20, 20, 200, margin=margin) for margin in (None, 0.05))
    assert [str(near.verdict), str(near.decided_as)] == ["undetermined", "equivalent"]
    assert np.isinf(alone.even_items)
    assert 200 < near.even_items < near.assured_items < 20_000
