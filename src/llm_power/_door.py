"""Resolve a board or compare two models in one call: what the commands do, and a notebook shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Unpack

import pandas as pd

from llm_power._board.average import read_weights
from llm_power._board.columns import PAIRS_COLUMNS
from llm_power._board.landscape import json_rows
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._board.page_data import page_data
from llm_power._board.resolve import BoardVerdicts, resolved_board
from llm_power._board.stream import Keep
from llm_power._board.summary import describe_board
from llm_power._choices import (
    CONTROLS,
    ClusterSampling,
    ClusterTest,
    Control,
    Family,
    McNemarTest,
    MissingPolicy,
    Outcome,
    Picture,
)
from llm_power._errors import InvalidArgument
from llm_power._gate.comparison import Comparison, Side, compare_models, overall_outcome, read_sides
from llm_power._gate.reports import comparison_answer
from llm_power._planning.ask import Planned, planned_from_task
from llm_power._report.answer import Reply
from llm_power._report.board_answer import board_answer
from llm_power._report.board_files import title_of, write_board
from llm_power._scores._choosing import refusing_all_open
from llm_power._scores.frames import read_memory
from llm_power._scores.options import Reading, ReadOptions
from llm_power._scores.readers import read_open
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores
from llm_power._statistics.argument_checks import one_of

_Resolving = Callable[[Path | None], AbstractContextManager[tuple[BoardVerdicts, Path | None]]]


@dataclass(frozen=True, slots=True)
class _Asked(ReadOptions):
    """What is declared of scores until they can be compared."""

    missing: MissingPolicy = "error"


@dataclass(frozen=True, slots=True, repr=False)
class Compared(Reply):
    """What `compare` answers: its repr is the headline, `print` shows the screen of the command.

    Attributes
    ----------
    tasks : tuple of Comparison
        Outcome, gap, interval, p-value, items that broke and were mended, of each task.
    notes : tuple of str
        What was left out when the scores were read.

    Examples
    --------
    >>> from llm_power import compare
    >>> scores = {"heron": [1] * 8, "wren": [0] * 8}
    >>> comparison = compare(scores, baseline="wren", candidate="heron")
    >>> comparison.outcome, comparison.tasks[0].mended[:3]
    ('better', ('1', '2', '3'))
    """

    tasks: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Return the least favourable outcome of the tasks."""
        return overall_outcome(self.tasks)


@dataclass(frozen=True, slots=True, repr=False)
class Resolved(Reply):
    """What `resolve` answers: its repr is the headline, and a notebook shows the page.

    Attributes
    ----------
    board : BoardVerdicts
        Everything known of the board.
    tasks : sequence of TaskScores
        Its scores, ranked.
    missing : str
        What was done about missing scores.
    notes : sequence of str
        What was left out when the scores were read.

    Examples
    --------
    >>> from llm_power import example_task, resolve
    >>> board = resolve(example_task(), pairs="all", cluster="subject")
    >>> board
    2 of 4 models could be first; 4 of 6 pairs are different, 2 are undetermined
    >>> board.ranking[["model", "rank_low", "rank_high"]].head(2).values.tolist()
    [['heron', 1, 2], ['osprey', 1, 2]]
    >>> board.plan("heron", "osprey", gap=0.05).numbers.declared
    0.05
    """

    _height: ClassVar[int] = 720

    board: BoardVerdicts
    tasks: Sequence[TaskScores]
    missing: MissingPolicy
    notes: Sequence[str] = ()
    _resolving: _Resolving | None = field(default=None, repr=False)
    _dataset: Path | None = None

    @property
    def pairs(self) -> pd.DataFrame:
        """Return the pairs, a row each with every column of pairs.parquet."""
        return self.board.verdicts[PAIRS_COLUMNS]

    @property
    def ranking(self) -> pd.DataFrame:
        """Return the models of each task with score, interval and possible ranks."""
        return self.board.ranks

    @property
    def summary(self) -> dict[str, Any]:
        """Return what summary.json holds."""
        return describe_board(self.board, self.tasks, missing=self.missing)

    def to_dict(self) -> dict[str, Any]:
        """Return the headline, the summary and the pairs, as --format json prints them."""
        return {"headline": self.headline, **self.summary, "pairs": json_rows(self.pairs)}

    def to_html(self) -> str:
        """Return the page of the board."""
        # On demand: the page is of an extra.
        from llm_power._report.board_page import render_board_page  # noqa: PLC0415

        title, average = title_of(self.board, self.tasks), self.board.average
        shown = page_data(self.board.verdicts, self.summary, title=title, average=average)
        return render_board_page(shown)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        csv: bool | None = None,
        plots: Sequence[Picture] = (),
    ) -> str:
        """Write the files of the board, and pictures; return notes on what they lack.

        Without `csv`, pairs.csv is left out above 10,000 pairs.
        """
        out = Path(folder)
        write = partial(
            write_board, out, self.board, self.tasks, self.summary, csv=csv, plots=plots
        )
        if self._resolving is not None and self.board.streamed and self._dataset is None:
            with self._resolving(out) as (_, dataset):
                return write(dataset=dataset)
        return write(dataset=self._dataset)

    def compare(self, baseline: str, candidate: str) -> Compared:
        """Compare a candidate with the model that it would replace, on the tasks of the board."""
        board = self.board
        comparisons = compare_models(
            self.tasks,
            baseline,
            candidate,
            missing=self.missing,
            cluster=board.cluster,
            point=board.point,
            declared=board.declared,
        )
        return Compared(comparison_answer(*comparisons), tuple(comparisons))

    def plan(
        self,
        model_a: str,
        model_b: str,
        *,
        task: str | None = None,
        gap: float | None = None,
        margin: float | None = None,
    ) -> Planned:
        """Plan further items for two models, with their scores here as the pilot."""
        named = {each.task: each for each in self.tasks}
        if task is None and len(named) == 1:
            task = next(iter(named))
        if task not in named:
            raise InvalidArgument(f"task must be one of {', '.join(named)}, got {task!r}")
        point = self.board.point
        return planned_from_task(
            named[task],
            model_a,
            model_b,
            cluster=self.board.cluster,
            gap=gap,
            alpha=point.alpha,
            power=point.power,
            margin=margin,
        )


def resolve(
    *scores: Any,
    pairs: Family = "adjacent",
    cluster: str | None = None,
    clusters: ClusterSampling = "random",
    margin: float | None = None,
    test: McNemarTest = "exact",
    cluster_test: ClusterTest = "cr2",
    missing: MissingPolicy = "error",
    alpha: float = 0.05,
    power: float = 0.80,
    top: int | None = None,
    keep: str | None = None,
    family: Control = "max-t",
    weights: str = "equal",
    monitored: bool = False,
    reader: str = "auto",
    names: Mapping[str, str] | None = None,
    **reading: Unpack[Reading],
) -> Resolved:
    """Resolve the pairs of a leaderboard from per-item scores, as ``llm-power resolve`` does.

    Parameters
    ----------
    *scores : path, data frame, mapping of arrays, or TaskScores
        Tables, logs or folders of logs, ``NAME=PATH`` for a log under a name of your own; tables
        of pandas, Polars or Arrow; columns by name.
    pairs, cluster, clusters, margin, test, cluster_test, missing, alpha, power, top, keep
        As the options of the command.
    family, weights, monitored, reader, names
        As the options of the command.
    **reading
        As the attributes of `ReadOptions`.

    Returns
    -------
    Resolved
        Its repr is the headline; `print` shows what the command prints, a notebook the page.
        `pairs`, `ranking` and `summary` hold the numbers; `compare`, `plan`, `save`, `to_html`,
        `to_markdown` and `to_dict` go on from there.

    Raises
    ------
    ScoreError
        If scores cannot be read as declared, or fail a check.
    InvalidArgument
        If an option is outside its domain.

    Examples
    --------
    >>> from llm_power import resolve
    >>> board = resolve({"heron": [1, 1, 1, 1, 1, 1, 1, 0], "wren": [0, 0, 0, 0, 0, 0, 0, 1]})
    >>> board
    2 of 2 models could be first; the pair is undetermined
    >>> board.compare("wren", "heron").outcome
    'undetermined'
    """
    asked: dict[str, Any] = locals()
    how: Reading = asked.pop("reading")
    with resolve_for(None, **asked, **how) as resolved:
        return resolved


def _silent(_text: str) -> None:
    """Show neither progress nor notes."""


@contextmanager
def resolve_for(
    out: Path | None,
    scores: Sequence[Any],
    *,
    pairs: Family,
    cluster: str | None,
    clusters: ClusterSampling,
    margin: float | None,
    test: McNemarTest,
    cluster_test: ClusterTest,
    missing: MissingPolicy,
    alpha: float,
    power: float,
    top: int | None,
    keep: str | None,
    family: Control,
    weights: str,
    monitored: bool,
    reader: str,
    names: Mapping[str, str] | None,
    on_stage: Callable[[str], None] = _silent,
    **reading: Unpack[Reading],
) -> Iterator[Resolved]:
    """Give a resolved board; the pairs of a streamed one wait in `out` until it is saved there."""
    options = _Asked(clusters=(cluster,) if cluster else (), missing=missing, **reading)
    one_of("family", family, CONTROLS)
    point = OperatingPoint(alpha=alpha, power=power)
    declared = Declared(
        test=test,
        margin=margin,
        clusters=clusters,
        cluster_test=cluster_test,
        monitored=monitored,
        weighted=missing == "weighted",
        weights=read_weights(weights),
        control=family,
    )
    kept = None if keep is None else Keep.parsed(keep)
    own, names, held = _given(scores, names or {})
    read, notes = partial(_read_ranked, own, held, reader=reader), list[str]()
    options = replace(options, names=names)
    with refusing_all_open(read, options):
        tasks = read(options, on_stage=on_stage, on_note=notes.append)
    resolved = partial(
        resolved_board,
        tasks=tasks,
        family=pairs,
        keep=kept,
        top=top,
        cluster=cluster,
        point=point,
        declared=declared,
        on_stage=on_stage,
    )
    with resolved(out) as (board, dataset):
        yield Resolved(board_answer(board), board, tasks, missing, tuple(notes), resolved, dataset)


def _given(
    scores: Sequence[Any], names: Mapping[str, str]
) -> tuple[list[Path], dict[str, str], list[Any]]:
    """Return the paths that are given, runs by NAME=PATH, and scores in memory."""
    held = [each for each in scores if not isinstance(each, str | os.PathLike)]
    own: list[Path] = []
    named: dict[str, str] = {}
    for path in (os.fspath(each) for each in scores if isinstance(each, str | os.PathLike)):
        name, equals, file = path.partition("=")
        # A file of that spelling is a path.
        if equals and name and file and not Path(path).exists() and Path(file).exists():
            if name in named:
                raise InvalidArgument(f"{path!r}: give each name once")
            named[name] = file
        else:
            own.append(Path(path))
    if not (own or names or named or held):
        raise InvalidArgument("give scores: a file, a folder of logs, a table, or NAME=PATH")
    return own, {**names, **named}, held


def _read_ranked(
    own: Sequence[Path],
    held: Sequence[Any],
    asked: _Asked,
    *,
    reader: str,
    on_stage: Callable[[str], None] = _silent,
    on_note: Callable[[str], None] = _silent,
) -> list[TaskScores]:
    """Read paths, and scores in memory, and rank the models of each task."""
    called = [f"table {k}" for k in range(1, len(held) + 1)] if len(held) > 1 else ["scores"]
    read = []
    if own or asked.names:
        read = read_open(
            own,
            asked,
            reader=reader,
            on_path=lambda path: on_stage(f"reading {path.name}"),
            on_note=on_note,
        )
    for each in zip(held, called, strict=False):
        read += read_memory(*each, asked, on_note)
    return [prepare_task(task, missing=asked.missing) for task in read]


def compare(
    old: Any,
    new: Any = None,
    *,
    baseline: str | None = None,
    candidate: str | None = None,
    margin: float | None = None,
    cluster: str | None = None,
    clusters: ClusterSampling = "random",
    test: McNemarTest = "exact",
    missing: MissingPolicy = "error",
    alpha: float = 0.05,
    power: float = 0.80,
    reader: str = "auto",
    names: Mapping[str, str] | None = None,
    **reading: Unpack[Reading],
) -> Compared:
    """Compare a candidate with the model that it would replace, as ``llm-power compare`` does.

    Parameters
    ----------
    old, new : path, data frame or mapping of arrays
        The baseline's scores and the candidate's; or `old` has both.
    baseline, candidate : str, optional
        The two models, where a table has several.
    margin, cluster, clusters, test, missing, alpha, power, reader, names
        As the options of the command.
    **reading
        As the attributes of `ReadOptions`.

    Returns
    -------
    Compared
        `outcome`, and `tasks` with gap, interval, items that broke and were mended.

    Raises
    ------
    ScoreError
        If scores cannot be read as declared, or the two have not the same items.
    InvalidArgument
        If an option is outside its domain.

    Examples
    --------
    >>> from llm_power import compare
    >>> scores = {"heron": [1, 1, 0, 1, 1, 1, 0, 1], "wren": [0, 0, 0, 0, 0, 0, 0, 1]}
    >>> compare(scores, baseline="wren", candidate="heron")
    undetermined: heron against wren on scores
    """
    options = _Asked(
        clusters=(cluster,) if cluster else (), names=names or {}, missing=missing, **reading
    )
    if new is not None and options.names:
        raise InvalidArgument("give --name with OLD alone: of two files each is one run")
    notes: list[str] = []

    def compared(asked: _Asked, on_note: Callable[[str], None] = _silent) -> list[Comparison]:
        def side(given: Any, name: str) -> Side:
            if isinstance(given, str | os.PathLike):
                return Path(given)
            return read_memory(given, name, asked, on_note)

        tasks, first, second = read_sides(
            side(old, "scores" if new is None else "old"),
            None if new is None else side(new, "new"),
            asked,
            baseline=baseline,
            candidate=candidate,
            reader=reader,
            on_note=on_note,
        )
        return compare_models(
            tasks,
            first,
            second,
            missing=asked.missing,
            cluster=cluster,
            point=OperatingPoint(alpha=alpha, power=power),
            declared=Declared(
                test=test, margin=margin, clusters=clusters, weighted=asked.missing == "weighted"
            ),
        )

    with refusing_all_open(compared, options):
        comparisons = compared(options, notes.append)
    return Compared(comparison_answer(*comparisons), tuple(comparisons), tuple(notes))
