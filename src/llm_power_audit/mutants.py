"""Misprints: each printed number and word of a register changed in turn.

A misprint changes what is printed and nothing else. Whether an audit notices is found by
`llm_power_audit.mutation`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Final, Literal, get_args
from zlib import crc32

from llm_power_audit.claims import Claim, Column, Register
from llm_power_audit.printed import NUMBER, Printed, Relation, parse_printed

Misprint = Literal["digit", "decimal place", "sign", "unit", "name", "relation", "swapped rows"]
MISPRINTS: Final[tuple[Misprint, ...]] = get_args(Misprint)

NUMBER_WORDS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_WORD: Final = re.compile(rf"\b({'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)
_OF: Final = re.compile(r"(\d+)(?:/| of )(\d+)", re.ASCII)
_DIGIT: Final = re.compile(r"\d", re.ASCII)
# How a bound comes of a number x: offset, factor and power of offset + factor * x^power. It is
# itself, the lower end of ± x, in other units, or the inverse of "a factor of two"; of a range
# also 1 ± x.
_READINGS: Final = ((0, 1, 1), (0, -1, 1), (0, 0.01, 1), (0, -0.01, 1), (0, 100, 1), (0, 1, -1))
_READINGS_OF_RANGES: Final = (*_READINGS, (1, 1, 1), (1, -1, 1))
_OTHER_UNITS: Final[Mapping[str, Sequence[str]]] = {"%": ("",), "pp": ("", "%"), "M": ("",)}
_OPPOSITE: Final[Mapping[Relation, Relation]] = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}
_SIGNS: Final[Mapping[Relation, str]] = {"<": "<", ">": ">", "<=": "≤", ">=": "≥"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One misprint, and the claims as they would then be."""

    kind: Misprint  # One of `MISPRINTS`
    # Id of the claim whose printed number or word is changed; of two that are swapped the first.
    claim: str
    # What is printed, and what would be.
    printed: str
    misprinted: str
    # The claims that state something else then: those that repeat the number among them.
    changed: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class _Variant:
    """A misprint of one claim: its printed text and its statement."""

    kind: Misprint
    text: str
    statement: Printed


@dataclass(frozen=True, slots=True)
class _Token:
    """A number within a printed text."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a bound of a statement comes of a printed number."""

    token: _Token
    offset: float
    factor: float
    power: int

    def of(self, value: float) -> float:
        """Return the bound that a number gives."""
        powered = value if self.power == 1 else 1 / value if value else math.inf
        return _as_written(self.offset + self.factor * powered)


def mutants(register: Register) -> Iterator[Mutant]:
    """Return every misprint of a register, always the same ones in the same order."""
    repeated: dict[str, list[Claim]] = {}
    for claim in register.claims:
        repeated.setdefault(claim.printed_of or claim.id, []).append(claim)
    own = [c for c in register.claims if not c.printed_of and c.kind == "claim"]
    words = _words_by_column(own)
    for claim in own:
        others = [word for word in words[claim.column] if word != claim.statement.text]
        for variant in _variants(claim, others or sorted(set().union(*words.values()))):
            changed = tuple(_with(one, variant) for one in repeated[claim.id])
            yield Mutant(variant.kind, claim.id, claim.printed, variant.text, changed)
    for first, second in _neighbors(own):
        swapped = [
            _with(one, _Variant("swapped rows", other.printed, other.statement))
            for whose, other in ((first, second), (second, first))
            for one in repeated[whose.id]
        ]
        yield Mutant("swapped rows", first.id, first.printed, second.printed, tuple(swapped))


def stated_numbers(claim: Claim) -> frozenset[float]:
    """Return the sizes of the printed numbers that the claim is about: misprints change them."""
    statement = claim.statement
    if statement.relation == "text":
        found = [token.text for token in _tokens(statement.text)]
    else:
        found = [one.token.text for ends in _readings(claim) for one in ends.values()]
    return frozenset(abs(_value(text)) for text in found)


def _with(claim: Claim, variant: _Variant) -> Claim:
    return replace(claim, printed=variant.text, statement=variant.statement)


def _words_by_column(claims: Sequence[Claim]) -> dict[Column | None, list[str]]:
    found: dict[Column | None, set[str]] = {claim.column: set() for claim in claims}
    for claim in claims:
        if claim.statement.relation == "text":
            found[claim.column].add(claim.statement.text)
    return {column: sorted(words) for column, words in found.items()}


def _neighbors(claims: Sequence[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Return the claims on cells of one column in pairs, each row with the next."""
    columns: dict[Column | None, dict[int, Claim]] = {}
    for claim in claims:
        if claim.cell:
            columns.setdefault(claim.column, {}).setdefault(claim.cell.row, claim)
    for rows in columns.values():
        yield from pairwise(claim for _, claim in sorted(rows.items()))


# Of one claim


def _variants(claim: Claim, other_words: Sequence[str]) -> Iterator[_Variant]:
    statement = claim.statement
    if statement.relation == "text":
        yield from _other_words(claim, other_words)
        return
    yield from _other_numbers(claim)
    if statement.relation in _OPPOSITE:
        opposite = replace(statement, relation=_OPPOSITE[statement.relation])
        sign = _SIGNS[statement.relation]
        swapped = claim.printed.replace(sign, _SIGNS[opposite.relation], 1)
        text = swapped if sign in claim.printed else f"not: {claim.printed}"
        yield _Variant("relation", text, opposite)


def _other_words(claim: Claim, others: Sequence[str]) -> Iterator[_Variant]:
    word = claim.statement.text
    texts: list[tuple[Misprint, str]] = [
        ("digit", f"{word[: match.start()]}{_other_digit(claim.id, match)}{word[match.end() :]}")
        for match in _DIGIT.finditer(word)
    ]
    if others:
        texts.append(("name", others[_draw(claim.id, len(others))]))
    for kind, text in texts:
        printed = claim.printed.replace(word, text) if word in claim.printed else text
        yield _Variant(kind, printed, replace(claim.statement, text=text))


def _other_numbers(claim: Claim) -> Iterator[_Variant]:
    """Change each printed number that an end of the statement is; one that is both moves both."""
    for readings in _readings(claim):
        token = next(iter(readings.values())).token
        for kind, text in _misprints(token.text, claim.id):
            yield _with_text(claim, readings, kind, text)


def _readings(claim: Claim) -> Iterator[Mapping[str, _Reading]]:
    """Yield the ends of the statement that come of a printed number, one number after the other."""
    bounds = _bounds(claim.statement)
    found = {name: _find(claim.printed, bound, len(bounds)) for name, bound in bounds.items()}
    for token in dict.fromkeys(one.token for one in found.values() if one):
        yield {name: one for name, one in found.items() if one and one.token == token}


def _with_text(
    claim: Claim, readings: Mapping[str, _Reading], kind: Misprint, text: str
) -> _Variant:
    statement, first = claim.statement, next(iter(readings.values()))
    token, factor = first.token, abs(first.factor)
    ends = {name: reading.of(_value(text)) for name, reading in readings.items()}
    half_unit = statement.half_unit
    if math.isclose(half_unit, factor * _half_unit(token.text)):
        half_unit = _as_written(factor * _half_unit(text))
    printed = claim.printed[: token.start] + text + claim.printed[token.end :]
    value, upper = ends.get("value", statement.value), ends.get("upper", statement.upper)
    value, upper = (upper, value) if upper < value else (value, upper)
    misprinted = replace(statement, value=value, upper=upper, half_unit=half_unit)
    return _Variant(kind, printed, misprinted)


def with_number(claim: Claim, change: Callable[[Decimal, Decimal], Decimal]) -> Claim | None:
    """Return the claim with its first number changed, a function of it and of its last unit.

    None where the claim prints no number in digits or in words, or none that differs.
    """
    for readings in _readings(claim):
        token = next(iter(readings.values())).token.text
        text = _changed_number(token, change)
        if text not in (None, token):
            return _with(claim, _with_text(claim, readings, "digit", text))
    return None


def _changed_number(token: str, change: Callable[[Decimal, Decimal], Decimal]) -> str | None:
    if token.lower() in NUMBER_WORDS:
        place = int(change(Decimal(NUMBER_WORDS.index(token.lower())), Decimal(1)))
        return NUMBER_WORDS[place] if 0 <= place < len(NUMBER_WORDS) else str(place)
    parts = NUMBER.fullmatch(token)
    if parts is None or not parts["digits"]:
        return None
    unit = Decimal(1).scaleb(-len(parts["digits"].partition(".")[2]))
    sign = -1 if parts["sign"] in ("-", "−") else 1
    number = change(sign * Decimal(parts["digits"].replace(",", "")), unit).quantize(unit)
    digits = f"{abs(number):,}" if "," in parts["digits"] else str(abs(number))
    digits = digits.removeprefix("0") if parts["digits"].startswith(".") else digits
    (start, end), minus = parts.span("digits"), "−" if number < 0 else ""
    head = token[: parts.start("sign") if parts["sign"] else start]
    return head + minus + digits + token[end:]


def _bounds(statement: Printed) -> dict[str, float]:
    upper = {"upper": statement.upper} if statement.relation == "between" else {}
    return {"value": statement.value, **upper}


def _tokens(text: str) -> list[_Token]:
    return [
        _Token(match.start() + len(match[0]) - len(match[0].lstrip()), match[0].strip())
        for pattern in (NUMBER, _WORD, _OF)
        for match in pattern.finditer(text)
    ]


def _find(printed: str, bound: float, n_bounds: int) -> _Reading | None:
    """Return the number of a printed text that a bound is, and how the bound comes of it."""
    readings = _READINGS if n_bounds == 1 else _READINGS_OF_RANGES
    tokens = _tokens(printed)
    for reading in (_Reading(token, *how) for how in readings for token in tokens):
        if math.isclose(reading.of(_value(reading.token.text)), bound, abs_tol=1e-15):
            return reading
    return None


def _as_written(value: float) -> float:
    """Return a product of short decimal numbers without what binary arithmetic adds."""
    return float(f"{value:.12g}")


def _misprints(token: str, name: str) -> Iterator[tuple[Misprint, str]]:
    if token.lower() in NUMBER_WORDS:
        place = NUMBER_WORDS.index(token.lower())
        for neighbor in (place - 1, place + 1):
            if 0 <= neighbor < len(NUMBER_WORDS):
                yield "digit", NUMBER_WORDS[neighbor]
        return
    parts = NUMBER.fullmatch(token)
    # The ten of a power of ten is no digit that anybody mistypes.
    ten = token.find("10^")
    for match in _DIGIT.finditer(token):
        if ten < 0 or match.start() not in (ten, ten + 1):
            other = _other_digit(f"{name}/{match.start()}", match, leading=match.start() == 0)
            yield "digit", f"{token[: match.start()]}{other}{token[match.end() :]}"
    if parts is None:
        return
    start, end = parts.span("digits")
    if parts["digits"]:
        for places in (-1, 1):
            moved = _with_point_moved(parts["digits"], places)
            if moved != parts["digits"]:
                yield "decimal place", token[:start] + moved + token[end:]
    first = parts.end("relation") if parts["relation"] else 0
    minus = "" if parts["sign"] in ("-", "−") else "−"
    yield "sign", token[:first] + minus + token[first:].lstrip().lstrip("-−+")
    for unit in _OTHER_UNITS.get(parts["suffix"] or "", ()):
        yield "unit", token.removesuffix(parts["suffix"]) + unit


def _with_point_moved(digits: str, places: int) -> str:
    whole, _, decimals = digits.replace(",", "").partition(".")
    figures = whole + decimals
    point = len(whole) + places
    figures = figures.rjust(len(figures) + 1 - point, "0") if point < 1 else figures
    point = max(point, 1)
    figures = figures.ljust(point, "0")
    moved = figures[:point].lstrip("0") or "0"
    return moved + (f".{figures[point:]}" if figures[point:] else "")


def _other_digit(name: str, match: re.Match[str], *, leading: bool = False) -> str:
    others = [digit for digit in "0123456789"[leading:] if digit != match[0]]
    return others[_draw(f"{name}/{match.start()}", len(others))]


def _draw(name: str, n: int) -> int:
    """Return a number below `n` that the name alone decides."""
    return crc32(name.encode()) % n


def _value(token: str) -> float:
    if token.lower() in NUMBER_WORDS:
        return float(NUMBER_WORDS.index(token.lower()))
    if match := _OF.fullmatch(token):
        return int(match[1]) / int(match[2]) if int(match[2]) else math.inf
    return parse_printed(token).value


def _half_unit(token: str) -> float:
    return parse_printed(token).half_unit if NUMBER.fullmatch(token) else 0.0
