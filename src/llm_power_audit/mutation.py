"""The mutation score of a register: the share of misprints that its checks contradict.

A register that holds throughout may hold because it is right, or because its checks can say
nothing else. Each printed number and word is therefore misprinted in turn, and the claims are
judged again by the same results. A misprint changes what is printed and nothing else.
"""

from __future__ import annotations

import math
import re
from collections import ChainMap, Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain, pairwise
from pathlib import Path
from typing import Final, Literal, get_args
from zlib import crc32

import pandas as pd

from llm_power._report.text_tables import markdown_table
from llm_power_audit._errors import AuditError
from llm_power_audit.agreement import HOLDING, interval
from llm_power_audit.claims import EVIDENCE, Claim, Column, Evidence, Register, Verdict
from llm_power_audit.evaluate import Court, Judged
from llm_power_audit.printed import NUMBER, Printed, Relation, parse_printed
from llm_power_audit.selection import ResultFolder
from llm_power_audit.written_verdicts import in_words

# What became of a misprint.
Fate = Literal["detected", "weakened", "survived", "implied", "equivalent", "not claimed"]
_NOTICEABLE: Final[tuple[Fate, ...]] = ("detected", "weakened", "survived")

MUTATION_COLUMNS: Final = [
    *("kind", "claim", "printed", "misprinted", "verdict", "evidence", "fate", "noticed_by"),
    "reason",
]

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
        for kind, wrong in _misprinted(claim, others or sorted(set().union(*words.values()))):
            changed = tuple(_printed_as(wrong, one) for one in repeated[claim.id])
            yield Mutant(kind, claim.id, claim.printed, wrong.printed, changed)
    for first, second in _neighbors(own):
        swapped = [
            _printed_as(other, one)
            for whose, other in ((first, second), (second, first))
            for one in repeated[whose.id]
        ]
        yield Mutant("swapped rows", first.id, first.printed, second.printed, tuple(swapped))


def stated_numbers(claim: Claim) -> frozenset[float]:
    """Return the sizes of the printed numbers that the claim is about: misprints change them."""
    statement = claim.statement
    if statement.relation == "text":
        texts = [token.text for token in _tokens(statement.text)]
    else:
        texts = [one.token.text for ends in _readings(claim) for one in ends.values()]
    return frozenset(abs(_value(text)) for text in texts)


def _printed_as(other: Claim, claim: Claim) -> Claim:
    return replace(claim, printed=other.printed, statement=other.statement)


def _words_by_column(claims: Sequence[Claim]) -> dict[Column | None, list[str]]:
    words: dict[Column | None, set[str]] = {claim.column: set() for claim in claims}
    for claim in claims:
        if claim.statement.relation == "text":
            words[claim.column].add(claim.statement.text)
    return {column: sorted(own) for column, own in words.items()}


def _neighbors(claims: Sequence[Claim]) -> Iterator[tuple[Claim, Claim]]:
    """Return the claims on cells of one column in pairs, each row with the next."""
    columns: dict[Column | None, dict[int, Claim]] = {}
    for claim in claims:
        if claim.cell:
            columns.setdefault(claim.column, {}).setdefault(claim.cell.row, claim)
    for rows in columns.values():
        yield from pairwise(claim for _, claim in sorted(rows.items()))


# Of one claim


def _misprinted(claim: Claim, other_words: Sequence[str]) -> Iterator[tuple[Misprint, Claim]]:
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
        yield "relation", replace(claim, printed=text, statement=opposite)


def _other_words(claim: Claim, others: Sequence[str]) -> Iterator[tuple[Misprint, Claim]]:
    word = claim.statement.text
    texts: list[tuple[Misprint, str]] = [
        ("digit", f"{word[: match.start()]}{_other_digit(claim.id, match)}{word[match.end() :]}")
        for match in _DIGIT.finditer(word)
    ]
    if others:
        texts.append(("name", others[_draw(claim.id, len(others))]))
    for kind, text in texts:
        printed = claim.printed.replace(word, text) if word in claim.printed else text
        statement = replace(claim.statement, text=text)
        yield kind, replace(claim, printed=printed, statement=statement)


def _other_numbers(claim: Claim) -> Iterator[tuple[Misprint, Claim]]:
    """Change each printed number that an end of the statement is; one that is both moves both."""
    for readings in _readings(claim):
        token = next(iter(readings.values())).token
        for kind, text in _misprints(token.text, claim.id):
            yield kind, _with_text(claim, readings, text)


def _readings(claim: Claim) -> Iterator[Mapping[str, _Reading]]:
    """Yield the ends of the statement that come of a printed number, one number after the other."""
    bounds = _bounds(claim.statement)
    readings = {name: _find(claim.printed, bound, len(bounds)) for name, bound in bounds.items()}
    for token in dict.fromkeys(one.token for one in readings.values() if one):
        yield {name: one for name, one in readings.items() if one and one.token == token}


def _with_text(claim: Claim, readings: Mapping[str, _Reading], text: str) -> Claim:
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
    return replace(claim, printed=printed, statement=misprinted)


def with_number(claim: Claim, change: Callable[[Decimal, Decimal], Decimal]) -> Claim | None:
    """Return the claim with its first number changed, a function of it and of its last unit.

    None where the claim prints no number in digits or in words, or none that differs.
    """
    for readings in _readings(claim):
        token = next(iter(readings.values())).token.text
        text = _changed_number(token, change)
        if text not in (None, token):
            return _with_text(claim, readings, text)
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


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one misprint."""

    mutant: Mutant
    # Those of the claim as it is printed; where it is misprinted with others the first that
    # holds.
    verdict: Verdict
    evidence: Evidence
    # ``detected``: a claim that held is contradicted. ``weakened``: one that held does not any
    # more, and none is contradicted. ``survived``: all that held hold. ``implied``: the misprint
    # says less than what is printed, and is true with it. ``equivalent``: it says the same. ``not
    # claimed``: the claim does not hold as it is printed, so that there is nothing to lose.
    fate: Fate
    # Ids of the claims that are contradicted, or else of those that do not hold any more.
    noticed_by: tuple[str, ...]
    reason: str = ""  # The judgement on it where it passes


def mutation_trials(register: Register, results_dir: Path) -> list[Trial]:
    """Judge a register again with each misprint of `llm_power_audit.mutation.mutants`."""
    present = register.present(results_dir)
    trials = _Trials(present, results_dir)
    return [trials.trial(mutant) for mutant in mutants(present)]


class _Trials:
    """Judges misprints by results that are read once."""

    def __init__(self, register: Register, results_dir: Path) -> None:
        self._claims = {claim.id: claim for claim in register.claims}
        self._court = Court(self._claims, ResultFolder(results_dir), register.file)
        self._before = self._court.judged
        self._against: dict[str, list[str]] = {}
        for claim in self._claims.values():
            for name in {check.claim for check in claim.checks} - {""}:
                self._against.setdefault(name, []).append(claim.id)

    def trial(self, mutant: Mutant) -> Trial:
        changed = {claim.id: claim for claim in mutant.changed}
        held = [name for name in changed if self._before[name].verdict in HOLDING]
        before = self._before[held[0] if held else mutant.claim]
        judged = before.verdict, before.evidence
        if not held:
            return Trial(mutant, *judged, "not claimed", ())
        if meant := _by_meaning(mutant, self._claims):
            return Trial(mutant, *judged, meant, ())
        after = self._judge_again(changed)
        lost = {name: one for name, one in after.items() if _verdict(one) not in HOLDING}
        contradicted = tuple(name for name, one in lost.items() if _verdict(one) == "contradicted")
        if contradicted:
            return Trial(mutant, *judged, "detected", contradicted)
        fate: Fate = "weakened" if lost else "survived"
        first = after[held[0]]
        reason = first.reason if first else "It cannot be held against its checks any more."
        return Trial(mutant, *judged, fate, tuple(lost), reason)

    def _judge_again(self, changed: Mapping[str, Claim]) -> dict[str, Judged | None]:
        """Judge what held of the changed claims, and of those that are held against them."""
        claims = ChainMap(dict(changed), self._claims)
        concerned = [*changed, *(two for one in changed for two in self._against.get(one, ()))]
        return {
            name: self._judge(claims[name], claims)
            for name in dict.fromkeys(concerned)
            if self._before[name].verdict in HOLDING
        }

    def _judge(self, claim: Claim, claims: Mapping[str, Claim]) -> Judged | None:
        """Judge a claim; None where it cannot be held against its checks any more."""
        try:
            return self._court.judge_again(claim, claims)
        except AuditError:
            return None


def _verdict(judged: Judged | None) -> Verdict:
    return "not_checkable" if judged is None else judged.verdict


def _by_meaning(mutant: Mutant, printed: Mapping[str, Claim]) -> Fate | None:
    """Say of a misprint whether it says the same, or follows from what is printed."""
    pairs = [(printed[new.id].statement, new.statement) for new in mutant.changed]
    # A unit that is worth as much, pp instead of %, says something else of what it measures.
    if mutant.kind != "unit" and all(_ends(old) == _ends(new) for old, new in pairs):
        return "equivalent"
    if all(old != new and _contains(new, old) for old, new in pairs):
        return "implied"
    return None


def _ends(statement: Printed) -> tuple[str, str, float, float]:
    """Return what a statement says but for its precision: 0.0 says no more than 0 of a count."""
    if statement.relation == "text":
        return ("text", statement.text, 0.0, 0.0)
    upper = statement.upper if statement.relation == "between" else statement.value
    return statement.relation, "", statement.value, upper


def _contains(wide: Printed, narrow: Printed) -> bool:
    if wide.relation != narrow.relation or wide.relation == "text":
        return False
    (low, high), (first, last) = interval(wide), interval(narrow)
    return low <= first and last <= high


# For readers


def score_text(trials: Sequence[Trial]) -> str:
    """Return the mutation score in one line."""
    fates = Counter(trial.fate for trial in trials)
    noticeable = sum(fates[fate] for fate in _NOTICEABLE)
    share = f" ({_share(fates['detected'], noticeable)})" if noticeable else ""
    return (
        f"{fates['detected']} of {noticeable} misprints of claims that hold are contradicted{share}"
    )


def write_mutation(trials: Sequence[Trial], csv_path: Path, md_path: Path) -> None:
    """Write what became of every misprint as CSV, and the rates and survivors as Markdown."""
    rows = [
        (
            *(t.mutant.kind, t.mutant.claim, t.mutant.printed, t.mutant.misprinted),
            *(t.verdict, t.evidence, t.fate, " ".join(t.noticed_by), t.reason),
        )
        for t in trials
    ]
    frame = pd.DataFrame(rows, columns=MUTATION_COLUMNS)
    frame.to_csv(csv_path, index=False, lineterminator="\n", encoding="utf-8")
    md_path.write_bytes(_markdown(trials).encode("utf-8"))


def _markdown(trials: Sequence[Trial]) -> str:
    survivors = [trial for trial in trials if trial.fate in ("survived", "weakened")]
    blocks = [
        "# Misprints that the audit notices",
        f"{score_text(trials)}. Each printed number and word was misprinted in turn, and judged "
        "by the same results.",
        "## By kind",
        _rates_table(
            "kind", {kind: [t for t in trials if t.mutant.kind == kind] for kind in MISPRINTS}
        ),
        "## By class of evidence",
        _rates_table(
            "evidence", {one: [t for t in trials if t.evidence == one] for one in EVIDENCE}
        ),
        "## Not contradicted",
        _survivors_table(survivors),
    ]
    return "\n\n".join(blocks) + "\n"


def _rates_table(by: str, groups: Mapping[str, Sequence[Trial]]) -> str:
    """Count what became of the misprints of claims that hold, group by group and in all."""
    rows = []
    for name, trials in {**groups, "all": list(chain.from_iterable(groups.values()))}.items():
        fates = Counter(trial.fate for trial in trials)
        noticeable = sum(fates[fate] for fate in _NOTICEABLE)
        counts = [*(fates[fate] for fate in _NOTICEABLE), noticeable]
        counts += [fates["implied"], fates["equivalent"]]
        if any(counts) or name == "all":
            share = _share(fates["detected"], noticeable)
            rows.append([in_words(name), *map(str, counts), share])
    columns = [*_NOTICEABLE, "noticeable", "implied", "equivalent"]
    return markdown_table([[by, *columns, "rate"], *rows], right=range(1, len(columns) + 2))


def _survivors_table(trials: Sequence[Trial]) -> str:
    header = ["id", "printed", "misprinted", "kind", "evidence", "fate", "judgement"]
    rows = [
        [
            *(t.mutant.claim, t.mutant.printed, t.mutant.misprinted, t.mutant.kind),
            *(in_words(t.evidence), t.fate, t.reason),
        ]
        for t in trials
    ]
    return markdown_table([header, *rows], right=(1, 2))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "–"
