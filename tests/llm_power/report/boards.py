"""Boards for the tests of pages and figures: clusters and gaps, hostile names, many models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal

import numpy as np

from board_examples import task_of
from llm_power._board.operating_point import Declared
from llm_power._board.page_data import PageData, page_data
from llm_power._board.resolve import BoardVerdicts, resolve_board, stream_board
from llm_power._board.summary import describe_board
from llm_power._choices import ClusterSampling, Family, MissingPolicy
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import Provenance, TaskScores

HOSTILE: Final = (
    "<img src=x onerror=\"window.__pwned='img'\">",
    "</script><script>window.__pwned='script'</script>",
    "שלום עולם",
    "m" * 500,
    "$\\frac{1}$ & 100% _x_ 'y': {z} # - *",
    "日本 😀 &lt;b&gt;",
)
Name = Literal["usual", "hostile", "many", "two", "tasks", "edges", "random"]


@dataclass(frozen=True)
class Drawn:
    """A board, and what its page is drawn from."""

    board: BoardVerdicts
    summary: dict[str, Any]
    data: PageData


@cache
def example(name: Name) -> Drawn:
    """Return one of the boards, made once."""
    rng = np.random.default_rng(7)
    if name == "usual":
        names = [f"org/model-{k}" for k in range(7)]
        task = _binary("exam", names, 240, rng, missing=0.03)
        return _drawn([task], "all", cluster="subject", missing="pairwise", margin=0.25)
    if name == "hostile":
        tasks = [_binary(task, HOSTILE, 90, rng) for task in ("exam </script><b>", "ע")]
        return _drawn(tasks, "all")
    if name == "many":
        return _drawn([_binary("exam", [f"m{k}" for k in range(62)], 40, rng)], "all")
    if name == "two":
        return _drawn([_graded("essay", ["a", "b"], 50, rng)], "adjacent")
    if name in ("edges", "random"):
        # All solved, none, two that share no item, and a weighted gap of each pair that lacks some.
        names = ["all", "none", "first", "second", "c", "d"]
        task = _binary("exam", names, 60, rng, missing=0.1)
        values = task.values.copy()
        values[:, 0], values[:, 1], values[:30, 2], values[30:, 3] = 1, 0, np.nan, np.nan
        task = replace(task, values=values)
        clusters: ClusterSampling = "random" if name == "random" else "fixed"
        return _drawn([task], "all", cluster="subject", missing="weighted", clusters=clusters)
    tasks = [_binary("exam", "abcd", 80, rng), _graded("essay", "abc", 80, rng)]
    return _drawn(tasks, "adjacent")


@cache
def streamed_example() -> Drawn:
    """Return a board of all pairs, of which the adjacent ones are shown."""
    rng = np.random.default_rng(8)
    task = prepare_task(_binary("exam", [f"m{k}" for k in range(62)], 60, rng))
    board = stream_board([task])
    summary = describe_board(board, [task], missing="error")
    return Drawn(board, summary, page_data(board.verdicts, summary, title="Streamed"))


def _binary(
    name: str, models: Any, n: int, rng: np.random.Generator, missing: float = 0.0
) -> TaskScores:
    ease = rng.uniform(0, 1, (n, 1)) + np.linspace(0.55, -0.15, len(models))
    values = (rng.random((n, len(models))) < 0.75 * ease + 0.1).astype(float)
    values[rng.random(values.shape) < missing] = np.nan
    return _task(name, "binary", models, values)


def _graded(name: str, models: Any, n: int, rng: np.random.Generator) -> TaskScores:
    values = np.clip(rng.normal(0.5, 0.2, (n, len(models))) + 0.04 * np.arange(len(models)), 0, 1)
    return _task(name, "graded", models, values)


def _task(name: str, kind: Literal["binary", "graded"], models: Any, values: Any) -> TaskScores:
    source = Provenance(source="example.org", files={f"{len(models)}.csv": "0f" * 32})
    if name == "essay":
        source = Provenance(source="example.org", kind="witness", fitted_to="Table 1")
    task = task_of(values, name, kind=kind, models=models, ids="", subjects=6)
    return replace(task, provenance=source)


def _drawn(
    tasks: list[TaskScores],
    family: Family,
    *,
    cluster: str | None = None,
    missing: MissingPolicy = "error",
    margin: float | None = None,
    clusters: ClusterSampling = "fixed",
) -> Drawn:
    ranked = [prepare_task(task, missing=missing) for task in tasks]
    # Where clusters are all that is meant, some pairs are equivalent and some different.
    declared = Declared(margin=margin, clusters=clusters, weighted=missing == "weighted")
    board = resolve_board(ranked, family=family, cluster=cluster, declared=declared)
    summary = describe_board(board, ranked, missing=missing)
    data = page_data(board.verdicts, summary, title=f"Board {HOSTILE[1]}", average=board.average)
    return Drawn(board, summary, data)
