"""Response matrices: a row a model, a column an item, as CSV or in a zip.

The header names the items by numbers, behind one or more columns of labels; the first of these
holds the models' names. R writes an ``X`` before such a number. A file of thousands of models is
read line by line, and only the rows that are asked for are parsed.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, Generic, TypeVar

import numpy as np

from llm_power._errors import ScoreError
from llm_power._files import open_file
from llm_power._scores._head import Head
from llm_power._scores._items import in_order
from llm_power._scores._source import Archive, open_archive, read_file
from llm_power._scores.options import ReadOptions
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray

T = TypeVar("T")

_ITEM: Final = re.compile(r"X?([0-9]{1,7})")
# Bytes of a line; that of 12,032 items has 0.07 MB.
_LONGEST_LINE: Final = 2**20
# How a table writes a missing score.
_MISSING: Final = {"", "NA", "nan"}


Parse = Callable[[Sequence[str], Sequence[str], str, str], T]


@dataclass(frozen=True, slots=True)
class MatrixPart(Generic[T]):
    """One table: its items, and what was parsed of each model's row."""

    file: str
    items: tuple[str, ...]
    rows: list[tuple[str, T]]


def read_matrix(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read response matrices; files of other models, or of other items, are of one task."""
    options.refuse_clusters("a matrix has no column", str(paths[0]))
    parts = [part for path in paths for part in matrix_parts(path, _numbers)]
    items = in_order({item for part in parts for item in part.items})
    names = list(dict.fromkeys(model for part in parts for model, _ in part.rows))
    row_of, column_of = _positions(items), _positions(names)
    values = np.full((len(items), len(names)), np.nan)
    is_scored = np.zeros(values.shape, dtype=bool)
    for part in parts:
        of_part = [row_of[item] for item in part.items]
        for model, scores in part.rows:
            place = of_part, column_of[model]
            if is_scored[place].any():
                raise ScoreError(
                    "two rows of the matrix have a score for it",
                    remedy="keep one row per model",
                    file=part.file,
                    model=model,
                    item=part.items[int(np.argmax(is_scored[place]))],
                )
            values[place], is_scored[place] = scores, True
    models = options.kept(names, str(paths[0]))
    return TaskScores(
        task=options.task or paths[0].stem,
        kind=options.kind or "binary",
        item_ids=tuple(items),
        models=models,
        values=values[:, [column_of[model] for model in models]],
        provenance=options.provenance(
            [read_file(path).without_data() for path in paths], paths[0].name
        ),
    )


def _positions(names: Sequence[str]) -> dict[str, int]:
    return {name: position for position, name in enumerate(names)}


def matrix_parts(
    path: Path,
    parse: Parse[T],
    members: Sequence[str] = (),
    keep: Callable[[str], bool] = lambda _: True,
) -> list[MatrixPart[T]]:
    """Return the tables of a file: what `parse` makes of the rows of the models to `keep`.

    `members` are the files of a zip that are read, without folders; by default all CSVs.
    """
    if not Head(path).is_zip:
        with open_file(path) as stream:
            lines = iter(lambda: stream.readline(_LONGEST_LINE + 1), b"")
            return [_part(str(path), lines, parse, keep)]
    with open_archive(path, str(path)) as archive:
        names = [_only_member(archive, member, path) for member in members or _tables(archive)]
        return [
            _part(f"{path}: {name}", archive.lines(name, _LONGEST_LINE), parse, keep)
            for name in names
        ]


def _tables(archive: Archive) -> list[str]:
    return [PurePosixPath(name).name for name in archive.data_names if name.endswith(".csv")]


def _only_member(archive: Archive, member: str, path: Path) -> str:
    matches = [name for name in archive.data_names if PurePosixPath(name).name == member]
    if len(matches) != 1:
        some = ", ".join(archive.names[:5]) or "none"
        raise ScoreError(
            f"{len(matches)} of its {len(archive.names)} members are called {member!r}; the first "
            f"are {some}",
            remedy="give the file as it was published",
            file=str(path),
        )
    return matches[0]


def _part(
    name: str, lines: Iterable[bytes], parse: Parse[T], keep: Callable[[str], bool]
) -> MatrixPart[T]:
    stream = iter(lines)
    header = _cells(next(stream, b"").removeprefix(b"\xef\xbb\xbf"), name)
    matches = [_ITEM.fullmatch(cell) for cell in header]
    n_labels = next((i for i, cell in enumerate(matches) if cell), len(header))
    items = tuple(cell[1] for cell in matches[n_labels:] if cell)
    if n_labels == 0 or not items or len(items) < len(header) - n_labels:
        raise ScoreError(
            "its header is not one of labels and then numbers of items",
            remedy="check that the file is the matrix, not an error page",
            file=name,
        )
    if len(set(items)) < len(items):
        raise ScoreError("its header names an item twice", remedy="use another copy", file=name)
    rows = [
        (model, parse(cells, items, model, name))
        for model, cells in _rows(name, len(items), n_labels, stream, keep)
    ]
    return MatrixPart(name, items, rows)


def _rows(
    name: str, n_items: int, n_labels: int, lines: Iterator[bytes], keep: Callable[[str], bool]
) -> Iterator[tuple[str, list[str]]]:
    for line in lines:
        if len(line) > _LONGEST_LINE:
            raise ScoreError(
                f"a line has more than {_LONGEST_LINE >> 20} MB",
                remedy="check that the file is the matrix",
                file=name,
            )
        model = line.partition(b",")[0].strip(b'"\r\n').decode("utf-8", "replace")
        if not keep(model):
            continue
        scores = _cells(line, name)[n_labels:]
        if len(scores) != n_items:
            raise ScoreError(
                f"its row has {len(scores)} scores for {n_items} items",
                remedy="download the file again, or use another copy",
                file=name,
                model=model,
            )
        yield model, scores


def _cells(line: bytes, name: str) -> list[str]:
    try:
        (cells,) = csv.reader([line.decode("utf-8")], strict=True)
    except (ValueError, csv.Error) as error:
        raise ScoreError(
            f"a line cannot be read ({error})", remedy="download the file again", file=name
        ) from error
    return cells


def _numbers(cells: Sequence[str], items: Sequence[str], model: str, name: str) -> FloatArray:
    scores = np.empty(len(cells))
    for i, cell in enumerate(cells):
        try:
            scores[i] = np.nan if cell in _MISSING else float(cell)
        except ValueError as error:
            raise ScoreError(
                f"its score is {cell!r}, which is no number",
                remedy="write a number, and nothing where a score is missing",
                file=name,
                model=model,
                item=items[i],
            ) from error
    return scores
