"""Parquet dataset of a board's pairs: files at fixed places, written without all pairs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from llm_power._board.all_pairs import FamilyValues, RankEnds
from llm_power._board.columns import PAIR_COLUMNS
from llm_power._files import naming
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.multiplicity import Adjustment, FamilyTest

#: Places of pairs in one file.
FILE_PAIRS: Final = 2**20

# Texts of few words, by column.
_WORDS: Final = ("verdict", "decided_as", "test")

# Columns of 0/1 scores, null for pairs of graded ones in the same file.
_BINARY_ALONE: Final = {
    **dict.fromkeys(("n11", "b", "c", "n00"), pa.int32()),
    **{"log_e": pa.float64(), "crossed": pa.bool_()},
}


class PairWriter:
    """Writer of pairs, each to the file of its place; without `file_of` it writes nothing."""

    def __init__(self, file_of: Callable[[int], Path] | None, tasks: Sequence[TaskScores]) -> None:
        self._file_of, self._tasks = file_of, tasks
        self._files = ExitStack()
        self._open: tuple[Path, pq.ParquetWriter] | None = None

    def __enter__(self) -> PairWriter:
        return self

    def __exit__(self, *_error: object) -> None:
        self._files.close()

    def write(self, place: int, columns: Mapping[str, np.ndarray]) -> None:
        """Write pairs of one file and one task, from `place` on, in the order of their places."""
        if self._file_of is None or len(columns["rank_a"]) == 0:
            return
        path, table = self._file_of(place), arrow_table(columns, self._tasks)
        with naming(path):
            if self._open is None or self._open[0] != path:
                self._files.close()
                self._files.enter_context(naming(path))
                self._open = path, self._files.enter_context(_parquet_writer(path, table.schema))
            self._open[1].write_table(table)


def files_in(folder: Path) -> Callable[[int], Path]:
    """Return the file of each place in a folder.

    File ``part-00002.parquet`` has the pairs whose place is from 2 to 3 times `FILE_PAIRS`,
    whatever else is written, by whom, and with how much memory.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return lambda place: folder / f"part-{place // FILE_PAIRS:05d}.parquet"


def arrow_table(columns: Mapping[str, np.ndarray], tasks: Sequence[TaskScores]) -> pa.Table:
    """Return pairs of one task as a table, with names for the positions of task and models."""
    task = tasks[int(columns["task"][0])]
    models = pa.array(task.models, pa.string())
    arrays: dict[str, pa.Array] = {}
    for name, values in columns.items():
        if name == "task":
            only = np.zeros(len(values), dtype=np.int32)
            arrays[name] = pa.DictionaryArray.from_arrays(pa.array(only), pa.array([task.task]))
        elif name in _WORDS:
            arrays[name] = _encoded(values)
        else:
            arrays[name] = pa.array(values)
        if name == "rank_b":
            for side in ("a", "b"):
                ranks = pa.array(columns[f"rank_{side}"] - 1)
                arrays[f"model_{side}"] = pa.DictionaryArray.from_arrays(ranks, models)
    if len({one.kind for one in tasks}) > 1:  # one file has pairs of both kinds
        n_pairs = len(columns["task"])
        lacking = {name: pa.nulls(n_pairs, kind) for name, kind in _BINARY_ALONE.items()}
        whole = lacking | arrays
        arrays = {name: whole[name] for name in PAIR_COLUMNS if name in whole}
    return pa.table(
        list(arrays.values()),
        schema=pa.schema(
            [
                pa.field(name, array.type, metadata={"description": PAIR_COLUMNS.get(name, "")})
                for name, array in arrays.items()
            ]
        ),
    )


def _encoded(values: np.ndarray) -> pa.DictionaryArray:
    """Return repeated texts as codes; sorting them would take longer than all else."""
    words, codes = [str(values[0])], np.zeros(len(values), dtype=np.int32)
    others = values != values[0]
    while others.any():
        word = values[int(np.argmax(others))]
        same = values == word
        codes[same] = len(words)
        words.append(str(word))
        others &= ~same
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words, pa.string()))


def _parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    numbers = [
        field.name
        for field in schema
        if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
    ]
    return pq.ParquetWriter(
        path,
        schema,
        # Half the time of zstd, and a twentieth larger: the digits of most numbers are random.
        compression="lz4",
        use_dictionary=[field.name for field in schema if field.name not in numbers],
        # Smaller and faster than whole numbers.
        column_encoding=dict.fromkeys(numbers, "BYTE_STREAM_SPLIT"),
    )


def write_family(path: Path, family: FamilyValues, ends: RankEnds) -> None:
    """Write how the p-values of a family are adjusted, a row group for each column."""
    decided = family.decided
    kinds = {"p_family": decided.adjust, **family.stepwise}
    metadata = {
        "family": json.dumps([decided.level, decided.size, decided.close]),
        "most": json.dumps({name: kind.most for name, kind in kinds.items()}),
        "ends": json.dumps({task: [x.tolist() for x in both] for task, both in ends.items()}),
    }
    columns = {"at": pa.float64(), "steps": pa.float64()}
    schema = pa.schema(columns, metadata=metadata)
    with _parquet_writer(path, schema) as writer:
        for kind in kinds.values():
            # Below the first step there is none to be at.
            values = np.concatenate([[-np.inf], kind.at]), kind.steps
            table = pa.table(dict(zip(columns, values, strict=True)), schema=schema)
            writer.write_table(table, row_group_size=len(table))


def read_family(path: Path, p: FloatArray, unadjusted: FloatArray) -> tuple[FamilyValues, RankEnds]:
    """Return pairs of the family that `write_family` wrote, and the ends of ranks."""
    with pq.ParquetFile(path) as file:
        metadata = file.schema_arrow.metadata
        (level, size, close), most, ends = (
            json.loads(metadata[name]) for name in (b"family", b"most", b"ends")
        )
        kinds = {}
        for number, name in enumerate(most):
            table = file.read_row_group(number)
            at, steps = (table[column].to_numpy() for column in ("at", "steps"))
            kinds[name] = Adjustment(at[1:], steps, most[name])
    known = None if close is None else (close[0], close[1])
    decided = FamilyTest(p, level, size, known, kinds.pop("p_family"))
    every = {task: (np.array(both[0]), np.array(both[1])) for task, both in ends.items()}
    return FamilyValues(decided, unadjusted, kinds), every
