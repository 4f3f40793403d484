"""Loading of registers of claims, and of the printed cells that claims name.

A register is a YAML file that anybody may have written. `load_register` parses it without
running anything, checks it against ``register.schema.yaml``, repeats entries over their
subjects and fills in their placeholders. Everything that can be wrong is one `AuditError`.

`with_item_checks` adds checks against the items of a panel, where these are at hand and are no
witness. A claim that names panel and quantity in ``measures`` is then judged by the value on the
items, before whatever its register holds it against: tables do not know the error of a number that
the paper simulated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from llm_power_audit._csv import Rows, below, csv_table, read_csv, suggest
from llm_power_audit._document import (
    for_each_subject,
    read_document,
    refuse_excess,
    validate,
    with_patterns_written_out,
    written_out,
)
from llm_power_audit._errors import AuditError, within
from llm_power_audit._references import (
    check_references,
    follow_patterns,
    load_findings,
    repeat_printed,
)
from llm_power_audit.claims import Cell, Check, Claim, Exhibit, Register
from llm_power_audit.printed import (
    Printed,
    as_decimal,
    need_finite,
    parse_interval,
    printed_unit,
    split_parentheses,
    statement_of,
)

# Fields of a claim that are texts with placeholders.
_TEXTS: Final = (
    *("section", "place", "exhibit", "claim", "quantity", "test", "undefined", "consequence"),
    *("needs", "note", "printed_of"),
)

# What a register holds a number against that nothing but a witness has.
_ROLES: Final = "witness/roles.csv"
# The quantity of a row that is a sentence for the reader.
REMARK: Final = "remark"


def load_register(path: Path) -> Register:
    """Load a register of claims.

    Parameters
    ----------
    path : Path
        YAML in the form of ``register.schema.yaml``.

    Returns
    -------
    Register
        Every entry repeated over its subjects, every placeholder filled in.

    Raises
    ------
    AuditError
        If the file cannot be read, is not of that form, or contradicts itself; the message
        names file, claim, field and remedy.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power_audit import load_register
    >>> from llm_power_audit.example import write_example
    >>> write_example(".")
    >>> load_register(Path("claims.yaml")).title
    'The example board'
    """
    with within(file=str(path)):
        document = _checked(with_patterns_written_out(read_document(path)))
        exhibits, columns = document.get("exhibits", {}), document.get("columns", {})
        cells = PrintedCells(path.parent, exhibits)
        claims = follow_patterns(repeat_printed(_claims(document, cells)))
        check_references(claims, document.get("exhibits"))
        findings = load_findings(document, claims)
    return Register(
        file=str(path),
        title=document.get("title", ""),
        findings=findings,
        main_result=document.get("main_result", ""),
        source=document.get("source", ""),
        exhibits={name: Exhibit(**entry, columns=columns) for name, entry in exhibits.items()},
        claims=tuple(claims),
        optional=frozenset(document.get("optional", ())),
        remarks=tuple(
            _check(one, f"remarks/{i}") for i, one in enumerate(document.get("remarks", ()))
        ),
    )


def load_statements(path: Path, ids: Collection[str]) -> dict[str, Printed]:
    """Load what some claims of a register state, in far less time than the whole of it."""
    # An entry that is repeated has a star where the ids of its claims have a number.
    entries = {re.sub(r"\d+", "*", one) for one in ids}
    # Whatever is wrong, or depends on other claims, the whole register says or has.
    with suppress(AuditError, TypeError, KeyError):
        document = with_patterns_written_out(read_document(path))
        chosen = [one for one in document["claims"] if re.sub(r"\d+", "*", one["id"]) in entries]
        part = _checked({**document, "claims": chosen})
        claims = _claims(part, PrintedCells(path.parent, document.get("exhibits", {})))
        if not any(claim.printed_of for claim in claims):
            return {claim.id: claim.statement for claim in claims}
    return {claim.id: claim.statement for claim in load_register(path).claims}


# From entries to claims


def _checked(document: Any) -> Mapping[str, Any]:
    """Return a document that fits the schema, with entries about pairs written out."""
    validate(document)
    entries = enumerate(document["claims"], start=1)
    return {**document, "claims": [written_out(entry, number) for number, entry in entries]}


def _claims(document: Mapping[str, Any], cells: PrintedCells) -> list[Claim]:
    subjects = document.get("subjects", {})
    refuse_excess(document["claims"], subjects)
    claims: dict[str, Claim] = {}
    for entry in document["claims"]:
        with within(claim=entry["id"]):
            repeated = [_claim(one, cells) for one in for_each_subject(entry, subjects)]
        for claim in repeated:
            if claim.id in claims:
                raise AuditError(
                    "the id occurs twice", remedy="rename one of them", claim=claim.id, field="id"
                )
            claims[claim.id] = claim
    return list(claims.values())


def _claim(entry: Mapping[str, Any], cells: PrintedCells) -> Claim:
    texts = {name: str(entry.get(name, "")) for name in _TEXTS}
    if "printed" in entry and ("printed_of" in entry or "cell" in entry):
        problem = "a number is `printed`, or in a `cell`, or that of another claim, `printed_of`"
        raise AuditError(problem, remedy="give one of them", field="printed")
    claim_id, printed, cell = entry["id"], entry.get("printed", ""), None
    exhibit = texts.pop("exhibit") or cells.exhibit(claim_id)
    if not printed and not texts["printed_of"]:
        cell, printed = cells.find(claim_id, exhibit, entry.get("cell", {}))
    states = {"text": printed} if cell and cell.part == "text" else entry.get("states")
    error, measures = entry.get("printed_standard_error"), entry.get("measures", {})
    need_finite(error, "printed_standard_error")
    checks = entry.get("checks", [])
    claim = Claim(
        **texts,
        exhibit=exhibit or None,
        id=claim_id,
        kind=entry.get("kind", "claim"),
        printed=printed,
        statement=Printed("text") if texts["printed_of"] else statement_of(printed, states),
        printed_standard_error=math.nan if error is None else float(error),
        follows_from=tuple(entry.get("follows_from", [])),
        checks=tuple(_check(check, f"checks/{i}") for i, check in enumerate(checks)),
        exhaustive=entry.get("exhaustive", False),
        derivation=entry.get("derivation", ""),
        role=measures.get("role"),
        measures=measures,
        cell=cell,
    )
    _check_consistency(claim)
    return claim


def _check_consistency(claim: Claim) -> None:
    if not claim.checks and not claim.needs:
        problem = "there is nothing to check the claim by"
        remedy = "add `checks`, or say in `needs` what would be needed"
        raise AuditError(problem, remedy=remedy, field="checks")
    with_reading = [bool(check.reading) for check in claim.checks]
    if any(with_reading) and not all(with_reading):
        problem = "some checks have a `reading` and some have none"
        raise AuditError(problem, remedy="give every check a reading, or none", field="checks")
    for check in claim.checks:
        if check.unit and not printed_unit(claim.printed):
            problem = f"a check asks for {check.unit}, and {claim.printed!r} is in neither pp nor %"
            raise AuditError(problem, remedy="remove `unit`", field="unit")
    if any(with_reading) and not claim.undefined:
        problem = "there are readings, but nothing says what is undefined"
        remedy = "say in `undefined` what the source leaves open"
        raise AuditError(problem, remedy=remedy, field="undefined")


def _check(entry: Mapping[str, Any], field: str) -> Check:
    if ("result" in entry) == ("claim" in entry):
        problem = "a check names either a `result` or a `claim`"
        raise AuditError(problem, remedy="give one of the two", field=field)
    if "claim" in entry:
        extra = sorted(set(entry) - {"claim", "scale", "reading", "independent"})
        if extra:
            problem = f"{', '.join(extra)} cannot stand beside `claim`"
            raise AuditError(problem, remedy="remove it", field=field)
    elif "independent" in entry:
        problem = "`independent` says that another `claim` is a simulation of its own"
        raise AuditError(problem, remedy="remove it beside `result`", field=field)
    elif ("column" in entry) == (entry.get("aggregate") == "count"):
        problem = "a result needs a `column`, and a count of rows has none"
        raise AuditError(problem, remedy="add or remove `column`", field=field)
    for name in ("scale", "standard_error"):
        need_finite(entry.get(name), f"{field}/{name}")
    return Check(**entry)


class PrintedCells:
    """The CSV files of printed cells that the exhibits of a register name, each read once."""

    def __init__(self, folder: Path, exhibits: Mapping[str, Mapping[str, Any]]) -> None:
        self._folder = folder.resolve()
        self._files = {name: entry.get("printed", "") for name, entry in exhibits.items()}
        self._tables: dict[str, Rows] = {}

    def exhibit(self, claim_id: str) -> str:
        """Return the exhibit that an id begins with; empty if it begins with none."""
        name = claim_id.partition("/")[0]
        return name if name in self._files else ""

    def find(self, claim_id: str, exhibit: str, spelled: Mapping[str, Any]) -> tuple[Cell, str]:
        """Return the cell that an id ``EXHIBIT/ROW/COLUMN/PART`` names, and its printed text."""
        name, *parts = claim_id.split("/")
        in_id = zip(("row", "column", "part"), parts, strict=False)
        address = {**(dict(in_id) if name == exhibit else {}), **spelled}
        file = self._files.get(exhibit, "")
        if not file or "column" not in address or not str(address.get("row", "")).isdecimal():
            raise AuditError(
                "there is no printed number, and no cell of an exhibit with printed cells",
                remedy="give one of `printed` and `printed_of`, or name a cell by the id, "
                "EXHIBIT/ROW/COLUMN, or in `cell`, and its file in `printed` of the exhibit",
                field="printed",
            )
        cell = Cell(file, int(address["row"]), address["column"], address.get("part", ""))
        if file not in self._tables:
            self._tables[file] = read_csv(file, below(self._folder, file, "cell"), "cell")[1]
        rows = self._tables[file]
        if not 1 <= cell.row <= len(rows):
            problem = f"{cell.file} has no row {cell.row}"
            raise AuditError(problem, remedy=f"name one of its {len(rows)} rows", field="cell/row")
        row = rows[cell.row - 1]
        if cell.column not in row:
            problem = f"{cell.file} has no column {cell.column!r}"
            remedy = suggest(cell.column, list(row), f"name one of {', '.join(row)}")
            raise AuditError(problem, remedy=remedy, field="cell/column")
        try:
            # By the first cell of the row readers know it.
            return replace(cell, label=next(iter(row.values()))), _part(row[cell.column], cell.part)
        except ValueError as error:
            problem = f"the cell has no part {cell.part!r}: {error}"
            remedy = "name a part that it has, or none"
            raise AuditError(problem, remedy=remedy, field="cell/part") from error


def _part(text: str, part: str) -> str:
    if part in ("", "count", "text"):
        return text
    if part in ("parentheses", "share"):
        return split_parentheses(text)[1]
    interval = parse_interval(text)
    ends = {"point": interval.point, "lower": interval.lower, "upper": interval.upper}
    if part not in ends:
        raise ValueError(f"known are {', '.join(ends)}, count, share, parentheses and text")
    return ends[part].text


def with_item_checks(register: Register, results: Path, files: Sequence[str]) -> Register:
    """Return the register with a check more for each number that the items give."""
    rows = [(row, file) for file in files for row in csv_table(results / file)]
    file_of = {row["id"]: file for row, file in rows}
    claims = tuple(
        replace(claim, checks=(*_checks(claim, file_of[claim.id]), *claim.checks))
        if claim.id in file_of
        else claim
        for claim in register.claims
    )
    remarks = [
        Check(result=file, rows={"quantity": REMARK}, column="value")
        for row, file in rows
        if row["quantity"] == REMARK
    ]
    return replace(register, claims=claims, remarks=(*register.remarks, *remarks))


def _checks(claim: Claim, file: str) -> Iterator[Check]:
    # Where the words of the claim are no number of the quantity, its own checks translate them.
    if "states" in claim.measures or claim.statement.relation == "text":
        return
    # A standard error of the printed number that is the claim's own is added where it is judged.
    error = "joint_error" if "standard_error" in claim.measures else "standard_error"
    scale = float(1 / as_decimal(claim.measures.get("scale", 1)))
    for quantity, reading in _quantities(claim):
        yield Check(
            result=file,
            rows={"id": claim.id, "quantity": quantity},
            column="value",
            scale=scale,
            standard_error=error,
            reading=reading,
        )


def _quantities(claim: Claim) -> Iterator[tuple[str, str]]:
    """Yield each quantity of a claim with the reading that it is."""
    listed = claim.measures["quantity"]
    quantities = [listed] if isinstance(listed, str) else listed
    readings = {c.rows.get("quantity"): c.reading for c in claim.checks if c.result == _ROLES}
    is_defined = len(quantities) == 1 and not any(check.reading for check in claim.checks)
    for quantity in quantities:
        if is_defined or readings.get(quantity):
            yield quantity, readings.get(quantity, "")
