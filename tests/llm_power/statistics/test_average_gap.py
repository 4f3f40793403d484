"""The gap on the average of several tasks: what it is for one task, and its error rates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtr, stdtrit
from scipy.stats import binom, ttest_rel

from llm_power._statistics.average_gap import (
    AverageGap,
    average_gap,
    binary_gap,
    mean_gap,
    share_solved,
)
from llm_power._statistics.intervals import tango_interval, wilson_interval
from llm_power._statistics.mcnemar import mcnemar_asymptotic
from llm_power._statistics.paired_equivalence import score_equivalence_test
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.verdict import average_verdicts

B, C, N = [30, 0, 16, 5], [8, 0, 6, 0], [500, 40, 161, 10]


def test_one_task_has_the_tests_and_the_interval_of_its_counts() -> None:
    one = average_gap([binary_gap(B, C, N)], [1.0])
    df = np.where(np.add(B, C) > 0, 2.0 * np.add(B, C), np.inf)
    z = ndtri(mcnemar_asymptotic(B, C) / 2)
    np.testing.assert_allclose(one.p_different(), 2 * stdtr(df, z), rtol=1e-12)
    equivalence = score_equivalence_test(B, C, N, margin=0.1, alpha=0.05)
    np.testing.assert_allclose(one.p_within(0.1), stdtr(df, ndtri(equivalence.p)), rtol=1e-9)
    found = one.interval(0.05)
    for k, freedom in enumerate(df):
        level = 2 * ndtr(stdtrit(freedom, 0.025))
        tango = tango_interval(B[k], C[k], N[k], confidence=1 - level)
        ends = [float(tango.low), float(tango.high)]
        np.testing.assert_allclose([found.low[k], found.high[k]], ends, atol=1e-10)


def test_graded_tasks_are_a_test_of_welch() -> None:
    rng = named_rng(0, "average of graded tasks")
    first, second = rng.normal(0.1, 0.4, 30), rng.normal(0.0, 0.1, 80)
    tasks = [
        mean_gap(d.mean(), d.std(ddof=1) / np.sqrt(d.size), d.size - 1) for d in (first, second)
    ]
    alone = average_gap(tasks, [1.0, 0.0])
    assert alone.p_different() == pytest.approx(ttest_rel(first, np.zeros(30)).pvalue)
    both = average_gap(tasks, [0.5, 0.5])
    error = np.hypot(*(task.variance(task.delta)[0] ** 0.5 / 2 for task in tasks))
    assert both.standard_error == pytest.approx(error)
    interval = both.interval(0.05)
    assert interval.high - both.delta == pytest.approx(both.delta - interval.low)


def test_nothing_is_said_of_a_task_whose_items_do_not_vary() -> None:
    average = average_gap([binary_gap([5], [1], [50]), mean_gap([0.1], [np.inf], [9])], [0.5, 0.5])
    assert average.p_different() == 1
    assert average.p_within(0.5) == pytest.approx(0.5)
    interval = average.interval(0.05)
    assert (interval.low[0], interval.high[0]) == (-np.inf, np.inf)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "discordance", "gaps"),
    [
        ((50, 50, 50), (0.05, 0.05, 0.05), (0.0, 0.0, 0.0)),
        ((50, 50, 50), (0.2, 0.2, 0.2), (0.1, -0.1, 0.0)),
        ((30, 100, 1000), (0.1, 0.2, 0.3), (0.05, -0.1, 0.05)),
        ((20,) * 5, (0.1,) * 5, (0.09,) * 5),
        ((100,) * 6, (0.02, 0.5, 0.1, 0.1, 0.3, 0.3), (0.0, 0.2, -0.05, -0.05, -0.1, 0.0)),
        ((500, 500, 500), (0.05, 0.2, 0.5), (0.04, 0.1, 0.2)),
        ((200, 200), (0.05, 0.05), (0.045, -0.045)),
        ((30,) * 6, (0.05,) * 6, (0.05, -0.05) * 3),
        ((1000, 100), (0.05, 0.05), (0.045, -0.045)),
    ],
)
def test_intervals_cover_and_tests_keep_their_level(
    items: tuple[int, ...], discordance: tuple[float, ...], gaps: tuple[float, ...]
) -> None:
    rng, trials = named_rng(0, f"average gap {items} {gaps}"), 20_000
    tasks = []
    for n, psi, gap in zip(items, discordance, gaps, strict=True):
        cells = rng.multinomial(n, [(psi + gap) / 2, (psi - gap) / 2, 1 - psi], size=trials)
        tasks.append(binary_gap(cells[:, 0], cells[:, 1], np.full(trials, n)))
    average = average_gap(tasks, np.full(len(items), 1 / len(items)))
    true, interval = float(np.mean(gaps)), average.interval(0.05)
    covered = np.mean((interval.low <= true + 1e-12) & (interval.high >= true - 1e-12))
    assert covered > 0.945 - 0.003
    if abs(true) < 1e-12:
        assert np.mean(average.p_different() <= 0.05) < 0.055 + 0.003


@pytest.mark.parametrize(
    ("tasks", "weights"),
    [
        ([(20, 0.97)] * 3, [1 / 3] * 3),
        ([(8, 0.9), (200, 0.8)], [0.5, 0.5]),
        ([(12, 0.99), (20, 0.9), (30, 0.6)], [0.2, 0.3, 0.5]),
        ([(30, 0.5), (30, 0.02)], [0.9, 0.1]),
        ([(90, 0.85), (90, 0.35)], [0.5, 0.5]),
    ],
)
def test_the_interval_of_an_average_covers(
    tasks: list[tuple[int, float]], weights: list[float]
) -> None:
    """Exact, over all numbers of solved items; the Wald interval covers .83 of the first."""
    solved = np.meshgrid(*(np.arange(n + 1) for n, _ in tasks), indexing="ij")
    chance = np.prod([binom.pmf(k, n, p) for k, (n, p) in zip(solved, tasks, strict=True)], axis=0)
    parts = [share_solved(k.ravel(), n) for k, (n, _) in zip(solved, tasks, strict=True)]
    found = average_gap(parts, weights).interval(0.05)
    truth = np.dot(weights, [p for _, p in tasks])
    covered = chance.ravel()[(found.low <= truth) & (truth <= found.high)].sum()
    assert 0.94 <= covered <= 0.99


@pytest.mark.parametrize(("n_tasks", "n_items"), [(2, 4), (4, 5), (2, 10), (4, 100)])
def test_the_smallest_gap_of_an_average_has_its_power(n_tasks: int, n_items: int) -> None:
    rng, size = named_rng(0, f"smallest gap/{n_tasks}/{n_items}"), (4_000, n_items)
    drawn = [rng.standard_normal(size) for _ in range(n_tasks)]

    def average(gap: float) -> AverageGap:
        tasks = [
            mean_gap(x.mean(axis=1) + gap, x.std(axis=1, ddof=1) / n_items**0.5, n_items - 1)
            for x in drawn
        ]
        return average_gap(tasks, [1 / n_tasks] * n_tasks)

    items = np.full(4_000, n_tasks * n_items)
    shown = average_verdicts(average(0.0), items, items).smallest_gap
    # In errors, of which the true one is known.
    gap = float(np.mean(shown / average(0.0).standard_error)) / (n_tasks * n_items) ** 0.5
    found = average(gap)
    power = np.mean((found.p_different() <= 0.05) & (found.delta > 0))
    assert power == pytest.approx(0.8, abs=4 * (0.16 / 4_000) ** 0.5)


def test_the_interval_of_one_share_is_wilsons() -> None:
    solved = np.array([0, 1, 7, 29, 30])
    found = average_gap([share_solved(solved, 30)], [1.0]).interval(0.05)
    expected = wilson_interval(solved, 30)
    np.testing.assert_allclose((found.low, found.high), expected, atol=1e-10)
