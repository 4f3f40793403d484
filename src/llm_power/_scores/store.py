"""Scores of several models on the items of one task: `TaskScores`, and its canonical Parquet."""

# A canonical file has the columns item_id, then the cluster columns, then one column a model: int8
# 0/1 for binary scores, float64 for graded ones, null where a score is missing. Where scores are
# means of repeats two columns of lists, one entry a model, follow. The rest is JSON in the file's
# metadata. The bytes depend on the scores and their provenance alone: no clock, no path, no number
# of cores.

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from llm_power._choices import KINDS, Kind
from llm_power._errors import InvalidArgument, ScoreError, counted
from llm_power._files import replacing
from llm_power._provenance import SCORES_KINDS, ScoresKind
from llm_power._scores._source import read_file
from llm_power._scores._table import Table, read_parquet
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.missing_scores import score_bounds

ITEM_COLUMN: Final = "item_id"
METADATA_KEY: Final = b"llm_power"
_FORMAT: Final = 2
_REPEATS_COLUMNS: Final = {"repeats": pa.int64(), "variance_of_repeats": pa.float64()}
_LONGEST_NAME: Final = 500

Fault = Callable[..., ScoreError]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where scores came from."""

    source: str = "memory"
    revision: str | None = None
    retrieved: str | None = None  # ISO 8601 in UTC; of a local file when it was last modified
    files: Mapping[str, str] = field(default_factory=dict)  # SHA-256 by name
    # Faults the user chose to accept, by model.
    tolerated: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    kind: ScoresKind = "raw"
    fitted_to: str = ""  # of a witness alone
    chosen_of: int | None = None  # of how many models the best by these scores were kept
    # The reader, and what was declared to it or chosen by it; a canonical file does not hold it.
    reading: Mapping[str, object] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in SCORES_KINDS or (self.kind == "witness") != bool(self.fitted_to):
            raise ScoreError(
                f"scores of the kind {self.kind!r} that were fitted to {self.fitted_to!r}",
                remedy="use raw or stand_in, or witness with the source of its fit",
                file=self.source,
            )
        if self.retrieved is not None and not _is_utc_time(self.retrieved):
            raise ScoreError(
                f"time of retrieval {self.retrieved!r} is not an ISO 8601 time in UTC",
                remedy="write it like 2025-01-31T12:00:00+00:00",
                file=self.source,
            )

    @property
    def file(self) -> str:
        """Name to use in a message: the one file, or else the source."""
        return next(iter(self.files)) if len(self.files) == 1 else self.source


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """Number and variance of the repeats of each score; shapes (n_items, n_models)."""

    number: IntArray  # 0 where the score is missing
    variance: FloatArray  # unbiased; NaN of fewer than two

    def __post_init__(self) -> None:
        for name, kind in (("number", np.int64), ("variance", np.float64)):
            array = np.array(getattr(self, name), dtype=kind)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def of_answers(cls, answers: FloatArray) -> Repeats:
        """Return the repeats of answers of shape (n_items, n_models, n_repeats), two or more."""
        whole = ~np.isnan(answers).any(axis=2)
        return cls(np.where(whole, answers.shape[2], 0), answers.var(axis=2, ddof=1))


@dataclass(frozen=True, slots=True, eq=False)
class TaskScores:
    """Per-item scores of one task; an object that exists has passed every check.

    Attributes
    ----------
    task : str
        Name of the task.
    kind : {"binary", "graded", "real"}
        Scores are 0 or 1, lie in [0, 1], or are any finite numbers.
    item_ids : tuple of str, length n_items
        Unique.
    models : tuple of str, length n_models
        Unique, at least one; a board needs two.
    values : ndarray of float64, shape (n_items, n_models)
        NaN = missing. Every model has a score; one that solved all or nothing may have the same
        one throughout.
    clusters : mapping of str to tuple of str, each of length n_items
        Cluster columns; every item has a label in each.
    provenance : Provenance
        Where the scores came from.
    repeats : Repeats or None
        Where scores are means of repeats, their number and variance; None where none is of two.
    unit : str
        Unit of real scores, as it is shown.
    lower_is_better : bool
        Whether the model with the lower real score is the better one, as of costs.

    Raises
    ------
    ScoreError
        If any of the above does not hold. The message names file, model, item and remedy.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power import TaskScores
    >>> scores = np.array([[1, 0], [1, 1], [0, 0]])
    >>> task = TaskScores("exam", "binary", ("q1", "q2", "q3"), ("heron", "wren"), scores)
    >>> task.mean_scores.round(2)
    array([0.67, 0.33])
    """

    task: str
    kind: Kind
    item_ids: tuple[str, ...]
    models: tuple[str, ...]
    values: FloatArray
    clusters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)
    repeats: Repeats | None = None
    unit: str = ""
    lower_is_better: bool = False

    def __post_init__(self) -> None:
        fault = partial(ScoreError, file=self.provenance.file)
        values = np.array(self.values, dtype=np.float64)
        values.setflags(write=False)
        object.__setattr__(self, "item_ids", tuple(self.item_ids))
        object.__setattr__(self, "models", tuple(self.models))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "clusters", {k: tuple(v) for k, v in self.clusters.items()})
        _check_name("task name", self.task, fault)
        if self.repeats is not None and not np.any(self.repeats.number > 1):
            object.__setattr__(self, "repeats", None)
        own = (ITEM_COLUMN, *(_REPEATS_COLUMNS if self.repeats is not None else ()))
        _check_columns(self.models, tuple(self.clusters), own, fault)
        _check_items(self.item_ids, fault)
        for column, labels in self.clusters.items():
            _check_labels(column, labels, self.item_ids, fault)
        _check_scores(values, self.kind, self.item_ids, self.models, fault)
        if self.kind != "real" and (self.unit or self.lower_is_better):
            raise fault(
                f"a unit, or that lower is better, of {self.kind} scores",
                remedy="declare kind: real (--kind real), or leave both out",
            )
        if self.unit:
            _check_name("unit", self.unit, fault)
        if self.repeats is not None:
            _check_repeats(self.repeats, self.scored, fault)

    def cluster_codes(self, column: str) -> tuple[list[str], IntArray]:
        """Return the clusters of a column in alphabetical order, and each item's place in them."""
        if column not in self.clusters:
            known = ", ".join(sorted(self.clusters)) or "none"
            raise InvalidArgument(
                f"task {self.task!r} has no cluster column {column!r}; it has: {known}"
            )
        names = np.asarray(self.clusters[column], dtype=str)
        labels, codes = np.unique(names, return_inverse=True)
        return labels.tolist(), codes

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.item_ids)

    @property
    def n_models(self) -> int:
        """Number of models."""
        return len(self.models)

    @property
    def scored(self) -> BoolArray:
        """Where there is a score; shape (n_items, n_models)."""
        return ~np.isnan(self.values)

    @property
    def mean_scores(self) -> FloatArray:
        """Mean score of each model over its own scored items; shape (n_models,)."""
        mean: FloatArray = np.nansum(self.values, axis=0) / self.scored.sum(axis=0)
        return mean

    @property
    def merits(self) -> FloatArray:
        """Scores of which more is better: those of a cost with their sign turned."""
        return -self.values if self.lower_is_better else self.values

    @property
    def mean_merits(self) -> FloatArray:
        """Mean of the `merits` of each model over its own scored items; shape (n_models,)."""
        return -self.mean_scores if self.lower_is_better else self.mean_scores

    @property
    def largest_gap(self) -> float:
        """Largest gap that scores of this kind can have."""
        return np.inf if self.kind == "real" else 1.0

    @property
    def merit_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest mean of `merits` that missing scores leave, (n_models,)."""
        lowest, highest = (-np.inf, np.inf) if self.kind == "real" else (0.0, 1.0)
        return score_bounds(self.merits, lowest=lowest, highest=highest)

    @property
    def answers(self) -> Repeats:
        """Number and variance of the answers of each score, one where there are no repeats."""
        if self.repeats is not None:
            return self.repeats
        return Repeats(self.scored.astype(np.int64), np.full(self.values.shape, np.nan))

    def part(
        self, *, items: Sequence[int] | None = None, models: Sequence[int] | None = None
    ) -> TaskScores:
        """Return some items and models, by place and in this order; all where none are named."""
        rows = range(self.n_items) if items is None else items
        columns = range(self.n_models) if models is None else models
        where = np.ix_(rows, columns)
        return replace(
            self,
            item_ids=tuple(self.item_ids[row] for row in rows),
            models=tuple(self.models[column] for column in columns),
            values=self.values[where],
            clusters={
                name: tuple(labels[row] for row in rows) for name, labels in self.clusters.items()
            },
            repeats=self.repeats
            and Repeats(self.repeats.number[where], self.repeats.variance[where]),
        )


def write_task(task: TaskScores, path: str | os.PathLike[str]) -> None:
    """Write the canonical Parquet of `task`, all of it or nothing.

    Parameters
    ----------
    task : TaskScores
        The scores.
    path : path-like
        File to write; its folder exists. A file that is there is replaced in one step.

    Examples
    --------
    >>> from llm_power import example_task, read_task, write_task
    >>> write_task(example_task(), "exam.parquet")
    >>> read_task("exam.parquet").n_items
    400
    """
    with replacing(Path(path)) as part:
        pq.write_table(_to_arrow(task), part, compression="zstd", write_page_checksum=True)


def read_task(path: str | os.PathLike[str]) -> TaskScores:
    """Read a canonical Parquet, and check it as if it came from outside.

    Parameters
    ----------
    path : path-like
        A file made by `write_task`.

    Returns
    -------
    TaskScores
        Equal to what was written, provenance included.

    Raises
    ------
    ScoreError
        If the file is missing, damaged, not canonical, or its scores fail a check.

    Examples
    --------
    >>> from llm_power import example_task, read_task, write_task
    >>> write_task(example_task(), "exam.parquet")
    >>> read_task("exam.parquet").models
    ('heron', 'osprey', 'kite', 'wren')
    """
    table = read_parquet(read_file(path))
    metadata = _read_metadata(table)
    clusters: list[str] = metadata["clusters"]
    own = (ITEM_COLUMN, *(_REPEATS_COLUMNS if "repeats" in metadata else ()))
    models = tuple(name for name in table.columns if name not in {*own, *clusters})
    table.require(*own, *clusters)
    stored = pa.int8() if metadata["kind"] == "binary" else pa.float64()
    for model in models:
        if table.columns[model].type != stored:
            raise _not_canonical(table.file, f"column {model!r} is not stored as {stored}")
    ids = table.labels(ITEM_COLUMN)
    return TaskScores(
        task=metadata["task"],
        kind=metadata["kind"],
        item_ids=ids,
        models=models,
        values=table.score_matrix(models, ids),
        clusters={name: table.labels(name) for name in clusters},
        provenance=Provenance(**metadata["provenance"]),
        repeats=_read_repeats(table, len(models)) if "repeats" in metadata else None,
        unit=metadata.get("unit", ""),
        lower_is_better=metadata.get("lower_is_better", False),
    )


def _read_repeats(table: Table, n_models: int) -> Repeats:
    arrays = []
    for name, kind in _REPEATS_COLUMNS.items():
        column = table.columns[name]
        flat = column.flatten() if column.type == pa.list_(kind, n_models) else None
        if flat is None or column.null_count or flat.null_count:
            problem = f"column {name!r} is not of lists of {n_models} {kind}"
            raise _not_canonical(table.file, problem)
        arrays.append(flat.to_numpy().reshape(len(column), n_models))
    return Repeats(*arrays)


def _to_arrow(task: TaskScores) -> pa.Table:
    columns = {ITEM_COLUMN: pa.array(task.item_ids, type=pa.string())}
    for name, labels in task.clusters.items():
        columns[name] = pa.array(labels, type=pa.string())
    missing = ~task.scored
    stored = np.where(missing, 0.0, task.values)
    if task.kind == "binary":
        stored = stored.astype(np.int8)
    for j, model in enumerate(task.models):
        columns[model] = pa.array(stored[:, j], mask=missing[:, j])
    metadata = {
        "format": _FORMAT,
        "task": task.task,
        "kind": task.kind,
        "clusters": list(task.clusters),
        "provenance": _record(task.provenance),
    }
    if task.kind == "real":
        metadata |= {"unit": task.unit, "lower_is_better": task.lower_is_better}
    if task.repeats is not None:
        metadata["repeats"] = True
        both = (task.repeats.number, task.repeats.variance)
        for (name, kind), array in zip(_REPEATS_COLUMNS.items(), both, strict=True):
            flat = pa.array(array.ravel(), type=kind)
            columns[name] = pa.FixedSizeListArray.from_arrays(flat, task.n_models)
    encoded = json.dumps(metadata, sort_keys=True).encode()
    return pa.table(columns).replace_schema_metadata({METADATA_KEY: encoded})


def _record(provenance: Provenance) -> dict[str, Any]:
    record = asdict(provenance)
    del record["reading"]
    # A file of all models says what it has always said.
    if provenance.chosen_of is None:
        del record["chosen_of"]
    return record


def _read_metadata(table: Table) -> dict[str, Any]:
    if METADATA_KEY not in table.metadata:
        raise _not_canonical(table.file, "it has no llm_power metadata")
    try:
        metadata = json.loads(table.metadata[METADATA_KEY])
    except (ValueError, RecursionError) as error:
        raise _not_canonical(table.file, "its llm_power metadata is not JSON") from error
    if not isinstance(metadata, dict) or metadata.get("format") != _FORMAT:
        raise _not_canonical(table.file, f"its metadata is not of format {_FORMAT}")
    types = {"task": str, "clusters": list, "provenance": dict}
    typed = all(isinstance(metadata.get(key), kind) for key, kind in types.items())
    if not typed or metadata.get("kind") not in KINDS or not _is_provenance(metadata["provenance"]):
        raise _not_canonical(table.file, "its llm_power metadata is incomplete")
    if not isinstance(metadata.get("unit", ""), str):
        raise _not_canonical(table.file, "its unit is no text")
    if not isinstance(metadata.get("lower_is_better", False), bool):
        raise _not_canonical(table.file, "whether lower is better is not said")
    if not all(isinstance(name, str) for name in metadata["clusters"]):
        raise _not_canonical(table.file, "its cluster columns are not named by text")
    return metadata


def _is_provenance(record: dict[str, Any]) -> bool:
    if {*record, "chosen_of", "reading"} != set(Provenance.__dataclass_fields__):
        return False
    if "reading" in record or type(record.get("chosen_of", 0)) is not int:
        return False
    return (
        all(isinstance(record[key], str) for key in ("source", "kind", "fitted_to"))
        and all(isinstance(record[key], str | None) for key in ("revision", "retrieved"))
        and _maps_to(record["files"], str)
        and _maps_to(record["tolerated"], dict)
        and all(_maps_to(counts, int) for counts in record["tolerated"].values())
    )


def _maps_to(record: object, kind: type) -> bool:
    return isinstance(record, dict) and all(isinstance(value, kind) for value in record.values())


def _not_canonical(file: str, problem: str) -> ScoreError:
    return ScoreError(
        f"not a canonical score file: {problem}",
        remedy="write it with write_task, or read it with the wide or long reader",
        file=file,
    )


def _check_columns(
    models: Sequence[str], clusters: Sequence[str], own: Sequence[str], fault: Fault
) -> None:
    for column in clusters:
        _check_name("cluster column", column, fault)
    for model in models:
        _check_name("model name", model, fault)
    twice = _first_duplicate((*own, *clusters, *models))
    if twice is not None:
        raise fault(
            "two columns of the score table would have this name"
            if twice in models
            else f"cluster column {twice!r} would be there twice",
            remedy="rename one of them: models, cluster columns and "
            f"{' and '.join(map(repr, own))} all differ",
            model=twice if twice in models else None,
        )
    if not models:
        raise fault("there are no models", remedy="give the scores of two or more models")


def _check_items(ids: Sequence[str], fault: Fault) -> None:
    if not ids:
        raise fault("there are no items", remedy="give at least one item")
    if not _are_names(ids):
        for position, item in enumerate(ids, start=1):
            _check_name(f"item id number {position}", item, fault)
    twice = _first_duplicate(ids)
    if twice is not None:
        raise fault(
            f"this item id occurs {ids.count(twice)} times",
            remedy="keep one row per item, or give the items different ids",
            item=twice,
        )


def _check_labels(column: str, labels: Sequence[str], ids: Sequence[str], fault: Fault) -> None:
    if len(labels) != len(ids):
        raise fault(
            f"cluster column {column!r} has {counted(len(labels), 'label')} for "
            f"{counted(len(ids), 'item')}",
            remedy="give one label per item",
        )
    for label, item in zip(labels, ids, strict=True):
        if not label:
            raise fault(
                f"no label in cluster column {column!r}",
                remedy="label every item, or leave the cluster column out",
                item=item,
            )
    for label in sorted(set(labels)):
        _check_name(f"label in cluster column {column!r}", label, fault)


def _check_scores(
    values: FloatArray, kind: Kind, ids: Sequence[str], models: Sequence[str], fault: Fault
) -> None:
    if kind not in KINDS:
        raise fault(f"unknown kind of score {kind!r}", remedy="use binary, graded or real")
    if values.shape != (len(ids), len(models)):
        raise fault(
            f"scores of shape {values.shape} for {counted(len(ids), 'item')} and "
            f"{counted(len(models), 'model')}",
            remedy="give one row per item and one column per model",
        )
    missing = np.isnan(values)
    if kind == "binary":
        allowed = (values == 0) | (values == 1)
        rule, remedy = (
            "not 0 or 1",
            "correct it, or say what the scores are: from 0 to 1 (--kind graded), from 0 to 100 "
            "(--kind graded, --percent), or costs, tokens and the like (--kind real)",
        )
    elif kind == "real":
        allowed = np.isfinite(values)
        rule, remedy = "not finite", "correct it, or leave it out as missing"
    else:
        allowed = (values >= 0) & (values <= 1)
        rule, remedy = (
            "outside [0, 1]",
            "rescale the scores to [0, 1], or declare them percent (--percent), or real "
            "(--kind real) if they are costs, tokens, seconds or rewards",
        )
    refused = np.argwhere(~(allowed | missing))
    if len(refused):
        i, j = refused[0]
        likely = _likely_kind(values[~missing]) if kind == "binary" else {}
        more = f", as are {len(refused) - 1} more" if len(refused) > 1 else ""
        if likely == {"kind": "real"}:
            more += " (of real scores more is better, or less with --lower-is-better)"
            remedy = "correct it, or read the scores as real"
        elif likely:
            ends = "0 to 100" if "percent" in likely else "0 to 1"
            costs = ", read costs, seconds or points with --kind real," if len(likely) > 1 else ""
            remedy = f"correct it{costs} or read the scores as from {ends}"
        raise fault(
            # The 17th digit is one of a division by 100.
            f"score {float(format(values[i, j], '.15g'))!r} is {rule}{more}",
            remedy=remedy,
            model=models[j],
            item=ids[i],
            settings=likely,
        )
    empty = missing.all(axis=0)
    if empty.any():
        raise fault(
            "this model has no score at all",
            remedy="exclude the model, or correct its column",
            model=models[int(np.argmax(empty))],
            settings={"exclude": [models[int(j)] for j in np.flatnonzero(empty)]},
        )


def _likely_kind(scores: FloatArray) -> dict[str, str | bool]:
    """Return how to read scores that are plainly not of 0 and 1; none of a slip among those."""
    if np.all((scores >= 0) & (scores <= 1)):
        return {"kind": "graded"}
    is_rating = scores.max() <= 10 and np.all(scores == np.round(scores))
    if is_rating or np.median(scores[scores != 0]) <= 1:
        return {}
    if np.all((scores == 0) | (scores == 100)):
        return {"percent": True}
    is_percent = scores.max() > 10 and np.all((scores >= 0) & (scores <= 100))
    return {"kind": "graded", "percent": True} if is_percent else {"kind": "real"}


def _check_repeats(repeats: Repeats, scored: BoolArray, fault: Fault) -> None:
    number, variance = repeats.number, repeats.variance
    if number.shape != scored.shape or variance.shape != scored.shape:
        problem = f"repeats of shapes {number.shape} and {variance.shape} for {scored.shape} scores"
        raise fault(problem, remedy="give a number and a variance for each score")
    if np.any(number < 0) or np.any((number > 0) != scored):
        raise fault(
            "a score without a repeat, or repeats without a score",
            remedy="count the repeats of each score, 0 where it is missing",
        )
    several = number > 1
    known = np.isfinite(variance) & (variance >= 0)
    if np.any(known != several) or not np.all(np.isnan(variance[~several])):
        raise fault(
            "the variance of repeats is not known exactly where there are two or more",
            remedy="give the sample variance there, and NaN elsewhere",
        )


def _check_name(what: str, name: str, fault: Fault) -> None:
    """Refuse names that a table, a message or a terminal cannot carry as they are."""
    if problem := fault_of_name(name):
        raise fault(
            f"{what} {name[:60]!a} {problem}",
            remedy="use 1 to 500 printable characters without a space at either end",
        )


def _are_names(names: Sequence[str]) -> bool:
    """Return whether `fault_of_name` has nothing against any of a million names."""
    return (
        all(names)
        and max(map(len, names), default=0) <= _LONGEST_NAME
        and all(map(str.isprintable, names))
        and all(map(str.__eq__, names, map(str.strip, names)))
    )


def fault_of_name(name: str) -> str:
    """Return what is wrong with a name or label, the empty string if nothing is."""
    if not name:
        return "is empty"
    if len(name) > _LONGEST_NAME:
        return f"is longer than {_LONGEST_NAME} characters"
    if name != name.strip():
        return "begins or ends with a space"
    return "" if name.isprintable() else "contains a control or invisible character"


def _first_duplicate(names: Sequence[str]) -> str | None:
    if len({*names}) == len(names):
        return None
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _is_utc_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).utcoffset() == timedelta(0)
    except ValueError:
        return False
