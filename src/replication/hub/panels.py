"""Reading of downloaded files, and comparison with the scores that the board displayed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from logging import getLogger
from pathlib import Path
from typing import Any, Final

import numpy as np

from llm_power._errors import ScoreError
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores
from llm_power._scores.selection import select_models
from llm_power._scores.store import Provenance, TaskScores
from replication.constraints import BoardScore, load_board_scores
from replication.hub.access import Access
from replication.hub.datasets import Dataset, download_path
from replication.hub.download import require_unchanged
from replication.hub.errors import HubError, about
from replication.hub.lock import Locked, LockFile
from replication.hub.matrices import AbsentRow, Matrix, Scores, read_matrix
from replication.hub.plan import PanelTask
from replication.stages import undefined_among

_log = getLogger("replication.hub")
# Fault that is recorded: by how many items a model's items miss its displayed score.
OTHER_SCORE: Final = "items_off_the_displayed_score"
# Why a model is absent: each has the fault that is recorded for it.
_Absent = HubError | AbsentRow


def displayed_scores(folder: Path, panel: PanelTask) -> dict[str, BoardScore]:
    """Return what was displayed for each model, by the model's name in the paper."""
    scores = load_board_scores(folder / "board_scores.csv")
    return {
        score.model: score
        for of_panel in scores.values()
        for score in of_panel
        if score.task == panel.board_scores
    }


def read_panel(
    panel: PanelTask,
    datasets: Sequence[Dataset],
    displayed: Mapping[str, BoardScore],
    folder: Path,
    lock: LockFile,
    *,
    access: Access,
    accepted: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> TaskScores:
    """Read the downloads of one task of a board, of the models whose displayed scores they have.

    A model that is absent costs no other model, and the provenance says why it is.
    """
    paths = {download_path(folder, access.endpoint(one.source), one): one for one in datasets}
    absent: dict[str, _Absent] = {
        dataset.model: _never_downloaded(dataset, fault)
        for path, dataset in paths.items()
        if (fault := undefined_among([str(path)]))
    }
    _require_two(absent, displayed)
    there = {path: one for path, one in paths.items() if one.model not in absent}
    known = require_unchanged(list(there.values()), list(there), lock, access)
    if panel.is_matrix:
        matrices = _read_matrices(panel, there, displayed, labels)
        scores, absent = _scores_by_model(matrices, displayed)
        _require_two(absent, displayed)
        task = TaskScores(
            task=panel.task,
            kind="binary",
            item_ids=matrices[0].items,
            models=tuple(scores),
            values=np.column_stack(list(scores.values())).astype(np.float64),
            clusters=dict.fromkeys(panel.clusters, tuple(labels)),
        )
        off: dict[str, int] = {}
    else:
        task = _read_models(panel, there)
        off, others = _off_the_displayed(task, list(there.values()), displayed, accepted)
        absent |= others
        _require_two(absent, displayed)
        task = task.part(models=[j for j, model in enumerate(task.models) if model in off])
    lacking: dict[str, dict[str, int]] = {}
    for model, error in absent.items():
        _log.warning("%s; no pair with it is judged by items", error)
        lacking.setdefault(error.fault, {})[model] = task.n_items
    tolerated = {OTHER_SCORE: {model: items for model, items in off.items() if items}, **lacking}
    return replace(task, provenance=_provenance(list(there.values()), known, access, tolerated))


def _never_downloaded(dataset: Dataset, fault: str) -> HubError:
    return HubError(
        f"the model has {fault.replace('_', ' ')}",
        remedy="do what the log of its download in logs/hub says, and start again",
        dataset=dataset.name,
        fault=fault,
    )


def _require_two(absent: Mapping[str, _Absent], displayed: Mapping[str, BoardScore]) -> None:
    """Refuse a board of which fewer than two models are left, as the first absent one is."""
    if absent and len(displayed) - len(absent) < 2:
        raise next(iter(absent.values()))


def _read_models(panel: PanelTask, files: Mapping[Path, Dataset]) -> TaskScores:
    """Read a file a model."""
    datasets = list(files.values())
    names = {dataset.model: str(path) for path, dataset in files.items()}
    options = ReadOptions(
        task=datasets[0].task, metric=panel.metric, clusters=panel.clusters, names=names
    )
    task = select_models(read_scores(list(files), options, reader=panel.reader), list(names))
    for j, dataset in enumerate(datasets):
        with about(dataset.name):
            _check_rows(task, j, dataset)
    return task


def _off_the_displayed(
    task: TaskScores,
    datasets: Sequence[Dataset],
    displayed: Mapping[str, BoardScore],
    accepted: Sequence[str],
) -> tuple[dict[str, int], dict[str, HubError]]:
    """Return by how many items each model misses its displayed score, and why others are absent."""
    off, others = {}, {}
    for j, dataset in enumerate(datasets):
        try:
            with about(dataset.name):
                off[dataset.model] = _check_score(
                    task, j, dataset, displayed, is_accepted=dataset.name in accepted
                )
        except HubError as error:
            if not error.fault:
                raise
            others[dataset.model] = error
    return off, others


def read_files(task: str, reading: Mapping[str, Any], lock: LockFile, access: Access) -> TaskScores:
    """Read the files of one task of a board, which are placed by hand or downloaded."""
    settings, source = dict(reading["settings"]), reading["source"]
    datasets = [Dataset(**one) for one in reading["datasets"]]
    if datasets:
        require_unchanged(datasets, list(map(Path, source)), lock, access)
        download = reading["download"]
        own = {name: download[name] for name in ("reader", "match", "clusters") if name in download}
        settings |= own | {"revision": download["commit"], "source": access.origin(datasets[0])}
        if "model" in download:
            models = [_model_in(download["model"], dataset) for dataset in datasets]
            settings["names"] = dict(zip(models, source, strict=True))
    reader = settings.pop("reader")
    read = read_scores(source, ReadOptions(task=task, **settings), reader=reader)
    if not datasets:
        return read
    columns = zip(reading["settings"]["clusters"], settings["clusters"], strict=True)
    return replace(
        read,
        clusters={column: read.clusters[field] for column, field in columns},
        provenance=replace(read.provenance, kind=access.kind(datasets[0])),
    )


def _model_in(pattern: str, dataset: Dataset) -> str:
    match = re.fullmatch(pattern, dataset.file)
    if match is None:
        raise HubError(
            f"its path does not fit {pattern!r}, which tells the model of a file",
            remedy=f"correct model in {dataset.listed_in}",
            dataset=dataset.name,
        )
    return match["model"]


def _check_rows(task: TaskScores, model: int, dataset: Dataset) -> None:
    scored = int(task.scored[:, model].sum())
    if scored < task.n_items:
        missing = task.item_ids[int(np.argmin(task.scored[:, model]))]
        raise HubError(
            f"the item set is another: {task.n_items - scored} of the {task.n_items} items of "
            f"the other models have no score here, the first is {missing!r}",
            remedy="use complete runs on one version of the benchmark",
        )
    if dataset.rows is not None and not dataset.rows[0] <= scored <= dataset.rows[1]:
        declared = "-".join(map(str, dict.fromkeys(dataset.rows)))
        raise HubError(
            f"there are {scored} items, the register declares {declared}",
            remedy="pin the complete run of the model in the register; some runs were cut short",
        )


def _check_score(
    task: TaskScores,
    model: int,
    dataset: Dataset,
    displayed: Mapping[str, BoardScore],
    *,
    is_accepted: bool,
) -> int:
    """Return by how many items the displayed score is missed, 0 where it is not."""
    if dataset.model not in displayed:
        raise HubError(
            "no score was displayed for this model",
            remedy="use the paper's name of the model as the last part of the register's name",
        )
    score = displayed[dataset.model]
    solved = int(task.values[:, model].sum())
    off = abs(solved - score.correct)
    if task.n_items == score.n_items and (off == 0 or is_accepted):
        return off
    if task.n_items == score.n_items and solved == dataset.correct:
        _log.warning("%s: accepted, as its register says: %s", dataset.name, dataset.note)
        return off
    raise HubError(
        f"{solved} of its {task.n_items} answers are correct, and {score.correct} of "
        f"{score.n_items} were displayed ({solved - score.correct:+d})",
        remedy="pin the run that the board displayed in the register; to go on with this one and "
        f"have it recorded, list {dataset.name} under hub: accept_other_score in config.yaml",
        # Of another number of items it is another benchmark.
        fault="no_run_with_the_displayed_score" if task.n_items == score.n_items else "",
    )


def _read_matrices(
    panel: PanelTask,
    files: Mapping[Path, Dataset],
    displayed: Mapping[str, BoardScore],
    labels: Sequence[str],
) -> list[Matrix]:
    """Return the matrices that the files are of, which must be alike."""
    correct = {score.hub_id: score.correct for score in displayed.values()}
    matrices: list[Matrix] = []
    for name, group in groupby(files, key=lambda path: files[path].board):
        paths = list(group)
        matrix = read_matrix(paths, correct, panel.members)
        if matrix.items != tuple(map(str, range(len(labels)))):
            raise ScoreError(
                f"its {len(matrix.items)} items are not those of the test, 0 to {len(labels) - 1}",
                remedy="read another matrix: hub: matrices in config.yaml",
                file=str(paths[0]),
            )
        for path in paths:
            _check_items(files[path], path, matrix.items_of[path], labels)
        for other in matrices:
            _require_alike(other, matrix, name)
        matrices.append(matrix)
    return matrices


def _scores_by_model(
    matrices: Sequence[Matrix], displayed: Mapping[str, BoardScore]
) -> tuple[dict[str, Scores], dict[str, _Absent]]:
    """Return the scores of the models that some matrix has, and why the others have none."""
    scores = {
        model: matrix.scores[score.hub_id]
        for model, score in displayed.items()
        for matrix in reversed(matrices)
        if score.hub_id in matrix.scores
    }
    absent: dict[str, _Absent] = {
        model: matrices[0].absent[score.hub_id]
        for model, score in displayed.items()
        if model not in scores
    }
    return scores, absent


def _check_items(
    dataset: Dataset, path: Path, items: frozenset[str], labels: Sequence[str]
) -> None:
    """Refuse a file that is called after a category and has other items than the category."""
    wanted = {str(item) for item, label in enumerate(labels) if label == dataset.model}
    if wanted and items != wanted:
        raise ScoreError(
            f"item {min(items ^ wanted, key=int)} is of {dataset.model!r} in the file, or in the "
            "test, and not in both",
            remedy="read another matrix: hub: matrices in config.yaml",
            file=str(path),
        )


def _require_alike(first: Matrix, other: Matrix, name: str) -> None:
    both = [model for model in first.scores if model in other.scores]
    differ = [np.flatnonzero(first.scores[model] != other.scores[model]) for model in both]
    for model, items in zip(both, differ, strict=True):
        if items.size:
            raise ScoreError(
                f"matrix {name} has another score than the one before it, as on "
                f"{sum(map(len, differ))} items and models in all",
                remedy="name only one of the two under hub: matrices in config.yaml",
                model=model,
                item=str(items[0]),
            )


def _provenance(
    datasets: Sequence[Dataset],
    known: Sequence[Locked],
    access: Access,
    tolerated: Mapping[str, Mapping[str, int]],
) -> Provenance:
    origins = list(dict.fromkeys(access.origin(dataset) for dataset in datasets))
    more = f" and {len(origins) - 1} more of datasets.csv" if len(origins) > 1 else ""
    revisions = list(dict.fromkeys(one.revision[:12] for one in known))
    times = [one.retrieved for one in known if one.retrieved]
    return Provenance(
        source=origins[0] + more,
        revision=", ".join(revisions),
        retrieved=max(times, default=None),
        files={
            f"{dataset.model}: {one.file}": one.sha256
            for dataset, one in zip(datasets, known, strict=True)
        },
        tolerated={fault: counts for fault, counts in tolerated.items() if counts},
        kind="raw" if {access.kind(dataset) for dataset in datasets} == {"raw"} else "stand_in",
    )
