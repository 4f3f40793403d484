"""Coverage of a paper's text: which of its numbers a claim holds, and why the others need none.

The text itself is not part of a replication. A span names a number in it by line and offsets, and
by a hash of the sentence around it, so that a span in another edition of the text is noticed.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from llm_power._errors import LLMPowerError
from llm_power_audit._csv import csv_table
from llm_power_audit.claims import Claim
from llm_power_audit.mutation import NUMBER_WORDS, stated_numbers
from llm_power_audit.printed import DIGITS, parse_printed

# A number in plain text or in LaTeX: 12,032; .049; 9.9 \times 10^{-14}; \frac{1}{2}; 5%; nine.
_POWER: Final = r"10\^\{?[-−]?\d+\}?"
_WORD_VALUES: Final = {
    **{word: float(value) for value, word in enumerate(NUMBER_WORDS)},
    **{"half": 0.5, "halfway": 0.5, "twice": 2.0},
    **{"hundred": 1e2, "thousand": 1e3, "million": 1e6},
}
_NUMBER: Final = re.compile(
    rf"\\t?frac\{{\d+\}}\{{\d+\}}"
    rf"|{_POWER}"
    rf"|(?:{DIGITS})(?:\s*(?:\\times|×)\s*{_POWER})?(?:\\?%|M\b)?"
    rf"|\b(?:{'|'.join(_WORD_VALUES)})\b",
    re.ASCII | re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"(?<=[.?!;])\s+(?=[A-Z$“*\\(])")
_FRACTION: Final = re.compile(r"\\t?frac\{(\d+)\}\{(\d+)\}")
# The unit of a number may stand apart from it: pp, %, M, in a header or behind a bracket.
_UNITS: Final = (1.0, 0.01, 1e6)
_OPEN: Final = "open"


class CoverageError(LLMPowerError):
    """A span is not of this text, or not of its claim."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a number stands in a text."""

    line: int  # 1 is the first
    # Offsets in the line.
    start: int
    end: int

    @property
    def place(self) -> tuple[int, int, int]:
        """Where it stands."""
        return self.line, self.start, self.end


@dataclass(frozen=True, slots=True)
class Token(Place):
    """A number in a text, with its place."""

    text: str

    @property
    def value(self) -> float:
        """The number that it denotes, without its sign."""
        text = self.text.lower()
        if text in _WORD_VALUES:
            return _WORD_VALUES[text]
        if fraction := _FRACTION.fullmatch(text):
            return int(fraction[1]) / int(fraction[2])
        plain = re.sub(r"\s*\\times\s*", "×", text)
        return abs(parse_printed(re.sub(r"[\\{}]", "", plain).replace("m", "M")).value)


@dataclass(frozen=True, slots=True)
class Span(Place):
    """What a number of the text is, with its place: that of a claim, or none that needs one."""

    sha256: str  # Of the sentence around it, or of the row of a table: the first 16 digits
    claim: str = ""  # Id of the claim; empty for a number that is excused
    # ``number``: it is the claim's number. ``part``: it is within what the claim says and tests,
    # a coefficient of its formula or the condition it is made under, and not its number.
    # ``excused``.
    role: str = "excused"
    reason: str = ""  # Why it needs no claim; "open" and what is missing where it would need one

    @property
    def is_open(self) -> bool:
        """Whether a claim is missing."""
        return self.reason.partition(":")[0] == _OPEN


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a text its claims cover."""

    n_tokens: int  # Numbers of the text
    # Those that are a claim's number, and those that are only a part of what one says.
    n_numbers: int
    n_parts: int
    excused: Mapping[str, int]  # Those that need no claim, by reason
    uncovered: tuple[Token, ...]  # The others

    @property
    def share(self) -> float:
        """Share of the numbers that are covered or excused."""
        return 1 - len(self.uncovered) / self.n_tokens

    def text(self) -> str:
        """Return the counts, a line each."""
        n_excused = sum(self.excused.values())
        lines = [
            f"numbers in the text                 {self.n_tokens:5}",
            f"  of a claim                        {self.n_numbers:5}",
            f"  within what a claim says          {self.n_parts:5}",
            f"  excused                           {n_excused:5}",
            *(
                f"    {reason:32}{n:5}"
                for reason, n in sorted(self.excused.items(), key=lambda item: -item[1])
            ),
            f"  neither                           {len(self.uncovered):5}",
            f"covered or excused: {self.share:.1%}; of those that are not excused: "
            f"{1 - len(self.uncovered) / (self.n_tokens - n_excused):.1%}",
        ]
        return "\n".join(lines)


def tokens(text: str) -> list[Token]:
    """Return every number of a text, in its order.

    A number is a run of digits with its separators, its decimal point and a percent sign behind
    it; a power of ten with its factor; a LaTeX fraction of two numbers; or one of the words
    zero to twenty, half, twice, hundred, thousand and million. Ordinals are none. Digits in names,
    symbols and addresses are numbers too: they are excused where they stand.
    """
    return [
        Token(number, match.start(), match.end(), match[0])
        for number, line in enumerate(text.splitlines(), start=1)
        for match in _NUMBER.finditer(line)
    ]


def sentence_hash(line: str, start: int) -> str:
    """Return the first 16 digits of the SHA-256 of the sentence that holds an offset of a line.

    A row of a table, its cells parted by tabs, is one sentence.
    """
    first, last = 0, len(line)
    if "\t" not in line:
        for match in _SENTENCE_END.finditer(line):
            if match.end() <= start:
                first = match.end()
            else:
                last = match.start()
                break
    return hashlib.sha256(line[first:last].encode()).hexdigest()[:16]


def load_spans(spans: Path, excused: Path) -> list[Span]:
    """Read the numbers that claims cover, and those that need none."""
    return [
        Span(int(row.pop("line")), int(row.pop("start")), int(row.pop("end")), **row)
        for path in (spans, excused)
        for row in csv_table(path)
    ]


def cover(text: str, spans: Iterable[Span], claims: Mapping[str, Claim]) -> Coverage:
    """Hold spans against a text and count what they cover."""
    by_place = {token.place: token for token in tokens(text)}
    lines = text.splitlines()
    best: dict[tuple[int, int, int], Span] = {}
    for span in spans:
        token = by_place.get(span.place)
        where = f"line {span.line}, offset {span.start}"
        if token is None:
            raise CoverageError(f"{where}: there is no such number in the text")
        if sentence_hash(lines[span.line - 1], span.start) != span.sha256:
            raise CoverageError(f"{where}: the sentence is another than the one that was covered")
        if span.claim and span.claim not in claims:
            raise CoverageError(f"{where}: there is no claim {span.claim!r}")
        if span.role == "number" and not is_number_of(token, claims[span.claim]):
            raise CoverageError(f"{where}: {token.text!r} is not the number of {span.claim!r}")
        if span.place not in best or span.role == "number":
            best[span.place] = span
    counts = Counter(span.role for span in best.values() if not span.is_open)
    uncovered = [t for t in by_place.values() if t.place not in best or best[t.place].is_open]
    excused = Counter(s.reason for s in best.values() if s.role == "excused" and not s.is_open)
    return Coverage(len(by_place), counts["number"], counts["part"], excused, tuple(uncovered))


def is_number_of(token: Token, claim: Claim) -> bool:
    """Whether the number is one that the claim states, up to its sign and its unit."""
    return any(
        math.isclose(token.value * unit, number, abs_tol=1e-15)
        or math.isclose(token.value, number * unit, abs_tol=1e-15)
        for number in stated_numbers(claim)
        for unit in _UNITS
    )
