"""The judging rules, each against cases computed by hand, and what they may never say."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power_audit.agreement import (
    MONTE_CARLO_LEVEL,
    MONTE_CARLO_STANDARD_ERRORS,
    judge_printed,
    judge_readings,
    judge_value,
)
from llm_power_audit.claims import EVIDENCE, Evidence, Verdict
from llm_power_audit.printed import DisplayRule, Printed, Relation

FINITE = st.floats(-1e6, 1e6, allow_nan=False)
WIDTH = st.floats(0.0, 10.0, allow_nan=False)
SOUND: tuple[Evidence, ...] = ("raw", "derived", "counts")

ROUNDED_UP, ROUNDED_DOWN = "rounded up", "rounded down"
_RULES: dict[str, DisplayRule] = {ROUNDED_UP: "up", ROUNDED_DOWN: "down"}


def equal(value: float, half_unit: float) -> Printed:
    return Printed("=", value, half_unit)


def verdict(statement: Printed, value: float | str, evidence: Evidence = "counts") -> Verdict:
    return judge_value(statement, value, evidence=evidence).verdict


@pytest.mark.parametrize(
    ("printed", "half_unit", "value", "expected", "rounding"),
    [
        # 0.45 stands for 0.445 to 0.455, ends included: a tie may go either way.
        (0.45, 0.005, 0.45, "holds", ""),
        (0.45, 0.005, 0.445, "holds", ""),
        (0.45, 0.005, 0.455, "holds", ""),
        (0.45, 0.005, 0.4449999999, "holds_rounded", ROUNDED_UP),
        (0.45, 0.005, 0.4550000001, "holds_rounded", ROUNDED_DOWN),
        # Rounded up it stands for (0.44, 0.45], rounded down for [0.45, 0.46).
        (0.45, 0.005, 0.4400000001, "holds_rounded", ROUNDED_UP),
        (0.45, 0.005, 0.44, "contradicted", ""),
        (0.45, 0.005, 0.4599999999, "holds_rounded", ROUNDED_DOWN),
        (0.45, 0.005, 0.46, "contradicted", ""),
        # Up is towards plus infinity, whatever the sign.
        (-0.0003, 0.00005, -0.00025, "holds", ""),
        (-0.0003, 0.00005, -0.00036, "holds_rounded", ROUNDED_UP),
        (-0.0003, 0.00005, -0.00024, "holds_rounded", ROUNDED_DOWN),
        (-0.0003, 0.00005, -0.0004, "contradicted", ""),
        (-0.0003, 0.00005, 0.0003, "contradicted", ""),
        # 1871 items, of 1870.2.
        (1871, 0.5, 1870.2, "holds_rounded", ROUNDED_UP),
        # A count has no last digit to round: 11 of 40 is 11.
        (11, 0.0, 11.0, "holds", ""),
        (11, 0.0, 10.0, "contradicted", ""),
        (11, 0.0, 10.999999, "contradicted", ""),
        # Infinite required N.
        (2396624, 0.5, math.inf, "contradicted", ""),
        (math.inf, 0.0, math.inf, "holds", ""),
        (math.inf, 0.0, 5.0, "contradicted", ""),
        (-math.inf, 0.0, math.inf, "contradicted", ""),
    ],
)
def test_exact_values(
    printed: float, half_unit: float, value: float, expected: Verdict, rounding: str
) -> None:
    rule: DisplayRule = _RULES.get(rounding, "nearest")
    for evidence in SOUND:
        ruling = judge_value(equal(printed, half_unit), value, evidence=evidence, rounding=rule)
        assert (ruling.verdict, ruling.rounding) == (expected, rounding)
        assert math.isnan(ruling.z)
        if rounding:
            assert verdict(equal(printed, half_unit), value) == "contradicted"


@pytest.mark.parametrize(
    ("statement", "value", "expected"),
    [
        (Printed("<", 0.05), 0.0499999, "holds"),
        (Printed("<", 0.05), 0.05, "contradicted"),
        (Printed("<", 0.05, 0.005), 0.0549, "holds"),
        (Printed("<", 0.05, 0.005), 0.055, "contradicted"),
        (Printed("<=", 0.0008), 0.0008, "holds"),
        (Printed("<=", 0.0008), 0.00080001, "contradicted"),
        (Printed("<=", 0.0008, 0.00005), 0.00085, "holds"),
        (Printed("<=", 0.0008, 0.00005), 0.00085001, "contradicted"),
        (Printed(">", 0.0), 0.0, "contradicted"),
        (Printed(">", 0.0), 1e-300, "holds"),
        (Printed(">=", 1e7), 1e7, "holds"),
        (Printed(">=", 1e7), 9999999.9, "contradicted"),
        (Printed(">=", 1e7), math.inf, "holds"),
        (Printed(">=", 5, 0.5), 4.5, "holds"),
        (Printed(">=", 5, 0.5), 4.49, "contradicted"),
        (Printed("between", 0.97, 0.005, upper=1.0), 0.965, "holds"),
        (Printed("between", 0.97, 0.005, upper=1.0), 1.005, "holds"),
        (Printed("between", 0.97, 0.005, upper=1.0), 0.9649, "contradicted"),
        (Printed("between", 0.97, 0.005, upper=1.0), math.inf, "contradicted"),
        # Nobody rounds "about" in a direction.
        (Printed("≈", 0.6, 0.05), 0.65, "holds"),
        (Printed("≈", 0.6, 0.05), 0.66, "contradicted"),
        (Printed("text", text="FFFF"), "FFFF", "holds"),
        (Printed("text", text="FFFF"), "RFFF", "contradicted"),
    ],
)
def test_bounds_ranges_and_words(statement: Printed, value: float | str, expected: Verdict) -> None:
    assert verdict(statement, value) == expected


@pytest.mark.parametrize(
    ("value", "error", "printed_error", "expected", "z"),
    [
        (0.5, 0.25, math.nan, "holds", 0.0),
        # h + 3.2905267 SE = 0.5 + 0.8226317.
        (1.8226, 0.25, math.nan, "holds", 5.2904),
        (1.8227, 0.25, math.nan, "contradicted", 5.2908),
        (-0.8226, 0.25, math.nan, "holds", -5.2904),
        (-0.8227, 0.25, math.nan, "contradicted", -5.2908),
        # 3-4-5: hypot(0.3, 0.4) = 0.5.
        (2.6452, 0.3, 0.4, "holds", 4.2904),
        (2.6453, 0.3, 0.4, "contradicted", 4.2906),
        (1.8226, 0.0, 0.25, "holds", 5.2904),
        (1.01, 0.0, math.nan, "contradicted", math.nan),
    ],
)
def test_simulated_values(
    value: float, error: float, printed_error: float, expected: Verdict, z: float
) -> None:
    ruling = judge_value(
        equal(0.5, 0.5),
        value,
        standard_error=error,
        printed_standard_error=printed_error,
        evidence="simulated",
    )
    assert (ruling.verdict, ruling.rounding) == (expected, "")
    assert ruling.z == pytest.approx(z, rel=1e-10, nan_ok=True)
    assert ruling.discrepancy == pytest.approx(value - 0.5, rel=1e-10)


def test_one_level_sets_every_tolerance_of_chance() -> None:
    """R: qnorm(1 - 0.001/2) is 3.290527."""
    assert MONTE_CARLO_LEVEL == 0.001
    assert pytest.approx(3.290527, abs=5e-7) == MONTE_CARLO_STANDARD_ERRORS
    count = Printed("=", 10.0)
    for value, expected in ((13.29, "holds"), (13.3, "contradicted"), (6.71, "holds")):
        ruling = judge_value(count, value, standard_error=1.0, evidence="simulated")
        assert ruling.verdict == expected
    bound = Printed("<=", 0.1)
    assert judge_value(bound, 0.1329, standard_error=0.01, evidence="simulated").verdict == "holds"
    beyond = judge_value(bound, 0.133, standard_error=0.01, evidence="simulated")
    assert beyond.verdict == "contradicted"


@pytest.mark.parametrize(
    ("statement", "lower", "upper", "expected", "rounding"),
    [
        (equal(0.45, 0.005), 0.445, 0.455, "holds", ""),
        (equal(0.45, 0.005), 0.444, 0.45, "holds_rounded", ROUNDED_UP),
        (equal(0.45, 0.005), 0.45, 0.459, "holds_rounded", ROUNDED_DOWN),
        (equal(0.45, 0.005), 0.444, 0.456, "feasible", ""),
        (equal(0.45, 0.005), 0.0, 1.0, "feasible", ""),
        (equal(0.45, 0.005), 0.4599, 0.5, "contradicted", ""),
        (equal(0.45, 0.005), 0.46, 0.5, "contradicted", ""),
        (equal(0.45, 0.005), 0.2, 0.44, "contradicted", ""),
        (equal(0.45, 0.005), -math.inf, math.inf, "not_checkable", ""),
        (equal(0.45, 0.005), 1.0, math.inf, "contradicted", ""),
        (Printed("<=", 0.05), 0.01, 0.05, "holds", ""),
        (Printed("<=", 0.05), 0.01, 0.06, "feasible", ""),
        (Printed("<=", 0.05), 0.051, 0.06, "contradicted", ""),
        (Printed(">", 1.0), 1.0, 2.0, "feasible", ""),
        (Printed(">", 1.0), 1.1, math.inf, "holds", ""),
        (Printed(">", 1.0), 0.5, 1.0, "contradicted", ""),
        (Printed("between", 1.0, upper=2.0), 1.0, 2.0, "holds", ""),
        (Printed("between", 1.0, upper=2.0), 0.9, 2.1, "feasible", ""),
        (Printed("between", 1.0, upper=2.0), 2.1, 3.0, "contradicted", ""),
    ],
)
def test_a_set_of_values_holds_whole_or_is_contradicted_whole(
    statement: Printed, lower: float, upper: float, expected: Verdict, rounding: str
) -> None:
    value, rule = min(max(0.45, lower), upper), _RULES.get(rounding, "nearest")
    for evidence in SOUND:
        ruling = judge_value(
            statement, value, lower=lower, upper=upper, evidence=evidence, rounding=rule
        )
        assert (ruling.verdict, ruling.rounding) == (expected, rounding)


def test_numbers_fit_together_where_one_value_does() -> None:
    statement = equal(0.45, 0.005)
    ends: dict[str, Any] = {"lower": 0.4, "upper": 0.446}
    judged = judge_value(statement, 0.44, **ends, evidence="counts", one_is_enough=True)
    assert judged.verdict == "holds"
    assert judge_value(statement, 0.44, **ends, evidence="counts").verdict == "feasible"
    apart = judge_value(statement, 0.3, lower=0.2, upper=0.4, evidence="counts", one_is_enough=True)
    assert apart.verdict == "contradicted"


def test_a_printed_standard_error_widens_every_value_of_a_set() -> None:
    statement = equal(0.552, 0.0005)
    ends: dict[str, Any] = {"lower": 0.05, "upper": 0.95}
    judged = judge_value(statement, 0.552, **ends, printed_standard_error=0.0157, evidence="counts")
    assert judged.verdict == "not_checkable"


def test_the_difference_of_a_set_is_that_of_its_nearest_value() -> None:
    ruling = judge_value(equal(0.45, 0.005), 0.6, lower=0.5, upper=0.7, evidence="counts")
    assert ruling.discrepancy == pytest.approx(0.05, rel=1e-12)


@given(FINITE, WIDTH, FINITE, WIDTH, st.floats(0.0, 1.0))
def test_no_value_of_a_set_is_judged_otherwise_than_the_set(
    printed: float, half_unit: float, lower: float, width: float, share: float
) -> None:
    upper = lower + width
    value = min(lower + share * width, upper)
    statement = equal(printed, half_unit)
    of_set = judge_value(statement, value, lower=lower, upper=upper, evidence="counts").verdict
    of_value = verdict(statement, value)
    if of_set == "contradicted":
        assert of_value == "contradicted"
    elif of_set != "feasible":
        assert of_value == "holds"


def test_the_ends_of_what_a_simulation_shows_stand_for_its_standard_error() -> None:
    """Of the largest of several deviations, 4 standard errors would reach from 0.3 to 3.1."""
    shows: dict[str, Any] = {"lower": 1.0, "upper": 2.9, "standard_error": 0.34}
    for printed, expected in ((1.1, "holds"), (0.9, "contradicted"), (3.0, "contradicted")):
        ruling = judge_value(equal(printed, 0.05), 1.7, evidence="derived", **shows)
        assert ruling.verdict == expected


def test_a_printed_standard_error_excuses_an_exact_value() -> None:
    """The number in print was simulated, whatever it is held against."""
    statement = equal(0.035, 0.0005)
    within = judge_value(statement, 0.04, printed_standard_error=0.009, evidence="derived")
    assert within.verdict == "holds"
    assert within.z == pytest.approx(0.005 / 0.009, rel=1e-10)


@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        (0.45, 0.0, "feasible"),
        (0.441, 0.0, "not_checkable"),
        (0.3, 0.0, "not_checkable"),
        (0.3, 0.01, "not_checkable"),
        (0.42, 0.01, "feasible"),
    ],
)
def test_what_a_witness_shows_is_feasible_and_what_it_does_not_is_open(
    value: float, error: float, expected: Verdict
) -> None:
    statement = equal(0.45, 0.005)
    ruling = judge_value(statement, value, standard_error=error, evidence="witness_held_out")
    assert ruling.verdict == expected


@given(st.sampled_from(["=", "≈", "<", ">", "<=", ">=", "between"]), FINITE, WIDTH, FINITE, WIDTH)
def test_a_fitted_number_never_holds(
    relation: Relation, printed: float, half_unit: float, value: float, error: float
) -> None:
    statement = Printed(relation, printed, half_unit, upper=printed + 1)
    worthless: tuple[Evidence, ...] = ("witness_fitted", "stand_in", "none")
    for found, evidence in itertools.product((value, printed), worthless):
        ruling = judge_value(statement, found, standard_error=error, evidence=evidence)
        assert ruling.verdict == "not_checkable"


@given(
    st.sampled_from(["=", "≈", "<=", ">=", "between"]),
    FINITE,
    WIDTH,
    st.floats(1e-6, 10.0),
    st.floats(-3.3, 3.3),
)
def test_a_simulated_number_within_the_level_is_never_contradicted(
    relation: Relation, printed: float, half_unit: float, error: float, z: float
) -> None:
    value = printed + z * error
    statement = Printed(relation, printed, half_unit, upper=printed)
    ruling = judge_value(statement, value, standard_error=error, evidence="simulated")
    # The product was rounded, and may lie beyond the last error.
    v, p, e = (Fraction(repr(x)) for x in (value, printed, error))
    if abs(v - p) <= Fraction(repr(MONTE_CARLO_STANDARD_ERRORS)) * e:
        assert ruling.verdict == "holds"


@given(FINITE, st.sampled_from([0.5, 0.05, 0.005, 0.0]), FINITE)
def test_exact_values_agree_with_rational_arithmetic(
    printed: float, half_unit: float, value: float
) -> None:
    p, h, v = (Fraction(repr(x)) for x in (printed, half_unit, value))
    expected = "holds" if abs(v - p) <= h else "contradicted"
    assert verdict(equal(printed, half_unit), value) == expected
    up = judge_value(equal(printed, half_unit), value, evidence="counts", rounding="up").verdict
    assert (up != "contradicted") == (p - 2 * h < v <= p or v == p)


@given(st.integers(-99, 99), st.integers(-300, 300))
def test_near_the_ends_too(printed: int, offset: int) -> None:
    """Values a hundredth of a unit apart, around a number of two decimals."""
    value, p = (printed * 100 + offset) / 10_000, printed / 100
    away = abs(offset)
    expected = "holds" if away <= 50 else "contradicted"
    assert verdict(equal(p, 0.005), value) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected", "rounding"),
    [
        (equal(0.77, 0.005), equal(0.773, 0.0005), "holds", ""),
        (equal(0.77, 0.005), equal(0.775, 0.0005), "holds", ""),
        # 0.7755 at least cannot be 0.775 at most, if both are rounded to the nearest.
        (equal(0.77, 0.005), equal(0.7755, 0.0005), "contradicted", ""),
        (equal(0.77, 0.005), equal(0.7809, 0.0005), "contradicted", ""),
        (equal(0.77, 0.005), equal(0.781, 0.0005), "contradicted", ""),
        (equal(12032, 0.5), equal(12031, 0.5), "contradicted", ""),
        (equal(9, 0.0), equal(9, 0.0), "holds", ""),
        (equal(9, 0.0), equal(10, 0.0), "contradicted", ""),
        (Printed("<", 0.05), equal(0.049, 0.0005), "holds", ""),
        (Printed("<", 0.05), equal(0.06, 0.0005), "contradicted", ""),
        (Printed("between", 1.0, 0.0, upper=2.0), equal(1.5, 0.05), "holds", ""),
        (Printed("<", 1e-15), Printed("<", 1e-15), "holds", ""),
        (Printed("<", 1e-15), Printed("<", 1e-14), "contradicted", ""),
        (Printed("between", 1.0, upper=2.0), Printed("between", 1.0, upper=2.0), "holds", ""),
        (
            Printed("between", 1.0, upper=2.0),
            Printed("between", 1.0, upper=3.0),
            "contradicted",
            "",
        ),
        (Printed("text", text="F"), Printed("text", text="F"), "holds", ""),
        (Printed("text", text="F"), Printed("text", text="R"), "contradicted", ""),
    ],
)
def test_two_printed_numbers(
    first: Printed, second: Printed, expected: Verdict, rounding: str
) -> None:
    ruling = judge_printed(first, second)
    assert (ruling.verdict, ruling.rounding) == (expected, rounding)


def test_two_printed_numbers_in_different_units() -> None:
    """1.18 pp and 0.0118."""
    percent, share = equal(1.18, 0.005), equal(0.0118, 0.00005)
    ruling = judge_printed(share, percent, scale=0.01)
    assert (ruling.verdict, ruling.discrepancy) == ("holds", 0.0)
    assert judge_printed(share, equal(1.30, 0.005), scale=0.01).verdict == "contradicted"


def test_two_simulated_numbers_may_differ_by_chance() -> None:
    first, second = equal(0.80, 0.005), equal(0.85, 0.005)
    assert judge_printed(first, second, standard_error=0.0122).verdict == "holds"
    assert judge_printed(first, second, standard_error=0.0121).verdict == "contradicted"
    assert judge_printed(first, second, standard_error=0.02).z == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Printed("text", text="F"), equal(1, 0)),
        (equal(1, 0), Printed("text", text="F")),
        (equal(1, 0.5), Printed("<", 2)),
        (Printed(">", 1), Printed("<", 2)),
    ],
)
def test_what_cannot_be_compared(first: Printed, second: Printed) -> None:
    with pytest.raises(ValueError, match="cannot|only"):
        judge_printed(first, second)


@pytest.mark.parametrize(
    ("verdicts", "exhaustive", "expected"),
    [
        (["holds", "holds"], False, "holds"),
        (["holds", "holds_rounded"], False, "holds_rounded"),
        (["holds", "contradicted"], False, "ambiguous"),
        (["holds", "contradicted"], True, "ambiguous"),
        (["contradicted", "contradicted"], False, "ambiguous"),
        (["contradicted", "contradicted"], True, "contradicted"),
        (["contradicted", "not_checkable"], True, "ambiguous"),
        (["holds", "not_checkable"], True, "ambiguous"),
        (["not_checkable", "not_checkable"], True, "not_checkable"),
        (["feasible", "feasible"], True, "feasible"),
        (["holds", "feasible", "holds_rounded"], True, "feasible"),
        (["feasible", "contradicted"], True, "ambiguous"),
        (["feasible", "not_checkable"], True, "ambiguous"),
    ],
)
def test_readings(verdicts: list[Verdict], exhaustive: bool, expected: Verdict) -> None:
    assert judge_readings(verdicts, exhaustive=exhaustive) == expected


def test_no_evidence_holds_nothing() -> None:
    assert verdict(equal(1, 0.5), 1.0, "none") == "not_checkable"
    assert EVIDENCE[-1] == "none"
