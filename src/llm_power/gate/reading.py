"""The two sides of a comparison, from one file or from two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from llm_power.choices import Kind
from llm_power.errors import ScoreError, counted
from llm_power.scores.options import ReadOptions
from llm_power.scores.readers import FORMATS, read_scores, read_tasks, recognize
from llm_power.scores.store import Provenance, Repeats, TaskScores

BASELINE: Final = "baseline"
CANDIDATE: Final = "candidate"


def read_two_models(
    path: Path, baseline: str | None, candidate: str | None, options: ReadOptions
) -> tuple[TaskScores, str, str]:
    """Read two models of one file or folder.

    Parameters
    ----------
    path : Path
        Scores of both, and perhaps of others.
    baseline, candidate : str or None
        Their names in it.
    options : ReadOptions
        What is known about the file.

    Returns
    -------
    task : TaskScores
        As it was read.
    baseline, candidate : str
        The names.

    Raises
    ------
    ScoreError
        If the scores cannot be read, or a name is missing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power import ReadOptions, write_task
    >>> from llm_power.example import example_task
    >>> from llm_power.gate.reading import read_two_models
    >>> write_task(example_task(), "exam.parquet")
    >>> read_two_models(Path("exam.parquet"), "wren", "kite", ReadOptions())[1:]
    ('wren', 'kite')
    """
    task = read_scores(path, options)
    if baseline is None or candidate is None:
        raise ScoreError(
            f"one file has {len(task.models)} models: {', '.join(task.models[:10])}",
            remedy="name the two with --baseline and --candidate, or give a second file",
            file=str(path),
        )
    return task, baseline, candidate


def read_two_files(
    old: Path,
    new: Path,
    options: ReadOptions,
    *,
    baseline: str | None = None,
    candidate: str | None = None,
) -> tuple[TaskScores, str, str]:
    """Read one model of each of two files: two logs of one tool, or two tables.

    Parameters
    ----------
    old, new : Path
        File of the baseline, and of the candidate.
    options : ReadOptions
        What is known about both.
    baseline, candidate : str, optional
        Column, or model, of a table that has several.

    Returns
    -------
    task : TaskScores
        Of the two models, called "baseline" and "candidate" whatever the files call them.
    baseline, candidate : str
        These names.

    Raises
    ------
    ScoreError
        If a file cannot be read, they are of several tasks, or an item is in one of them alone.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from llm_power import ReadOptions
    >>> from llm_power.gate.reading import read_two_files
    >>> pd.DataFrame({"item_id": ["a", "b"], "heron": [1, 0]}).to_csv("old.csv", index=False)
    >>> pd.DataFrame({"item_id": ["b", "a"], "heron": [1, 1]}).to_csv("new.csv", index=False)
    >>> read_two_files(Path("old.csv"), Path("new.csv"), ReadOptions())[0].values.tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    kinds = [recognize([path], options) for path in (old, new)]
    if kinds[0] == kinds[1] and kinds[0] in FORMATS:
        names = {BASELINE: str(old), CANDIDATE: str(new)}
        tasks = read_tasks([], replace(options, names=names))
        if len(tasks) > 1:
            raise ScoreError(
                f"{len(tasks)} tasks: {', '.join(task.task for task in tasks[:10])}",
                remedy="choose one with --task",
                file=str(new),
            )
        return tasks[0], BASELINE, CANDIDATE
    first = _column(read_scores(old, options), baseline, old, "--baseline")
    second = _column(read_scores(new, options), candidate, new, "--candidate")
    return _joined(first, second, old, new, options.clusters), BASELINE, CANDIDATE


def _column(task: TaskScores, name: str | None, path: Path, option: str) -> TaskScores:
    if name is None and len(task.models) > 1:
        raise ScoreError(
            f"the file has {len(task.models)} models: {', '.join(task.models[:10])}",
            remedy=f"name one of them with {option}",
            file=str(path),
        )
    wanted = task.models[0] if name is None else name
    if wanted not in task.models:
        raise ScoreError(
            f"no such model; it has {', '.join(task.models[:10])}",
            remedy=f"correct {option}",
            file=str(path),
            model=wanted,
        )
    return task.part(models=[task.models.index(wanted)])


def _joined(
    first: TaskScores, second: TaskScores, old: Path, new: Path, clusters: Sequence[str]
) -> TaskScores:
    for mine, other, path in ((first, second, new), (second, first, old)):
        known = set(other.item_ids)
        lacking = [item for item in mine.item_ids if item not in known]
        if lacking:
            raise ScoreError(
                f"{counted(len(lacking), 'item')} of the other file not in it, this one first",
                remedy="give two files of the same items; an item without a score keeps its row",
                file=str(path),
                item=lacking[0],
            )
    row = {item: i for i, item in enumerate(second.item_ids)}
    order = [row[item] for item in first.item_ids]
    for name in clusters:
        labels = [second.clusters[name][i] for i in order]
        differing = [
            item
            for item, one, other in zip(first.item_ids, first.clusters[name], labels, strict=True)
            if one != other
        ]
        if differing:
            raise ScoreError(
                f"{counted(len(differing), 'item')} with another {name} than in {old}, this one "
                "first",
                remedy="correct one of the files",
                file=str(new),
                item=differing[0],
            )
    answers = (first.answers, second.part(items=order).answers)
    kind: Kind = "binary" if first.kind == second.kind == "binary" else "graded"
    return TaskScores(
        task=second.task if first.task == second.task else f"{first.task} and {second.task}",
        kind=kind,
        item_ids=first.item_ids,
        models=(BASELINE, CANDIDATE),
        values=np.hstack([first.values, second.values[order]]),
        clusters=first.clusters,
        provenance=Provenance(source=f"{old} and {new}"),
        repeats=Repeats(
            np.hstack([one.number for one in answers]),
            np.hstack([one.variance for one in answers]),
        ),
    )
