"""Power and required items of McNemar's test against sums over all tables and printed numbers.

R 4.2.2, `retrodesign` of Gelman and Carlin (2014), power and type S error::

    > f <- function(D, s, a=.05, df=Inf) { z <- qt(1-a/2, df)
    +   ph <- 1-pt(z-D/s, df); pl <- pt(-z-D/s, df); c(ph+pl, pl/(ph+pl)) }
    > print(f(2, 8.1), digits=10)
    [1] 0.05701294063 0.23961765446
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multinomial

from llm_power._choices import McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics.designs import required_units
from llm_power._statistics.mcnemar import (
    MOST_SUMMED,
    P_VALUES,
    McNemarDesign,
    connor_required_n,
    continuity_corrected,
    mcnemar_design_errors,
    mcnemar_detectable_gap,
    normal_design_errors,
)
from llm_power._statistics.paired_binary import required_n_discordance

TESTS: tuple[McNemarTest, ...] = ("exact", "mid_p", "asymptotic")


def tables(n: int, p10: float, p01: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    b, c = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
    b, c = b[b + c <= n], c[b + c <= n]
    cells = [p10, p01, 1 - p10 - p01]
    return b, c, np.asarray(multinomial.pmf(np.stack([b, c, n - b - c], axis=-1), n, cells))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("n", "p10", "p01"), [(1, 0.6, 0.4), (7, 0.5, 0.0), (40, 0.3, 0.1), (90, 0.1, 0.25)]
)
def test_power_and_errors_are_sums_over_all_tables(
    test: McNemarTest, n: int, p10: float, p01: float
) -> None:
    b, c, mass = tables(n, p10, p01)
    rejects = (P_VALUES[test](b, c) <= 0.05) & (b + c > 0)
    power = mass[rejects].sum()
    np.testing.assert_allclose(
        float(McNemarDesign(p10, p01, test=test).power(n)), power, rtol=1e-9, atol=1e-14
    )
    errors = mcnemar_design_errors(n, p10, p01, test=test)
    np.testing.assert_allclose(errors.power, power, rtol=1e-9, atol=1e-14)
    if power == 0:
        assert np.isnan(errors.type_s)
        assert np.isnan(errors.type_m)
        return
    wrong = rejects & ((b < c) if p10 > p01 else (b > c))
    np.testing.assert_allclose(errors.type_s, mass[wrong].sum() / power, rtol=1e-8, atol=1e-13)
    size = (mass * np.abs(b - c) / n)[rejects].sum() / power / abs(p10 - p01)
    np.testing.assert_allclose(errors.type_m, size, rtol=1e-9)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("power", [0.3, 0.8, 0.95])
@pytest.mark.parametrize(
    ("p10", "p01"),
    [(0.5, 0.0), (1.0, 0.0), (0.0, 0.3), (0.9, 0.1), (0.3, 0.05), (0.1, 0.3), (0.06, 0.0)],
)
def test_required_n_is_after_the_last_size_with_too_little_power(
    test: McNemarTest, power: float, p10: float, p01: float
) -> None:
    top = int(2 * connor_required_n(p10, p01, power=max(power, 0.5))) + 40
    reached = [float(McNemarDesign(p10, p01, test=test).power(n)) >= power for n in range(1, top)]
    expected = max((n for n, enough in enumerate(reached, 1) if not enough), default=0) + 1
    assert required_units(McNemarDesign(p10, p01, test=test), power) == expected


@pytest.mark.parametrize("test", ["mid_p", "asymptotic"])
def test_required_n_sees_dips_far_beyond_the_first_size_with_the_power(test: McNemarTest) -> None:
    design = McNemarDesign(0.51, 0.49, test=test)
    powers = design.power(np.arange(1, 1500))
    assert required_units(design, 0.06) == np.flatnonzero(powers < 0.06)[-1] + 2 == 358


def test_a_clean_sweep_needs_as_many_items_as_the_level_says() -> None:
    """2 * 2^-n <= alpha, the smallest attainable p-value; half of it for mid-p."""
    assert required_units(McNemarDesign(1.0, 0.0), 0.8) == 6
    assert required_units(McNemarDesign(1.0, 0.0, test="mid_p"), 0.8) == 5
    assert required_units(McNemarDesign(1.0, 0.0, alpha=0.0005), 0.8) == 12


def test_equal_probabilities_need_infinitely_many_items() -> None:
    assert required_units(McNemarDesign(0.2, 0.2), 0.8) == np.inf
    assert np.isinf(connor_required_n(0.2, 0.2))


@pytest.mark.parametrize("test", TESTS)
def test_how_far_off_the_closed_forms_are(test: McNemarTest) -> None:
    """What the columns n_connor and n_exact say of themselves."""
    far = {"exact": 0.24, "mid_p": 0.17, "asymptotic": 0.43}[test]
    for larger in (0.002, 0.02, 0.05, 0.1, 0.2, 0.3, 0.45):
        for share in (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9):
            rates = larger, share * larger
            n = connor_required_n(*rates)
            if test == "exact":
                n = continuity_corrected(n, np.asarray(larger - share * larger))
            excess = float(n) / required_units(McNemarDesign(*rates, test), 0.8) - 1
            assert -0.03 < excess < (0.03 if share >= 0.5 else far), rates


def test_connor_is_the_formula_and_tends_to_equation_6() -> None:
    psi, delta, z_level, z_power = 0.2, 0.04, 1.959963984540054, 0.8416212335729143
    expected = ((z_level * psi**0.5 + z_power * (psi - delta**2) ** 0.5) / delta) ** 2
    np.testing.assert_allclose(connor_required_n(0.12, 0.08), expected, rtol=1e-12)
    one_variance = required_n_discordance(100_100, 99_900, 1_000_000)
    np.testing.assert_allclose(connor_required_n(0.1001, 0.0999), one_variance, rtol=1e-6)


def test_exact_needs_more_and_mid_p_about_as_many_as_connor() -> None:
    exact = required_units(McNemarDesign(0.15, 0.13), 0.8)
    mid_p = required_units(McNemarDesign(0.15, 0.13, test="mid_p"), 0.8)
    assert exact > mid_p
    assert mid_p == pytest.approx(float(connor_required_n(0.15, 0.13)), rel=0.005)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("n", "psi"), [(30, 1.0), (200, 0.3), (2_000, 0.05)])
def test_a_smaller_gap_than_the_detectable_one_has_too_little_power(
    test: McNemarTest, n: int, psi: float
) -> None:
    gap = mcnemar_detectable_gap(n, psi, test=test)
    power = [
        float(McNemarDesign((psi + x) / 2, (psi - x) / 2, test=test).power(n))
        for x in (gap - 1e-8, gap + 1e-8)
    ]
    assert power[0] < 0.8 < power[1]
    assert gap <= psi


def test_too_few_items_detect_no_gap() -> None:
    assert mcnemar_detectable_gap(5, 1.0) == np.inf
    assert mcnemar_detectable_gap(6, 1.0) == pytest.approx(2 * 0.8 ** (1 / 6) - 1, abs=1e-8)


class Counted(McNemarDesign):
    """The design whose number is searched for, however large it is."""

    def closed_form(self, target: float) -> None:
        return None


@pytest.mark.parametrize("test", TESTS)
def test_beyond_a_million_items_the_number_goes_on(test: McNemarTest) -> None:
    """The pair that the limit is nearest to, counted and approximated."""
    half = 0.000_442
    approximate = required_units(McNemarDesign(0.05 + half, 0.05 - half, test=test), 0.8)
    assert approximate > 1_000_000
    counted = required_units(Counted(0.05 + half, 0.05 - half, test=test), 0.8)
    assert approximate == pytest.approx(counted, rel=1e-3)


def test_normal_errors_equal_r_and_the_printed_example() -> None:
    """Printed for an effect of 2 and a standard error of 8.1: .06, 24 % and 9.7 by simulation."""
    errors = normal_design_errors(2, 8.1)
    np.testing.assert_allclose(errors.power, 0.05701294063, rtol=1e-9)
    np.testing.assert_allclose(errors.type_s, 0.23961765446, rtol=1e-9)
    estimate = 2 + 8.1 * np.random.default_rng(1).standard_normal(4_000_000)
    significant = np.abs(estimate)[np.abs(estimate) > 1.959963984540054 * 8.1]
    error = significant.std() / np.sqrt(significant.size)
    assert abs(float(errors.type_m) - significant.mean() / 2) < 4 * error / 2


def test_normal_and_exact_errors_agree_for_many_items() -> None:
    exact = mcnemar_design_errors(20_000, 0.101, 0.099, test="asymptotic")
    normal = normal_design_errors(0.002, np.sqrt(0.2 / 20_000))
    for name in ("power", "type_s", "type_m"):
        np.testing.assert_allclose(getattr(exact, name), getattr(normal, name), rtol=0.02)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: required_units(McNemarDesign(0.3, 0.1), 0.04), "power must exceed alpha"),
        (lambda: float(McNemarDesign(0.3, 0.1, test="wald").power(10)), "test must be one of"),  # type: ignore[arg-type]
        (lambda: connor_required_n(0.7, 0.4), "sum of at most 1"),
    ],
)
def test_faults_are_named(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidArgument, match=said):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_exact_type_1_error(test: McNemarTest) -> None:
    """Largest over discordances .02 to .9 and n = 50, 500, 5,000 at a nominal .05."""
    largest = {"exact": 0.0483, "mid_p": 0.0501, "asymptotic": 0.0531}
    rates = [
        float(McNemarDesign(psi / 2, psi / 2, test=test).power(n))
        for n in (50, 500, 5_000)
        for psi in (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.9)
    ]
    assert max(rates) == pytest.approx(largest[test], abs=1e-4)


def test_models_that_never_differ_are_never_told_apart() -> None:
    design = McNemarDesign(0.0, 0.0)
    assert required_units(design, 0.8) == np.inf
    np.testing.assert_array_equal(design.power([1, 10**7]), 0)


@pytest.mark.parametrize("test", TESTS)
def test_powers_of_many_sizes_are_those_of_each(test: McNemarTest) -> None:
    sizes = np.array([[1, 40], [999, 1_000]])
    one_by_one = [
        float(McNemarDesign(0.12, 0.08, test=test).power(n)) for n in sizes.ravel().tolist()
    ]
    found = McNemarDesign(0.12, 0.08, test=test).power(sizes)
    np.testing.assert_allclose(found.ravel(), one_by_one, rtol=1e-12)
    assert found.shape == sizes.shape
    # The normal law takes over where it has come near.
    for rates in ((0.11, 0.1022), (0.0055, 0.0045)):
        sums, normal = (
            float(McNemarDesign(*rates, test=test, summed=MOST_SUMMED).power(n))
            for n in (30_000, 30_001)
        )
        np.testing.assert_allclose(normal, sums, atol=3e-3)
