"""Tables as they arrive, CSV, Parquet or JSON, before anything is known of models and items."""

# In a CSV an empty cell is missing, and what a spreadsheet shows for it: ``NA`` is a name or an
# error. In Parquet and JSON a null is missing; a NaN is an error, for a failed computation leaves
# it behind.

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import math
import re
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from llm_power._errors import ScoreError, listed
from llm_power._scores._json import inside, json_records
from llm_power._scores._source import ZIP_MAGIC, NoClusterColumn, SourceFile, open_archive
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray

PARQUET_MAGIC: Final = b"PAR1"

_DAMAGED_PARQUET: Final = (pa.ArrowException, OSError, ValueError)
_JSON_HEAD: Final = 2**10
# Expanded. A board of 5,000 models and 12,000 items takes 120 MB as CSV.
_LARGEST_TABLE: Final = 2**30
_COMPRESSED: Final[Mapping[bytes, Callable[[io.BytesIO], BinaryIO]]] = {
    b"\x1f\x8b": lambda data: cast(BinaryIO, gzip.GzipFile(fileobj=data)),
    b"\xfd7zXZ\x00": lambda data: cast(BinaryIO, lzma.LZMAFile(data)),  # noqa: SIM115
}
_DAMAGED_COMPRESSION: Final = (OSError, EOFError, lzma.LZMAError, zlib.error)
_MOST_FAULTS: Final = 3
# Types that no column can be used in: of text and numbers, and of anything that is not a value.
_MIXED: Final = pa.struct([("text", pa.string()), ("number", pa.float64())])
_NESTED: Final = pa.struct([])
_CALLED: Final = {_MIXED: "both text and numbers", _NESTED: "lists or objects"}
_LARGEST: Final = 2**63 - 1
# Spreadsheets write a comma in many countries; a score never has thousands to separate.
_DECIMAL: Final = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?", re.ASCII)
# 1.234 or 1234: of scores up to 1, or up to 100 in percent, it can only be the first.
_PERHAPS_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
# Numbers with separators of thousands, by their decimal mark.
_GROUPED: Final = {
    ".": re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", re.ASCII),
    ",": re.compile(r"[+-]?\d{1,3}(\.\d{3})+(,\d*)?", re.ASCII),
}
_OTHER_MARK: Final = {".": ",", ",": "."}
# What a spreadsheet shows where there is no value: in English, German, and Portuguese or Italian.
_NOT_AVAILABLE: Final = {"", "#N/A", "#NV", "#N/D"}
_CSV_BLOCK: Final = 2**24  # bytes
_TRUTH: Final = {"true": 1.0, "True": 1.0, "TRUE": 1.0, "false": 0.0, "False": 0.0, "FALSE": 0.0}

_NUMBERS: Final = {bool, int, float}
_ITEM_COLUMNS: Final = ("item_id", "item")
# Words for an item that is solved.
_SOLVED: Final = {"yes", "pass", "passed", "correct", "right", "solved", "success"}

Coded = tuple[tuple[str, ...], IntArray]


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns of one file in file order, and the metadata that came along."""

    source: SourceFile
    columns: Mapping[str, Any]
    metadata: Mapping[bytes, bytes]
    is_csv: bool
    true: frozenset[str] = frozenset()
    percent: bool = False
    decimal: str | None = None

    @property
    def file(self) -> str:
        """The file, for messages."""
        return str(self.source.path)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))

    def can_name(self, name: str) -> bool:
        """Return whether a column holds text or whole numbers, which name things exactly."""
        kind = self.columns[name].type
        return _is_text(kind) or bool(pa.types.is_integer(kind))

    def rows(self, kept: BoolArray) -> Table:
        """Return the table with some of its rows."""
        mask = pa.array(kept)
        columns = {name: _written_out(column.filter(mask)) for name, column in self.columns.items()}
        return replace(self, columns=columns)

    def require(self, *names: str, clusters: Sequence[str] = ()) -> None:
        """Raise `ScoreError` unless every one of `names` and `clusters` is a column."""
        for name in (*names, *clusters):
            if name not in self.columns:
                problem = f"there is no column {name!r}; the columns are {listed(self.columns)}"
                remedy = "name a column of the file"
                if name in clusters:
                    raise NoClusterColumn(name, problem, remedy=remedy, file=self.file)
                raise self.source.fault(problem, remedy)

    def labels(self, name: str) -> tuple[str, ...]:
        """Return a column as text, exactly as written; a missing cell is the empty string."""
        names, codes = self.coded(name)
        return tuple(map(names.__getitem__, codes.tolist()))

    def coded(self, name: str) -> Coded:
        """Return the distinct labels of a column by first appearance, and each row's index."""
        column = self.columns[name]
        if not self.can_name(name):
            raise self.source.fault(
                f"column {name!r} holds {_called(column.type)}, which names nothing exactly",
                "store item ids, models and cluster labels as text or whole numbers",
            )
        encoded = (
            column
            if pa.types.is_dictionary(column.type)
            else column.dictionary_encode(null_encoding="encode")
        )
        names = ("" if label is None else str(label) for label in encoded.dictionary.to_pylist())
        return tuple(names), encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)

    def scores(self, name: str, items: Sequence[str], *, model: str | None = None) -> FloatArray:
        """Return a column of scores, NaN where missing; `items` name the rows in messages."""
        column = self.columns[name]
        if self.is_csv or (self.true and _is_text(column.type)):
            return self._parsed(name, items, model)
        if not _is_number(column.type):
            raise self.source.fault(
                f"column {name!r} holds {_called(column.type)}, not scores",
                "exclude it, or name it as a cluster column if it is one",
            )
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.int8())
        # Unsafe: a whole number beyond 2**53 may lose digits on its way to being refused.
        numbers = column.cast(pa.float64(), safe=False)
        values: FloatArray = numbers.to_numpy(zero_copy_only=False)
        undefined = np.isnan(values) & ~numbers.is_null().to_numpy(zero_copy_only=False)
        if undefined.any():
            raise self.source.fault(
                f"column {name!r} holds NaN",
                "store a missing score as null",
                model=model,
                item=items[int(np.argmax(undefined))],
            )
        return values

    def is_text(self, name: str) -> bool:
        """Return whether a column holds text, none of it a number, where no word means 1."""
        if self.true or not _is_text(self.columns[name].type):
            return False
        texts = [text for text in self.coded(name)[0] if text not in _NOT_AVAILABLE]
        numbers = [self._score_of(text) for text in texts]
        return bool(numbers) and all(number == -math.inf for number in numbers)

    def score_matrix(self, models: Sequence[str], items: Sequence[str]) -> FloatArray:
        """Return the columns `models` side by side, shape (n_items, n_models)."""
        values = np.empty((len(items), len(models)))
        faults = []
        for j, model in enumerate(models):
            try:
                values[:, j] = self.scores(model, items, model=model)
            except ScoreError as fault:
                faults.append(fault)
                if len(faults) > _MOST_FAULTS + 1:
                    break
        if faults:
            raise joined(faults)
        return values

    def interpreted(self, names: Sequence[str], kind: str | None) -> dict[str, list[str]]:
        """Return how a spreadsheet's way to write scores was read, an example of each way."""
        ways: dict[str, str] = {}
        for name in names:
            column = self.columns[name]
            for text in self.coded(name)[0] if _is_text(column.type) else ():
                if text and text in _NOT_AVAILABLE:
                    ways["missing"] = f"{text} is a missing score"
                if self.true:
                    continue
                if kind == "real" and self.decimal is None and _PERHAPS_THOUSANDS.fullmatch(text):
                    both = f"{text.replace(',', '.')} or {text.replace(',', '')}"
                    raise self._ask_decimal(name, text, f"may be {both}", ".")
                number = self._score_of(text)
                if not math.isfinite(number):
                    continue
                if text.endswith("%"):
                    unit = " in percent" if self.percent else ""
                    ways["percent"] = f"{text} is {number:g}{unit}"
                elif "," in text:
                    ways["comma"] = f"{text} is {number:g}"
        return {"interpreted": [ways[way] for way in sorted(ways)]} if ways else {}

    def index_name(self) -> str | None:
        """Return the column that pandas stored as a named index, if there is just one."""
        try:
            stored = json.loads(self.metadata[b"pandas"])["index_columns"]
        except (KeyError, ValueError, TypeError, RecursionError):
            return None
        if not isinstance(stored, list) or len(stored) != 1 or not isinstance(stored[0], str):
            return None
        # pandas calls an index without a name __index_level_0__; a file cannot vouch for it.
        unnamed = stored[0].startswith("__index_level_")
        return None if unnamed or stored[0] not in self.columns else stored[0]

    def _parsed(self, name: str, items: Sequence[str], model: str | None) -> FloatArray:
        texts, codes = self.coded(name)
        numbers = np.array([self._score_of(text) for text in texts])
        unread = np.flatnonzero(np.isneginf(numbers))
        grouped = [mark for mark in ".," for k in unread if _GROUPED[mark].fullmatch(texts[k])]
        if grouped and self.decimal is None:
            text = next(texts[k] for k in unread if _GROUPED[grouped[0]].fullmatch(texts[k]))
            raise self._ask_decimal(name, text, "has separators of thousands", grouped[0])
        if unread.size:
            row = int(np.argmax(codes == unread[0]))
            solved = [text for text in texts if text.lower() in _SOLVED]
            raise ScoreError(
                f"{texts[unread[0]]!r} in column {name!r} is not a score",
                remedy="write a decimal number, leave a missing score empty, or exclude the column "
                f"(--exclude {name})" + (", or name the word that means 1" if solved else ""),
                file=self.file,
                model=model,
                item=items[row],
                settings={"true": solved} if solved else {},
            )
        values: FloatArray = numbers[codes]
        return values

    def _score_of(self, text: str) -> float:
        if self.true and text not in _NOT_AVAILABLE:
            return float(text.lower() in self.true)
        if text[-1:] == "%" and len(text) > 1:
            return self._number(text[:-1].rstrip()) / (1 if self.percent else 100)
        return self._number(text)

    def _number(self, text: str) -> float:
        """Return a score written as text: NaN if it is missing, -inf if it is not a number."""
        if text in _NOT_AVAILABLE:
            return np.nan
        if text in _TRUTH:
            return _TRUTH[text]
        if self.decimal is not None and _GROUPED[self.decimal].fullmatch(text):
            text = text.replace(_OTHER_MARK[self.decimal], "")
        return float(text.replace(",", ".")) if _DECIMAL.fullmatch(text) else -np.inf

    def _ask_decimal(self, name: str, text: str, problem: str, mark: str) -> ScoreError:
        return ScoreError(
            f"{text!r} in column {name!r} {problem}",
            remedy="name the decimal mark (. or ,), for example",
            file=self.file,
            settings={"decimal": mark},
        )


def joined(faults: Sequence[ScoreError]) -> ScoreError:
    """Return the first of some faults of one file, which tells the others too."""
    first, *others = faults
    if not others:
        return first
    besides = "; ".join(
        f"model {fault.model!r}, item {fault.item!r}: {fault.problem}"
        if fault.model is not None
        else fault.problem
        for fault in others[:_MOST_FAULTS]
    )
    more = " and more" if len(others) > _MOST_FAULTS else ""
    return ScoreError(
        f"{first.problem}. Besides, {besides}{more}",
        remedy=first.remedy,
        file=first.file,
        model=first.model,
        item=first.item,
        settings=first.settings,
    )


def table_name(path: Path) -> str:
    """Return what a table is called: its file, without the endings of form and compression."""
    bare = path.with_suffix("") if path.suffix in {".gz", ".xz", ".zip"} else path
    return bare.stem


def expanded(source: SourceFile) -> SourceFile:
    """Return a file's bytes as they were before they were compressed."""
    data = source.data
    if data.startswith(ZIP_MAGIC) and not is_workbook(data):
        with open_archive(data, str(source.path)) as archive:
            names = archive.data_names
            if len(names) != 1:
                raise source.fault(
                    f"the zip holds {len(names)} files: {listed(names)}",
                    "give a zip of one table, or the table itself",
                )
            return replace(source, data=archive.read(names[0]))
    for magic, opened in _COMPRESSED.items():
        if data.startswith(magic):
            try:
                with opened(io.BytesIO(data)) as stream:
                    whole = stream.read(_LARGEST_TABLE + 1)
            except _DAMAGED_COMPRESSION as error:
                raise source.fault(
                    f"what it compresses cannot be read ({error})",
                    "write or download the file again",
                ) from error
            if len(whole) > _LARGEST_TABLE:
                raise source.fault(
                    f"it expands to more than {_LARGEST_TABLE >> 20} MB",
                    "write the file again, or use an intact copy",
                )
            return replace(source, data=whole)
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        try:
            return replace(source, data=data.decode("utf-16").encode())
        except UnicodeError as error:
            raise source.fault(f"not UTF-16 text ({error})", "save the table as UTF-8") from error
    return source


def is_workbook(data: bytes) -> bool:
    """Return whether bytes are those of an .xlsx, which is a zip that begins as all of them do."""
    return data.startswith(ZIP_MAGIC) and b"[Content_Types].xml" in data


def read_workbook(source: SourceFile, sheet: str | None) -> Table:
    """Read a sheet of an .xlsx, by default the only one, every cell as text."""
    try:
        from openpyxl import load_workbook  # noqa: PLC0415
    except ImportError as error:
        raise source.fault(
            "a workbook is read with openpyxl, which is not installed",
            "in the clone, pip install '.[excel]', or save the sheet as CSV",
        ) from error
    with open_archive(source.data, str(source.path)) as archive:
        archive.check_size(archive.names)  # before anything expands without bound
    try:
        book = load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
        sheets = {sheet.title: [*sheet.iter_rows(values_only=True)] for sheet in book.worksheets}
    except MemoryError:
        raise
    except Exception as error:  # whatever a damaged workbook makes of the package
        raise source.fault(
            f"not a readable workbook ({type(error).__name__}: {error})", "save it again"
        ) from error
    filled = {title: rows for title, rows in sheets.items() if rows}
    if len(filled) != 1 and sheet not in filled:
        raise ScoreError(
            f"the workbook has {len(filled)} sheets with content: {listed(filled)}",
            remedy="keep one sheet, or choose the one to read",
            file=str(source.path),
            settings={"task": max(filled, key=lambda name: len(filled[name]))} if filled else {},
        )
    rows = filled[sheet] if sheet in filled else next(iter(filled.values()))
    cells = ([_cell(cell) for cell in row] for row in rows)
    return _of_rows(filter(any, cells), source)


def _cell(value: object) -> str:
    if value is None:
        return ""
    # Excel knows no whole numbers.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def with_fields(table: Table, paths: Sequence[str]) -> Table:
    """Return the table with columns for fields of structs, which a path with dots names."""
    columns = dict(table.columns)
    for path in paths:
        first, *rest = path.split(".")
        column = columns.get(first)
        if path in columns or column is None:
            continue
        try:
            columns[path] = pc.struct_field(column, rest)
        except MemoryError:
            raise
        except (pa.ArrowException, KeyError, TypeError):
            continue  # it is then said not to be there
    return replace(table, columns=columns)


def is_json(data: bytes) -> bool:
    """Return whether bytes begin as a JSON object or list."""
    return data[:_JSON_HEAD].removeprefix(BOM_UTF8).lstrip()[:1] in {b"[", b"{"}


def read_parquet(source: SourceFile, columns: Sequence[str] | None = None) -> Table:
    """Read a Parquet file: every column, or those named, which are there."""
    names, _ = parquet_header(source)
    _check_header(names, source)
    try:
        # One thread: Arrow's pools can abort the interpreter at its exit (apache/arrow#34314).
        table = pq.read_table(
            pa.BufferReader(source.data),
            columns=columns,
            page_checksum_verification=True,
            use_threads=False,
            pre_buffer=False,
        )
        table.validate(full=True)  # text that is not UTF-8, offsets out of range
        whole = {name: whole_column(table.column(name)) for name in table.column_names}
    except MemoryError:
        raise
    except _DAMAGED_PARQUET as error:
        raise _unreadable_parquet(source, error) from error
    return Table(source, whole, table.schema.metadata or {}, is_csv=False)


def parquet_header(
    source: SourceFile, file: BinaryIO | None = None
) -> tuple[list[str], Mapping[bytes, bytes]]:
    """Return the column names and the metadata of a Parquet file, held or open."""
    try:
        schema = pq.read_schema(pa.BufferReader(source.data) if file is None else file)
        return schema.names, schema.metadata or {}
    except MemoryError:
        raise
    except _DAMAGED_PARQUET as error:
        raise _unreadable_parquet(source, error) from error


def read_csv(source: SourceFile) -> Table:
    """Read a comma-separated table, UTF-8 with or without a byte order mark, every cell as text."""
    header = csv_header(source)
    if header and _quotes_cells(source.data):
        _check_header(header, source)
        if (columns := _plain_columns(source.data, header)) is not None:
            return Table(source, columns, {}, is_csv=True)
    return _of_rows(_csv_rows(source.data, source), source)


def _plain_columns(data: bytes, header: Sequence[str]) -> dict[str, Any] | None:
    """Return the columns of a CSV; None if it has a fault that is to be named."""
    coded = pa.dictionary(pa.int32(), pa.string())
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(data),
            # A line may be as long as a block.
            pa_csv.ReadOptions(use_threads=False, block_size=_CSV_BLOCK),
            pa_csv.ParseOptions(delimiter=_delimiter(data), newlines_in_values=b'"' in data),
            pa_csv.ConvertOptions(column_types=dict.fromkeys(["", *header], coded), null_values=[]),
        ).rename_columns(header)
        return {name: table.column(name).unify_dictionaries().combine_chunks() for name in header}
    except (pa.ArrowException, ValueError):
        return None


def _quotes_cells(data: bytes) -> bool:
    """Return whether all quotes are around whole cells, or doubled inside of them."""
    text = np.frombuffer(b"\n%b\n" % data.removeprefix(BOM_UTF8), np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    outside = np.frombuffer(b'%b\r\n"' % _delimiter(data).encode(), np.uint8)
    around = (text[quotes[::2] - 1], text[quotes[1::2] + 1])
    return quotes.size % 2 == 0 and all(np.isin(near, outside).all() for near in around)


def _of_rows(rows: Iterator[list[str]], source: SourceFile) -> Table:
    header = next(rows, None)
    if header is None:
        raise source.fault("the file is empty", "give a table with a header")
    header = _with_index(header)
    _check_header(header, source)
    body: list[list[str]] = []
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise source.fault(
                f"data row {number} has {len(row)} cells, the header has {len(header)}",
                "separate cells alike in each line, and quote one that contains a separator",
            )
        body.append(row)
    cells: Iterable[Sequence[str]] = zip(*body, strict=True) if body else ((),) * len(header)
    columns = {
        name: pa.array(column, type=pa.string()) for name, column in zip(header, cells, strict=True)
    }
    return Table(source, columns, {}, is_csv=True)


def read_json(source: SourceFile, paths: Sequence[str]) -> Table:
    """Read JSON Lines, or one list: an object a row, each with the same names."""
    columns: dict[str, list[Any]] = {}
    for number, row in enumerate(json_records(source), start=1):
        if not isinstance(row, dict):
            raise source.fault(
                f"row {number} is a {type(row).__name__} instead of an object",
                "write an object with the same names in each line",
            )
        row.update({path: inside(row, *path.split(".")) for path in paths if path not in row})
        if number == 1:
            columns = {name: [] for name in row}
        if row.keys() != columns.keys():
            name = min(row.keys() ^ columns.keys())
            raise source.fault(
                f"row {number} has {'no' if name in columns else 'a value for'} {name!r}, and the "
                f"first row has {'one' if name in columns else 'none'}",
                "write the same names in each line, and null for a missing score",
            )
        for name, value in row.items():
            columns[name].append(value)
    if not columns:
        raise source.fault("the table is empty", "write an object in each line")
    _check_header(list(columns), source)
    try:
        arrays = {name: _json_column(values) for name, values in columns.items()}
    except UnicodeEncodeError as error:  # half of a surrogate pair
        raise source.fault(
            f"a text that is no Unicode ({error})", "write the file again"
        ) from error
    return Table(source, arrays, {}, is_csv=False)


def csv_header(source: SourceFile, sheet: str | None = None) -> list[str]:
    """Return the header of a CSV or a workbook, empty if the file is."""
    if is_workbook(source.data):
        return list(read_workbook(source, sheet).columns)
    line = _first_line(source.data)
    # A quoted name may hold the end of a line.
    return _with_index(next(_csv_rows(source.data if b'"' in line else line, source), []))


def _with_index(names: list[str]) -> list[str]:
    """Name the first column, which pandas leaves without a name where it is an unnamed index."""
    if names[:1] != [""]:
        return names
    return ["index" if {*_ITEM_COLUMNS} & {*names} else _ITEM_COLUMNS[0], *names[1:]]


def _first_line(data: bytes) -> bytes:
    """Return the first line with a character, behind the byte order mark and empty ones."""
    start = re.compile(rb"(?:\xef\xbb\xbf)?[\r\n]*([^\r\n]*)").match(data)
    return start[1] if start else b""


def _unreadable_parquet(source: SourceFile, error: Exception) -> ScoreError:
    problem = f"not a readable Parquet file ({error})"
    return source.fault(problem, "write or download the file again")


def _csv_rows(data: bytes, source: SourceFile) -> Iterator[list[str]]:
    """Yield the rows of a CSV; a line without any character is not a row."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 text, at byte {error.start}"
        raise source.fault(problem, "save the table as UTF-8") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=_delimiter(data))
    try:
        yield from filter(None, reader)
    except csv.Error as error:
        raise source.fault(
            f"not a CSV table, at line {reader.line_num} ({error})",
            "close every quote, and double a quote inside a quoted cell",
        ) from error


def _delimiter(data: bytes) -> str:
    """Return what separates the names of the header, of which none has a tab."""
    header = _first_line(data)
    return "\t" if b"\t" in header else ";" if b";" in header and b"," not in header else ","


def _check_header(names: Sequence[str], source: SourceFile) -> None:
    for position, name in enumerate(names, start=1):
        if not name:
            raise source.fault(
                f"column {position} has no name",
                "name every column; the one of the items may be called item_id",
            )
    for name, n_columns in Counter(names).items():
        if n_columns > 1:
            problem = f"{n_columns} columns are called {name!r}"
            raise source.fault(problem, "give every column its own name")


def _called(kind: Any) -> str:
    return _CALLED.get(kind, str(kind))


def _json_column(values: Sequence[Any]) -> Any:
    """Return a column in the one type that has all its values, or in one that nothing accepts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str}:
        return pa.array(values, type=pa.string() if kinds else pa.null())
    if kinds == {bool} or (
        kinds == {int} and all(-_LARGEST <= (v or 0) <= _LARGEST for v in values)
    ):
        return pa.array(values)
    if kinds <= {bool, int, float}:
        return pa.array([None if v is None else as_float(v) for v in values], type=pa.float64())
    return pa.nulls(len(values), _MIXED if kinds <= {str, bool, int, float} else _NESTED)


def as_float(number: float) -> float:
    """Return a number of JSON as a float, infinite where it has too many digits."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def number_in_json(value: Any) -> float | None:
    """Return a number or a truth value as a float, None if it is neither or NaN."""
    # By type, for this is asked of every record, and JSON has no other numbers.
    return as_float(value) if type(value) in _NUMBERS and value == value else None  # noqa: PLR0124


def whole_column(column: Any) -> Any:
    """Return a chunked column in one piece, categories written out."""
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # more text than one array can hold, or no chunk
        array = pa.concat_arrays(array.chunks)
    return _written_out(array)


def _written_out(array: Any) -> Any:
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _is_text(kind: Any) -> bool:
    return bool(
        pa.types.is_dictionary(kind)  # of a CSV alone
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
    )


def _is_number(kind: Any) -> bool:
    return bool(
        pa.types.is_boolean(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )
