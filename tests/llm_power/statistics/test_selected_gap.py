"""Limits of significant gaps against R, by their coverage, and by what plans from them have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm

from llm_power._statistics.designs import required_units
from llm_power._statistics.mcnemar import McNemarDesign, mcnemar_exact
from llm_power._statistics.selection_bias import share_limit, shift_limit

# A t of so many degrees of freedom is normal to six digits.
NORMAL = 1e7


def test_limits_agree_with_r() -> None:
    """R 4: uniroot over pt(t, df, l, FALSE) / pt(qt(.975, df), df, l, FALSE) - .2, and pbinom."""
    shifts = [
        shift_limit(3.4, 99),
        shift_limit(3.4, 99, selected=False),
        shift_limit(3.0, 20, confidence=0.5),
        shift_limit(4.2, 7),
    ]
    np.testing.assert_allclose(
        shifts, [2.14713810351, 2.52559823949, 2.45271551404, 2.01844105937], rtol=1e-8
    )
    shares = [share_limit(45, 18), share_limit(45, 18, confidence=0.5), share_limit(30, 8)]
    np.testing.assert_allclose(shares, [0.644047399149, 0.707153822837, 0.709290166070], rtol=1e-8)


def test_what_hardly_was_significant_excludes_no_tie() -> None:
    assert shift_limit(2.0, NORMAL) == 0
    assert share_limit(36, 18) == 0.5
    assert share_limit(20, 20, selected=False) == 0.5
    # Far from the threshold the condition does not matter.
    np.testing.assert_allclose(
        shift_limit(9.0, NORMAL), shift_limit(9.0, NORMAL, selected=False), rtol=1e-6
    )


def normal_pilots(power: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Shift of a z test with this power, significant statistics, and their probabilities."""
    critical = norm.ppf(0.975)
    shift = norm.ppf(power) + critical
    # Midpoints of equal probability, given significance on the side of the gap.
    levels = (np.arange(400) + 0.5) / 400
    statistics = shift + norm.isf(levels * norm.sf(critical - shift))
    return shift, statistics, np.full(400, 1 / 400)


@pytest.mark.slow
@pytest.mark.parametrize("power", [0.05, 0.2, 0.5, 0.8, 0.95])
def test_the_limit_has_its_confidence_whatever_the_power_of_the_pilot(power: float) -> None:
    shift, statistics, weights = normal_pilots(power)
    for confidence in (0.5, 0.8):
        limits = [shift_limit(z, NORMAL, confidence=confidence) for z in statistics]
        assert abs(weights @ (np.array(limits) <= shift) - confidence) < 0.004


def test_a_significant_pilot_promises_80_and_gives_71() -> None:
    """Of pilots with power .80 at the level .05, those that are significant."""
    shift, statistics, weights = normal_pilots(0.80)
    sum_of_quantiles = norm.ppf(0.975) + norm.ppf(0.80)

    def power_of_plan(gap: np.ndarray) -> np.ndarray:
        # N* over the pilot's items is (2.80 / z)^2; a gap of 0 takes any number.
        root = np.where(gap > 0, sum_of_quantiles / np.maximum(gap, 1e-9), 1e9)
        return norm.cdf(shift * root - norm.ppf(0.975))

    promised = power_of_plan(statistics)
    assert round(float(weights @ promised), 2) == 0.71
    kept = power_of_plan(np.array([shift_limit(z, NORMAL) for z in statistics]))
    assert abs(weights @ (kept >= 0.8 - 1e-9) - 0.80) < 0.004
    assert weights @ kept > 0.9
    # The limit without the condition has its confidence among all pilots, not among these.
    naive = power_of_plan(np.array([shift_limit(z, NORMAL, selected=False) for z in statistics]))
    assert weights @ (naive >= 0.8) < 0.76


@pytest.mark.parametrize(("m", "theta"), [(40, 0.6), (40, 0.75), (200, 0.6), (200, 0.7)])
def test_shares_have_the_confidence_of_a_mid_p(m: int, theta: float) -> None:
    """Summed over all significant counts: the jumps of whole counts leave a few hundredths."""
    ahead = np.arange(m // 2 + 1, m + 1)
    ahead = ahead[mcnemar_exact(ahead, m - ahead) <= 0.05]
    mass = binom.pmf(ahead, m, theta)
    limits = np.array([share_limit(int(b), m - int(b)) for b in ahead])
    coverage = mass @ (limits <= theta) / mass.sum()
    assert 0.74 < coverage < 0.88


@pytest.mark.slow
def test_plans_from_simulated_significant_pilots() -> None:
    """McNemar pilots of 0/1 scores, by the exact test: the same, from tables to true power."""
    rng, n, psi, trials = np.random.default_rng(3), 600, 0.2, 1_500
    gap = 0.0531  # the exact test of 600 items has power .80
    p10, p01 = (psi + gap) / 2, (psi - gap) / 2
    counts = rng.multinomial(n, [p10, p01, 1 - psi], trials)[:, :2]
    b, c = counts[(mcnemar_exact(*counts.T) <= 0.05) & (counts[:, 0] > counts[:, 1])].T
    tables, times = np.unique(np.stack([b, c]), axis=1, return_counts=True)
    naive, kept = [], []
    for ahead, behind in tables.T.tolist():
        from_own = required_units(McNemarDesign(ahead / n, behind / n), 0.8)
        share = share_limit(ahead, behind)
        rates = (ahead + behind) / n * np.array([share, 1 - share])
        naive.append(float(McNemarDesign(p10, p01).power(int(from_own))))
        # Of a gap below a third of the true one the power is 1.
        small = (2 * share - 1) * (ahead + behind) / n < gap / 3
        n_kept = 0.0 if small else required_units(McNemarDesign(*rates), 0.8)
        kept.append(1.0 if small else float(McNemarDesign(p10, p01).power(int(n_kept))))
    weights = times / times.sum()
    mean = float(weights @ naive)
    error = float(np.sqrt(weights @ np.square(np.array(naive) - mean) / times.sum()))
    assert error < 0.008
    assert abs(mean - 0.71) < 4 * error
    share_kept = float(weights @ (np.array(kept) >= 0.8))
    assert abs(share_kept - 0.80) < 4 * np.sqrt(0.16 / times.sum()) + 0.02
