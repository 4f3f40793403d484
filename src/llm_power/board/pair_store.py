"""Parquet dataset of a board's pairs: files at fixed places, written and read without all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from llm_power.board.all_pairs import FamilyValues
from llm_power.board.columns import PAIR_COLUMNS
from llm_power.files import naming
from llm_power.scores.store import TaskScores
from llm_power.statistics.max_t import FamilyTest

#: Places of pairs in one file.
FILE_PAIRS: Final = 2**20

# Texts of few words, by column.
_WORDS: Final = ("verdict", "decided_as", "test")


class PairFile:
    """One Parquet file of pairs, made with the first of them.

    Parameters
    ----------
    path : Path
        The file.
    tasks : sequence of TaskScores
        The tasks of the pairs.

    Notes
    -----
    Numbers are in full, their bytes split by place, which is smaller and faster than whole ones.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power import Declared, OperatingPoint
    >>> from llm_power.board.all_pairs import BoardPairs, family_of
    >>> from llm_power.board.pair_store import PairFile
    >>> from llm_power.example import example_task
    >>> pairs = BoardPairs([example_task()], "all", None, OperatingPoint(), Declared())
    >>> family = family_of(*pairs.p_values(0, 6), alpha=0.05)
    >>> with PairFile(Path("exam.parquet"), pairs.tasks) as file:
    ...     file.write(pairs.columns(0, 6, family))
    ...
    >>> Path("exam.parquet").is_file()
    True
    """

    def __init__(self, path: Path, tasks: Sequence[TaskScores]) -> None:
        self._path, self._tasks = path, tasks
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> PairFile:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._writer is not None:
            with naming(self._path):
                self._writer.close()

    def write(self, columns: Mapping[str, np.ndarray]) -> None:
        """Write pairs of one task, after those that are there.

        Parameters
        ----------
        columns : mapping of str to ndarray
            What `llm_power.board.all_pairs.BoardPairs.columns` returned, or some of its rows.

        Examples
        --------
        >>> from pathlib import Path
        >>> from llm_power.board.pair_store import PairFile
        >>> with PairFile(Path("none.parquet"), []) as file:
        ...     pass
        ...
        >>> Path("none.parquet").exists()
        False
        """
        table = arrow_table(columns, self._tasks)
        with naming(self._path):
            if self._writer is None:
                self._writer = _parquet_writer(self._path, table.schema)
            self._writer.write_table(table)


class PairWriter:
    """Writes pairs, in the order of their places, into the files of a folder.

    Parameters
    ----------
    folder : Path or None
        Folder of the files, made if it is not there; without one nothing is written.
    tasks : sequence of TaskScores
        The tasks of the pairs.

    Notes
    -----
    File ``part-00002.parquet`` has the pairs whose place is from 2 to 3 times `FILE_PAIRS`,
    whatever else is written, by whom, and with how much memory.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power import Declared, OperatingPoint
    >>> from llm_power.board.all_pairs import BoardPairs, family_of
    >>> from llm_power.board.pair_store import PairWriter, read_pairs
    >>> from llm_power.example import example_task
    >>> pairs = BoardPairs([example_task()], "all", None, OperatingPoint(), Declared())
    >>> family = family_of(*pairs.p_values(0, 6), alpha=0.05)
    >>> with PairWriter(Path("pairs"), pairs.tasks) as writer:
    ...     writer.write(0, pairs.columns(0, 6, family))
    ...
    >>> next(read_pairs(Path("pairs"), ["model_a", "b", "verdict"])).to_pylist()[0]
    {'model_a': 'heron', 'b': 46, 'verdict': 'undetermined'}
    """

    def __init__(self, folder: Path | None, tasks: Sequence[TaskScores]) -> None:
        self._folder, self._tasks = folder, tasks
        self._files = ExitStack()
        self._open: tuple[int, PairFile] | None = None

    def __enter__(self) -> PairWriter:
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, *_error: object) -> None:
        self._files.close()

    def write(self, place: int, columns: Mapping[str, np.ndarray]) -> None:
        """Write pairs of one file and one task.

        Parameters
        ----------
        place : int
            Place of any of them.
        columns : mapping of str to ndarray
            What `llm_power.board.all_pairs.BoardPairs.columns` returned, or some of its rows.

        Examples
        --------
        >>> from pathlib import Path
        >>> from llm_power.board.pair_store import PairWriter
        >>> with PairWriter(Path("none"), []) as writer:
        ...     pass
        ...
        >>> list(Path("none").iterdir())
        []
        """
        if self._folder is None or len(columns["rank_a"]) == 0:
            return
        number = place // FILE_PAIRS
        if self._open is None or self._open[0] != number:
            self._files.close()
            path = self._folder / f"part-{number:05d}.parquet"
            self._open = number, self._files.enter_context(PairFile(path, self._tasks))
        self._open[1].write(columns)


def arrow_table(columns: Mapping[str, np.ndarray], tasks: Sequence[TaskScores]) -> pa.Table:
    """Return pairs of one task as a table, with names for the positions of task and models.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.board.pair_store import arrow_table
    >>> from llm_power.example import example_task
    >>> columns = {"task": [0], "rank_a": [1], "rank_b": [4]}
    >>> columns = {name: np.array(value, dtype=np.int32) for name, value in columns.items()}
    >>> arrow_table(columns, [example_task()]).to_pylist()
    [{'task': 'exam', 'rank_a': 1, 'rank_b': 4, 'model_a': 'heron', 'model_b': 'wren'}]
    """
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
    """Few different texts as codes; sorting them takes longer than all else."""
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
    numbers = [field.name for field in schema if _is_number(field.type)]
    return pq.ParquetWriter(
        path,
        schema,
        # Half the time of zstd, and a twentieth larger: the digits of most numbers are random.
        compression="lz4",
        use_dictionary=[field.name for field in schema if field.name not in numbers],
        column_encoding=dict.fromkeys(numbers, "BYTE_STREAM_SPLIT"),
    )


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def read_pairs(folder: Path, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """Read a dataset of pairs, a row group at a time.

    Parameters
    ----------
    folder : Path
        What `PairWriter` wrote.
    columns : sequence of str, optional
        Which columns; all by default.

    Yields
    ------
    Table
        Pairs in the order of their places.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power.board.pair_store import read_pairs
    >>> list(read_pairs(Path("no such folder")))
    []
    """
    for path in sorted(folder.glob("part-*.parquet")):
        with pq.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                table = file.read_row_group(number, columns=columns)
                yield table.cast(_decoded(table.schema))


def _decoded(schema: pa.Schema) -> pa.Schema:
    """Texts instead of codes, which mean another text in each row group."""
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in schema
    ]
    return pa.schema(fields)


def write_family(path: Path, family: FamilyValues, bounds: Sequence[tuple[int, int]]) -> None:
    """Write the adjusted p-values of all pairs, so that those of a part are read by themselves.

    Parameters
    ----------
    path : Path
        Parquet file.
    family : FamilyValues
        The p-values.
    bounds : sequence of tuple of int
        Places of each part.

    Examples
    --------
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from llm_power.board.all_pairs import family_of
    >>> from llm_power.board.pair_store import read_family, write_family
    >>> p = np.array([0.01, 0.4, 0.03])
    >>> write_family(Path("family.parquet"), family_of(p, p, alpha=0.05), [(0, 2), (2, 3)])
    >>> read_family(Path("family.parquet"), 1).decided
    FamilyTest(p=array([0.06]), level=0.025, size=3)
    """
    told = {"level": repr(family.decided.level), "size": str(family.decided.size)}
    columns = {
        "decided": family.decided.p,
        "p": family.p,
        "unadjusted": family.unadjusted,
        "holm": family.holm,
        "bh": family.bh,
    }
    schema = pa.schema({name: pa.float64() for name in columns}, metadata=told)
    with _parquet_writer(path, schema) as writer:
        for start, stop in bounds:
            part = {name: pa.array(values[start:stop]) for name, values in columns.items()}
            writer.write_table(pa.table(part, schema=schema), row_group_size=max(stop - start, 1))


def read_family(path: Path, part: int | None = None) -> FamilyValues:
    """Read what `write_family` wrote, of one part or of all.

    Examples
    --------
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from llm_power.board.all_pairs import family_of
    >>> from llm_power.board.pair_store import read_family, write_family
    >>> p = np.array([0.01, 0.4, 0.03])
    >>> write_family(Path("family.parquet"), family_of(p, p, alpha=0.05), [(0, 2), (2, 3)])
    >>> read_family(Path("family.parquet")).bh
    array([0.03 , 0.4  , 0.045])
    """
    with pq.ParquetFile(path) as file:
        table = file.read() if part is None else file.read_row_group(part)
    told = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    decided, *others = (
        table[name].to_numpy() for name in ("decided", "p", "unadjusted", "holm", "bh")
    )
    return FamilyValues(FamilyTest(decided, float(told["level"]), int(told["size"])), *others)
