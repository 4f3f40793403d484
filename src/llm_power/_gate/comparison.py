"""One candidate against its baseline: the two sides, the outcome, and what decided it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from llm_power._board.measure import Measure, measure_of
from llm_power._board.operating_point import UNDECLARED, USUAL, Declared, OperatingPoint
from llm_power._board.resolve import BoardVerdicts, resolve_board
from llm_power._choices import KINDS, OUTCOMES, Kind, MissingPolicy, Outcome
from llm_power._errors import InvalidArgument, ScoreError, counted, listed
from llm_power._scores._logs import LogFormat, find_logs
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import log_format, read_open, recognize
from llm_power._scores.selection import prepare_task, select_models
from llm_power._scores.store import Provenance, Repeats, TaskScores
from llm_power._statistics.verdict import DIFFERENT

BASELINE: Final = "baseline"
CANDIDATE: Final = "candidate"


#: A file, or the tasks of what is in memory.
Side = Path | list[TaskScores]


def read_sides(
    old: Side,
    new: Side | None,
    options: ReadOptions,
    *,
    baseline: str | None,
    candidate: str | None,
    reader: str,
    on_note: Callable[[str], None],
) -> tuple[list[TaskScores], str, str]:
    """Read two models, of two sides or of one."""
    read = partial(read_open, reader=reader, on_note=on_note)

    def tasks_of(side: Side) -> list[TaskScores]:
        return read([side], options) if isinstance(side, Path) else side

    if new is None:
        return _of_one_file(tasks_of(old), _label(old), baseline, candidate)
    if isinstance(old, Path) and isinstance(new, Path):
        kinds = [recognize([path], options) if reader == "auto" else reader for path in (old, new)]
        if kinds[0] == kinds[1] and (form := log_format(kinds[0])):
            return _of_two_logs(old, new, options, form, read), BASELINE, CANDIDATE
    labels = _label(old), _label(new)
    first = [_column(task, baseline, labels[0], "--baseline") for task in tasks_of(old)]
    second = [_column(task, candidate, labels[1], "--candidate") for task in tasks_of(new)]
    return _joined_tasks(first, second, *labels, options.clusters), BASELINE, CANDIDATE


def _label(side: Side) -> str:
    return str(side) if isinstance(side, Path) else side[0].task


def _of_two_logs(
    old: Path,
    new: Path,
    options: ReadOptions,
    form: LogFormat,
    read: Callable[[list[Path], ReadOptions], list[TaskScores]],
) -> list[TaskScores]:
    """Return the tasks of two runs; both must have run the same ones."""
    for path in (old, new):
        _require_one_model(path, options, form)
    tasks = read([], replace(options, names={BASELINE: str(old), CANDIDATE: str(new)}))
    for task in tasks:
        if len(task.models) < 2:
            raise _not_run(task.task, str(old if BASELINE not in task.models else new))
    return tasks


def _of_one_file(
    tasks: list[TaskScores], path: str, baseline: str | None, candidate: str | None
) -> tuple[list[TaskScores], str, str]:
    """Return the tasks that the named models ran; both must have run the same ones."""
    models = dict.fromkeys(model for task in tasks for model in task.models)
    if baseline is None or candidate is None:
        raise ScoreError(
            f"one file has {len(models)} models: {', '.join([*models][:10])}",
            remedy="name the two with --baseline and --candidate, or give a second file",
            file=path,
        )
    asked = {baseline, candidate}
    theirs = [task for task in tasks if asked & {*task.models}]
    if not asked <= {*models}:
        return tasks, baseline, candidate  # the comparison says what was meant
    for task in theirs:
        if lacking := asked - {*task.models}:
            raise _not_run(task.task, path, min(lacking))
    return theirs, baseline, candidate


def _joined_tasks(
    first: list[TaskScores],
    second: list[TaskScores],
    old: str,
    new: str,
    clusters: Sequence[str],
) -> list[TaskScores]:
    """Join the tables of both sides by task; a single one need not be called alike."""
    if len(first) == len(second) == 1:
        return [_joined(first[0], second[0], old, new, clusters)]
    ours, theirs = ({task.task: task for task in side} for side in (first, second))
    for name in sorted(ours.keys() ^ theirs.keys()):
        raise _not_run(name, new if name in ours else old)
    return [_joined(task, theirs[name], old, new, clusters) for name, task in ours.items()]


def _not_run(task: str, path: str, model: str | None = None) -> ScoreError:
    """Refuse a task that one of the two has not: it is not known to do no harm there."""
    return ScoreError(
        f"no scores on task {task!r}, which the other model has",
        remedy="run it, or choose a task that both have with --task",
        file=path,
        model=model,
    )


def _require_one_model(path: Path, options: ReadOptions, form: LogFormat) -> None:
    """Refuse logs of several models, of which --latest would take the newest."""
    apart = replace(options, names={}, latest=True, exclude=())
    for logs in find_logs([path], apart, form):
        if len(logs.files) > 1:
            raise ScoreError(
                f"logs of {len(logs.files)} models on task {logs.task!r}: "
                f"{listed(log.model for log in logs.files)}",
                remedy="give those of one model; or one folder, and --baseline and --candidate",
                file=str(path),
            )


def _column(task: TaskScores, name: str | None, path: str, option: str) -> TaskScores:
    if name is None and len(task.models) > 1:
        raise ScoreError(
            f"the file has {len(task.models)} models: {', '.join(task.models[:10])}",
            remedy=f"name one of them with {option}",
            file=path,
        )
    wanted = task.models[0] if name is None else name
    if wanted not in task.models:
        raise ScoreError(
            f"no such model; it has {', '.join(task.models[:10])}",
            remedy=f"correct {option}",
            file=path,
            model=wanted,
        )
    return task.part(models=[task.models.index(wanted)])


def _joined(
    first: TaskScores, second: TaskScores, old: str, new: str, clusters: Sequence[str]
) -> TaskScores:
    measure_of([first, second])  # refuses scores of two units
    for mine, other, path in ((first, second, new), (second, first, old)):
        known = set(other.item_ids)
        lacking = [item for item in mine.item_ids if item not in known]
        if lacking:
            raise ScoreError(
                f"{counted(len(lacking), 'item')} of the other file not in it, this one first",
                remedy="give two files of the same items; or add a row with an empty score for "
                "each item that was not scored, and choose --missing pairwise",
                file=path,
                item=lacking[0],
            )
    row = {item: i for i, item in enumerate(second.item_ids)}
    second = second.part(items=[row[item] for item in first.item_ids])
    for name in clusters:
        _refuse_other_clusters(first, second, old, new, name)
    answers = (first.answers, second.answers)
    return TaskScores(
        task=first.task if first.task == second.task else f"{Path(old).name} and {Path(new).name}",
        unit=first.unit,
        lower_is_better=first.lower_is_better,
        kind=max(first.kind, second.kind, key=KINDS.index),
        item_ids=first.item_ids,
        models=(BASELINE, CANDIDATE),
        values=np.hstack([first.values, second.values]),
        clusters=first.clusters,
        provenance=Provenance(source=f"{old} and {new}"),
        repeats=Repeats(
            np.hstack([one.number for one in answers]),
            np.hstack([one.variance for one in answers]),
        ),
    )


def _refuse_other_clusters(
    first: TaskScores, second: TaskScores, old: str, new: str, name: str
) -> None:
    """Refuse two files of the same items that disagree about their clusters."""
    lacking = [path for one, path in ((first, old), (second, new)) if name not in one.clusters]
    if len(lacking) == 2:
        return  # a task without the column, beside others that have it
    if lacking:
        raise ScoreError(
            f"task {first.task!r} has no cluster column {name!r} here, and has it in the other "
            "file",
            remedy="give both files the column, or leave --cluster out",
            file=lacking[0],
        )
    labels = zip(first.item_ids, first.clusters[name], second.clusters[name], strict=True)
    differing = [item for item, one, other in labels if one != other]
    if differing:
        raise ScoreError(
            f"{counted(len(differing), 'item')} with another {name} than in {old}, this one first",
            remedy="correct one of the files",
            file=new,
            item=differing[0],
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one task says of a candidate against its baseline."""

    task: str
    kind: Kind
    baseline: str
    candidate: str
    outcome: Outcome
    n_items: int
    n_unscored: int  # items left out, because one of the two has no score
    baseline_score: float  # mean over the items, whatever the gap is weighted by
    candidate_score: float
    gap: float  # by how much the candidate is better, in score units
    gap_low: float  # of all tasks at once
    gap_high: float
    gap_low_single: float  # of this task alone
    gap_high_single: float
    p_single: float
    p_family: float  # adjusted for the tasks compared together
    test: str
    broke: tuple[str, ...]  # items on which the candidate is worse
    mended: tuple[str, ...]
    more_items: float  # that decide it with a chance of `power`; 0 if decided, inf if none would
    decided_as: str  # what these would decide: "different" or "equivalent"
    margin: float | None
    alpha: float
    power: float  # chance of `more_items`
    measure: Measure

    @property
    def is_weighted(self) -> bool:
        """Whether the gap is another than that of the two scores."""
        of_scores = self.candidate_score - self.baseline_score
        return not np.isclose(np.abs(of_scores), np.abs(self.gap), rtol=1e-9, atol=1e-12)


def compare_models(
    tasks: Sequence[TaskScores],
    baseline: str,
    candidate: str,
    *,
    missing: MissingPolicy = "error",
    cluster: str | None = None,
    point: OperatingPoint = USUAL,
    declared: Declared = UNDECLARED,
) -> list[Comparison]:
    """Compare a candidate with the model that it would replace, on each of some tasks."""
    if baseline == candidate:
        raise InvalidArgument(f"baseline and candidate are both {baseline!r}: name two models")
    pairs = [
        prepare_task(select_models(task, [baseline, candidate]), missing=missing) for task in tasks
    ]
    board = resolve_board(pairs, cluster=cluster, point=point, declared=declared)
    rows = board.verdicts.to_dict("records")
    return [
        _comparison(pair, row, baseline, candidate, board, n_read=task.n_items)
        for task, pair, row in zip(tasks, pairs, rows, strict=True)
    ]


def overall_outcome(compared: Sequence[Comparison]) -> Outcome:
    """Return the least favourable outcome of some tasks."""
    return min((one.outcome for one in compared), key=OUTCOMES.index)


def _comparison(
    pair: TaskScores,
    row: Mapping[Any, Any],
    baseline: str,
    candidate: str,
    board: BoardVerdicts,
    *,
    n_read: int,
) -> Comparison:
    """Return what a row of the verdicts says of the candidate."""
    margin = board.declared.margin
    # Rows have the better ranked model first.
    sign = 1 if row["model_a"] == candidate else -1
    low, high, low_single, high_single = (
        float(end)
        for of in ("", "_single")
        for end in sorted((sign * row[f"gap_low{of}"], sign * row[f"gap_high{of}"]))
    )
    by_name = {name: pair.merits[:, j] for j, name in enumerate(pair.models)}
    gain = by_name[candidate] - by_name[baseline]
    both, sense = ~np.isnan(gain), -1 if pair.lower_is_better else 1
    return Comparison(
        task=pair.task,
        kind=pair.kind,
        baseline=baseline,
        candidate=candidate,
        outcome=_outcome(row, int(sign * row["direction"]), low_single, margin),
        n_items=int(row["n_items"]),
        n_unscored=n_read - int(row["n_items"]),
        baseline_score=float(sense * by_name[baseline][both].mean()),
        candidate_score=float(sense * by_name[candidate][both].mean()),
        gap=float(sign * row["gap"]),
        gap_low=low,
        gap_high=high,
        gap_low_single=low_single,
        gap_high_single=high_single,
        p_single=float(row["p_single"]),
        p_family=float(row["p_family"]),
        test=str(row["test"]),
        broke=_named(pair, gain < 0),
        mended=_named(pair, gain > 0),
        more_items=float(row["more_items_needed"]),
        decided_as=str(row["decided_as"]),
        margin=margin,
        alpha=board.point.alpha,
        power=board.point.power,
        measure=board.measure,
    )


def _outcome(row: Mapping[Any, Any], lead: int, low: float, margin: float | None) -> Outcome:
    """Return the first outcome that is true: a sure loss within the margin is equivalent."""
    if row["verdict"] == DIFFERENT and lead > 0:
        return "better"
    if row["within_margin"]:
        return "equivalent"
    if row["verdict"] == DIFFERENT:
        return "worse"
    # A one-sided test at half the level (ICH E9, 1998, section 3.3.2). To be so on every task needs
    # no adjustment (R. L. Berger 1982, Technometrics 24(4), 295-300).
    return "undetermined" if margin is None or low <= -margin else "non_inferior"


def _named(task: TaskScores, where: Collection[bool]) -> tuple[str, ...]:
    return tuple(item for item, named in zip(task.item_ids, where, strict=True) if named)
