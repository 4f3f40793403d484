"""The rules that compare a printed number with a recomputed one, or with another printed one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from audit.agreement import agrees, overlap, placed
from audit.printed import DisplayRule, Printed, as_decimal
from llm_power.provenance import Evidence, Verdict

ROUNDED_UP: Final = "rounded up"
ROUNDED_DOWN: Final = "rounded down"
ROUNDED_EITHER: Final = "rounded up or down"
_ROUNDINGS: Final[Mapping[DisplayRule, str]] = {
    "nearest": "",
    "up": ROUNDED_UP,
    "down": ROUNDED_DOWN,
}


@dataclass(frozen=True, slots=True)
class Ruling:
    """The result of one comparison.

    Attributes
    ----------
    verdict : str
        Never ``ambiguous``: that takes several readings.
    rounding : str
        The convention that reconciles the two, for ``holds_rounded``; else empty.
    discrepancy : float
        Value minus printed number, signed; of a range or of a set of values the nearest, so that
        it is 0 inside; NaN for text.
    z : float
        Discrepancy in standard errors; NaN without one.

    Examples
    --------
    >>> from audit.printed import Printed
    >>> from audit.verdicts import Ruling, judge_value
    >>> ruling = judge_value(Printed("=", 0.5, half_unit=0.05), 0.62, evidence="raw")
    >>> ruling.verdict, round(ruling.discrepancy, 2)
    ('contradicted', 0.12)
    """

    verdict: Verdict
    rounding: str
    discrepancy: float
    z: float


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
) -> Ruling:
    """Judge a statement by a recomputed value.

    Parameters
    ----------
    statement : Printed
        What the printed text says.
    value : float or str
        Unrounded, in the units of the statement; a text for a statement of text.
    lower, upper : float, optional
        Ends of a set that certainly holds every value that is possible; the value alone if left
        out. Of a simulated number, ends of what a simulation shows at the level of
        `audit.agreement`, where standard errors do not say it.
    standard_error, printed_standard_error : float
        Monte Carlo standard errors of the two; 0 or NaN for a number without one.
    evidence : str
        What the value rests on.
    one_is_enough : bool, default False
        Whether the statement says no more than that printed numbers fit together, so that it holds
        where one possible value displays as printed.

    Returns
    -------
    Ruling
        ``holds`` or ``holds_rounded`` where every possible value displays as printed,
        ``contradicted`` where none does, else ``not_checkable``. What a witness shows without
        having been fitted to it is ``feasible``, and what it does not show ``not_checkable``: it
        is one of many data sets. Also ``not_checkable`` is whatever a witness was fitted to, and
        whatever rests on scores from a stand-in or a mirror.

    Examples
    --------
    >>> from audit.printed import Printed
    >>> from audit.verdicts import judge_value
    >>> judge_value(Printed("=", 0.5, half_unit=0.05), 0.53, evidence="raw").verdict
    'holds'
    >>> judge_value(Printed("=", 0.5, half_unit=0.05), 0.62, evidence="raw").verdict
    'contradicted'
    >>> allowed = {"lower": 0.54, "upper": 0.62, "evidence": "counts"}
    >>> judge_value(Printed("=", 0.5, half_unit=0.05), 0.58, **allowed).verdict
    'not_checkable'
    """
    if isinstance(value, str) or statement.relation == "text":
        same = agrees(statement, value)
        return Ruling(_verdict(same, not same, "", evidence), "", math.nan, math.nan)
    error = joint_error(standard_error, printed_standard_error)
    has_ends = not math.isnan(lower)
    low, high = (lower, upper) if has_ends else (value, value)
    if error > 0 or evidence == "simulated":
        # The ends of what a simulation shows allow for its chance, and each of them can be shown.
        is_law = has_ends and standard_error > 0
        place = placed(statement, low, high, standard_error=0.0 if is_law else error)
        every = place == "inside" or (place == "across" and (is_law or one_is_enough))
        discrepancy = _discrepancy(statement, value, value)
        z = discrepancy / error if error > 0 else math.nan
        # An estimate from items that somebody chose has no level: only what they exclude decides.
        weight: Evidence = "none" if evidence == "raw_sample" else evidence
        return Ruling(_verdict(every, place == "outside", "", weight), "", discrepancy, z)
    roundings: Sequence[DisplayRule] = (
        ("nearest", "up", "down") if statement.relation == "=" else ("nearest",)
    )
    places = {name: placed(statement, low, high, rounding=name) for name in roundings}
    enough = ("inside", "across") if one_is_enough else ("inside",)
    by = next((name for name in roundings if places[name] in enough), None)
    rounding = _ROUNDINGS[by] if by else ""
    none_does = set(places.values()) == {"outside"}
    verdict = _verdict(by is not None, none_does, rounding, evidence)
    return Ruling(verdict, rounding, _discrepancy(statement, low, high), math.nan)


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
    """Judge a statement by another printed one.

    Parameters
    ----------
    statement, other : Printed
        Two numbers; or a bound and a number; or two texts, bounds or ranges alike.
    scale : float
        Factor from the units of `other` to those of `statement`.
    standard_error : float
        Monte Carlo standard error of the difference of two independent simulations; 0 for one
        number that was printed twice.

    Returns
    -------
    Ruling
        ``holds`` where one true value can have been rounded to both, each to the nearest.

    Raises
    ------
    ValueError
        If the two cannot be compared.

    Examples
    --------
    >>> from audit.printed import Printed
    >>> from audit.verdicts import judge_printed
    >>> rounded, exact = Printed("=", 0.5, half_unit=0.05), Printed("=", 0.53, half_unit=0.005)
    >>> judge_printed(rounded, exact).verdict
    'holds'
    """
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
        return judge_value(
            _widened(statement, other, abs(scale)),
            value,
            standard_error=standard_error,
            evidence="counts",
        )
    z = float(distance) / standard_error if standard_error > 0 else math.nan
    found = overlap(abs(distance), half_units, standard_error)
    if found == "either":
        return Ruling("holds_rounded", ROUNDED_EITHER, float(distance), z)
    return Ruling("holds" if found else "contradicted", "", float(distance), z)


def judge_readings(verdicts: Sequence[Verdict], *, exhaustive: bool) -> Verdict:
    """Judge an undefined quantity by the verdicts of its readings.

    Parameters
    ----------
    verdicts : sequence of str
        One a reading.
    exhaustive : bool
        Whether the readings are all there can be.

    Returns
    -------
    str
        ``holds`` (or ``holds_rounded``) if every reading does; ``feasible`` if some are no more
        than that and the others hold; ``contradicted`` if each of an exhaustive list is;
        ``not_checkable`` if no reading could be checked; else ``ambiguous``.

    Examples
    --------
    >>> from audit.verdicts import judge_readings
    >>> judge_readings(["holds", "contradicted"], exhaustive=True)
    'ambiguous'
    """
    found = set(verdicts)
    if found <= {"holds", "holds_rounded"}:
        return "holds_rounded" if "holds_rounded" in found else "holds"
    if found <= {"holds", "holds_rounded", "feasible"}:
        return "feasible"
    if found == {"not_checkable"}:
        return "not_checkable"
    if found == {"contradicted"} and exhaustive:
        return "contradicted"
    return "ambiguous"


def joint_error(*errors: float) -> float:
    """Return the standard error of a difference of independent numbers; NaN stands for none.

    Examples
    --------
    >>> from audit.verdicts import joint_error
    >>> joint_error(0.3, 0.4, float("nan"))
    0.5
    """
    return math.hypot(*(0.0 if math.isnan(error) else error for error in errors))


def _discrepancy(statement: Printed, low: float, high: float) -> float:
    """Return the least difference between the printed numbers and those from low to high."""
    last = statement.upper if statement.relation == "between" else statement.value
    if low <= last and statement.value <= high:
        return 0.0
    value, printed = (high, statement.value) if high < statement.value else (low, last)
    return float(as_decimal(value) - as_decimal(printed))


def _widened(statement: Printed, other: Printed, scale: float) -> Printed:
    half_unit = as_decimal(statement.half_unit) + as_decimal(other.half_unit) * as_decimal(scale)
    return replace(statement, half_unit=float(half_unit))
