"""The tables of any board: coverage, what stays unresolved, its ladder of ranks, standard errors.

Standard errors are tables that section 4.2 of Miller (2024, arXiv:2411.00640) asks of a report: his
Tables 2, 3 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from llm_power._board.average import TaskAverage
from llm_power._board.clusters import sample_column, sampled_clusters
from llm_power._board.columns import PAIRS_COLUMNS
from llm_power._board.measure import (
    GAP_BINS,
    POINTS,
    Measure,
    confidence,
    gap_end,
    measure_of,
    percent,
    percent_interval,
)
from llm_power._board.operating_point import OperatingPoint
from llm_power._board.resolve import BoardVerdicts
from llm_power._board.stream import Streamed
from llm_power._board.summary import (
    task_overview,
    unresolved_by_gap,
    unresolved_by_procedure,
)
from llm_power._choices import Family
from llm_power._errors import counted
from llm_power._provenance import Provenance
from llm_power._report.board_answer import rank_set
from llm_power._report.tables import (
    Column,
    Table,
    as_fixed,
    as_integer,
    as_p_value,
    as_percent,
    score_provenance,
)
from llm_power._report.text_tables import escape_markdown, markdown_table
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.standard_errors import (
    StandardErrors,
    score_correlation,
    score_errors,
)

_FAMILY_NAMES: dict[Family, str] = {"adjacent": "adjacent ranks", "all": "all pairs"}
# More rows than these nobody reads, and no page of text shows.
_MOST_ROWS: Final = 500

_NOTE: Final = (
    "{unit}SE: standard error over items{clustered}. Intervals are pointwise, by Student's t"
    "{wider}; the board's verdicts are by its own tests, for all pairs at once.{missing}"
)
_MISSING: Final = " A score is over the items that its model has, a gap over those that both have"


def board_tables(
    board: BoardVerdicts, tasks: Sequence[TaskScores], *, title: str
) -> dict[str, Table]:
    """Return the tables of one board and family of pairs."""
    if board.streamed is not None:
        return _streamed_tables(board, board.streamed, tasks, title)
    verdicts, family = board.verdicts, _FAMILY_NAMES[board.family]
    shown = _Tables(title, score_provenance(tasks), board.measure, board.point)
    notes = [_operating_note(board.point), *_coverage_notes(verdicts), *_tolerance_notes(tasks)]
    notes += filter(None, [board.measure.sentence])

    def of_counts(frame: pd.DataFrame, columns: Sequence[Column], about: str) -> Table:
        return Table(frame, columns, f"{title} ({family}): {about}.", shown.sources, notes)

    procedures, unresolved = unresolved_by_procedure(verdicts), "unresolved pairs by"
    tables = {
        "overview": of_counts(task_overview(verdicts), _OVERVIEW, "what it covers"),
        "procedures": of_counts(procedures, _PROCEDURES, f"{unresolved} procedure"),
    }
    if board.measure is POINTS:
        tables["gaps"] = of_counts(unresolved_by_gap(verdicts), _GAPS, f"{unresolved} size of gap")
    tables["ladder"] = shown.ladder(verdicts, family, notes)
    tables["ranks"] = shown.of_ranks(board.ranks, _RANKS)
    return tables


def _streamed_tables(
    board: BoardVerdicts, streamed: Streamed, tasks: Sequence[TaskScores], title: str
) -> dict[str, Table]:
    """Return the tables of a board with more pairs than are held."""
    shown = _Tables(title, score_provenance(tasks), board.measure, board.point)
    notes = [_operating_note(board.point), *_tolerance_notes(tasks)]
    every, caption = pd.DataFrame(streamed.tasks), f"{title} (all pairs): what it covers."
    tables = {"overview": Table(every, _OVERVIEW, caption, shown.sources, notes)}
    ladder = shown.ladder(board.verdicts, f"all {board.n_pairs:,} pairs", notes)
    if len(ladder.frame):
        tables["ladder"] = ladder
    tables["ranks"] = shown.of_ranks(board.ranks, _RANKS)
    return tables


def average_tables(
    average: TaskAverage, tasks: Sequence[TaskScores], *, title: str, point: OperatingPoint
) -> dict[str, Table]:
    """Return the tables of the average over tasks."""
    scope = f"{title}, average over tasks"
    tables = _Tables(scope, score_provenance(tasks), measure_of(tasks), point)
    notes = [
        f"Weights: {average.weights_in_words}. The pairs of the average are a family of their own.",
        *(f"{line}." for line in average.warnings()),
    ]
    verdict_notes = [*notes, _verdict_note(average.verdicts, point)]
    return {
        "average": tables.of_pairs(average.verdicts, _LADDER[1:], "verdicts", verdict_notes),
        "average_ranks": tables.of_ranks(average.ranks, _RANKS[1:-1], notes),
    }


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of pairs and of ranks of one board, by what they have in common."""

    title: str
    sources: Sequence[Provenance]
    measure: Measure
    point: OperatingPoint

    def ladder(self, verdicts: pd.DataFrame, family: str, notes: Sequence[str]) -> Table:
        """Return the table of each rank against the next."""
        about = f"each rank against the next, verdicts within the family of {family}"
        notes = [*notes, _verdict_note(verdicts, self.point)]
        return self.of_pairs(_ladder(verdicts), _LADDER, about, notes)

    def of_pairs(
        self, pairs: pd.DataFrame, columns: Sequence[Column], about: str, notes: Sequence[str]
    ) -> Table:
        """Return a table of pairs, each with its verdict."""
        pairs = _with_points(pairs) if self.measure is POINTS else pairs
        shown = _stacked(pairs.head(_MOST_ROWS), self.measure)
        columns = [_of_unit(column, self.measure, "pp") for column in columns]
        caption, notes = f"{self.title}: {about}.", [*notes, *_cut_note(pairs)]
        return Table(pairs, columns, caption, self.sources, notes, shown=shown)

    def of_ranks(
        self, ranks: pd.DataFrame, columns: Sequence[Column], notes: Sequence[str] = ()
    ) -> Table:
        """Return the table of the models' ranks."""
        ends = zip(ranks["rank_low"], ranks["rank_high"], strict=True)
        table = ranks.assign(ranks=[rank_set(low, high) for low, high in ends])
        columns = [_of_unit(column, self.measure, "%") for column in columns]
        caption = f"{self.title}: ranks that sampling of the items leaves possible."
        notes = [*notes, _rank_note(self.point), *_cut_note(table)]
        return Table(table, columns, caption, self.sources, notes, shown=table.head(_MOST_ROWS))


def _of_unit(column: Column, measure: Measure, percent: str) -> Column:
    """Return a column of scores or gaps as they are measured, the others as they are."""
    header = {"gap": "Gap", "score": "Score"}.get(column.name)
    if header is None:
        return column
    number = as_fixed(measure.decimals)
    return replace(
        column,
        header=measure.named(header, percent),
        format=(lambda x: number(measure.factor * x)) if header == "Score" else None,
    )


def _ladder(verdicts: pd.DataFrame) -> pd.DataFrame:
    coverage = verdicts["n_items"] / verdicts["n_task"]
    table = verdicts[PAIRS_COLUMNS].assign(coverage=coverage)
    return table[table["rank_b"] == table["rank_a"] + 1].reset_index(drop=True)


def _with_points(pairs: pd.DataFrame) -> pd.DataFrame:
    return pairs.assign(**{f"{name}_pp": 100 * pairs[x] for name, x in _GAPS_IN_PP.items()})


def _stacked(pairs: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """Return pairs in lines of two: the gap stands above its interval, N* above q."""
    digits = measure.decimals + 1

    def end(row: Mapping[Any, Any], side: str) -> str:
        return gap_end(measure.factor * row[f"gap_{side}"], digits)

    cells = [
        {
            "models": (row["model_a"], row["model_b"]),
            "gap": (
                as_fixed(digits)(measure.factor * row["delta"]),
                f"[{end(row, 'low')}, {end(row, 'high')}]",
            ),
            "decision": (row["verdict"], as_p_value(row["p_family"])),
            "required": (as_integer(row["n_star"]), _ratio(row["q"])),
        }
        for row in pairs.to_dict(orient="records")
    ]
    stacked = pd.DataFrame(cells, index=pairs.index, columns=[c.name for c in _LADDER[2:]])
    return pairs.drop(columns="gap", errors="ignore").join(stacked)


def _operating_note(point: OperatingPoint) -> str:
    return (
        f"Level {point.alpha:g}, power {point.power:g}. Unresolved: q = N/N* below 1. Holm and "
        "Benjamini-Hochberg adjust the exact conditional p-value (paired t for graded scores)."
    )


def _verdict_note(verdicts: pd.DataFrame, point: OperatingPoint) -> str:
    tests = ", ".join(verdicts["test"].unique())
    return (
        f"Verdict: p of the declared test ({tests}), adjusted for the family, at most "
        f"{point.alpha:g}. Resolved is the paper's word for q of at least 1, that these items "
        "reach the target power at the observed gap: a pair can be different and not resolved. "
        f"Intervals of the gap, {confidence(point.alpha)}, are of the procedure that "
        "decides: they hold 0 where a pair is not different. The file of the pairs has all their "
        "other columns."
    )


def _cut_note(table: pd.DataFrame) -> list[str]:
    """Return the note that Markdown and LaTeX show the first rows of a long table."""
    if len(table) <= _MOST_ROWS:
        return []
    return [
        f"The first {_MOST_ROWS:,} of {len(table):,} rows; the others are in the files of the "
        "results (pairs.parquet; ranks in summary.json)."
    ]


def _rank_note(point: OperatingPoint) -> str:
    return (
        f"All sets of a task hold at once with confidence {confidence(point.alpha)}, for "
        "items as the sample, and for clusters too where these are one. Sets that overlap are no "
        "tie. p of missing scores: small where a model lacks items that are harder or easier than "
        "those it has."
    )


def _coverage_notes(verdicts: pd.DataFrame) -> list[str]:
    return [
        f"Task {row['task']}: {counted(row['n_items'], 'item')}; each pair is compared on "
        f"{_compared_on(row['coverage_min'])}."
        for row in task_overview(verdicts).to_dict(orient="records")
    ]


def _compared_on(least: float) -> str:
    if least == 1:
        return "all of them"
    return f"the items that both models were scored on, {100 * least:.2f}% of them or more"


def _tolerance_notes(tasks: Sequence[TaskScores]) -> list[str]:
    return [
        f"Task {task.task}, {fault.replace('_', ' ')}: "
        + ", ".join(f"{model} {count:,}" for model, count in sorted(by_model.items()))
        + "."
        for task in tasks
        for fault, by_model in sorted(task.provenance.tolerated.items())
    ]


def _gap_label(upper: float) -> str:
    beyond = max((end for end in GAP_BINS if end < upper), default=0.0)
    if upper == float("inf"):
        return f">{100 * beyond:g} pp"
    return f"{100 * beyond:g}–{100 * upper:g} pp" if beyond else f"≤{100 * upper:g} pp"


def _ratio(value: float) -> str:
    return "<0.01" if 0 < value < 0.005 else as_fixed(2)(value)


_GAPS_IN_PP = {
    "gap": "delta",
    "low": "gap_low",
    "high": "gap_high",
    "lowest": "gap_lowest",
    "highest": "gap_highest",
}
_RANKS = [
    Column("task", "Task"),
    Column("rank", "Rank", as_integer, "right"),
    Column("ranks", "Possible"),
    Column("model", "Model"),
    Column("score", "Score, %", as_percent(1), "right"),
    Column("n_missing", "Missing", as_integer, "right"),
    Column("p_missing", "p of missing", as_p_value, "right"),
]
_OVERVIEW = [
    Column("task", "Task"),
    Column("n_models", "Models", as_integer, "right"),
    Column("n_pairs", "Pairs", as_integer, "right"),
    Column("n_items", "Items", as_integer, "right"),
    Column("coverage_min", "Least coverage, %", as_percent(1), "right"),
    Column("coverage_median", "Median coverage, %", as_percent(1), "right"),
]
_PROCEDURES = [
    Column("task", "Task"),
    Column("procedure", "Procedure"),
    Column("n_unresolved", "Unresolved", as_integer, "right"),
    Column("n_pairs", "Pairs", as_integer, "right"),
]
_GAPS = [
    Column("task", "Task"),
    Column("gap_up_to", "Gap", _gap_label),
    Column("n_pairs", "Pairs", as_integer, "right"),
    Column("n_unresolved", "Unresolved", as_integer, "right"),
    Column("r_median", "Median N*/N", _ratio, "right"),
    Column("r_worst", "Largest N*/N", _ratio, "right"),
]
_LADDER = [
    Column("task", "Task"),
    Column("rank_a", "Rank", as_integer, "right"),
    Column("models", "Model, next model"),
    Column("gap", "Gap, pp", align="right"),
    Column("decision", "Verdict, p in the family"),
    Column("required", "N*, q", align="right"),
]


def error_bars(board: BoardVerdicts, tasks: Sequence[TaskScores]) -> str:
    """Return two tables a task as Markdown: scores and differences with standard errors."""
    sampled = sample_column(board.cluster, board.declared)
    return "\n\n".join(_of_task(board, task, sampled) for task in tasks) + "\n"


def _of_task(board: BoardVerdicts, task: TaskScores, cluster: str | None) -> str:
    labels = sampled_clusters(task, cluster)
    pairs = board.verdicts[board.verdicts["task"] == task.task]
    alpha = board.point.alpha
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
            _models(task, labels, alpha, board.measure),
            _pairs(task, pairs, labels, alpha, board.measure),
            escape_markdown(note),
        ]
    )


def _models(
    task: TaskScores, labels: NDArray[np.str_] | None, alpha: float, measure: Measure
) -> str:
    values = task.values[:, :_MOST_ROWS]
    errors, columns = _errors(values, labels, alpha, measure, least=0.0, of="")
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
    alpha: float,
    measure: Measure,
) -> str:
    shown = pairs.head(_MOST_ROWS)
    place = {model: i for i, model in enumerate(task.models)}
    first, second = (
        task.values[:, [place[model] for model in shown[name]]] for name in ("model_a", "model_b")
    )
    differences, of = first - second, " of the pair alone"
    errors, columns = _errors(differences, labels, alpha, measure, least=-1.0, of=of)
    columns = {
        "A": shown["model_a"].to_list(),
        "B": shown["model_b"].to_list(),
        "A - B": [percent(x, measure) for x in errors.estimate],
        **columns,
        "correlation": _numbers(score_correlation(first, second)),
    }
    return _table(columns, len(pairs))


def _errors(
    scores: FloatArray,
    labels: NDArray[np.str_] | None,
    alpha: float,
    measure: Measure,
    *,
    least: float,
    of: str,
) -> tuple[StandardErrors, dict[str, list[str]]]:
    """Return the standard errors that count clusters, and the cells of both with the interval."""
    plain = score_errors(scores, confidence=1 - alpha)
    clustered = plain if labels is None else score_errors(scores, labels, confidence=1 - alpha)
    # Few clusters can agree by chance: a gap must stand for further items and further clusters.
    wider = ~(clustered.high - clustered.low < plain.high - plain.low)
    low, high = np.where(wider, [clustered.low, clustered.high], [plain.low, plain.high])
    both = [("SE", plain), *([] if labels is None else [("clustered SE", clustered)])]
    cells = {
        name: ["unknown" if np.isnan(x) else measure.shown(x, 1) for x in one.standard_error]
        for name, one in both
    }
    if measure is POINTS:  # No score is beyond 0 and 1, no gap beyond -1 and 1.
        low, high = np.clip([low, high], least, 1.0)
    ends = zip(low, high, strict=True)
    intervals = [percent_interval(*end, measure=measure) for end in ends]
    return clustered, cells | {f"{confidence(alpha)} interval{of}": intervals}


def _table(columns: Mapping[str, Sequence[str]], n_rows: int) -> str:
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    hidden = n_rows - len(rows)
    more = f"\n\n... and {hidden:,} more" if hidden else ""
    return markdown_table([list(columns), *rows]) + more


def _counts(values: IntArray) -> list[str]:
    return [f"{int(value):,}" for value in values]


def _numbers(values: FloatArray) -> list[str]:
    return ["unknown" if np.isnan(value) else f"{value:.2f}" for value in values]
