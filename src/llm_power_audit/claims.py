"""The contents of a register: claims, their statements, and the checks of each."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

from llm_power_audit.printed import OF, NanEqual, Printed

# How far a recomputed number can bear on a printed one, strongest first. Whole counts that a board
# displayed are exact like the numbers a paper prints, and come from outside it: that they agree is
# more than that the paper agrees with itself. Two printings of one number are no evidence for it:
# that they agree is their consistency, and counted apart. A sample of real items whose choice was
# not random comes after what is exact or has a known error.
Evidence = Literal[
    "raw",
    "derived",
    "displayed",
    "counts",
    "consistency",
    "simulated",
    "raw_sample",
    "witness_held_out",
    "witness_fitted",
    "stand_in",
    "none",
]
EVIDENCE: Final[tuple[Evidence, ...]] = get_args(Evidence)
# What an audit says of a claim.
Verdict = Literal[
    "holds", "holds_rounded", "contradicted", "ambiguous", "feasible", "not_checkable"
]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

Aggregate = Literal["count", "min", "max", "median", "mean", "sum"]
Scalar = str | float | bool
Condition = Scalar | Mapping[str, Any]
Kind = Literal["claim", "cross_check"]
# What a finding changes, most first.
Weight = Literal["main_result", "conclusion", "exhibit", "wording"]
WEIGHTS: Final[tuple[Weight, ...]] = get_args(Weight)
Role = Literal["input", "target", "held_out"]
# File, column and part of printed cells.
Column = tuple[str, str, str]
# Names of quantities that are correlations.
_CORRELATION: Final = re.compile(
    r"(\d+% bound of the |largest |smallest |median )?(ICC|correlation)"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table of printed numbers, or a part of one."""

    file: str  # CSV file, a path from the folder of the register
    row: int  # 1 is the first below the header
    column: str
    # ``point``, ``lower`` or ``upper`` of an interval, ``count`` or ``share``, ``parentheses``
    # for what stands in them, ``text`` for a cell that is a word; empty for a number.
    part: str = ""
    label: str = ""  # The first cell of the row


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison of a claim: with cells of a result file, or with another claim."""

    result: str = ""  # CSV file below the folder of results; empty where `claim` is set
    claim: str = ""  # Id of the claim whose printed number is compared; empty where `result` is set
    # Values that the cells of a selected row have.
    rows: Mapping[str, Condition] = field(default_factory=dict)
    # Two models: the row is about them, and is seen from the first. Empty where `rows` says which
    # row it is.
    pair: Sequence[str] = ()
    column: str = ""  # Column of the value; empty for a count of rows
    # How several rows become one value; None where exactly one row must be selected.
    aggregate: Aggregate | None = None
    scale: float = 1.0  # Factor from the units of the result to those of the printed number
    # Whether `claim` is another simulation, so that chance can explain a difference.
    independent: bool = False
    # Column of the Monte Carlo standard error, or the number, in the units of the result.
    standard_error: str | float | None = None
    evidence: Evidence | None = None  # Class of evidence that the register asserts
    # Id of the claim whose role counts where the result rests on a witness; empty for the claim's
    # own.
    role_of: str = ""
    # Unit that the number must be printed in, "pp" or "%"; empty where another is as good.
    unit: str = ""
    # The reading of an undefined quantity that the check belongs to; empty where the quantity is
    # defined.
    reading: str = ""

    @property
    def source(self) -> str:
        """What the check looks at: the result file, or ``claim ID``."""
        return self.result or f"claim {self.claim}"


@dataclass(frozen=True, slots=True, eq=False)
class Claim(NanEqual):
    """One entry of a register, placeholders filled in; texts are empty where absent."""

    id: str
    kind: Kind  # Whether the claim is about the data, or compares printed numbers
    section: str
    place: str
    exhibit: str | None  # Name of the exhibit it belongs to
    # Paraphrase of the claim, name of its number, and the printed text.
    claim: str
    quantity: str
    printed: str
    statement: Printed  # What the printed text states, in numbers
    # Monte Carlo standard error of the printed number; NaN for one without.
    printed_standard_error: float
    follows_from: tuple[str, ...]  # Ids of the claims it should follow from
    test: str  # How it is tested, in words
    checks: tuple[Check, ...]  # Empty where nothing can be computed
    undefined: str  # What the source leaves open, where there are several readings
    exhaustive: bool  # Whether the readings are all there can be
    # How to check it by hand; may hold ``{value}``, ``{printed}`` and ``{discrepancy}``.
    derivation: str
    # What it changes; what would be needed to check it; anything else.
    consequence: str
    needs: str
    note: str
    # Id of the claim whose printed number this one repeats; empty where the claim has a number of
    # its own.
    printed_of: str = ""
    # Role of the printed number for a witness: fitted; fitted as closely as possible, with the
    # residual reported; never fitted. None where no witness is concerned.
    role: Role | None = None
    # Quantity, panel and subject of the number, for the program that makes the results. Only its
    # role is read here.
    measures: Mapping[str, Any] = field(default_factory=dict)
    # Where the number is printed in a table; None for a number of the text.
    cell: Cell | None = None

    @property
    def impossible(self) -> str:
        """Why no data have what is printed; empty where they can."""
        shares = ((int(match[1]), int(match[2])) for match in OF.finditer(self.printed))
        if any(some > of for some, of in shares):
            return "a part of more than there are"
        least, most = self.statement.value, max(self.statement.value, self.statement.upper)
        if _CORRELATION.fullmatch(self.quantity) and (least < -1 or most > 1):
            return "a correlation is from -1 to 1"
        if self.quantity == "score" and "%" in self.printed and most > 1:
            return "a score is at most 100%"
        return ""

    @property
    def column(self) -> Column | None:
        """The printed cells among which its number stands; None for a number of the text."""
        return (self.cell.file, self.cell.column, self.cell.part) if self.cell else None

    @property
    def is_label(self) -> bool:
        """Whether it is a word that names a row of a table."""
        return self.cell is not None and self.statement.relation == "text"


def section_name(section: str) -> str:
    """Return a section as a text names it: a number, or a heading of its own."""
    return f"Section {section}" if section[:1].isdigit() else section


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure that claims belong to."""

    title: str
    file: str  # A path from the folder of results
    # CSV file of its printed cells, a path from the folder of the register; empty for one
    # without.
    printed: str = ""
    # Headings of the columns of printed cells, where their names are no good ones.
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """What several contradicted claims come to.

    The texts may hold ``{value ID}`` and ``{printed ID}``: what was computed for a claim, and
    what was printed.
    """

    id: str
    weight: Weight  # What it changes
    # A sentence each: what is wrong, what that changes, and what it should read.
    finding: str
    changes: str
    correction: str
    # Ids of the claims it rests on; it is reported if one of them is contradicted.
    claims: tuple[str, ...]
    exhibit: str = ""  # Name of the exhibit to show; empty for none
    # By id of a claim, its correction where the computed number is none.
    should_read: Mapping[str, str] = field(default_factory=dict)
    # Whether it is reported where its claims are ambiguous and none is contradicted: a count
    # depends on the reading.
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Register:
    """Claims in the order of the file, with what they are about.

    Attributes
    ----------
    file : str
        Name of the file, for messages.
    title, source : str
        What is audited, and where it was printed; empty where the file does not say.
    exhibits : mapping of str to Exhibit
        By name.
    claims : tuple of Claim
        Ids are unique.
    findings : tuple of Finding
        In the order of the file; a claim belongs to one at most.
    main_result : str
        What the source stands or falls by, in words that follow "changes"; may be empty.
    optional : frozenset of str
        Result files that not every run makes; checks by an absent one are left out.
    remarks : tuple of Check
        Where the results have sentences that the report opens with.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power_audit import Register, load_register
    >>> from llm_power_audit.example import write_example
    >>> write_example(".")
    >>> [claim.id for claim in load_register(Path("claims.yaml")).claims]
    ['leader/resolved', 'pairs']
    """

    file: str
    title: str
    source: str
    exhibits: Mapping[str, Exhibit]
    claims: tuple[Claim, ...]
    findings: tuple[Finding, ...] = ()
    main_result: str = ""
    optional: frozenset[str] = frozenset()
    remarks: tuple[Check, ...] = ()

    def present(self, results_dir: Path) -> Register:
        """Return the register without the checks whose optional result is not there."""
        return self.without({one for one in self.optional if not (results_dir / one).is_file()})

    def without(self, absent: Collection[str]) -> Register:
        """Return the register without the checks by some results."""
        claims = tuple(
            replace(one, checks=tuple(check for check in one.checks if check.result not in absent))
            for one in self.claims
        )
        remarks = tuple(one for one in self.remarks if one.result not in absent)
        return replace(self, claims=claims, remarks=remarks)
