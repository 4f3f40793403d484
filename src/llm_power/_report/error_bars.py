"""Scores and differences of a board with their standard errors, to be pasted into a report.

The tables that section 4.2 of Miller (2024, arXiv:2411.00640) asks of a report: his Tables 2, 3
and 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from llm_power._board.measure import POINTS, Measure, percent, percent_interval
from llm_power._board.ranks import sampled_clusters
from llm_power._report._escape import escape_markdown
from llm_power._report.text_tables import markdown_table
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.standard_errors import (
    StandardErrors,
    score_correlation,
    score_errors,
)

if TYPE_CHECKING:
    from llm_power._board.resolve import BoardVerdicts

_MOST_ROWS: Final = 500
_NOTE: Final = (
    "{unit}SE: standard error over items{clustered}. Intervals are pointwise, by Student's t"
    "{wider}; the board's verdicts are by its own tests, for all pairs at once.{missing}"
)
_MISSING: Final = " A score is over the items that its model has, a gap over those that both have"


def error_bars(board: BoardVerdicts, tasks: Sequence[TaskScores], cluster: str | None) -> str:
    """Return two tables a task as Markdown: scores and differences with standard errors."""
    sampled = cluster if board.declared.clusters == "random" else None
    return "\n\n".join(_of_task(board, task, sampled) for task in tasks) + "\n"


def _of_task(board: BoardVerdicts, task: TaskScores, cluster: str | None) -> str:
    labels = sampled_clusters(task, cluster)
    pairs = board.verdicts[board.verdicts["task"] == task.task]
    confidence = 1 - board.point.alpha
    unweighted = ", not weighted as the board's gaps are" * board.declared.weighted
    unit = f"In {board.measure.unit}. " if board.measure.unit else ""
    note = _NOTE.format(
        unit=unit,
        clustered="" if labels is None else f"; clustered SE: CR2 over {cluster}",
        wider="" if labels is None else " over items or clusters, whichever is wider",
        missing="" if task.scored.all() else f"{_MISSING}{unweighted}.",
    )
    return "\n\n".join(
        [
            f"**{escape_markdown(task.task)}**",
            _models(task, labels, confidence, board.measure),
            _pairs(task, pairs, labels, confidence, board.measure),
            escape_markdown(note),
        ]
    )


def _models(
    task: TaskScores, labels: NDArray[np.str_] | None, confidence: float, measure: Measure
) -> str:
    values = task.values[:, :_MOST_ROWS]
    errors, columns = _errors(values, labels, confidence, measure)
    columns = {
        "model": list(task.models[:_MOST_ROWS]),
        "items": _counts(errors.n_items),
        **({} if labels is None else {"clusters": _counts(errors.n_clusters)}),
        "score": [percent(x, measure) for x in errors.estimate],
        **columns,
    }
    return _table(columns, len(task.models))


def _pairs(
    task: TaskScores,
    pairs: pd.DataFrame,
    labels: NDArray[np.str_] | None,
    confidence: float,
    measure: Measure,
) -> str:
    shown = pairs.head(_MOST_ROWS)
    place = {model: i for i, model in enumerate(task.models)}
    first, second = (
        task.values[:, [place[model] for model in shown[name]]] for name in ("model_a", "model_b")
    )
    errors, columns = _errors(first - second, labels, confidence, measure)
    columns = {
        "A": shown["model_a"].to_list(),
        "B": shown["model_b"].to_list(),
        "A - B": [percent(x, measure) for x in errors.estimate],
        **columns,
        "correlation": _numbers(score_correlation(first, second)),
    }
    return _table(columns, len(pairs))


def _errors(
    scores: FloatArray, labels: NDArray[np.str_] | None, confidence: float, measure: Measure
) -> tuple[StandardErrors, dict[str, list[str]]]:
    """Return the standard errors that count clusters, and the cells of both with the interval."""
    plain = score_errors(scores, confidence=confidence)
    clustered = plain if labels is None else score_errors(scores, labels, confidence=confidence)
    # Few clusters can agree by chance: a gap must stand for further items and further clusters.
    wider = ~(clustered.high - clustered.low < plain.high - plain.low)
    low, high = np.where(wider, [clustered.low, clustered.high], [plain.low, plain.high])
    both = [("SE", plain), *([] if labels is None else [("clustered SE", clustered)])]
    cells = {
        name: ["unknown" if np.isnan(x) else measure.shown(x, 1) for x in one.standard_error]
        for name, one in both
    }
    if measure is POINTS:  # No score, and no gap of scores, is larger than 1.
        low, high = np.clip([low, high], -1.0, 1.0)
    ends = zip(low, high, strict=True)
    intervals = [percent_interval(*end, measure=measure) for end in ends]
    return clustered, cells | {f"{100 * confidence:g}% interval": intervals}


def _table(columns: Mapping[str, Sequence[str]], n_rows: int) -> str:
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    hidden = n_rows - len(rows)
    more = f"\n\n... and {hidden:,} more" if hidden else ""
    return markdown_table([list(columns), *rows]) + more


def _counts(values: IntArray) -> list[str]:
    return [f"{int(value):,}" for value in values]


def _numbers(values: FloatArray) -> list[str]:
    return ["unknown" if np.isnan(value) else f"{value:.2f}" for value in values]
