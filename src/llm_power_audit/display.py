"""Recomputed numbers in the notation of the printed ones, one digit further."""

from __future__ import annotations

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from llm_power_audit.claims import Claim
from llm_power_audit.printed import SUFFIX_EXPONENT, as_decimal

# Of a number whose printed text claims no last digit.
_SIGNIFICANT_DIGITS: Final = 3
_SUFFIX = re.compile(r"(?<=\d)\s*(?P<suffix>%|pp|M|×)\Z")
_FOUR_DIGITS: Final = re.compile(r"(?<![\d.,])\d{4}")
_ROUNDING: Final = {"<=": ROUND_CEILING, "<": ROUND_CEILING, ">=": ROUND_FLOOR, ">": ROUND_FLOOR}
# All digits of a double beside a number of any size.
_WIDE: Final = Context(prec=1000)
_SIGNS: Final = {"<=": "≤ ", "<": "< ", ">=": "≥ ", ">": "> ", "≈": "≈ "}


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
