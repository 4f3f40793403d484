"""The readers by name, and the one function that picks among them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from llm_power.errors import InvalidArgument, ScoreError
from llm_power.scores._source import SourceFile, only_file
from llm_power.scores._table import PARQUET_MAGIC, csv_header, parquet_header
from llm_power.scores.long import long_columns, read_long
from llm_power.scores.mmlu_pro_zip import ZIP_MAGIC, read_mmlu_pro_zips
from llm_power.scores.options import ReadOptions
from llm_power.scores.selection import select_models
from llm_power.scores.store import METADATA_KEY, TaskScores, read_task
from llm_power.scores.wide import read_wide

Reader = Callable[[Sequence[Path], ReadOptions], TaskScores]


def read_canonical(paths: Sequence[Path], options: ReadOptions) -> TaskScores:
    """Read a canonical Parquet, which knows its task, kind, clusters and provenance itself.

    Parameters
    ----------
    paths : sequence of one Path
        A file made by `write_task`.
    options : ReadOptions
        `task` replaces the name in the file; `kind` and `clusters` must agree with the file;
        `exclude` is applied. Provenance stays as it was written.

    Returns
    -------
    TaskScores
        The scores.

    Raises
    ------
    ScoreError
        If the file is not what was declared, or `read_task` fails.
    """
    path = only_file(paths).path
    task = read_task(path)
    if options.kind not in {None, task.kind}:
        raise ScoreError(
            f"the file holds {task.kind} scores, declared were {options.kind}",
            remedy="declare what the file holds, or nothing",
            file=str(path),
        )
    for column in options.clusters:
        if column not in task.clusters:
            raise ScoreError(
                f"the file has no cluster column {column!r}, only {list(task.clusters)}",
                remedy="name one of them, or write the file again with that column",
                file=str(path),
            )
    kept = options.kept(task.models, str(path))
    selected = task if kept == task.models else select_models(task, kept)
    return selected if options.task is None else replace(selected, task=options.task)


READERS: Final[Mapping[str, Reader]] = {
    "canonical": read_canonical,
    "wide": read_wide,
    "long": read_long,
    "mmlu_pro_zip": read_mmlu_pro_zips,
}


def read_scores(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    options: ReadOptions | None = None,
    *,
    reader: str = "auto",
) -> TaskScores:
    """Read the per-item scores of one task.

    Parameters
    ----------
    path : path-like or sequence of path-like
        A file, a folder, or the files, as the reader expects.
    options : ReadOptions, optional
        What is known about the file.
    reader : str
        A name in `READERS`, or "auto": see `recognize`.

    Returns
    -------
    TaskScores
        Checked scores.

    Raises
    ------
    ScoreError
        If the scores cannot be read as declared, or fail a check.
    InvalidArgument
        If there is no such reader.
    """
    named = [path] if isinstance(path, str | os.PathLike) else path
    paths = [Path(one) for one in named]
    if not paths:
        raise InvalidArgument("path must name at least one file, got none")
    declared = options or ReadOptions()
    name = recognize(paths, declared) if reader == "auto" else reader
    if name not in READERS:
        raise InvalidArgument(f"reader must be auto or one of {list(READERS)}, got {reader!r}")
    return READERS[name](paths, declared)


def recognize(paths: Sequence[Path], options: ReadOptions) -> str:
    """Return the name of the reader that fits.

    Parameters
    ----------
    paths : sequence of Path
        What to read; at least one.
    options : ReadOptions
        The columns that make a table long may have been declared.

    Returns
    -------
    str
        For a folder, several files or a zip "mmlu_pro_zip"; for a Parquet with the metadata of
        `write_task` "canonical"; for a table with columns of item, model and score "long"; for
        any other table "wide".

    Raises
    ------
    ScoreError
        If a file cannot be read as far as this takes.
    """
    if len(paths) > 1 or paths[0].is_dir():
        return "mmlu_pro_zip"
    source = only_file(paths)
    if source.data.startswith(ZIP_MAGIC):
        return "mmlu_pro_zip"
    names, metadata = _header(source)
    if METADATA_KEY in metadata:
        return "canonical"
    is_declared_long = options.model is not None or options.score is not None
    is_long = is_declared_long or set(long_columns(names, options)) <= set(names)
    return "long" if is_long else "wide"


def _header(source: SourceFile) -> tuple[Sequence[str], Mapping[bytes, bytes]]:
    if source.data.startswith(PARQUET_MAGIC):
        return parquet_header(source)
    return csv_header(source), {}
