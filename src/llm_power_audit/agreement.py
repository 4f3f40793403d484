"""What agrees with a printed number, by tolerances fixed beforehand, and how it is written."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from statistics import NormalDist
from typing import Final, Literal

from llm_power_audit.claims import Claim, Evidence, Verdict
from llm_power_audit.printed import SUFFIX_EXPONENT, DisplayRule, Printed, as_decimal

# The level, two-sided, of every tolerance of chance: an audit with a hundred simulated numbers,
# all of them right, contradicts one of them wrongly in one run of ten.
MONTE_CARLO_LEVEL: Final = 0.001
# The same in standard errors of the difference of the two, 3.29.
MONTE_CARLO_STANDARD_ERRORS: Final = NormalDist().inv_cdf(1 - MONTE_CARLO_LEVEL / 2)

# Verdicts that confirm what is printed.
HOLDING: Final[tuple[Verdict, ...]] = ("holds", "holds_rounded")

# Of the values that a number can have: all display as printed, some do, or none does.
Place = Literal["inside", "across", "outside"]

# Half units below and above a printed number that it stands for: of a unit's width by each rule.
_HALF_UNITS: Final[Mapping[DisplayRule, tuple[int, int]]] = {
    "nearest": (1, 1),
    "up": (2, 0),
    "down": (0, 2),
}

# Of a number whose printed text claims no last digit.
_SIGNIFICANT_DIGITS: Final = 3
_SUFFIX = re.compile(r"(?<=\d)\s*(?P<suffix>%|pp|M|×)\Z")
_FOUR_DIGITS: Final = re.compile(r"(?<![\d.,])\d{4}")
_ROUNDING: Final = {"<=": ROUND_CEILING, "<": ROUND_CEILING, ">=": ROUND_FLOOR, ">": ROUND_FLOOR}
# All digits of a double beside a number of any size.
_WIDE: Final = Context(prec=1000)
_SIGNS: Final = {"<=": "≤ ", "<": "< ", ">=": "≥ ", ">": "> ", "≈": "≈ "}


def agrees(
    printed: Printed,
    value: float | str,
    *,
    rounding: DisplayRule = "nearest",
    standard_error: float = 0.0,
) -> bool:
    """Whether `value`, unrounded and in the printed units, can be what was printed.

    A number is within half a unit of its last digit, ends included (a tie may have been rounded
    either way), or within the unit on one side where rounded up or down; a bound or a range
    holds; `standard_error`, of the difference of the two, widens either by
    `MONTE_CARLO_STANDARD_ERRORS` of it. NaN never agrees.
    """
    if isinstance(value, str) or printed.relation == "text":
        return printed.relation == "text" and value == printed.text
    if math.isnan(value):
        return False
    if value == printed.value and printed.relation not in ("<", ">"):
        return True  # infinite ones too
    # In decimal: 0.45 - 0.445 is not 0.005 in binary, and the printed number is decimal.
    slack = _slack(standard_error)
    low, high = (
        end + side * slack for end, side in zip(_ends(printed, rounding), (-1, 1), strict=True)
    )
    v = as_decimal(value)
    if printed.relation in ("<", ">"):
        return v < high if printed.relation == "<" else low < v
    if rounding == "nearest" or slack or not printed.is_number:
        return low <= v <= high
    # The far end would have been printed as the next number.
    return low < v <= high if rounding == "up" else low <= v < high


def placed(
    printed: Printed,
    lower: float,
    upper: float,
    *,
    rounding: DisplayRule = "nearest",
    standard_error: float = 0.0,
) -> Place:
    """Say which of the values from `lower` to `upper` can be what was printed."""
    nearest = min(max(printed.value, lower), upper)
    likeliest = {"<": lower, "<=": lower, ">": upper, ">=": upper}.get(printed.relation, nearest)
    first, last, any_of_them = (
        agrees(printed, value, rounding=rounding, standard_error=standard_error)
        for value in (lower, upper, likeliest)
    )
    if first and last:
        return "inside"
    return "across" if first or last or any_of_them else "outside"


def interval(printed: Printed, rounding: DisplayRule = "nearest") -> tuple[float, float]:
    """Return the ends of the values that a number, bound or range stands for.

    Both ends count as included; they are infinite where a bound is open.
    """
    low, high = _ends(printed, rounding)
    return float(low), float(high)


def overlap(distance: Decimal, half_units: Decimal, standard_error: float = 0.0) -> bool:
    """Whether one true value, rounded to the nearest, can have been printed as two numbers.

    `half_units` are those of both, added up; `distance` is not negative.
    """
    slack = _slack(standard_error)
    return not distance or distance < half_units or (slack > 0 and distance <= half_units + slack)


def _slack(standard_error: float) -> Decimal:
    return as_decimal(MONTE_CARLO_STANDARD_ERRORS) * as_decimal(standard_error)


def _ends(printed: Printed, rounding: DisplayRule) -> tuple[Decimal, Decimal]:
    value, half_unit = as_decimal(printed.value), as_decimal(printed.half_unit)
    below, above = _HALF_UNITS[rounding if printed.is_number else "nearest"]
    low, high = value - below * half_unit, value + above * half_unit
    if printed.relation == "between":
        return low, as_decimal(printed.upper) + above * half_unit
    if printed.relation in ("<", "<="):
        return Decimal("-Infinity"), high
    return low, Decimal("Infinity") if printed.relation in (">", ">=") else high


# What leaves a set of values: that it holds the printed one, and not others, is a test of it.
_EXACT: Final[tuple[Evidence, ...]] = ("raw", "derived", "displayed", "counts", "raw_sample")


@dataclass(frozen=True)
class Ruling:
    """The result of one comparison."""

    verdict: Verdict  # Never ``ambiguous``: that takes several readings
    rounding: str  # The convention that reconciles the two, for ``holds_rounded``; else empty
    # Value minus printed number, signed; of a range or of a set of values the nearest, so that it
    # is 0 inside; NaN for text.
    discrepancy: float
    z: float  # Discrepancy in standard errors; NaN without one


def judge_value(
    statement: Printed,
    value: float | str,
    *,
    lower: float = math.nan,
    upper: float = math.nan,
    standard_error: float = 0.0,
    printed_standard_error: float = math.nan,
    evidence: Evidence,
    one_is_enough: bool = False,
    rounding: DisplayRule = "nearest",
) -> Ruling:
    """Judge a statement by a recomputed value, displayed by one rule of rounding.

    ``holds`` or ``holds_rounded`` where every possible value displays as printed, ``contradicted``
    where none does, ``feasible`` where some do and others do not. What a witness shows without
    having been fitted to it is ``feasible``; whatever it was fitted to, does not show, or rests on
    scores from a stand-in or a mirror is ``not_checkable``.
    """
    if isinstance(value, str) or statement.relation == "text":
        same = agrees(statement, value)
        return Ruling(_verdict(same, not same, "", evidence), "", math.nan, math.nan)
    error = joint_error(standard_error, printed_standard_error)
    has_ends = not math.isnan(lower)
    # An estimate from items that somebody chose has no level: only what they exclude decides.
    if evidence == "raw_sample" and not has_ends:
        evidence = "none"
    low, high = (lower, upper) if has_ends else (value, value)
    if error > 0 or evidence == "simulated":
        # The ends of what a simulation shows allow for its chance, and each of them can be shown.
        is_law = has_ends and standard_error > 0
        place = placed(statement, low, high, standard_error=0.0 if is_law else error)
        every = place == "inside" or (place == "across" and (is_law or one_is_enough))
        discrepancy = _discrepancy(statement, value, value)
        z = discrepancy / error if error > 0 else math.nan
        return Ruling(_verdict(every, place == "outside", "", evidence), "", discrepancy, z)
    rule = rounding if statement.relation == "=" else "nearest"
    place = placed(statement, low, high, rounding=rule)
    every = place == "inside" or (one_is_enough and place == "across")
    nearest = rule == "nearest" or placed(statement, low, high) == "inside"
    named = "" if nearest else f"rounded {rule}"
    verdict = _verdict(every, place == "outside", named, evidence)
    excludes = math.isfinite(low) or math.isfinite(high)
    if verdict == "not_checkable" and place == "across" and excludes and evidence in _EXACT:
        verdict = "feasible"
    return Ruling(verdict, named if every else "", _discrepancy(statement, low, high), math.nan)


def _verdict(every: bool, none: bool, rounding: str, evidence: Evidence) -> Verdict:
    """Return the verdict, given whether every possible value displays as printed, or none does."""
    if evidence in ("witness_fitted", "stand_in", "none"):
        return "not_checkable"
    if evidence == "witness_held_out":
        return "feasible" if every else "not_checkable"
    if every:
        return "holds_rounded" if rounding else "holds"
    return "contradicted" if none else "not_checkable"


def judge_printed(
    statement: Printed, other: Printed, *, scale: float = 1.0, standard_error: float = 0.0
) -> Ruling:
    """Judge a statement by another: it holds where one value can have been rounded to both."""
    if statement.relation == "text" or other.relation == "text":
        if statement.relation != other.relation:
            raise ValueError("a text cannot be compared with a number")
        same = statement.text == other.text
        return Ruling("holds" if same else "contradicted", "", math.nan, math.nan)
    factor = as_decimal(scale)
    value = float(as_decimal(other.value) * factor)
    half_units = as_decimal(statement.half_unit) + as_decimal(other.half_unit) * abs(factor)
    if not other.is_number:
        if statement.relation != other.relation:
            raise ValueError("a bound can be compared with the same kind of bound only")
        ends = [as_decimal(value) - as_decimal(statement.value)]
        if other.relation == "between":
            ends.append(as_decimal(other.upper) * factor - as_decimal(statement.upper))
        distance = max(ends, key=abs)
    elif statement.is_number:
        distance = as_decimal(value) - as_decimal(statement.value)
    else:
        wide = replace(statement, half_unit=float(half_units))
        return judge_value(wide, value, standard_error=standard_error, evidence="counts")
    z = float(distance) / standard_error if standard_error > 0 else math.nan
    same = overlap(abs(distance), half_units, standard_error)
    return Ruling("holds" if same else "contradicted", "", float(distance), z)


def judge_readings(verdicts: Sequence[Verdict], *, exhaustive: bool) -> Verdict:
    """Judge an undefined quantity by the verdicts of its readings.

    ``holds`` (or ``holds_rounded``) if every reading does; ``feasible`` if some are no more than
    that and the others hold; ``contradicted`` if each of an exhaustive list is; ``not_checkable``
    if no reading could be checked; else ``ambiguous``.
    """
    distinct = set(verdicts)
    if distinct <= {*HOLDING}:
        return "holds_rounded" if "holds_rounded" in distinct else "holds"
    if distinct <= {*HOLDING, "feasible"}:
        return "feasible"
    if distinct == {"not_checkable"}:
        return "not_checkable"
    if distinct == {"contradicted"} and exhaustive:
        return "contradicted"
    return "ambiguous"


def joint_error(*errors: float) -> float:
    """Return the standard error of a difference of independent numbers; NaN stands for none."""
    return math.hypot(*(0.0 if math.isnan(error) else error for error in errors))


def _discrepancy(statement: Printed, low: float, high: float) -> float:
    """Return the least difference between the printed numbers and those from low to high."""
    last = statement.upper if statement.relation == "between" else statement.value
    if low <= last and statement.value <= high:
        return 0.0
    value, printed = (high, statement.value) if high < statement.value else (low, last)
    return float(as_decimal(value) - as_decimal(printed))


def display_number(claim: Claim, number: float | str) -> str:
    """Write a number as the claim's printed text would, one digit further.

    More digits are shown where that one would stand exactly half a unit from the printed number,
    and the number does not.
    """
    if isinstance(number, str):
        return number
    if math.isnan(number):
        return "undefined"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    return _spelled(claim, as_decimal(number), 1, ROUND_HALF_EVEN)


def display_corrected(claim: Claim, number: float | str) -> str:
    """Write what the printed text should read: a number, or a bound, with as many digits.

    Where the printed text claims no last digit, it is the number itself.
    """
    if isinstance(number, str) or not math.isfinite(number) or not claim.statement.half_unit:
        return display_number(claim, number)
    relation = claim.statement.relation
    rounding = _ROUNDING.get(relation, ROUND_HALF_EVEN)
    return _SIGNS.get(relation, "") + _spelled(claim, as_decimal(number), 0, rounding)


def _spelled(claim: Claim, number: Decimal, further: int, rounding: str) -> str:
    match = _SUFFIX.search(claim.printed)
    suffix = match["suffix"] if match else ""
    exponent = -SUFFIX_EXPONENT.get(suffix, 0)
    value = number.scaleb(exponent)
    printed, half_unit = (
        as_decimal(part).scaleb(exponent)
        for part in (claim.statement.value, claim.statement.half_unit)
    )
    if not half_unit:
        places = _SIGNIFICANT_DIGITS - 1 - value.adjusted()
        rounded = value.quantize(Decimal(1).scaleb(-max(0, places)), context=_WIDE).normalize()
    else:
        rounded = _rounded(value, printed, half_unit, further, rounding)
    if value == rounded.to_integral_value() and half_unit.adjusted() >= -1:
        text = f"{rounded:,.0f}"
    elif "10^" in claim.printed or (rounded and abs(rounded) < as_decimal(1e-4)):
        text = re.sub(r"e([+-])0*(\d+)", lambda m: f"×10^{m[1].strip('+')}{m[2]}", f"{rounded:e}")
    else:
        text = f"{rounded:,f}"
    # As 1871 is printed, with four digits and no comma.
    if _FOUR_DIGITS.search(claim.printed) and len(text.partition(".")[0]) <= len("9,999"):
        text = text.replace(",", "")
    text = text.replace("-", "−", 1) if text.startswith("-") and rounded else text.lstrip("-")
    return text + suffix


def _rounded(
    value: Decimal, printed: Decimal, half_unit: Decimal, further: int, rounding: str
) -> Decimal:
    if value and rounding == ROUND_HALF_EVEN and abs(value) < half_unit.scaleb(-further):
        return value.quantize(Decimal(1).scaleb(value.adjusted() - 1), context=_WIDE)
    # The first digit of half a unit is one place below the unit's.
    places = further - half_unit.adjusted() - 1
    rounded = value.quantize(Decimal(1).scaleb(-places), rounding, _WIDE)
    # Whether it still agrees must be seen, however many digits that takes.
    while rounded != value and abs(rounded - printed) == half_unit:
        places += 1
        rounded = value.quantize(Decimal(1).scaleb(-places), rounding, _WIDE)
    return rounded
