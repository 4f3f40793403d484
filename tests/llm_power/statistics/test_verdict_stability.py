"""Intervals of N*, and the chance of turning against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from llm_power._errors import InvalidArgument
from llm_power._statistics import verdict_stability
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.mcnemar import mcnemar_exact
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power._statistics.random_streams import named_rng
from llm_power._statistics.verdict_stability import (
    bootstrap_required_n,
    chance_of_turning,
    exact_chance_of_turning,
    required_n_interval,
)


def test_limits_are_n_star_at_the_ends_of_the_gap() -> None:
    low, high = required_n_interval([-0.05, 0.01], [-0.01, 0.05], 0.1)
    ends = [float(required_n_discordance(50 + d, 50 - d, 1_000)) for d in (25, 5)]
    np.testing.assert_allclose(low, ends[0], rtol=1e-12)
    np.testing.assert_allclose(high, ends[1], rtol=1e-12)


def test_an_interval_that_holds_zero_leaves_n_star_open() -> None:
    low, high = required_n_interval([-0.02, 0.0, -np.inf], [0.05, 0.03, np.inf], 0.1)
    assert np.isinf(high).all()
    assert (low[:2] > 0).all()
    assert low[2] == 0


def test_the_border_turns_as_often_as_not() -> None:
    assert chance_of_turning(0.01, 1, level=0.01) == pytest.approx(0.5)
    assert chance_of_turning(1.0, 0, level=0.05) == pytest.approx(
        2 * ndtr(-1.96 / 2**0.5), abs=1e-4
    )


def test_the_stated_chance_is_that_of_new_samples() -> None:
    """True gaps spread widely, both samples err: by deciles of the stated chance, within .05."""
    rng = named_rng(0, "turning")
    true = rng.uniform(-8, 8, size=200_000)
    first, second = true + rng.normal(size=(2, true.size))
    critical = -ndtri(0.025)
    verdict, again = (np.sign(z) * (np.abs(z) >= critical) for z in (first, second))
    inside = np.abs(first) < 5  # away from the ends of what is true
    stated = chance_of_turning(2 * ndtr(-np.abs(first)), verdict, level=0.05)[inside]
    turned = (verdict != again)[inside]
    for part in np.array_split(np.argsort(stated), 10):
        assert turned[part].mean() == pytest.approx(stated[part].mean(), abs=0.02)


def test_the_exact_test_states_the_chance_of_few_discordant_items() -> None:
    """Between samples of 50 items: by deciles of the stated chance, within .05."""
    rng = named_rng(0, "turning/exact")
    psi, lean = rng.uniform(0.05, 0.5, size=60_000), rng.uniform(0.0, 1.0, size=60_000)
    found = []
    for _ in range(2):
        discordant = rng.binomial(50, psi)
        b = rng.binomial(discordant, lean)
        c = discordant - b
        found.append((b, c, np.where(mcnemar_exact(b, c) <= 0.05, np.sign(b - c), 0)))
    (b, c, verdict), (_, _, again) = found
    stated = exact_chance_of_turning(b, c, verdict, level=0.05)
    edges = np.unique(np.quantile(stated, np.arange(1, 10) / 10))
    decile, turned = np.searchsorted(edges, stated), verdict != again
    for k in np.unique(decile):
        assert turned[decile == k].mean() == pytest.approx(stated[decile == k].mean(), abs=0.05)


def test_no_discordant_item_turns_nothing() -> None:
    assert exact_chance_of_turning(0, 0, 0, level=0.05) == 0


def test_required_n_percentiles_equal_a_plain_loop() -> None:
    n11, b, c, n00 = 616, 100, 78, 378  # Table 6, row 3
    result = bootstrap_required_n(n11, b, c, n00, n_resamples=4_000, rng=named_rng(11, "cells"))
    n = 1172
    rng = named_rng(11, "loop")
    drawn = rng.multinomial(n, np.array([n11, b, c, n00]) / n, size=4_000)
    gap = np.abs(drawn[:, 1] - drawn[:, 2]) / n
    share = np.mean(gap == 0)
    error = np.sqrt(2 * share * (1 - share) / 4_000)
    assert abs(result.share_infinite - share) < 4 * error
    k = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2
    with np.errstate(divide="ignore"):  # b* = c*: the infinite resamples of this oracle
        needed = k * ((drawn[:, 1] + drawn[:, 2]) / n / gap**2 - 1)
    # Distribution-free 4 SE band for a 5% quantile of 4,000 draws against one of 4,000.
    band = 4 * np.sqrt(2 * 0.05 * 0.95 / 4_000)
    low, high = np.quantile(needed, [0.05 - band, 0.05 + band], method="inverted_cdf")
    assert low <= result.low <= high
    assert abs(result.share_unresolved - np.mean(needed > n)) < 4 * np.sqrt(0.5 / 4_000)


def test_required_n_percentiles_are_honest_about_infinity() -> None:
    always = bootstrap_required_n(10, 0, 0, 10, n_resamples=50, rng=named_rng(12, "never"))
    assert np.isposinf(always.low)
    assert np.isposinf(always.high)
    assert always.share_infinite == 1
    # b* - c* is 0 with probability 1/2 and 2/4: the upper percentile is infinite, not a blend.
    some = bootstrap_required_n(2, 1, 1, 0, n_resamples=501, rng=named_rng(12, "some"))
    assert some.high == np.inf
    assert np.isfinite(some.low)


def test_required_n_does_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = named_rng(3, "blocks").multinomial(300, [0.3, 0.2, 0.1, 0.4], size=7).T

    def ends() -> list[FloatArray]:
        result = bootstrap_required_n(*cells, n_resamples=50, rng=named_rng(3, "n"))
        return [result.low, result.high]

    whole = ends()
    monkeypatch.setattr(verdict_stability, "_BLOCK", 700)
    np.testing.assert_array_equal(ends(), whole)


@pytest.mark.parametrize(
    "call",
    [
        lambda rng: bootstrap_required_n(0, 0, 0, 0, rng=rng),
        lambda rng: bootstrap_required_n(5, 1, 2, 3, quantiles=(0.0, 0.95), rng=rng),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call(named_rng(0, "refused"))
