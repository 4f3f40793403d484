"""Printed numbers in typed form: the string, the number, and the half unit of its last digit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Final, Literal

import numpy as np

from llm_power._errors import one_line
from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power_audit._errors import AuditError

Relation = Literal["=", "≈", "<", ">", "<=", ">=", "between", "text"]
DisplayRule = Literal["nearest", "up", "down"]


class NanEqual:
    """A dataclass whose absent numbers, `math.nan`, are equal: by itself not since Python 3.13."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))


def _values(one: Any) -> tuple[object, ...]:
    # Tuples take what is the same object for equal.
    return tuple(getattr(one, field.name) for field in fields(one))


@dataclass(frozen=True, slots=True, eq=False)
class Printed(NanEqual):
    """What a printed text says: a number, a bound, a range, or a word."""

    relation: Relation  # How the true value is said to stand to `value`
    # The number, or the lower end of a range; ``%`` and ``pp`` are hundredths, ``M`` is a
    # million. NaN for text.
    value: float = math.nan
    # Half a unit of the last printed digit, in the units of `value`; 0 for a count. Also 0 for a
    # bound unless the source says otherwise: ``< 0.001`` is not also said of 0.0014.
    half_unit: float = 0.0
    upper: float = math.nan  # The upper end of a range; NaN for everything else
    text: str = ""  # The printed string of a number; of a text the word or mark that is claimed

    @property
    def is_number(self) -> bool:
        """Whether it is a number, and no bound, range or word."""
        return self.relation in ("=", "≈")


@dataclass(frozen=True, slots=True)
class PrintedInterval:
    """A point with its bracketed bounds, ``0.0004 [−0.0003, 0.0012]`` (Table 9)."""

    text: str
    point: Printed
    lower: Printed
    upper: Printed


@dataclass(frozen=True, slots=True)
class PrintedCount:
    """So many of so many, ``4/9``; or so many and their share, ``3 (100%)``."""

    text: str
    count: int
    total: int | None = None  # The number they are counted among, where printed
    share: Printed | None = None  # Their share, where printed


_BOUNDS: Mapping[str, Relation] = {"at_most": "<=", "at_least": ">=", "below": "<", "above": ">"}
SUFFIX_EXPONENT: Final = {"": 0, "%": -2, "pp": -2, "M": 6}
_RELATIONS: Mapping[str, Relation] = {
    "": "=", "<": "<", "≥": ">=", ">=": ">=", "≈": "≈",
}  # fmt: skip
#: Digits of a printed number: 12,032; 0.049; .049.
DIGITS: Final = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
NUMBER: Final = re.compile(
    r"(?P<relation><|≥|>=|≈)?\s*"
    r"(?P<sign>[-−+])?"
    r"(?:10\^(?P<power>[-−]?\d+)"
    rf"|(?P<digits>{DIGITS})"
    r"(?:\s*×\s*10\^(?P<exponent>[-−]?\d+))?)"
    r"\s*(?P<suffix>%|pp|M)?",
    re.ASCII,
)
_INTERVAL = re.compile(r"(?P<point>[^\[\]]+?)\s*\[(?P<bounds>[^\[\]]+)\](?P<suffix>%|pp|M)?")
OF: Final = re.compile(r"(\d+)/(\d+)")
_SHARE = re.compile(r"(\d+) \((\d+%)\)")
_PARENTHESES = re.compile(r"(.+?) \(([^()]+)\)")


def printed_unit(text: str) -> str:
    """Return the first unit of a text's numbers, ``%`` or ``pp``; empty where none has one."""
    units = (match["suffix"] for match in NUMBER.finditer(text))
    return next((unit for unit in units if unit in ("%", "pp")), "")


def parse_printed(text: str) -> Printed:
    """Parse one printed number, as 2,396,624; −0.0003; 9.9×10^-14; <10^-15; 6.3pp; 28%; 1.11M.

    The half unit of a bare power of ten is half of it.
    """
    match = NUMBER.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a printed number: {text!r}")
    bare_power = match["digits"] is None
    digits = "1" if bare_power else match["digits"].replace(",", "")
    exponent = int(((match["power"] if bare_power else match["exponent"]) or "0").replace("−", "-"))
    scale = Decimal(1).scaleb(exponent + SUFFIX_EXPONENT[match["suffix"] or ""])
    sign = -1 if match["sign"] in ("-", "−") else 1
    decimals = len(digits.partition(".")[2])
    half_unit = Decimal("0.5").scaleb(-decimals) * scale
    relation = _RELATIONS[match["relation"] or ""]
    return Printed(
        relation,
        float(sign * Decimal(digits) * scale),
        float(half_unit) if relation in ("=", "≈") else 0.0,
        text=text,
    )


def parse_interval(text: str) -> PrintedInterval:
    """Parse a point with bracketed bounds; a suffix behind the bracket belongs to both bounds."""
    match = _INTERVAL.fullmatch(text.strip())
    # The bounds hold thousands separators too; only a comma and a space part them.
    bounds = match["bounds"].split(", ") if match else []
    if match is None or len(bounds) != 2:
        raise ValueError(f"not a printed interval: {text!r}")
    suffix = match["suffix"] or ""
    lower, upper = (parse_printed(bound + suffix) for bound in bounds)
    return PrintedInterval(text, parse_printed(match["point"]), lower, upper)


def parse_count(text: str) -> PrintedCount:
    """Parse ``4/9`` or ``3 (100%)``."""
    if match := OF.fullmatch(text.strip()):
        return PrintedCount(text, int(match[1]), total=int(match[2]))
    if match := _SHARE.fullmatch(text.strip()):
        return PrintedCount(text, int(match[1]), share=parse_printed(match[2]))
    raise ValueError(f"not a printed count: {text!r}")


def split_parentheses(text: str) -> tuple[str, str]:
    """Split ``HS, gem/L-8B (0.46)`` into what stands before the parentheses and in them."""
    match = _PARENTHESES.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a text with another in parentheses behind it: {text!r}")
    return match[1], match[2]


def as_decimal(value: float) -> Decimal:
    """Return the shortest decimal number that denotes `value`.

    Printed numbers are decimal, and 0.45 - 0.445 is not 0.005 in binary.
    """
    return Decimal(repr(float(value)))


def display_nearest(value: ArrayLike) -> FloatArray:
    """Return the integer nearest to `value`, halves up; ``inf`` stays."""
    return np.floor(np.asarray(value, dtype=np.float64) + 0.5)


# A required number of items that is rounded up never falls short of the requirement.
DISPLAY_RULES: Mapping[DisplayRule, Callable[[ArrayLike], FloatArray]] = {
    "nearest": display_nearest,
    "up": np.ceil,
    "down": np.floor,
}


def statement_of(printed: str, states: Mapping[str, Any] | None) -> Printed:
    """Return what a claim of a register states: what `states` says, or else what is printed."""
    if states is not None:
        return stated(states)
    try:
        number = parse_printed(printed)
    except ValueError:
        pass
    else:
        if math.isinf(number.value):
            raise AuditError("the number is too large", remedy="correct it", field="printed")
        return number
    try:
        return Printed("=", float(parse_count(printed).count))
    except ValueError as error:
        problem = f"{one_line(printed, 80)!r} is not a number this program can parse"
        remedy = "say in `states` what it says in numbers"
        raise AuditError(problem, remedy=remedy, field="printed") from error


def stated(states: Mapping[str, Any]) -> Printed:
    """Return the statement that ``states`` of a register describes."""
    names = [name for name in states if name != "half_unit"]
    if len(names) != 1:
        problem = f"there must be exactly one statement, got {', '.join(names) or 'none'}"
        remedy = "keep one of value, at_most, at_least, below, above, between and text"
        raise AuditError(problem, remedy=remedy, field="states")
    (name,) = names
    half_unit = float(states.get("half_unit", 0.0))
    need_finite(half_unit, "states/half_unit")
    if name == "text":
        return Printed("text", text=states["text"])
    numbers = states[name] if name == "between" else [states[name]]
    if any(math.isnan(number) for number in numbers) or list(numbers) != sorted(numbers):
        raise AuditError(
            f"{numbers} is not a number or not a range", remedy="correct it", field=f"states/{name}"
        )
    if name == "between":
        return Printed("between", float(numbers[0]), half_unit, upper=float(numbers[1]))
    return Printed(_BOUNDS.get(name, "="), float(numbers[0]), half_unit)


def need_finite(value: Any, field: str) -> None:
    """Refuse a number of a register that is not finite."""
    # An infinite tolerance would let anything hold.
    if isinstance(value, float) and not math.isfinite(value):
        raise AuditError(f"{value} is not finite", remedy="give a finite number", field=field)
