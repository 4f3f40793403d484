"""The rows of a panel's models in response matrices of thousands of models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from llm_power._errors import ScoreError
from llm_power._scores.matrix import matrix_parts
from llm_power_audit._csv import csv_rows

Scores = npt.NDArray[np.uint8]

_MOST_ROWS: Final = 16  # of one model in one part
_MOST_CHOICES: Final = 256  # of one row for each part
# As whole numbers, and as pandas writes a column that once had a missing score.
_SCORES: Final = {"0": 0, "1": 1, "0.0": 0, "1.0": 1}


class AbsentRow(ScoreError):
    """A matrix has not one row of a model with its displayed score; `fault` is recorded for it."""

    def __init__(self, fault: str, problem: str, *, file: str, model: str) -> None:
        remedy = (
            "the file is not of the run that was displayed: read another matrix, as hub: matrices "
            "in config.yaml says, or SOURCE=hub with a token"
        )
        super().__init__(problem, remedy=remedy, file=file, model=model)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Matrix:
    """The wanted rows of one matrix."""

    items: tuple[str, ...]
    # By model, in the order wanted, without those that have no row of their displayed score.
    scores: Mapping[str, Scores]
    absent: Mapping[str, AbsentRow]
    items_of: Mapping[Path, frozenset[str]]


@dataclass(frozen=True, slots=True)
class _Part:
    """Files, or members of a zip, that have the same items."""

    items: tuple[str, ...]
    rows: dict[str, list[Scores]] = field(default_factory=lambda: defaultdict(list))

    def distinct(self, model: str) -> list[Scores]:
        """Return the rows of a model, each once."""
        return list({row.tobytes(): row for row in self.rows[model]}.values())


def read_matrix(
    paths: Sequence[Path], correct: Mapping[str, int], members: Sequence[str] = ()
) -> Matrix:
    """Read the rows of some models from the files of a matrix."""
    wanted = {_key(model) for model in correct}
    parts: dict[tuple[str, ...], _Part] = {}
    items_of = {path: _read_file(path, members, wanted, parts) for path in paths}
    joined = tuple(item for part in parts.values() for item in part.items)
    if len(set(joined)) < len(joined):
        raise ScoreError(
            "two parts of the matrix share some of their items, and not all",
            remedy="use the files of one version of it",
            file=str(paths[0]),
        )
    order = np.argsort(np.array(joined, dtype=np.int64))
    scores, absent = {}, {}
    for model, count in correct.items():
        try:
            scores[model] = _right_row(list(parts.values()), model, count, str(paths[0]))[order]
        except AbsentRow as error:
            absent[model] = error
    return Matrix(tuple(joined[i] for i in order), scores, absent, items_of)


def block_labels(path: Path) -> tuple[str, ...]:
    """Return the label of each item of a test whose items are in blocks."""
    _, *blocks = csv_rows(path)
    return tuple(label for label, size in blocks for _ in range(int(size)))


def _key(model: str) -> str:
    return model.replace("/", "__", 1)


def _read_file(
    path: Path, members: Sequence[str], wanted: set[str], parts: dict[tuple[str, ...], _Part]
) -> frozenset[str]:
    """Add the wanted rows of a file to the parts; return its items."""
    tables = matrix_parts(path, _scores, members, lambda model: _key(model) in wanted)
    for table in tables:
        part = parts.setdefault(table.items, _Part(table.items))
        for model, scores in table.rows:
            rows = part.rows[_key(model)]
            rows.append(scores)
            if len(rows) > _MOST_ROWS:
                raise ScoreError(
                    f"there are more than {_MOST_ROWS} rows of this model",
                    remedy="use another copy",
                    file=table.file,
                    model=model,
                )
    return frozenset(item for table in tables for item in table.items)


def _scores(cells: Sequence[str], items: Sequence[str], model: str, name: str) -> Scores:
    strange = next((i for i, cell in enumerate(cells) if cell not in _SCORES), None)
    if strange is not None:
        raise ScoreError(
            f"its score is {cells[strange]!r}, not 0 or 1",
            remedy="read another matrix: hub: matrices in config.yaml",
            file=name,
            model=model,
            item=items[strange],
        )
    return np.array([_SCORES[cell] for cell in cells], dtype=np.uint8)


def _right_row(parts: Sequence[_Part], model: str, correct: int, file: str) -> Scores:
    """Return the row of a model, over all parts, that has the displayed number of correct ones."""
    choices = product(*(part.distinct(_key(model)) for part in parts))
    rows = [np.concatenate(choice) for choice in islice(choices, _MOST_CHOICES)]
    right = [row for row in rows if int(row.sum()) == correct]
    if len(right) == 1:
        return right[0]
    if not rows:
        fault, problem = "no_row", f"it has no row, where {correct} correct answers were displayed"
    elif right:
        fault = "several_rows_with_the_displayed_score"
        problem = f"{len(right)} different rows have the displayed {correct} correct answers"
    else:
        fault = "no_row_with_the_displayed_score"
        counts = ", ".join(sorted({str(int(row.sum())) for row in rows}))
        problem = f"its rows have {counts} correct answers, and {correct} were displayed"
    raise AbsentRow(fault, problem, file=file, model=model)
