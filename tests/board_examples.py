"""Small boards for the exhibits that boards decide."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from llm_power._board.cluster_robustness import (
    category_bootstrap_tables,
    cluster_definition_table,
    leave_one_out_table,
)
from llm_power._board.clusters import add_clusters, tabulate_clusters
from llm_power._board.columns import verdict_table
from llm_power._board.operating_point import OperatingPoint
from llm_power._board.resolution import (
    CELL_COLUMNS,
    MOMENT_COLUMNS,
    add_multiplicity,
    add_resolution,
    add_sequential,
)
from llm_power._board.resolve import BoardVerdicts, resolve_board
from llm_power._choices import Kind
from llm_power._report.answer import Notes, as_text
from llm_power._report.board_answer import board_answer
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray

POINT = OperatingPoint()
SUBJECTS = (
    *("biology", "business", "chemistry", "computer science", "economics", "engineering"),
    *("health", "history", "law", "math", "other", "philosophy", "physics", "psychology"),
)
RESAMPLES = 200

Row = tuple[str, str, str, int, int, int, int]


@dataclass(frozen=True)
class CountedBoard:
    """Stages of a board that is known by its cells: task, two models, n11, b, c, n00."""

    verdicts: pd.DataFrame

    @classmethod
    def of(cls, rows: Sequence[Row]) -> CountedBoard:
        pairs = pd.DataFrame(rows, columns=["task", "model_a", "model_b", *CELL_COLUMNS])
        pairs.insert(1, "rank_a", np.arange(1, len(rows) + 1))
        pairs.insert(2, "rank_b", np.arange(2, len(rows) + 2))
        pairs["n_items"] = pairs[CELL_COLUMNS].sum(axis=1)
        pairs["n_task"] = pairs["n_items"]
        pairs = pairs.astype(dict.fromkeys(CELL_COLUMNS, "Int64"))
        for name in MOMENT_COLUMNS:
            pairs[name] = np.nan
        resolution = add_resolution(pairs, POINT)
        multiplicity = add_multiplicity(pairs, resolution, POINT)
        clusters = add_clusters(pairs, pd.DataFrame({"task": []}), POINT)
        stages = (resolution, multiplicity, clusters, add_sequential(pairs, POINT))
        return cls(verdict_table(pairs, *stages))


@dataclass(frozen=True)
class ClusteredBoard:
    """Stages of a small board in the form of MMLU-Pro's top ten, and its scores."""

    scores: TaskScores
    verdicts: pd.DataFrame
    cluster_sums: pd.DataFrame
    leave_one_out: pd.DataFrame
    intervals: pd.DataFrame
    distribution: pd.DataFrame
    definitions: pd.DataFrame


@cache
def clustered_board() -> ClusteredBoard:
    """Ten models on 14 subjects, whose gaps differ from subject to subject."""
    rng = np.random.default_rng(5)
    subject = np.repeat(np.arange(14), rng.integers(60, 140, size=14))
    ability = np.linspace(0.9, 0.0, 10) + 0.25 * rng.normal(size=(14, 10))
    latent = rng.normal(size=(subject.size, 1)) + 0.7 * rng.normal(size=(subject.size, 10))
    names = [f"org/model-{k}" for k in range(10)]
    made = task_of(latent + ability[subject] > 0.3, "mmlu_pro", models=names)
    labels = {"category": tuple(SUBJECTS[k] for k in subject)}
    scores = prepare_task(replace(made, clusters=labels))
    board = resolve_board([scores], family="adjacent", cluster="category", point=POINT)
    sums = tabulate_clusters(scores, "category", "adjacent")
    intervals, distribution = category_bootstrap_tables(sums, POINT, n_resamples=RESAMPLES, seed=3)
    return ClusteredBoard(
        scores,
        board.verdicts,
        sums,
        leave_one_out_table(sums, POINT),
        intervals,
        distribution,
        cluster_definition_table(scores, "category", "adjacent", POINT, seed=3),
    )


@cache
def counted_board() -> CountedBoard:
    """Twelve pairs of two tasks, among them the three of Table 10 with their own counts.

    Table 10's counts are decided by the board scores, and by the printed rho and N*.
    """
    mistral, llama = "mistralai/Mistral-7B-Instruct-v0.2", "meta-llama/Meta-Llama-3-8B"
    llama_i, gemma, gemma_it = f"{llama}-Instruct", "google/gemma-7b", "google/gemma-7b-it"
    return CountedBoard.of(
        [
            ("hellaswag", mistral, llama_i, 7693, 831, 195, 1323),
            ("hellaswag", llama, gemma_it, 6908, 1328, 318, 1488),
            ("hellaswag", gemma, gemma_it, 6950, 1332, 276, 1484),
            ("hellaswag", gemma, llama, 7987, 295, 249, 1511),
            ("arc", llama, gemma_it, 513, 181, 90, 388),
            ("arc", gemma, llama, 616, 100, 78, 378),
            ("arc", gemma, llama_i, 618, 98, 94, 362),
            ("arc", llama_i, llama, 631, 81, 63, 397),
            ("arc", mistral, llama_i, 625, 115, 87, 345),
            ("arc", mistral, gemma, 640, 100, 76, 356),
            ("arc", mistral, llama, 632, 108, 62, 370),
            ("arc", mistral, gemma_it, 540, 200, 63, 369),
        ]
    )


def task_of(
    values: FloatArray | BoolArray,
    name: str = "exam",
    *,
    kind: Kind | None = None,
    models: Sequence[str] = (),
    ids: str = "q",
    subjects: int | IntArray = 5,
) -> TaskScores:
    """Return scores of items q0, q1, ... by models m0, m1, ..., so many subjects in turn.

    Scores are graded if one lies between 0 and 1.
    """
    n, k = values.shape
    graded = np.any((values > 0) & (values < 1))
    subject = np.arange(n) % subjects if isinstance(subjects, int) else subjects
    return TaskScores(
        task=name,
        kind=kind or ("graded" if graded else "binary"),
        item_ids=tuple(f"{ids}{i}" for i in range(n)),
        models=tuple(models or (f"m{j}" for j in range(k))),
        values=values.astype(np.float64),
        clusters={"subject": tuple(f"s{s}" for s in subject)},
    )


def written_pairs(folder: Path) -> pd.DataFrame:
    """Return the pairs of a dataset in the order of their places, texts in place of codes."""
    table = pd.read_parquet(folder)
    return table.astype(dict.fromkeys(table.select_dtypes("category"), str))


def screen(board: BoardVerdicts) -> str:
    """Return what a terminal shows of a board, then each sentence on a line of its own."""
    answer = board_answer(board)
    notes = [text for part in answer.parts if isinstance(part, Notes) for text in part.texts]
    return "\n".join([as_text(answer), *notes])


def inspect_log(
    path: Path, values: list[Any], model: str, created: str = "", task: str = "exam"
) -> Path:
    """A log of Inspect, of one scored sample an item."""
    samples = [
        {"id": i, "epoch": 1, "input": f"{task} {i}", "scores": {"judge": {"value": value}}}
        for i, value in enumerate(values)
    ]
    of_run = {"task": task, "model": model, "created": created}
    log: dict[str, Any] = {"version": 2, "status": "success", "eval": of_run, "samples": samples}
    shown = {"name": "judge", "scorer": "judge", "metrics": {"mean": {"value": np.mean(values)}}}
    log["results"] = {"scores": [shown]}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(log), encoding="utf-8")
    return path
