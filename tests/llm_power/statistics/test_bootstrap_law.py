"""Exact law of the paired bootstrap against enumeration, scipy and the binomial tail."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from table_6_pairs import HELLASWAG, TABLE_6, scores

from llm_power._errors import InvalidArgument
from llm_power._statistics import bootstrap_law
from llm_power._statistics.bootstrap_law import (
    bootstrap_tails,
    percentile_bootstrap_boundary,
    percentile_bootstrap_rejects,
)
from llm_power._statistics.random_streams import named_rng


def conditional_tail(b: int, c: int, n: int) -> float:
    """P(S* <= 0) the other way round: given M* discordant draws, B* is binomial."""
    m = np.arange(n + 1)
    inner = stats.binom.cdf(m // 2, m, b / (b + c))
    return float(np.sum(stats.binom.pmf(m, n, (b + c) / n) * inner))


@pytest.mark.parametrize(("b", "c", "n"), [(2, 1, 5), (0, 3, 5), (3, 3, 6), (6, 0, 6), (0, 0, 4)])
def test_tails_equal_the_enumeration_of_all_resamples(b: int, c: int, n: int) -> None:
    a, other = scores(b, c, n)
    difference = (a - other).astype(int)
    sums = [sum(resample) for resample in product(difference, repeat=n)]
    expected = np.bincount(np.array(sums) + n, minlength=2 * n + 1) / n**n
    tails = bootstrap_tails(b, c, n)
    assert tails[0] == pytest.approx(expected[: n + 1].sum(), rel=1e-12, abs=1e-300)
    assert tails[1] == pytest.approx(expected[n:].sum(), rel=1e-12, abs=1e-300)


@given(cells=st.lists(st.integers(0, 40), min_size=3, max_size=3).filter(sum))
def test_tails_equal_the_sums_of_the_convolved_law(cells: list[int]) -> None:
    b, c, rest = cells
    n = b + c + rest
    law = np.ones(1)
    for _ in range(n):
        law = np.convolve(law, np.array([c, rest, b]) / n)
    at_most, at_least = bootstrap_tails(b, c, n)
    assert at_most == pytest.approx(law[: n + 1].sum(), abs=1e-12)
    assert at_least == pytest.approx(law[n:].sum(), abs=1e-12)
    rejects = min(at_most, at_least) < 0.05
    assert percentile_bootstrap_rejects(b, c, n, alpha=0.1) == rejects


@pytest.mark.parametrize(("b", "c", "n"), TABLE_6)
def test_table_11_every_interval_contains_zero(b: int, c: int, n: int) -> None:
    assert not percentile_bootstrap_rejects(b, c, n)


def test_hellaswag_is_a_tie_that_resampling_cannot_settle() -> None:
    """10,000 resamples put the lower end above 0 in a good third of runs."""
    at_most = float(bootstrap_tails(*HELLASWAG)[0])
    assert at_most == pytest.approx(0.0254, abs=0.00005)
    assert 0.35 < stats.binom.cdf(249, 10_000, at_most) < 0.42


@pytest.mark.parametrize(
    ("b", "c", "n"),
    [*TABLE_6, (284, 76, 12_032), (300, 20, 400), (12, 3, 15), (8, 0, 20), (1, 0, 10_000)],
)
def test_tails_keep_their_relative_precision(b: int, c: int, n: int) -> None:
    at_most, at_least = bootstrap_tails(b, c, n)
    # Down to 1e-94 for (300, 20, 400).
    assert at_most == pytest.approx(conditional_tail(b, c, n), rel=1e-9, abs=0)
    mirrored = bootstrap_tails(c, b, n)
    assert (float(at_most), float(at_least)) == (float(mirrored[1]), float(mirrored[0]))


@pytest.mark.parametrize("n", [1, 6, 37])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_boundary_equals_brute_force_over_all_tables(n: int, alpha: float) -> None:
    for c in range(n + 1):
        b = np.arange(n - c + 1)
        rejects = bootstrap_tails(b, c, n)[0] < alpha / 2
        assert np.all(np.diff(rejects.astype(int)) >= 0)  # stochastic monotonicity in b
        expected = b[rejects & (b > c)].min(initial=n - c + 1)
        assert percentile_bootstrap_boundary(c, n, alpha=alpha) == expected


def test_decisions_are_vectorized_and_symmetric() -> None:
    b, c = np.meshgrid(np.arange(60), np.arange(60))
    rejects = percentile_bootstrap_rejects(b, c, 200)
    expected = np.minimum(*bootstrap_tails(b, c, 200)) < 0.025
    np.testing.assert_array_equal(rejects, expected)
    np.testing.assert_array_equal(rejects, rejects.T)


def test_tails_do_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    b, c, _ = named_rng(3, "blocks").multinomial(300, [0.3, 0.2, 0.5], size=7).T
    whole = bootstrap_tails(b, c, 300)
    monkeypatch.setattr(bootstrap_law, "_BLOCK", 700)
    np.testing.assert_array_equal(bootstrap_tails(b, c, 300), whole)


@pytest.mark.parametrize(
    "call",
    [
        lambda: bootstrap_tails(3, 3, 5),
        lambda: percentile_bootstrap_rejects(1, 1, 0),
        lambda: percentile_bootstrap_boundary(1, 5, alpha=1.0),
        lambda: bootstrap_tails(-1, 1, 5),
    ],
)
def test_arguments_outside_the_domain_are_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument):
        call()
