"""The contents of a register: claims, their statements, and the checks of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

from audit.printed import Printed
from llm_power.provenance import Evidence

Aggregate = Literal["count", "min", "max", "median", "mean", "sum"]
Scalar = str | float | bool
Condition = Scalar | Mapping[str, Any]
Kind = Literal["claim", "cross_check"]
# What a finding changes, most first.
Weight = Literal["main_result", "conclusion", "exhibit", "wording"]
WEIGHTS: Final[tuple[Weight, ...]] = get_args(Weight)
Role = Literal["input", "target", "held_out"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table of printed numbers, or a part of one.

    Attributes
    ----------
    file : str
        CSV file, a path from the folder of the register.
    row : int
        1 is the first below the header.
    column : str
        Its name.
    part : str
        ``point``, ``lower`` or ``upper`` of an interval, ``count`` or ``share``,
        ``parentheses`` for what stands in them, ``text`` for a cell that is a word; empty for
        a number.
    label : str
        The first cell of the row.

    Examples
    --------
    >>> from audit.claims import Cell
    >>> Cell("printed/table_06.csv", row=4, column="b").column
    'b'
    """

    file: str
    row: int
    column: str
    part: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison of a claim: with cells of a result file, or with another claim.

    Attributes
    ----------
    result : str
        CSV file below the folder of results; empty where `claim` is set.
    claim : str
        Id of the claim whose printed number is compared; empty where `result` is set.
    rows : mapping of str to scalar or mapping
        Values that the cells of a selected row have.
    pair : sequence of str
        Two models: the row is about them, and is seen from the first. Empty where `rows` says
        which row it is.
    column : str
        Column of the value; empty for a count of rows.
    aggregate : str, optional
        How several rows become one value; None where exactly one row must be selected.
    scale : float
        Factor from the units of the result to those of the printed number.
    independent : bool
        Whether `claim` is another simulation, so that chance can explain a difference.
    standard_error : str or float, optional
        Column of the Monte Carlo standard error, or the number, in the units of the result.
    evidence : str, optional
        Class of evidence that the register asserts.
    role_of : str
        Id of the claim whose role counts where the result rests on a witness; empty for the
        claim's own.
    unit : str
        Unit that the number must be printed in, "pp" or "%"; empty where another is as good.
    reading : str
        The reading of an undefined quantity that the check belongs to; empty where the
        quantity is defined.

    Examples
    --------
    >>> from audit.claims import Check
    >>> Check(result="pairs.csv", rows={"model_a": "heron"}, column="q").aggregate is None
    True
    """

    result: str = ""
    claim: str = ""
    rows: Mapping[str, Condition] = field(default_factory=dict)
    pair: Sequence[str] = ()
    column: str = ""
    aggregate: Aggregate | None = None
    scale: float = 1.0
    independent: bool = False
    standard_error: str | float | None = None
    evidence: Evidence | None = None
    role_of: str = ""
    unit: str = ""
    reading: str = ""

    @property
    def source(self) -> str:
        """What the check looks at: the result file, or ``claim ID``.

        Examples
        --------
        >>> from audit.claims import Check
        >>> Check(result="pairs.csv", rows={"model_a": "heron"}, column="q").source
        'pairs.csv'
        """
        return self.result or f"claim {self.claim}"


@dataclass(frozen=True, slots=True)
class Claim:
    """One entry of a register, placeholders filled in; texts are empty where absent.

    Attributes
    ----------
    id : str
        Unique name.
    kind : {"claim", "cross_check"}
        Whether the claim is about the data, or compares printed numbers.
    section, place : str
        Where it stands.
    exhibit : str, optional
        Name of the exhibit it belongs to.
    claim, quantity, printed : str
        Paraphrase of the claim, name of its number, and the printed text.
    statement : Printed
        What the printed text states, in numbers.
    printed_standard_error : float
        Monte Carlo standard error of the printed number; NaN for one without.
    follows_from : tuple of str
        Ids of the claims it should follow from.
    test : str
        How it is tested, in words.
    checks : tuple of Check
        Empty where nothing can be computed.
    undefined : str
        What the source leaves open, where there are several readings.
    exhaustive : bool
        Whether the readings are all there can be.
    derivation : str
        How to check it by hand; may hold ``{value}``, ``{printed}`` and ``{discrepancy}``.
    consequence, needs, note : str
        What it changes; what would be needed to check it; anything else.
    printed_of : str
        Id of the claim whose printed number this one repeats; empty where the claim has a
        number of its own.
    role : {"input", "target", "held_out"}, optional
        Role of the printed number for a witness: fitted; fitted as closely as possible, with
        the residual reported; never fitted. None where no witness is concerned.
    measures : mapping
        Quantity, panel and subject of the number, for the program that makes the results. Only
        its role is read here.
    cell : Cell, optional
        Where the number is printed in a table; None for a number of the text.

    Examples
    --------
    >>> from pathlib import Path
    >>> from audit import load_register
    >>> from audit.claims import Claim
    >>> from audit.example import write_example
    >>> write_example(".")
    >>> claim = load_register(Path("claims.yaml")).claims[1]
    >>> claim.id, claim.printed, claim.statement.value
    ('pairs', '3', 3.0)
    """

    id: str
    kind: Kind
    section: str
    place: str
    exhibit: str | None
    claim: str
    quantity: str
    printed: str
    statement: Printed
    printed_standard_error: float
    follows_from: tuple[str, ...]
    test: str
    checks: tuple[Check, ...]
    undefined: str
    exhaustive: bool
    derivation: str
    consequence: str
    needs: str
    note: str
    printed_of: str = ""
    role: Role | None = None
    measures: Mapping[str, Any] = field(default_factory=dict)
    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure that claims belong to.

    Attributes
    ----------
    title : str
        Its name for readers.
    file : str
        A path from the folder of results.
    printed : str
        CSV file of its printed cells, a path from the folder of the register; empty for one
        without.
    columns : mapping of str to str
        Headings of the columns of printed cells, where their names are no good ones.

    Examples
    --------
    >>> from audit.claims import Exhibit
    >>> Exhibit(title="Pairs of the board", file="pairs.csv").title
    'Pairs of the board'
    """

    title: str
    file: str
    printed: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """What several contradicted claims come to.

    The texts may hold ``{value ID}`` and ``{printed ID}``: what was computed for a claim, and
    what was printed.

    Attributes
    ----------
    id : str
        Unique name.
    weight : {"main_result", "conclusion", "exhibit", "wording"}
        What it changes.
    finding, changes, correction : str
        A sentence each: what is wrong, what that changes, and what it should read.
    claims : tuple of str
        Ids of the claims it rests on; it is told if one of them is contradicted.
    exhibit : str
        Name of the exhibit to show; empty for none.
    should_read : mapping of str to str
        By id of a claim, its correction where the computed number is none.

    Examples
    --------
    >>> from audit.claims import Finding
    >>> Finding("n", "wording", "It says 6.", "Nothing.", "Say 7.", ("s1/n",)).weight
    'wording'
    """

    id: str
    weight: Weight
    finding: str
    changes: str
    correction: str
    claims: tuple[str, ...]
    exhibit: str = ""
    should_read: Mapping[str, str] = field(default_factory=dict)


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

    Examples
    --------
    >>> from pathlib import Path
    >>> from audit import Register, load_register
    >>> from audit.example import write_example
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

    def present(self, results_dir: Path) -> Register:
        """Return the register without the checks whose optional result is not there.

        Examples
        --------
        >>> from pathlib import Path
        >>> from audit import Register, load_register
        >>> from audit.example import write_example
        >>> write_example(".")
        >>> register = load_register(Path("claims.yaml"))
        >>> register.present(Path()) == register
        True
        """
        return self.without({one for one in self.optional if not (results_dir / one).is_file()})

    def without(self, absent: Collection[str]) -> Register:
        """Return the register without the checks by some results.

        Examples
        --------
        >>> from pathlib import Path
        >>> from audit import Register, load_register
        >>> from audit.example import write_example
        >>> write_example(".")
        >>> register = load_register(Path("claims.yaml")).without({"pairs.csv"})
        >>> [len(claim.checks) for claim in register.claims]
        [0, 0]
        """
        claims = tuple(
            replace(one, checks=tuple(check for check in one.checks if check.result not in absent))
            for one in self.claims
        )
        return replace(self, claims=claims)
