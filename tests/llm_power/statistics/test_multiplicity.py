"""Multiplicity against R, statsmodels, scipy and loops.

R session (R version 4.2.2 Patched (2022-11-10 r83330))::

    > p <- c(0.8, 0.013, 0.001, 0.04, 0.013, 0.2)
    > print(p.adjust(p, "bonferroni"), digits = 15)
    [1] 1.000 0.078 0.006 0.240 0.078 1.000
    > print(p.adjust(p, "holm"), digits = 15)
    [1] 0.800 0.065 0.006 0.120 0.065 0.400
    > print(p.adjust(p, "BH"), digits = 15)
    [1] 0.800 0.026 0.006 0.060 0.026 0.240
    > print(p.adjust(p, "bonferroni", n = 45), digits = 15)
    [1] 1.000 0.585 0.045 1.000 0.585 1.000
    > print(p.adjust(p, "holm", n = 45), digits = 15)
    [1] 1.000 0.572 0.045 1.000 0.572 1.000
    > print(p.adjust(p, "BH", n = 45), digits = 15)
    [1] 1.000 0.195 0.045 0.450 0.195 1.000
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import get_args
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy.stats import false_discovery_control, norm
from statsmodels.stats.multitest import multipletests

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power._statistics.inversion import required_n
from llm_power._statistics.multiplicity import (
    Procedure,
    adjust_benjamini_hochberg,
    adjust_bonferroni,
    adjust_holm,
    adjust_sidak,
    adjusted_required_n,
    bonferroni_level,
    false_discovery_family,
    family_size,
    sidak_level,
    step_levels,
    stepwise_required_n,
)
from llm_power._statistics.random_streams import named_rng

RTOL = 1e-10

PROCEDURES: tuple[Procedure, ...] = get_args(Procedure)
Adjust = Callable[[ArrayLike, int | None], FloatArray]

R_P = [0.8, 0.013, 0.001, 0.04, 0.013, 0.2]

# P-values in thousandths: ties are common, and no multiple of one equals 0.0437.
ODD_ALPHA = 0.0437
families = st.lists(st.integers(0, 1000).map(lambda k: k / 1000), min_size=1, max_size=25)
clustered = st.lists(st.integers(0, 12).map(lambda k: k / 250), min_size=1, max_size=25)


@pytest.mark.parametrize(("n_models", "adjacent", "all_pairs"), [(2, 1, 1), (10, 9, 45)])
def test_family_size(n_models: int, adjacent: int, all_pairs: int) -> None:
    assert family_size(n_models, "adjacent") == adjacent
    assert family_size(n_models, "all") == all_pairs


def test_family_size_of_320_models() -> None:
    assert family_size(320, "all") == 51_040


def test_family_size_refuses_bad_arguments() -> None:
    with pytest.raises(InvalidArgument, match="n_models must be at least 2, got 1"):
        family_size(1, "all")
    with pytest.raises(InvalidArgument, match="family must be 'adjacent' or 'all', got 'none'"):
        family_size(3, "none")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("adjust", "m", "expected"),
    [
        (adjust_bonferroni, None, [1.000, 0.078, 0.006, 0.240, 0.078, 1.000]),
        (adjust_holm, None, [0.800, 0.065, 0.006, 0.120, 0.065, 0.400]),
        (adjust_benjamini_hochberg, None, [0.800, 0.026, 0.006, 0.060, 0.026, 0.240]),
        (adjust_bonferroni, 45, [1.000, 0.585, 0.045, 1.000, 0.585, 1.000]),
        (adjust_holm, 45, [1.000, 0.572, 0.045, 1.000, 0.572, 1.000]),
        (adjust_benjamini_hochberg, 45, [1.000, 0.195, 0.045, 0.450, 0.195, 1.000]),
    ],
)
def test_adjusted_p_equal_r(adjust: Adjust, m: int | None, expected: list[float]) -> None:
    np.testing.assert_allclose(adjust(R_P, m), expected, rtol=RTOL)


@pytest.mark.parametrize(
    ("adjust", "method"),
    [
        (adjust_bonferroni, "bonferroni"),
        (adjust_sidak, "sidak"),
        (adjust_holm, "holm"),
        (adjust_benjamini_hochberg, "fdr_bh"),
    ],
)
@settings(max_examples=40)
@given(p=families)
def test_adjusted_p_equal_statsmodels(adjust: Adjust, method: str, p: list[float]) -> None:
    # At p = 1 statsmodels takes log(0); the Šidák value there is 1 by definition.
    # Its Holm collects garbage at each call, half a second in a process of many tests.
    with np.errstate(divide="ignore"), patch.object(gc, "collect"):
        expected = multipletests(p, method=method)[1]
    np.testing.assert_allclose(adjust(p, None), expected, rtol=RTOL, atol=1e-15)


@settings(max_examples=40)
@given(families)
def test_benjamini_hochberg_equals_scipy(p: list[float]) -> None:
    np.testing.assert_allclose(adjust_benjamini_hochberg(p), false_discovery_control(p), rtol=RTOL)


@pytest.mark.parametrize("p", [1e-300, 1e-17, 1e-9, 0.3, 1.0])
@pytest.mark.parametrize("m", [1, 45, 51_040])
def test_sidak_is_stable_at_tiny_p(p: float, m: int) -> None:
    with mp.workdps(400):
        expected = float(1 - (1 - mp.mpf(p)) ** m)
    np.testing.assert_allclose(adjust_sidak([p], m), [expected], rtol=RTOL)


@pytest.mark.parametrize("m", [1, 9, 51_040, 10**12])
def test_levels_of_the_single_step_procedures(m: int) -> None:
    with mp.workdps(60):
        sidak = float(1 - (1 - mp.mpf(0.05)) ** (mp.mpf(1) / m))
    np.testing.assert_allclose(sidak_level(m), sidak, rtol=RTOL)
    np.testing.assert_allclose(bonferroni_level(m), 0.05 / m, rtol=RTOL)
    np.testing.assert_allclose(adjust_sidak([sidak_level(m, alpha=0.01)], m), 0.01, rtol=RTOL)


def test_levels_of_the_stepwise_procedures() -> None:
    # Ranks of R_P: 6, 2-3, 1, 4, 2-3, 5. Ties take the smallest rank under Holm, the largest
    # under Benjamini-Hochberg.
    holm = 0.05 / np.array([1, 5, 6, 3, 5, 2])
    np.testing.assert_allclose(step_levels(R_P, "holm"), holm, rtol=RTOL)
    holm_45 = 0.05 / np.array([40, 44, 45, 42, 44, 41])
    np.testing.assert_allclose(step_levels(R_P, "holm", 45), holm_45, rtol=RTOL)
    hochberg = 0.05 * np.array([6, 3, 1, 4, 3, 5])
    np.testing.assert_allclose(step_levels(R_P, "benjamini_hochberg"), hochberg / 6, rtol=RTOL)
    np.testing.assert_allclose(step_levels(R_P, "benjamini_hochberg", 45), hochberg / 45, rtol=RTOL)


@settings(max_examples=60)
@given(clustered, st.integers(0, 20))
def test_stepping_through_the_levels_gives_the_adjusted_verdicts(p: list[float], more: int) -> None:
    """Levels and adjusted p-values are two forms of one procedure."""
    m = len(p) + more
    array = np.asarray(p)
    holm = step_levels(p, "holm", m, alpha=ODD_ALPHA)
    steps = [all(array[array <= x] <= holm[array <= x]) for x in p]
    assert steps == (adjust_holm(p, m) <= ODD_ALPHA).tolist()
    hochberg = step_levels(p, "benjamini_hochberg", m, alpha=ODD_ALPHA)
    steps = [any(array[array >= x] <= hochberg[array >= x]) for x in p]
    assert steps == (adjust_benjamini_hochberg(p, m) <= ODD_ALPHA).tolist()


def stepwise_by_loop(
    p: FloatArray, delta: FloatArray, n: FloatArray, procedure: Procedure, m: int
) -> list[bool]:
    """Verdicts one hypothesis at a time, ties as one step."""
    resolved = [False] * p.size
    steps = sorted(set(p.tolist()))
    if procedure == "benjamini_hochberg":
        steps.reverse()
    found = False
    for step in steps:
        members = np.flatnonzero(p == step)
        if procedure == "holm":
            level = 0.05 / (m - int(np.sum(p < step)))
        else:
            level = 0.05 * int(np.sum(p <= step)) / m
        need = required_n(delta[members], 0.4, alpha=level)
        passes = n[members] >= need
        if procedure == "holm" and not passes.all():
            break
        found = found or bool(passes.any())
        for i in members:
            resolved[i] = found
    return resolved


@pytest.mark.parametrize("procedure", ["holm", "benjamini_hochberg"])
@settings(max_examples=60)
@given(data=st.data())
def test_stepwise_verdicts_equal_a_loop(procedure: Procedure, data: st.DataObject) -> None:
    p = np.asarray(data.draw(clustered))
    draw = st.integers(0, 60)
    delta = np.array([data.draw(draw) / 1000 for _ in p])
    n = np.array([500.0 + 20 * data.draw(draw) for _ in p])
    m = p.size + data.draw(st.integers(0, 5))
    result = adjusted_required_n(p, delta, 0.4, n, procedure=procedure, m=m)
    assert result.resolved.tolist() == stepwise_by_loop(p, delta, n, procedure, m)


def test_holm_stops_at_the_first_unresolved_step() -> None:
    # The second p-value is resolved on its own level, but the first is not: few items.
    delta = np.array([0.05, 0.05, 0.05])
    n = np.array([100, 4_000, 4_000])
    result = adjusted_required_n([0.001, 0.002, 0.0001], delta, 0.4, n, procedure="holm")
    assert (result.q >= 1).tolist() == [False, True, True]
    assert result.resolved.tolist() == [False, False, True]


def test_benjamini_hochberg_lifts_earlier_steps() -> None:
    # Enough items for the level of the third step, not for those of the first two.
    need_second, need_third = required_n(0.05, 0.4, alpha=[0.05 * 2 / 3, 0.05])
    n = (need_second + need_third) / 2
    p = [0.010, 0.011, 0.012]
    result = adjusted_required_n(p, 0.05, 0.4, n, procedure="benjamini_hochberg")
    assert (result.q >= 1).tolist() == [False, False, True]
    assert result.resolved.all()
    assert not adjusted_required_n(p, 0.05, 0.4, n, procedure="holm").resolved.any()


@pytest.mark.parametrize("procedure", PROCEDURES)
@settings(max_examples=25)
@given(p=families, more=st.integers(0, 40))
def test_no_procedure_needs_more_than_bonferroni(
    procedure: Procedure, p: list[float], more: int
) -> None:
    """Section 6.3: Holm, like every other, is bounded above by Bonferroni at every position."""
    m = len(p) + more
    need = adjusted_required_n(p, 0.02, 0.4, 5_000, procedure=procedure, m=m)
    bound = adjusted_required_n(p, 0.02, 0.4, 5_000, procedure="bonferroni", m=m)
    assert np.all(need.n_star <= bound.n_star * (1 + 1e-12))
    assert np.all(need.n_star >= required_n(0.02, 0.4) * (1 - 1e-12))
    assert np.all(need.resolved >= bound.resolved)


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_order_of_the_pairs_does_not_matter(procedure: Procedure) -> None:
    rng = np.random.default_rng(5)
    p = rng.integers(0, 8, 30) / 1000
    delta = rng.uniform(0, 0.06, 30)
    order = rng.permutation(30)
    here = adjusted_required_n(p, delta, 0.4, 3_000, procedure=procedure)
    there = adjusted_required_n(p[order], delta[order], 0.4, 3_000, procedure=procedure)
    np.testing.assert_array_equal(there.n_star, here.n_star[order])
    np.testing.assert_array_equal(there.resolved, here.resolved[order])


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_a_zero_gap_needs_infinitely_many_items(procedure: Procedure) -> None:
    result = adjusted_required_n([0.001, 1.0], [0.1, 0.0], 0.4, 2_000, procedure=procedure)
    assert result.n_star[1] == np.inf
    assert result.q[1] == 0
    assert result.resolved.tolist() == [True, False]


@pytest.mark.parametrize(
    ("procedure", "level"),
    [("bonferroni", bonferroni_level(45)), ("sidak", sidak_level(45))],
    ids=["bonferroni", "sidak"],
)
def test_a_single_step_has_one_level_for_all(procedure: Procedure, level: float) -> None:
    result = adjusted_required_n([0.5, 0.01], 0.02, 0.4, 5_000, procedure=procedure, m=45)
    np.testing.assert_allclose(result.n_star, required_n(0.02, 0.4, alpha=level), rtol=RTOL)


def test_a_family_of_one_is_the_plain_test() -> None:
    for procedure in PROCEDURES:
        result = adjusted_required_n([0.03], 0.02, 0.4, 5_000, procedure=procedure)
        np.testing.assert_allclose(result.n_star, required_n(0.02, 0.4), rtol=RTOL)


def test_a_result_carries_its_settings() -> None:
    result = adjusted_required_n(
        [0.2, 0.1], 0.1, 0.4, 100, procedure="holm", m=7, alpha=0.01, power=0.9
    )
    assert (result.procedure, result.m, result.alpha, result.power) == ("holm", 7, 0.01, 0.9)
    np.testing.assert_allclose(
        result.n_star, required_n(0.1, 0.4, alpha=[0.01 / 6, 0.01 / 7], power=0.9), rtol=RTOL
    )


@pytest.mark.parametrize(
    "adjust", [adjust_bonferroni, adjust_sidak, adjust_holm, adjust_benjamini_hochberg]
)
def test_bad_p_values_and_families_are_refused(adjust: Adjust) -> None:
    with pytest.raises(InvalidArgument, match="p must be finite, got nan"):
        adjust([0.1, np.nan], None)
    with pytest.raises(InvalidArgument, match=r"p must lie in \[0, 1\], got 1.5"):
        adjust([0.1, 1.5], None)
    with pytest.raises(InvalidArgument, match=r"p must be one-dimensional, got shape \(1, 1\)"):
        adjust([[0.1]], None)
    with pytest.raises(InvalidArgument, match="m must be a whole number of at least 2, got 1"):
        adjust([0.1, 0.2], 1)
    with pytest.raises(InvalidArgument, match="m must be a whole number of at least 1, got 0"):
        adjust([], None)


def test_bad_levels_and_shapes_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="m must be a whole number of at least 1, got 2.5"):
        bonferroni_level(2.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="alpha must lie strictly between 0 and 1, got 1"):
        sidak_level(3, alpha=1)
    with pytest.raises(InvalidArgument, match="procedure must be one of"):
        adjusted_required_n([0.1], 0.1, 0.4, 9, procedure="hommel")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"n_items must fit p of shape \(2,\), got shape"):
        adjusted_required_n([0.1, 0.2], 0.1, 0.4, [9, 9, 9], procedure="holm")


def procedure_rejects(p: FloatArray, procedure: Procedure, m: int) -> list[bool]:
    """Verdicts by the definition of each procedure, on numbers that order and judge like p."""
    ordered = sorted(p.tolist())
    if procedure in ("bonferroni", "sidak"):
        level = 0.05 / m if procedure == "bonferroni" else 1 - 0.95 ** (1 / m)
        return [x <= level for x in p]
    if procedure == "holm":
        failed = [x for k, x in enumerate(ordered) if x > 0.05 / (m - k)]
        return [not failed or x < failed[0] for x in p]
    passed = [x for k, x in enumerate(ordered, start=1) if x <= 0.05 * k / m]
    return [bool(passed) and x <= passed[-1] for x in p]


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("power", [0.5, 0.8])
@settings(max_examples=80)
@given(data=st.data())
def test_n_star_is_within_reach_exactly_where_the_procedure_rejects(
    procedure: Procedure, power: float, data: st.DataObject
) -> None:
    """The test that N* inverts, at today's items and at any multiple of them."""
    size = data.draw(st.integers(1, 20))
    draw = st.integers(0, 80)
    delta = np.array([data.draw(draw) / 1000 for _ in range(size)])
    n = np.array([500.0 + 20 * data.draw(st.integers(0, 3)) for _ in range(size)])
    m, factor = size + data.draw(st.integers(0, 5)), data.draw(st.floats(0.01, 50))
    found = stepwise_required_n(delta, 0.37, n, procedures=[procedure], m=m, power=power)[procedure]
    z = delta * np.sqrt(factor * n) / 0.37 - norm.ppf(power)
    # Beyond 1 it is no p-value, and judges the same.
    rejected = np.array(procedure_rejects(2 * norm.sf(z), procedure, m))
    np.testing.assert_array_equal(found.n_star <= factor * n, rejected)
    more = stepwise_required_n(delta, 0.37, factor * n, procedures=[procedure], m=m, power=power)
    at_hand = more[procedure]
    np.testing.assert_array_equal(at_hand.resolved, rejected)
    np.testing.assert_allclose(at_hand.n_star, found.n_star, rtol=1e-12)
    np.testing.assert_array_equal(at_hand.q >= 1, rejected)


@settings(max_examples=60)
@given(clustered, st.integers(0, 20))
def test_stepwise_n_star_at_power_one_half_agrees_with_the_adjusted_p_values(
    p: list[float], more: int
) -> None:
    m, z = len(p) + more, norm.isf(np.asarray(p) / 2)
    adjusted: dict[Procedure, FloatArray] = {
        "holm": adjust_holm(p, m),
        "benjamini_hochberg": adjust_benjamini_hochberg(p, m),
    }
    found = stepwise_required_n(
        np.minimum(z, 8) / 20, 1.0, 400, procedures=adjusted, m=m, alpha=ODD_ALPHA, power=0.5
    )
    for procedure, of_p in adjusted.items():
        np.testing.assert_array_equal(found[procedure].n_star <= 400, of_p <= ODD_ALPHA)


def test_stepwise_n_star_of_one_set_of_items_is_a_cumulative_extreme() -> None:
    delta = np.array([0.0300, 0.0301, 0.0200, 0.0])
    each = required_n(delta[[1, 0, 2]], 0.4, alpha=0.05 / np.array([4, 3, 2]))
    found = stepwise_required_n(delta, 0.4, 1_000, procedures=["holm", "benjamini_hochberg"])
    holm, hochberg = found["holm"], found["benjamini_hochberg"]
    np.testing.assert_allclose(holm.n_star, [max(each[:2]), each[0], max(each), np.inf], rtol=1e-12)
    np.testing.assert_allclose(holm.levels[:2], [0.05 / 4, 0.05 / 4], rtol=1e-12)
    each = required_n(delta[[1, 0, 2]], 0.4, alpha=0.05 * np.array([1, 2, 3]) / 4)
    np.testing.assert_allclose(
        hochberg.n_star, [min(each[1:]), min(each), each[2], np.inf], rtol=1e-12
    )


@pytest.mark.parametrize("any_dependence", [False, True])
@pytest.mark.parametrize("effect", [0.0, 1.0, 5.0])
def test_pairs_are_selected_at_one_level(effect: float, any_dependence: bool) -> None:
    p = named_rng(0, f"discoveries/{effect}").random(200) ** (1 + effect * (np.arange(200) < 90))
    found = false_discovery_family(p, alpha=0.1, any_dependence=any_dependence)
    expected = false_discovery_control(p, method="by" if any_dependence else "bh")
    np.testing.assert_allclose(found.p, expected, rtol=1e-12)
    selected = found.p <= 0.1
    np.testing.assert_array_equal(p <= found.level, selected)
    constant = np.sum(1 / np.arange(1, 201)) if any_dependence else 1
    assert found.level == pytest.approx(0.1 * max(selected.sum(), 1) / 200 / constant)
    assert found.size == 200
    assert not found.close_calls(p).any()


def test_a_pair_by_itself_keeps_its_p_value() -> None:
    found = false_discovery_family([0.03])
    assert (found.p.tolist(), found.level) == ([0.03], 0.05)
