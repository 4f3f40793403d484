"""What all pairs of a board show together, in sentences and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from llm_power._board.landscape import VERDICTS
from llm_power._board.operating_point import OperatingPoint
from llm_power._errors import first_names
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_integer, as_percent
from llm_power._statistics.verdict import DIFFERENT


def landscape_sentences(landscape: Mapping[str, Any], point: OperatingPoint) -> list[str]:
    """Return the findings from `describe_landscape` of a task, a sentence each."""
    sentences = [_by_distance(landscape)]
    sentences += [_by_gap(landscape)] if landscape["gap_80"] is not None else []
    return [*sentences, _by_rank(landscape), _by_items(landscape, point)]


def landscape_tables(
    tasks: Sequence[Mapping[str, Any]],
    sources: Sequence[Provenance],
    *,
    title: str,
    point: OperatingPoint,
) -> dict[str, Table]:
    """Return the tables of `describe_landscape` of each task; none without a task."""
    if not tasks:
        return {}
    family = f"Verdicts at level {point.alpha:g}, adjusted for all pairs of the run."
    fewest = (
        "80 % and 95 % different from: smallest gap above which 80 % (95 %) of pairs are "
        "different, by isotonic regression of the share on the gap. Gaps are rounded down to "
        "0.05 points."
    )
    items = (
        f"Once: decided now. Further: pairs that so many items would decide with a chance of "
        f"{point.power:g}, within the family at level {point.alpha:g}, if the further items are "
        "like those at hand."
    )
    made = {
        "by_distance": (
            "by distance in rank",
            _shares(tasks, "by_distance", _distance),
            family,
        ),
        "by_gap": ("by size of gap", _shares(tasks, "by_gap", _gap), family),
        "by_accuracy": (
            "smallest gaps that are decided, by accuracy",
            _accuracy(tasks),
            fewest,
        ),
        "by_rank": ("how far a rank reaches", _rows(tasks, "by_rank"), family),
        "tiers": ("fewest groups of ranks with no two different", _tiers(tasks), family),
        "by_items": ("what more items would decide", _items(tasks), items),
    }
    return {
        name: Table(frame, _COLUMNS[name], f"{title} (all pairs): {about}.", sources, [note])
        for name, (about, frame, note) in made.items()
    }


def _by_distance(landscape: Mapping[str, Any]) -> str:
    rows = landscape["by_distance"]
    chosen = rows[:: max(1, -(-(len(rows) - 1) // 4))]
    chosen += [] if chosen[-1] is rows[-1] else rows[-1:]
    first, *others = [f"at {_distance(row)}" for row in chosen]
    shares = [_percent(row[DIFFERENT], row["pairs"]) for row in chosen]
    more = [f"{share} {at}" for share, at in zip(shares[1:], others, strict=True)]
    listed = ", ".join([f"{shares[0]} of the pairs {first}", *more])
    return f"Different by distance in rank: {listed}."


def _by_gap(landscape: Mapping[str, Any]) -> str:
    end = landscape["gap_95"]
    more = "" if end is None else f"; {100 * end:.2f} for 95%"
    return (
        f"Smallest gap above which 80% of the pairs are different: {100 * landscape['gap_80']:.2f} "
        f"points{more}."
    )


def _by_rank(landscape: Mapping[str, Any]) -> str:
    tiers = [_span(first, last) for first, last in landscape["tiers"]]
    if len(tiers) == 1:
        return "No two models are different."
    return f"Fewest groups of ranks with no two different: {len(tiers):,} ({first_names(tiers)})."


def _by_items(landscape: Mapping[str, Any], point: OperatingPoint) -> str:
    now, *others = landscape["by_items"]
    total = landscape["n_pairs"]
    more = [
        f"{_percent(row['pairs'], total)} at {row['items']:g}"
        for row in others
        if row["items"] in _SHOWN_MULTIPLES
    ]
    more[0] += " times as many"
    return (
        f"Decided: {_percent(now['pairs'], total)} of the pairs; with further items like these "
        f"and a chance of {point.power:g}, {', '.join(more)}."
    )


def _percent(number: int, of: int) -> str:
    """Return a share, which never rounds to none or all."""
    rounded = f"{number / of:.0%}"
    if rounded == "0%" and number:
        return "under 1%"
    return "over 99%" if rounded == "100%" and number < of else rounded


def _span(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"


def _distance(row: Mapping[str, Any]) -> str:
    return _span(row["from_distance"], row["to_distance"])


def _gap(row: Mapping[str, Any]) -> str:
    if row["from_gap"] is None:
        return "no item in common"
    return f"{100 * row['from_gap']:g} to {100 * row['to_gap']:g}"


def _rows(tasks: Sequence[Mapping[str, Any]], name: str) -> pd.DataFrame:
    return pd.concat(
        [pd.DataFrame(each[name]).assign(task=each["task"]) for each in tasks],
        ignore_index=True,
    )


def _shares(
    tasks: Sequence[Mapping[str, Any]], name: str, label: Callable[[Mapping[str, Any]], str]
) -> pd.DataFrame:
    rows = [
        {"task": each["task"], "at": label(row), **row, "share": row[DIFFERENT] / row["pairs"]}
        for each in tasks
        for row in each[name]
        if row["pairs"]
    ]
    return pd.DataFrame(rows)


def _accuracy(tasks: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    table = _rows(tasks, "by_accuracy")
    ends = zip(table["from_accuracy"], table["to_accuracy"], strict=True)
    return table.assign(at=[f"{100 * low:g} to {100 * high:g}" for low, high in ends])


def _tiers(tasks: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    rows = [
        {"task": each["task"], "ranks": _span(first, last), "models": last - first + 1}
        for each in tasks
        for first, last in each["tiers"]
    ]
    return pd.DataFrame(rows)


def _items(tasks: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    table = _rows(tasks, "by_items")
    every = table["task"].map({each["task"]: each["n_pairs"] for each in tasks})
    return table.assign(
        items=["any number" if pd.isna(times) else f"{times:g} times" for times in table["items"]],
        share=table["pairs"] / every,
    )


def _points(value: float | None) -> str:
    return as_percent(2)(float("nan") if value is None else value)


_SHOWN_MULTIPLES: Final = (2, 10, 100)
_TASK: Final = Column("task", "Task")
_PAIRS: Final = Column("pairs", "Pairs", as_integer, "right")
_SHARE: Final = Column("share", "Different, %", as_percent(1), "right")
_EACH: Final = [Column(name, name.capitalize(), as_integer, "right") for name in VERDICTS]
_COLUMNS: Final[Mapping[str, list[Column]]] = {
    "by_distance": [
        *(_TASK, Column("at", "Ranks apart"), _PAIRS, *_EACH, _SHARE),
        Column("median_gap", "Median gap, pp", _points, "right"),
    ],
    "by_gap": [_TASK, Column("at", "Gap, pp"), _PAIRS, *_EACH, _SHARE],
    "by_accuracy": [
        *(_TASK, Column("at", "Mean accuracy, %"), _PAIRS),
        Column("smallest_different", "Smallest different, pp", _points, "right"),
        Column("gap_80", "80 % different from, pp", _points, "right"),
        Column("gap_95", "95 % from, pp", _points, "right"),
        Column("largest_undetermined", "Largest undetermined, pp", _points, "right"),
    ],
    "by_rank": [
        *(_TASK, Column("rank", "Rank", as_integer, "right")),
        Column("first_different", "First different below", as_integer, "right"),
        Column("all_different_from", "All different from", as_integer, "right"),
        Column("ahead", "Different and better", as_integer, "right"),
        Column("behind", "Different and worse", as_integer, "right"),
        Column("undetermined", "Undetermined", as_integer, "right"),
    ],
    "tiers": [_TASK, Column("ranks", "Ranks"), Column("models", "Models", as_integer, "right")],
    "by_items": [
        *(_TASK, Column("items", "Items", align="right")),
        Column("pairs", "Pairs decided", as_integer, "right"),
        Column("share", "%", as_percent(1), "right"),
    ],
}
