"""What a user declares about a file of scores: the one argument all readers share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final, TypedDict

import numpy as np

from llm_power._choices import (
    ANSWER_KEYS,
    DECIMAL_MARKS,
    KINDS,
    MATCHES,
    POOLS,
    AnswerKey,
    DecimalMark,
    Kind,
    Match,
    Pool,
)
from llm_power._errors import InvalidArgument, ScoreError, listed
from llm_power._scores._source import NoClusterColumn, SourceFile, common_folder, only_file
from llm_power._scores._table import (
    PARQUET_MAGIC,
    Table,
    expanded,
    is_json,
    is_workbook,
    read_csv,
    read_json,
    read_parquet,
    read_workbook,
    with_fields,
)
from llm_power._scores.store import Provenance, TaskScores
from llm_power._statistics.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Declarations about a file of scores.

    Attributes
    ----------
    task : str, optional
        Name of the task; by default that of the file or folder, without its ending. Of logs of
        several tasks, those to read: their names, or those of groups, with commas between them.
    kind : {"binary", "graded", "real"}, optional
        Binary by default, or graded where a log repeats its items. A canonical file knows its
        own, and refuses another.
    unit : str, optional
        Unit of real scores, as it is shown: ``$``, ``s``, ``tokens``.
    lower_is_better : bool
        The lower one of two real scores is the better one.
    clusters : sequence of str
        Columns (of a table) or fields (of zips and logs) that group the items.
    exclude : sequence of str
        Models to leave out before anything is checked; of logs also runs, by their file or folder.
    item : str, optional
        Column of the item ids; by default ``item_id``, then the named index of a pandas
        Parquet (wide), or ``item`` (long).
    model, score : str, optional
        Columns of a long table; by default ``model`` and ``score``.
    metric, filter : str, optional
        Which of a log's metrics is the score (of Inspect the scorer, of HELM the statistic), and
        which of its answer filters it is taken of (of HELM the split); needed where a log has
        more than one. For tasks that have different ones several may be named, with commas
        between them: the first that a log has is taken. ``TASK=NAME`` is for one task or group.
    reducer : str, optional
        How Inspect made one score of an item's epochs, as it writes it: mean, median, mode, max,
        at_least_K, pass_at_K; needed where a log has more than one.
    latest : bool
        Of several runs of a model on a task take the newest that ended well, instead of stopping.
    names : mapping of str to str
        Names of runs, and the file or folder of each: two runs of one model are two models.
    pool : {"no", "groups", "both"}
        Have the tasks of a group (of lm-evaluation-harness) as one task, whose cluster column
        ``subtask`` says which of them an item is of; "both" keeps them as tasks besides.
    match : {"id", "content"}
        What makes items of two logs of lm-evaluation-harness or AlpacaEval the same: their doc_id
        or place, or what they ask, where these are known to be wrong.
    true : sequence of str
        Words of a table that mean 1; any other word then means 0.
    percent : bool
        Scores are from 0 to 100.
    decimal : {".", ","}, optional
        Decimal mark of a table's scores, where the other mark separates thousands.
    task_column, repeat_column : str, optional
        Columns of a long table that tell tasks apart, and repeats of an item, whose mean is the
        score.
    accept_other_score : bool
        Go on where the score that a log displays is not that of its items, and record both.
    skip_malformed : bool
        Leave malformed records of the MMLU-Pro zips out, and count them, instead of stopping.
    answer_key : {"shared", "own"}
        MMLU-Pro zips carry the correct answers they were judged by. "shared" stops where two of
        them disagree about an item; "own" judges each model by its own file, and counts.
    source, revision, retrieved : str, optional
        Origin of the file, its version, and the time of retrieval (ISO 8601, UTC).

    Examples
    --------
    >>> from llm_power import ReadOptions
    >>> ReadOptions(kind="graded", clusters=["subject"]).clusters
    ('subject',)
    """

    task: str | None = None
    kind: Kind | None = None
    unit: str | None = None
    lower_is_better: bool = False
    clusters: Sequence[str] = ()
    exclude: Sequence[str] = ()
    item: str | None = None
    model: str | None = None
    score: str | None = None
    metric: str | None = None
    filter: str | None = None
    reducer: str | None = None
    latest: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    pool: Pool = "no"
    match: Match = "id"
    true: Sequence[str] = ()
    percent: bool = False
    decimal: DecimalMark | None = None
    task_column: str | None = None
    repeat_column: str | None = None
    accept_other_score: bool = False
    skip_malformed: bool = False
    answer_key: AnswerKey = "shared"
    source: str | None = None
    revision: str | None = None
    retrieved: str | None = None

    def __post_init__(self) -> None:
        for name in ("clusters", "exclude", "true"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise InvalidArgument(f"{name} must be a list of names, got {value!r}")
            object.__setattr__(self, name, tuple(value))
        if self.kind is not None and self.kind not in KINDS:
            raise InvalidArgument(f"kind must be one of {KINDS}, got {self.kind!r}")
        if self.kind == "real" and self.percent:
            raise InvalidArgument("scores of percent are graded, not real. Remedy: leave one out.")
        if self.decimal not in {None, *DECIMAL_MARKS}:
            raise InvalidArgument(f"decimal must be one of {DECIMAL_MARKS}, got {self.decimal!r}")
        choices = {"answer_key": ANSWER_KEYS, "match": MATCHES, "pool": POOLS}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise InvalidArgument(
                    f"{name} must be one of {allowed}, got {getattr(self, name)!r}"
                )

    def declared_columns(self) -> list[str]:
        """Return the columns of a table that were named."""
        single = (self.item, self.model, self.score, self.task_column, self.repeat_column)
        return [*(name for name in single if name is not None), *self.clusters]

    def kept(self, models: Sequence[str], file: str) -> tuple[str, ...]:
        """Return `models` without the excluded ones, all of which must be there."""
        known = set(models)
        for name in self.exclude:
            if name not in known:
                raise ScoreError(
                    f"the model to exclude is not there; the models are {listed(models)}",
                    remedy="correct the name, or do not exclude it",
                    file=file,
                    model=name,
                )
        excluded = set(self.exclude)
        return tuple(model for model in models if model not in excluded)

    def measured(self, task: TaskScores, provenance: Provenance | None = None) -> TaskScores:
        """Return scores with the unit and the direction that are declared of them."""
        return replace(
            task,
            unit=self.unit or task.unit,
            lower_is_better=self.lower_is_better or task.lower_is_better,
            provenance=provenance or task.provenance,
        )

    def scaled(self, values: FloatArray, file: str) -> FloatArray:
        """Return scores in [0, 1], where they were declared to be of percent."""
        if not self.percent:
            return values
        if not np.any(values > 1):
            raise ScoreError(
                "scores are declared to be from 0 to 100, and none is above 1",
                remedy="do not declare percent (--percent), or read such tasks apart (--task)",
                file=file,
            )
        return values / 100

    def refuse_clusters(self, problem: str, file: str) -> None:
        """Refuse cluster columns, for a format that has nothing to take them of."""
        if self.clusters:
            raise NoClusterColumn(
                self.clusters[0],
                f"{problem} to take {listed(self.clusters)} of",
                remedy="name no cluster column",
                file=file,
            )

    def provenance(
        self,
        files: Sequence[SourceFile],
        name: str,
        tolerated: dict[str, dict[str, int]] | None = None,
        chosen: Mapping[str, object] | None = None,
    ) -> Provenance:
        """Return the record of `files`, which are called `name` unless a source was declared."""
        modified = max(file.modified for file in files)
        paths = [file.path for file in files]
        if len({path.name for path in paths}) < len(paths):
            folder = common_folder(paths)
            labels = [path.absolute().relative_to(folder).as_posix() for path in paths]
        else:
            labels = [path.name for path in paths]
        return Provenance(
            source=self.source or name,
            revision=self.revision,
            retrieved=self.retrieved or modified.isoformat(timespec="seconds"),
            files={label: file.sha256 for label, file in zip(labels, files, strict=True)},
            tolerated=tolerated or {},
            reading={**self._declared(), **(chosen or {})},
        )

    def _declared(self) -> dict[str, object]:
        """What was declared of the reading, and is not so by default."""
        elsewhere = {"task", "clusters", "source", "revision", "retrieved"}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, default in asdict(_DEFAULT).items()
            if name not in elsewhere and (value := getattr(self, name)) != default
        }


_DEFAULT: Final = ReadOptions()


class Reading(TypedDict, total=False):
    """How tables and logs are read, as the attributes of `ReadOptions` say."""

    task: str | None
    kind: Kind | None
    unit: str | None
    lower_is_better: bool
    exclude: Sequence[str]
    item: str | None
    model: str | None
    score: str | None
    metric: str | None
    filter: str | None
    reducer: str | None
    latest: bool
    pool: Pool
    match: Match
    true: Sequence[str]
    percent: bool
    decimal: DecimalMark | None
    task_column: str | None
    repeat_column: str | None
    accept_other_score: bool
    skip_malformed: bool
    answer_key: AnswerKey


#: What a reader of tables is given: the path of one, or one that is in memory.
Given = Sequence[Path] | Table


def read_table(given: Given, options: ReadOptions) -> Table:
    """Return a table as declared: in memory, or of a file, known by its first bytes."""
    fields = [name for name in options.declared_columns() if "." in name]
    table = given if isinstance(given, Table) else _of_file(only_file(given), fields, options.task)
    return replace(
        with_fields(table, fields),
        source=table.source.without_data(),
        true=frozenset(word.lower() for word in options.true),
        percent=options.percent,
        decimal=options.decimal,
    )


def _of_file(source: SourceFile, fields: Sequence[str], sheet: str | None) -> Table:
    """Read Parquet, JSON or a workbook, or else a CSV."""
    whole = expanded(source)
    if whole.data.startswith(PARQUET_MAGIC):
        return read_parquet(whole)
    if is_json(whole.data):
        return read_json(whole, fields)
    return read_workbook(whole, sheet) if is_workbook(whole.data) else read_csv(whole)
