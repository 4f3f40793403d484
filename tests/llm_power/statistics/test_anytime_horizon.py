"""Crossing probability, horizon and stopping counts: recursion, simulation and stated numbers."""

from __future__ import annotations

import numpy as np
import pytest

from llm_power._errors import InvalidArgument
from llm_power._statistics import anytime_horizon as module
from llm_power._statistics.anytime_horizon import (
    anytime_horizon,
    monitored_required_n,
)
from llm_power._statistics.e_process import (
    BETA_2_2,
    BETA_4_4,
    TWO_POINT,
    UNIFORM_98,
    BetaMixture,
    Mixture,
    anytime_required_n,
    log_e_value,
)

N_MMLU_PRO = 12_032


def crossing_probability(p10: float, p01: float, n: int, *, mixture: Mixture = BETA_4_4) -> float:
    total = p10 + p01
    levels = module._levels_for(module._upper_count(n, total))
    law = module._crossing_law(mixture, 0.05, levels, max(p10, p01) / total)
    return module._crossed_by(law, n, total)


SYMMETRIC: list[Mixture] = [UNIFORM_98, TWO_POINT, BETA_2_2, BETA_4_4, BetaMixture(0.5, 0.5)]


def crossed_by_recursion(
    p10: float, p01: float, n_items: int, alpha: float, mixture: Mixture
) -> list[float]:
    """Probability of having crossed after 0, 1, ... items, over all tables (b, c) item by item."""
    b, c = np.meshgrid(np.arange(n_items + 1), np.arange(n_items + 1), indexing="ij")
    beyond = log_e_value(b, c, mixture) >= -np.log(alpha)
    mass = np.zeros(b.shape)
    mass[0, 0] = 1.0
    crossed = [0.0]
    for _ in range(n_items):
        stepped = (1 - p10 - p01) * mass
        stepped[1:] += p10 * mass[:-1]
        stepped[:, 1:] += p01 * mass[:, :-1]
        crossed.append(crossed[-1] + float(stepped[beyond].sum()))
        mass = np.where(beyond, 0.0, stepped)
    return crossed


@pytest.mark.parametrize("mixture", SYMMETRIC)
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_smallest_gap_equals_brute_force(mixture: Mixture, alpha: float) -> None:
    d = np.arange(121.0)
    gap = module._crossing_height(d, d, 1.0, alpha, mixture)
    for total in range(121):
        b = np.arange(-(-total // 2), total + 1)
        crosses = b[log_e_value(b, total - b, mixture) >= -np.log(alpha)]
        assert gap[total] == 2 * crosses[0] - total if crosses.size else gap[total] > total


def test_smallest_gap_at_ten_million_discordant_items() -> None:
    d = np.array([1e7])
    gap = module._crossing_height(d, d, 1.0, 0.05, BETA_4_4)
    at, below = (
        log_e_value((d + gap) / 2, (d - gap) / 2, BETA_4_4),
        log_e_value((d + gap) / 2 - 1, (d - gap) / 2 + 1, BETA_4_4),
    )
    assert below < np.log(20) <= at


@pytest.mark.parametrize("mixture", SYMMETRIC)
@pytest.mark.parametrize(
    ("p10", "p01"), [(0.3, 0.1), (0.05, 0.2), (0.15, 0.15), (0.6, 0.4), (0.4, 0.0), (1.0, 0.0)]
)
def test_crossing_probability_equals_the_recursion_over_tables(
    mixture: Mixture, p10: float, p01: float
) -> None:
    expected = crossed_by_recursion(p10, p01, 120, 0.05, mixture)
    for n in (1, 9, 40, 120):
        found = crossing_probability(p10, p01, n, mixture=mixture)
        assert found == pytest.approx(expected[n], rel=1e-11, abs=1e-15)


def test_horizon_and_stopping_counts_equal_the_recursion_over_tables() -> None:
    crossed = np.array(crossed_by_recursion(0.36, 0.14, 200, 0.05, BETA_4_4))
    pair = anytime_horizon(36, 14, 100)
    horizon = int(pair.n_star_anytime)
    assert crossed[horizon - 1] < 0.8 <= crossed[horizon]
    assert crossed[int(pair.stopping_90) - 1] < 0.9 <= crossed[int(pair.stopping_90)]
    # E[min(T, n)] is the sum of P(T > k) over k < n.
    np.testing.assert_allclose(pair.expected_items, np.sum(1 - crossed[:horizon]), rtol=1e-11)
    np.testing.assert_allclose(pair.q_anytime, 100 / horizon, rtol=1e-15)


@pytest.mark.parametrize(("p10", "p01", "n"), [(0.2, 0.2, 3_000), (0.5, 0.5, 100_000)])
def test_ville_holds_for_the_default_mixture(p10: float, p01: float, n: int) -> None:
    assert 0.03 < crossing_probability(p10, p01, n) <= 0.05


def inflation(b: int, c: int, mixture: Mixture) -> float:
    fixed = anytime_required_n(b, c, N_MMLU_PRO, mixture=mixture)
    ratio = float(fixed.inflation / fixed.n_star_anytime)
    return float(anytime_horizon(b, c, N_MMLU_PRO, mixture=mixture).n_star_anytime) * ratio


@pytest.mark.parametrize(
    ("b", "c", "at_the_end", "paper", "default"),
    [(253, 111, 2.26, 1.70, 1.60), (1871, 1076, 2.60, 1.84, 1.67), (1680, 1454, 2.61, 2.25, 1.99)],
)
def test_early_crossings_shorten_the_horizon(
    b: int, c: int, at_the_end: float, paper: float, default: float
) -> None:
    """Table 7's rows 1, 4 and 5, as multiples of N*, two decimals."""
    old = anytime_required_n(b, c, N_MMLU_PRO, mixture=UNIFORM_98)
    assert float(old.inflation) == pytest.approx(at_the_end, abs=0.005)
    assert inflation(b, c, UNIFORM_98) == pytest.approx(paper, abs=0.006)
    assert inflation(b, c, BETA_4_4) == pytest.approx(default, abs=0.006)


@pytest.mark.parametrize(("b", "c"), [(284, 76), (500, 470), (12, 0)])
def test_a_recursion_no_longer_than_it_must_be_says_the_same(
    b: int, c: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = anytime_horizon(b, c, N_MMLU_PRO)
    monkeypatch.setattr(module, "_LOWEST_LEVEL", 0)
    full = anytime_horizon(b, c, N_MMLU_PRO)
    rates = monitored_required_n(b / N_MMLU_PRO, c / N_MMLU_PRO)
    names = ("n_star_anytime", "expected_items", "stopping_90")
    for name, of_rates in zip(names, rates, strict=True):
        assert float(getattr(short, name)) == pytest.approx(float(getattr(full, name)), rel=1e-12)
        assert float(getattr(short, name)) == pytest.approx(of_rates, rel=1e-12)


def test_each_level_of_the_lattice_reaches_four_times_as_far() -> None:
    law = module._null_passage(UNIFORM_98, 0.05, 2)
    ends = [law.time[law.level == level][-1] for level in range(3)]
    np.testing.assert_allclose(ends[1:], 4 * np.array(ends[:-1]), rtol=1e-3)
    within = np.diff(law.level, prepend=0) == 0
    np.testing.assert_array_equal(law.steps[within], 1)
    np.testing.assert_allclose(np.cumsum(law.steps * law.sizes[law.level] ** 2), law.time)


@pytest.mark.parametrize("size", [2.0, 4.0, 16.0])
def test_a_coarse_step_crosses_half_a_step_after_the_boundary(size: float) -> None:
    time = np.array([40_000.0, 70_000.0, 200_000.0])
    steps = module._crossing_height(np.zeros(3), time, size, 0.05, BETA_4_4)
    boundary = module._crossing_height(time, time, 1.0, 0.05, BETA_4_4)
    gap = size * (steps + 0.5) - 0.5
    assert ((gap > boundary - 2) & (gap - 2 * size < boundary)).all()


@pytest.mark.slow
def test_the_coarse_lattice_agrees_with_the_exact_recursion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """822,000 items and 166,000 discordant ones: two levels against none."""
    coarse = anytime_horizon(1227, 1200, N_MMLU_PRO)
    monkeypatch.setattr(module, "_EXACT_STEPS", 2**18)
    module._null_passage.cache_clear()
    exact = anytime_horizon(1227, 1200, N_MMLU_PRO)
    module._null_passage.cache_clear()
    for name in ("n_star_anytime", "expected_items", "stopping_90"):
        np.testing.assert_allclose(getattr(coarse, name), getattr(exact, name), rtol=1e-3)


@pytest.mark.slow
def test_a_true_small_gap_is_found_in_the_end_and_the_papers_mixture_never_finds_it() -> None:
    pair = anytime_horizon(1449, 1439, 12_031)
    assert 2.9 < pair.n_star_anytime / 2_727_000 < 3.1
    # The paper's mixture has no mass within .01 of 1/2.
    seven_million = 7_070_042
    power = crossing_probability(1449 / 12_031, 1439 / 12_031, seven_million, mixture=UNIFORM_98)
    assert power < 0.05
    assert crossing_probability(1449 / 12_031, 1439 / 12_031, seven_million) > 0.7


@pytest.mark.slow
def test_the_smallest_gap_of_all_has_a_horizon_too() -> None:
    pair = anytime_horizon(10**7 + 1, 10**7, 10**8)
    fixed = 7.85 * (2e-1 * 1e16)
    assert 1 < pair.n_star_anytime / fixed < 10


def test_no_gap_needs_infinitely_many_items_and_a_clean_sweep_the_fewest() -> None:
    pairs = anytime_horizon([5, 1, 0, 6], [5, 0, 0, 0], [20, 1, 5, 6])
    np.testing.assert_array_equal(pairs.n_star_anytime, [np.inf, 11, np.inf, 11])
    np.testing.assert_array_equal(pairs.expected_items, [np.inf, 11, np.inf, 11])
    np.testing.assert_array_equal(pairs.q_anytime, [0, 1 / 11, 0, 6 / 11])


def test_pairs_are_treated_alike_and_swapping_changes_nothing() -> None:
    b, c = np.array([[30, 12], [40, 30]]), np.array([[12, 30], [22, 5]])
    pairs, swapped = anytime_horizon(b, c, 200), anytime_horizon(c, b, 200)
    for i in np.ndindex(2, 2):
        alone = anytime_horizon(b[i], c[i], 200)
        assert pairs.n_star_anytime[i] == alone.n_star_anytime == swapped.n_star_anytime[i]
        assert pairs.stopping_90[i] == alone.stopping_90


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="at least b \\+ c"):
        anytime_horizon(5, 6, 10)
    with pytest.raises(InvalidArgument, match="symmetric"):
        anytime_horizon(5, 6, 20, mixture=BetaMixture(2, 1))
    with pytest.raises(InvalidArgument, match="power must exceed"):
        anytime_horizon(5, 6, 20, alpha=0.5, power=0.1)
