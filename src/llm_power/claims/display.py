"""Recomputed numbers in the notation of the printed ones, two digits further."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

from llm_power._decimal import as_decimal
from llm_power.claims.claims import Claim

_EXTRA_DIGITS: Final = 2
_SIGNIFICANT_DIGITS: Final = 5
_HALF: Final = Decimal("0.5")
_SUFFIX = re.compile(r"(?<=\d)\s*(?P<suffix>%|pp|M)\Z")
_SUFFIX_EXPONENT = {"%": 2, "pp": 2, "M": -6}


def display_number(claim: Claim, number: float | str) -> str:
    """Write a number as the claim's printed text would, two digits further.

    Parameters
    ----------
    claim : Claim
        Its printed text gives suffix, thousands separators and the notation of powers of ten.
    number : float or str
        In the units of the claim's statement; a text is returned as it is.

    Returns
    -------
    str
        Five significant digits where the printed text claims no last digit.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power import load_register
    >>> from llm_power.claims.display import display_number
    >>> from llm_power.example import write_example
    >>> write_example(".")
    >>> claim = load_register(Path("claims.yaml")).claims[1]
    >>> display_number(claim, 3.0)
    '3'
    """
    if isinstance(number, str):
        return number
    if math.isnan(number):
        return "undefined"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    match = _SUFFIX.search(claim.printed)
    suffix = match["suffix"] if match else ""
    exponent = _SUFFIX_EXPONENT.get(suffix, 0)
    value = as_decimal(number).scaleb(exponent)
    half_unit = as_decimal(claim.statement.half_unit).scaleb(exponent)
    if value == value.to_integral_value() and (half_unit == 0 or half_unit >= _HALF):
        text = f"{value:,.0f}"
    elif "10^" in claim.printed or (value and abs(value) < as_decimal(1e-4)):
        text = f"{value:.{_SIGNIFICANT_DIGITS - 1}e}"
        text = re.sub(r"e([+-])0*(\d+)", lambda m: f"×10^{m[1].strip('+')}{m[2]}", text)
    elif half_unit:
        # Half a unit of 0.01 is 0.005: its first digit is one place below the unit's.
        decimals = max(0, -half_unit.adjusted() - 1) + _EXTRA_DIGITS
        text = f"{value:,.{decimals}f}"
    else:
        text = f"{value:,.{max(0, _SIGNIFICANT_DIGITS - 1 - value.adjusted())}f}"
    if "," not in claim.printed and len(text.partition(".")[0]) <= len("9,999"):
        text = text.replace(",", "")
    return text.replace("-", "−", 1) + suffix if text.startswith("-") else text + suffix
