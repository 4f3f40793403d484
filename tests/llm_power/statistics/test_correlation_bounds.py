"""Resolution over every admissible correlation, against all tables with the same margins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._errors import InvalidArgument
from llm_power._statistics.correlation_bounds import resolution_over_correlations
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.paired_binary import admissible_rho, summarize_counts


@given(
    n=st.integers(1, 400),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    alpha=st.sampled_from([0.01, 0.05, 0.2]),
    power=st.sampled_from([0.5, 0.8, 0.9]),
)
def test_every_table_with_these_margins(
    n: int, shares: tuple[float, float], alpha: float, power: float
) -> None:
    a, b = (round(share * n) for share in shares)
    n11 = np.arange(max(0, a + b - n), min(a, b) + 1)
    every = summarize_counts(n11, a - n11, b - n11, n - a - b + n11, alpha=alpha, power=power)
    found = resolution_over_correlations(a, b, n, alpha=alpha, power=power)
    assert found.always_resolved == every.resolved.all()
    assert found.never_resolved == (not every.resolved.any())
    assert found.depends == (every.resolved.any() and not every.resolved.all())
    # More overlap never unresolves a pair.
    assert np.all(np.diff(every.resolved.astype(int)) >= 0)
    if found.depends:
        first = int(np.argmax(every.resolved))
        assert (found.critical_b, found.critical_c) == (a - n11[first], b - n11[first])
        assert found.critical_rho == every.rho[first]
    else:
        assert np.isnan(found.critical_rho)
    assert (found.lowest.n_star, found.highest.n_star) == (every.n_star[0], every.n_star[-1])
    assert (found.b_lowest, found.b_highest) == (a - n11[0], a - n11[-1])


@given(data=st.data(), n=st.integers(1, 60))
def test_what_was_seen_leaves_exactly_the_tables_that_hold_it(data: st.DataObject, n: int) -> None:
    cells = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    part = data.draw(st.integers(0, n))
    whole, seen = np.bincount(cells, minlength=4), np.bincount(cells[:part], minlength=4)
    a, b = int(whole[0] + whole[1]), int(whole[0] + whole[2])
    n11 = np.arange(n + 1)
    tables = np.stack([n11, a - n11, b - n11, n - a - b + n11])
    left = tables[:, np.all(tables >= seen[:, None], axis=0)]
    found = resolution_over_correlations(a, b, n, seen=tuple(map(int, seen)))
    assert (found.b_highest, found.b_lowest) == (left[1].min(), left[1].max())
    assert whole[1] in left[1]


def test_the_ends_are_the_bounds_of_eqs_7_and_8() -> None:
    lower, upper = admissible_rho(740 / 1172, 716 / 1172)
    found = resolution_over_correlations(740, 716, 1172)
    assert found.lowest.rho == pytest.approx(float(lower), abs=1e-12)
    assert found.highest.rho == pytest.approx(float(upper), abs=1e-12)


def test_fewer_than_eight_items_apart_are_never_resolved() -> None:
    """|d| >= K N / (K + N), which is 7.85 in the limit of many items."""
    k = float(z_sum(0.05, 0.80)) ** 2
    assert 7 < k * 10_000 / (k + 10_000) < 8
    found = resolution_over_correlations([5007, 5008], 5000, 10_000)
    assert found.never_resolved.tolist() == [True, False]


def test_equal_models_are_unresolved_even_without_a_discordant_item() -> None:
    assert resolution_over_correlations(10, 10, 20).never_resolved


@pytest.mark.parametrize(
    ("arguments", "seen", "message"),
    [
        ((11, 5, 10), (0, 0, 0, 0), "at most n_items.*got 11 and 5 of 10"),
        ((5, 5, 10), (6, 0, 0, 0), "what was seen, got 5 and 5 of 10"),
        ((5.5, 5, 10), (0, 0, 0, 0), "correct_a must hold whole numbers"),
    ],
)
def test_impossible_counts_are_refused(
    arguments: tuple[float, int, int], seen: tuple[int, int, int, int], message: str
) -> None:
    with pytest.raises(InvalidArgument, match=message):
        resolution_over_correlations(*arguments, seen=seen)
