"""One table as Markdown, the description of a CSV, and where its scores came from.

A CSV holds the whole frame at full precision; Markdown, and LaTeX in `replication.table_files`,
show the columns of the specification, formatted. The bytes depend on the arguments alone.

A cell beside a printed one shows what was recomputed, rounded as it was printed. The printed
value stands below it only where it is another one.

Provenance stands under the table in Markdown and LaTeX. For the CSV it is in the file
``NAME.csv-metadata.json`` beside it, where the W3C's "CSV on the Web" recommendation puts
the description of ``NAME.csv``: a comment line inside would break readers that have no
notion of comments (and names that hold a ``#``), and a column would repeat one sentence on
every row. Its ``dc:provenance`` is for readers, its ``dc:source`` lists the kinds for programs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd

from llm_power._errors import InvalidArgument
from llm_power._provenance import (
    SOURCE_KINDS,
    WITNESS_NOTE,
    Provenance,
    ScoresKind,
    files_digest,
    provenance_kinds,
    provenance_line,
)
from llm_power._report._cells import Cell, Row, aligned, narrowed, physical
from llm_power._report.text_tables import DIGIT_SPACE, POINT_SPACE, escape_markdown

if TYPE_CHECKING:
    # Tables of no scores begin without what reads them.
    from llm_power._scores.store import Provenance as ScoresProvenance
    from llm_power._scores.store import TaskScores

Align = Literal["left", "right", "center", "decimal"]
Formatter = Callable[[Any], str]
#: How a CSV spells infinity: as Python and pandas do, or as XML Schema does.
Infinity = Literal["inf", "INF"]

STAND_IN_NOTE = (
    "The scores are from a stand-in or a mirror of the hub, not from their publisher: no number "
    "here is a finding."
)
#: What stands before a printed value that is not the recomputed one above it, in words.
MARKS: Final = {
    "≠": "≠ marks a printed value that differs from the recomputed one above it.",
    "∼": "∼ marks a printed value that differs within the chance of a simulation.",
    "≈": "≈ marks a printed value that differs by rounding alone.",
    "?": "? marks a printed value that one reading of the paper gives and another does not.",
}
_NUMBER_OR_INF: Final = {
    "base": "string",
    "format": r"-?(inf|[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?)",
    "dc:description": "a number; infinity is spelled inf",
}
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_PARAGRAPH = 98  # characters of a line of the notes in Markdown


def as_text(value: object) -> str:
    """Format by ``str``; a missing value is an en dash, a truth value yes or no."""
    if _missing(value):
        return "–"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return str(value)


def as_integer(value: float) -> str:
    """Format a whole number with thousands separators; infinity is a sign."""
    return _signed(value, "{:,.0f}")


def as_fixed(decimals: int) -> Formatter:
    """Return a formatter with `decimals` digits behind the point."""
    return lambda value: _signed(value, f"{{:,.{decimals}f}}")


def as_p_value(value: float) -> str:
    """Format a p-value: three decimals, or two digits and a power of ten below 0.01."""
    if _missing(value) or value >= 0.01 or value == 0:
        return _signed(value, "{:.3f}")
    mantissa, exponent = f"{value:.1e}".split("e")
    return as_printed(f"{mantissa}×10^{int(exponent)}")


def as_printed(value: object) -> str:
    """Format a string of the published files: ``10^-14`` becomes 10⁻¹⁴."""
    return re.sub(r"\^(-?[0-9]+)", lambda m: m[1].translate(_RAISED), as_text(value))


def as_digits_of(printed: object) -> Formatter:
    """Return the format of a number beside a printed one: as many digits, and millions as such."""
    text = as_text(printed)
    decimals = re.search(r"\.([0-9]+)", text)
    rounded = as_p_value if "10^" in text else as_fixed(len(decimals[1]) if decimals else 0)

    def shown(value: Any) -> str:
        if isinstance(value, str):
            return value
        return f"{rounded(value / 1e6)}M" if text.endswith("M") else rounded(value)

    return shown


def as_percent(decimals: int) -> Formatter:
    """Return a formatter of shares in percent, without the sign."""
    fixed = as_fixed(decimals)
    return lambda share: fixed(100 * share)


@dataclass(frozen=True, slots=True)
class Column:
    """The format of one column of the frame."""

    name: str
    header: str
    # By default `as_text`; beside a printed number, rounding to its digits.
    format: Formatter | None = None
    # "decimal" puts the points of numbers below each other.
    align: Align = "left"
    # Header in LaTeX, unescaped.
    tex: str | None = None
    # Whether the frame has the columns NAME_printed (str) and NAME_agrees beside it: a truth value,
    # or None where readings of the paper differ.
    printed: bool = False
    # Whether a simulation is on either side of the comparison.
    chance: bool = False
    # Whether any of the printed cells went into the recomputed ones, as input or by a fit.
    given: bool = False
    # Column that says which cells, or lines of a cell (a tuple), are bold.
    bold: str | None = None
    # Whether LaTeX sets symbols in the cells as mathematics. In names it must not.
    symbols: bool = False

    def needs(self) -> list[str]:
        """Return the columns that the frame must have."""
        beside = [f"{self.name}_printed", f"{self.name}_agrees"] if self.printed else []
        return [self.name, *beside, *([self.bold] if self.bold else [])]


@dataclass(frozen=True, slots=True)
class Table:
    """A frame with its caption, notes and provenance."""

    frame: pd.DataFrame
    columns: Sequence[Column]
    caption: str
    provenance: Sequence[Provenance]
    notes: Sequence[str] = ()
    # What is seen, in one sentence before the caption.
    finding: str = ""
    # The number of the paper's table; without it LaTeX counts by itself.
    number: str | None = None
    # The rows that Markdown and LaTeX show, if not those of `frame`.
    shown: pd.DataFrame | None = None
    # Whether the last row is about all the others: LaTeX has a rule above it.
    total: bool = False

    def __post_init__(self) -> None:
        if not self.columns:
            raise InvalidArgument("columns must hold at least one Column, got none")
        needed = [name for column in self.columns for name in column.needs()]
        unknown = [name for name in needed if name not in self.rows]
        if unknown:
            raise InvalidArgument(f"columns must be in the frame, got {unknown[0]!r}")
        provenance_line(self.provenance)

    @property
    def rows(self) -> pd.DataFrame:
        """Return the rows that Markdown and LaTeX show."""
        return self.frame if self.shown is None else self.shown


def write_described_csv(
    frame: pd.DataFrame,
    path: Path,
    *,
    title: str,
    description: str = "",
    provenance: Sequence[Provenance],
    columns: Mapping[str, str] = MappingProxyType({}),
    infinity: Infinity = "inf",
) -> None:
    """Write a frame as CSV, and beside it what its columns are and its numbers rest on."""
    spelled = {np.inf: infinity, -np.inf: f"-{infinity}"}
    written = frame if infinity == "inf" else frame.replace(spelled)
    written.to_csv(path, index=False, lineterminator="\n")
    described = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": path.name,
        "dc:title": title,
        "dc:description": description,
        "dc:provenance": provenance_line(provenance),
        SOURCE_KINDS: provenance_kinds(provenance),
        "tableSchema": {
            "columns": [
                {"titles": str(name), "datatype": _datatype(frame[name], infinity)}
                | ({"dc:description": columns[name]} if name in columns else {})
                for name in frame.columns
            ]
        },
    }
    text = json.dumps(described, indent=2, ensure_ascii=False) + "\n"
    path.with_name(f"{path.name}-metadata.json").write_text(text, encoding="utf-8")


def to_markdown(table: Table) -> str:
    """Return caption, table, notes and provenance as Markdown with a GitHub pipe table."""
    # On demand: a CSV is written without it.
    from tabulate import tabulate  # noqa: PLC0415

    rows = cells_of(table)
    headers = [column.header for column in table.columns]
    texts = [column.align == "left" for column in table.columns]
    body = tabulate(
        [
            [_strong(text) if bold and text else text for text, bold in line]
            for row in narrowed(headers, texts, rows)
            for line in physical(row, escape_markdown, "*printed*")
        ],
        headers=list(map(escape_markdown, headers)),
        tablefmt="pipe",
        colalign=[side_of(column) for column in table.columns],
        disable_numparse=True,
        preserve_whitespace=True,
    )
    number, caption = label_of(table), escape_markdown(heading_of(table))
    title = f"**{number}.** {caption}" if number else _strong(caption)
    note = escape_markdown(" ".join(notes_of(table, rows)))
    notes = [f"*Note.* {note}"] if note else []
    provenance = f"*Provenance:* {escape_markdown(provenance_line(table.provenance))}"
    return "\n\n".join([title, body, *map(_filled, [*notes, provenance])]) + "\n"


def cells_of(table: Table) -> list[Row]:
    """Return the cells that Markdown and LaTeX show, row by row."""
    records = table.rows.to_dict(orient="records")
    columns = []
    for column in table.columns:
        cells = [_cell(column, row) for row in records]
        columns.append(aligned(cells) if column.align == "decimal" else cells)
    return [list(row) for row in zip(*columns, strict=True)]


def side_of(column: Column) -> str:
    """Return the side that the cells of a column are set to."""
    return "right" if column.align == "decimal" else column.align


def _cell(column: Column, row: Mapping[Hashable, Any]) -> Cell:
    values, bold = _lines(row[column.name]), row[column.bold] if column.bold else False
    if not column.printed:
        return Cell(tuple(map(column.format or as_text, values)), bold=bold)
    printed, agree = (_lines(row[f"{column.name}_{end}"]) for end in ("printed", "agrees"))
    ours = tuple(
        (column.format or as_digits_of(text))(value)
        for value, text in zip(values, printed, strict=True)
    )
    beside = (
        _beside(*line, mark="∼" if column.chance else "≈")
        for line in zip(ours, printed, agree, strict=True)
    )
    return Cell(ours, tuple(text for text in beside if text), bold)


def _lines(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _beside(ours: str, printed: object, agrees: object, *, mark: str) -> str:
    """Return the line of a printed value; empty where it says nothing that ours does not."""
    text = as_printed(printed)
    if _missing(printed) or ours in (text, f"0{text}"):
        return ""
    if _missing(agrees):
        return f"? {text}"
    if agrees:
        return "" if text[0] in "<>≤≥" else f"{mark} {text}"
    return f"≠ {text}"


def heading_of(table: Table) -> str:
    """Return finding and caption."""
    return f"{table.finding} {table.caption}".strip()


def notes_of(table: Table, rows: list[Row]) -> list[str]:
    """Return the limits of agreement, the meaning of the marks, and the notes."""
    marks = {line[0] for row in rows for cell in row for line in cell.printed}
    kinds = {source.kind for source in table.provenance}
    disclosed = [STAND_IN_NOTE] if "stand_in" in kinds else []
    disclosed += [WITNESS_NOTE] if "witness" in kinds else []
    compared = [column for column in table.columns if column.printed]
    # From real items the same columns are computed: none is fitted.
    given = [column.header for column in compared if column.given and "witness" in kinds]
    if "witness" in kinds and compared and not given:
        disclosed.append("No cell here was fitted.")
    fitted = f"with fitted cells: {'; '.join(given)}"
    legend = [text for mark, text in MARKS.items() if mark in marks]
    met = "; printed bounds hold" if _prints_bounds(table) else ""
    if marks:
        legend.append(f"Where no printed value is shown, the paper prints the same or none{met}.")
        legend += [f"Columns {fitted}."] if given else []
    elif compared:
        known = f"; columns {fitted}" if given else ""
        legend = [f"All recomputed cells are as printed, to the last digit{met}{known}."]
    return [*disclosed, *legend, *table.notes]


def _prints_bounds(table: Table) -> bool:
    names = [f"{column.name}_printed" for column in table.columns if column.printed]
    printed = [value for name in names for cell in table.rows[name] for value in _lines(cell)]
    return any(str(value).startswith(("<", ">", "≤", "≥")) for value in printed)


def _strong(text: str) -> str:
    bare = text.rstrip(DIGIT_SPACE + POINT_SPACE)
    strong = f"**{bare[:-1]}\\***" if bare.endswith("*") else f"**{bare}**"
    return strong + text[len(bare) :]


def _filled(paragraph: str) -> str:
    """Wrap a paragraph of Markdown for terminals; no line of it begins like a list or a title."""
    text = fill(paragraph, _PARAGRAPH, break_long_words=False, break_on_hyphens=False)
    text = re.sub(r"(?m)^([-+=>])", r"\\\1", text)
    return re.sub(r"(?m)^([0-9]+)([.)])(?=\s|$)", r"\1\\\2", text)


def label_of(table: Table) -> str:
    """Return the number of the paper's table in words, empty without one."""
    return f"Table {table.number}" if table.number else ""


def _datatype(column: pd.Series, infinity: Infinity) -> str | dict[str, str]:
    if pd.api.types.is_bool_dtype(column):
        return {"base": "boolean", "format": "True|False"}
    if pd.api.types.is_integer_dtype(column):
        return "integer"
    if not pd.api.types.is_float_dtype(column):
        return "string"
    # A double of XML Schema spells infinity INF, and CSVW has no way to declare another spelling.
    return _NUMBER_OR_INF if infinity == "inf" and np.isinf(column).any() else "double"


def _signed(value: float, template: str) -> str:
    if _missing(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = template.format(value)
    # No "-0.00": a rounded zero has no sign.
    if not any(c in "123456789" for c in text):
        text = text.lstrip("-")
    return text.replace("-", "−")


def _missing(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def score_provenance(tasks: Sequence[TaskScores]) -> list[Provenance]:
    """Return where the scores of each task came from.

    Several files are identified by the SHA-256 of their list, one line a file with its own sum, two
    spaces and its name, as ``sha256sum`` writes it.
    """
    return [_as_source(task.provenance) for task in tasks]


def basis_of(tasks: Sequence[TaskScores]) -> ScoresKind:
    """Return ``stand_in`` or else ``witness`` if any of the tasks is one, else ``raw``."""
    kinds = {task.provenance.kind for task in tasks}
    if "stand_in" in kinds:
        return "stand_in"
    return "witness" if "witness" in kinds else "raw"


def _as_source(scores: ScoresProvenance) -> Provenance:
    if scores.kind == "witness":
        return Provenance.witness(scores.fitted_to)
    revision, digest = scores.revision or "not stated", files_digest(scores.files)
    if scores.kind == "stand_in":
        return Provenance.stand_in(endpoint=scores.source, revision=revision, sha256=digest)
    return Provenance.raw(repo=scores.source, revision=revision, sha256=digest)
