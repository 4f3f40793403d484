"""The answer that a board is: its ranking, sentences and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, log
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from llm_power._board.cluster_robustness import readings_sentence
from llm_power._board.have_need import (
    SMALLER,
    HaveNeed,
    have_need,
    items_axis,
    items_needed,
    items_ticks,
    models_of,
    short_names,
    what_lines_mean,
)
from llm_power._board.landscape import VERDICTS, describe_landscape
from llm_power._board.measure import (
    Measure,
    confidence,
    gap_interval,
    gap_interval_name,
    margin_shown,
    p_name,
    p_value,
    percent,
    percent_interval,
)
from llm_power._board.ranks import first_sentence, further_sentence, rank_notes
from llm_power._board.repeats import describe_repeats
from llm_power._board.summary import discovery_sentence, selection_sentence
from llm_power._choices import TEST_NAMES
from llm_power._errors import counted, first_names, one_line
from llm_power._report.answer import Answer, Drawing, Notes, Table
from llm_power._report.landscape import landscape_sentences
from llm_power._report.text_tables import cells_of_terminal, padded
from llm_power._statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

if TYPE_CHECKING:
    from llm_power._board.resolve import BoardVerdicts

_MOST_ROWS: Final = 20
# Columns of the axis of a picture in characters.
_LEAST_ROOM: Final = 30
# Characters of a model's name beside it.
_LEAST_NAME: Final = 10
_MARKS: Final = {DIFFERENT: "o", UNDETERMINED: "?", EQUIVALENT: "="}


def board_answer(board: BoardVerdicts) -> Answer:
    """Return rankings, main sentences, and pairs by verdict, tables cut to 20 rows each."""
    return Answer(_headline(board), {}, parts=tuple(_parts(board)))


def _parts(board: BoardVerdicts) -> Iterator[Table | Notes | Drawing]:
    for task, rows in board.ranks.groupby("task", sort=False):
        pairs = board.verdicts[board.verdicts["task"] == task]
        drawn = have_need(pairs, str(task), int(pairs["n_task"].iloc[0]))
        title = f"{task}: {len(rows):,} models, {counted(drawn.items, 'item')}"
        yield _ranking(title, rows, board)
        if len(drawn.rungs) > 1:
            yield Drawing(drawn.finding, partial(drawn_items, drawn, board.point.power))
    if sentences := board_sentences(board):
        yield Notes(tuple(sentences))
    yield from _verdict_tables(board)
    if board.average is not None:
        yield from _parts(_on_average(board))


def _headline(board: BoardVerdicts) -> str:
    """Return who is first, on the average of several tasks, and how many pairs differ."""
    ranks = board.ranks if board.average is None else board.average.ranks
    could = int((ranks["rank_low"] == 1).sum())
    n_tasks = board.ranks["task"].nunique()
    where = "" if board.average is None else f" on the average of {n_tasks} tasks"
    if board.average is not None and not len(ranks):
        who = f"no average over {n_tasks} tasks: {board.average.why_none}"
    elif ranks["first"].iloc[0]:
        who = f"{ranks['model'].iloc[0]} is first{where}"
    else:
        who = f"{could:,} of {counted(len(ranks), 'model')} could be first{where}"
    counts = board.verdict_counts
    total = board.n_pairs if board.streamed is not None else len(board.verdicts)
    nouns = "pairs" if board.streamed is not None else board.shown_words
    verb = "is" if counts[DIFFERENT] == 1 else "are"
    of_tasks = "" if board.average is None else " in the tasks"
    many = f"{counts[DIFFERENT]:,} of {total:,} {nouns}{of_tasks} {verb} {DIFFERENT}"
    if total == 1:
        pair = "pair" if board.n_pairs == 1 else nouns.replace("pairs", "pair")
        many = f"the {pair}{of_tasks} is {next(name for name, n in counts.items() if n)}"
    others = {"equivalent": counts[EQUIVALENT], "undetermined": counts[UNDETERMINED]}
    within = "".join(
        f", {n:,} {'is' if n == 1 else 'are'} {name}"
        for name, n in others.items()
        if n and total > 1
    )
    shared = ""
    if board.average is None and not board.declared.weighted and _lacking(board.verdicts):
        shared = " on the items that both have"
    return f"{who}; {many}{within}{shared}"


def _on_average(board: BoardVerdicts) -> BoardVerdicts:
    """Return the average over tasks as a board of one task."""
    average = board.average
    assert average is not None
    task, pairs = f"average over tasks ({average.weights_in_words})", average.verdicts
    shared = pairs["n_items"]
    verdicts = pairs.assign(task=task, n_task=shared.where(shared > 0, shared.max()))
    readings = [{**each, "task": task} for each in average.readings]
    return replace(
        board,
        verdicts=verdicts,
        family=board.family if board.streamed is None else "adjacent",
        ranks=average.ranks.assign(task=task),
        average=None,
        readings=readings,
        streamed=None,
    )


def drawn_items(board: HaveNeed, power: float, width: int) -> list[str]:
    """Return have and need in characters, a line per rung; nothing if the width is too small."""
    shown = board.rungs[:_MOST_ROWS]
    right = max(len(rung.needed) for rung in shown)
    labels = _row_labels(board, min(width * 9 // 20, width - right - _LEAST_ROOM - 4))
    left = max(map(cells_of_terminal, labels))
    room = width - left - right - 4
    if room < _LEAST_ROOM:
        return []
    low, high = items_axis(board.items, shown)

    def at(items: float) -> int:
        return round((room - 1) * log(min(items, high) / low) / log(high / low))

    have, head = at(board.items), f"{counted(board.items, 'item')} at hand"
    lines = [" " * max(0, left + 2 + have - len(head) // 2) + head]
    for label, rung in zip(labels, shown, strict=True):
        row = [" "] * room
        if isfinite(rung.few):
            ends = sorted((at(rung.few), at(rung.many)))
            row[ends[0] : ends[1]] = "-" * (ends[1] - ends[0])
        row[have] = "|"
        if isfinite(rung.few):
            row[at(rung.many)] = _MARKS[rung.verdict] if rung.many <= high else ">"
        lines.append(f"{padded(label, left)}  {''.join(row)}  {rung.needed}")
    ticks = ""
    for items in items_ticks(low, high, room):
        if at(items) >= len(ticks):
            ticks = f"{ticks:{at(items)}}+{items:,.0f} "
    lines.append(f"{'':{left}}  {ticks:{room}} new items")
    kinds = {rung.verdict for rung in shown if isfinite(rung.many)}
    marks = ", ".join(f"{mark} {name}" for name, mark in _MARKS.items() if name in kinds)
    about = "; ".join([*([marks] if marks else []), *what_lines_mean([board], power)])
    more = len(board.rungs) - len(shown)
    return [*lines, *wrap(about + (f"; {more:,} more below" if more else ""), width)]


def _row_labels(board: HaveNeed, room: int) -> list[str]:
    """Return the ranks of each rung, and the models' names if there is room for them."""
    shown = board.rungs[:_MOST_ROWS]
    ranks = [f"{rung.rank}-{rung.rank + 1}" for rung in shown]
    left = max(map(len, ranks))
    most = (room - left - 3) // 2
    if most < _LEAST_NAME:
        return [f"{each:>{left}}" for each in ranks]
    names = [(one_line(rung.model_a), one_line(rung.model_b)) for rung in shown]
    every, near = (
        [*dict.fromkeys(map(one_line, models_of(some)))] for some in (board.rungs, shown)
    )
    short = short_names(near, every, most)
    first = max(cells_of_terminal(short[better]) for better, _ in names)
    rows = zip(ranks, names, strict=True)
    return [f"{each:>{left}} {padded(short[a], first)}  {short[b]}" for each, (a, b) in rows]


def board_sentences(board: BoardVerdicts) -> list[str]:
    """Return the main findings of a board, a sentence each."""
    repeats = [] if board.repeats is None else describe_repeats(board.repeats)
    by_task: dict[str, list[str]] = {}
    for name, rows in board.ranks.groupby("task", sort=False):
        task = str(name)
        sentences = by_task[task] = []
        if task in board.chosen_of:
            sentences.append(selection_sentence(len(rows), board.chosen_of[task]))
        chosen = task in board.chosen_of or (board.average is None and bool(board.chosen_of))
        further = further_sentence(rows, board.point.alpha, board.measure, chosen=chosen)
        own = board.verdicts[board.verdicts["task"] == task]
        first = first_sentence(rows, own, board.point.alpha)
        sentences += [each for each in (first, further, *rank_notes(rows, own)) if each]
        sentences += _of_task(own, board)
        both = readings_sentence(board.readings, task, board.cluster, board.declared.clusters)
        sentences += [both] if both else []
        if task in board.landscapes:
            landscape = describe_landscape(board.landscapes[task])
            sentences += [_of_all_pairs(landscape)] if board.streamed is not None else []
            sentences += landscape_sentences(landscape, board.point)
        sentences += [_of_repeats(each) for each in repeats if each["task"] == task]
    notes = [
        f"{task}: {sentence}" if len(by_task) > 1 else sentence
        for task, sentences in by_task.items()
        for sentence in sentences
    ]
    discoveries = discovery_sentence(board.declared.control, board.point.alpha)
    notes += [board.measure.sentence] if board.measure.sentence else []
    notes += [discoveries] if discoveries and board.n_pairs > 1 else []
    if board.close_calls:
        notes.append(
            f"Other draws of the test could change {counted(board.close_calls, 'verdict')}."
        )
    return notes


def _of_all_pairs(landscape: Mapping[str, Any]) -> str:
    counts = ", ".join(f"{n:,} {name}" for name, n in landscape["verdicts"].items() if n)
    return f"Of all {landscape['n_pairs']:,} pairs: {counts}."


def _of_repeats(repeats: Mapping[str, Any]) -> str:
    """Return the value of repeats in a task, and the cheaper way to power."""
    if repeats["within_share"] is None:
        return "Repeats: too few to estimate the variance within and between items."
    ways = [f"{words} {n:,}" for way, words in _WAYS.items() if (n := repeats["cheaper"][way])]
    return (
        f"Repeats: at {repeats['repeats']:g} answers an item, {repeats['within_share']:.0%} of the "
        f"variance of a difference is the luck of single answers (median); {', '.join(ways)} of "
        f"{repeats['n_pairs']:,} pairs."
    )


def _of_task(pairs: pd.DataFrame, board: BoardVerdicts) -> list[str]:
    sentences = []
    gaps = pairs["smallest_gap"].to_numpy(float)
    gaps, measure = gaps[np.isfinite(gaps)], board.measure
    if gaps.size:
        ends = dict.fromkeys(map(measure.shown, (gaps.min(), gaps.max())))
        span = measure.with_unit(" to ".join(ends))
        pairs_named = f" over {len(pairs):,} {board.shown_words}" if gaps.size > 1 else ""
        sentences.append(
            f"Detectable gap at power {board.point.power:g}: about {span}{pairs_named}; smaller "
            "true gaps are found less often."
        )
    is_planned = pairs[["items_even", "items_assured"]].lt(np.inf).any(axis=1)
    few = pairs["n_items"][is_planned & pairs["n_items"].between(1, _PLANNED_FROM - 1)]
    if len(few):
        sentences.append(
            f"With only {counted(int(few.min()), 'item')} the numbers of new items are rough: on "
            "real boards, runs planned for a chance of 0.8 decided 10% to 80% of the pairs."
        )
    uncertain = pairs[np.isinf(pairs["items_assured"]) & (pairs["gap"] != 0)]
    named = [f"{row.model_a} against {row.model_b}" for row in uncertain.itertuples()]
    if named:
        pair = (
            f"{len(named):,} pairs ({first_names(named, 2)})"
            if len(named) > 2
            else ", ".join(named)
        )
        sentences.append(
            f"Which is better is too uncertain for {pair}: even a thousand times these items "
            f"decide it with a chance below {board.point.power:g}."
        )
    if pairs["within_margin"].any():
        margin = margin_shown(board.declared.margin, measure)
        sentences.append(
            f"An interval that lies within the margin of {margin} may be cut there by the "
            f"equivalence test, which adds an error of at most {board.point.alpha:g}."
        )
    if measure.factor == 1 and pairs["n_items"].min() < _SKEWED_UP_TO:
        sentences.append(
            "Rare large values may be missing from so few items: of equal models with skewed "
            "scores, one much more variable, 7% were called different on 50 items for a level of "
            "5%, and 5% on 500."
        )
    if pairs["test"].str.startswith("cluster").any():
        sentences.append(
            "Scores, ranks and verdicts hold for further clusters; new items come from new "
            "clusters of the sizes at hand."
        )
    return sentences


# From this many items on, planned runs of real boards kept their promised chance within .1.
_PLANNED_FROM: Final = 30

# Up to so many items skewed scores decide too often.
_SKEWED_UP_TO: Final = 200

_WAYS: Final = {
    "items": "new items take fewer answers than repeats for",
    "repeats": "repeats fewer for",
    "neither": "neither helps for",
    "enough": "the data at hand suffice for",
}


def _ranking(title: str, rows: pd.DataFrame, board: BoardVerdicts) -> Table:
    cells = [
        [
            str(row["rank"]),
            rank_set(row["rank_low"], row["rank_high"]),
            str(row["model"]),
            percent(row["score"], board.measure),
            percent_interval(row["score_low"], row["score_high"], board.measure),
            f"{row['n_missing']:,}",
        ]
        for row in rows.head(min(_MOST_ROWS, board.top or _MOST_ROWS)).to_dict(orient="records")
    ]
    ends = f"{confidence(board.point.alpha)} interval"
    header = ["rank", "possible", "model", board.measure.named("score"), ends, "missing"]
    return _cut([header, *cells], title, of=len(rows), what="models")


def rank_set(low: Any, high: Any) -> str:
    """Return the ranks from `low` to `high` as text."""
    return str(low) if low == high else f"{low} to {high}"


def _verdict_tables(board: BoardVerdicts) -> Iterator[Table | Notes]:
    """Give a table of each verdict that a pair has, and what they rest on."""
    total = f"{len(board.verdicts):,}"
    whole = "all " if board.shown_words == "pairs" else ""
    about = "1 pair" if total == "1" else f"{whole}{total} {board.shown_words}"
    for verdict in VERDICTS:
        rows = board.verdicts[board.verdicts["verdict"] == verdict]
        if len(rows):
            yield _pair_table(f"{verdict}: {len(rows):,} of {about}", rows, board)
            about = total
    rows = board.verdicts
    if len(rows):
        is_more = rows["verdict"].eq(DIFFERENT) & rows["items_assured"].gt(rows["n_items"])
        # Of several pairs the picture says why a new run can take more.
        why = (f"{SMALLER.capitalize()}.",) if board.n_pairs == 1 and is_more.any() else ()
        yield Notes((f"Method: {_procedure(board)}.", *why))


def _cut(rows: Sequence[Sequence[str]], title: str, *, of: int, what: str) -> Table:
    hidden = of - (len(rows) - 1)
    return Table(rows, title, f"{hidden:,} more {what}" if hidden else "")


def _procedure(board: BoardVerdicts) -> str:
    tests = sorted(set(board.verdicts["test"]))
    named = ", ".join(TEST_NAMES[test] for test in tests)
    if board.n_pairs == 1:
        return f"{named}, level {board.point.alpha:g}"
    these = "all" if board.n_pairs > len(board.verdicts) else "these"
    pairs, control = f"{these} {board.n_pairs:,} pairs", board.declared.control
    if control == "max-t":
        return f"{named}, adjusted for {pairs} by max-T, level {board.point.alpha:g}"
    return f"{named}, {control.upper()}: false discovery rate {board.point.alpha:g} of {pairs}"


def _pair_table(title: str, rows: pd.DataFrame, board: BoardVerdicts) -> Table:
    many = board.verdicts["task"].nunique() > 1
    lacking = _lacking(board.verdicts)
    different = rows["verdict"].iloc[0] == DIFFERENT
    names = ["better", "worse"] if different else ["A", "B"]
    size = int(rows["family_size"].iloc[0])
    ends = gap_interval_name(board.point.alpha, size, board.declared.control)
    header = [*(["task"] if many else []), *names, board.measure.named("gap"), ends]
    header += [*(["missing at worst to best"] if lacking else [])]
    header += [p_name(size, board.declared.control), "items"]
    aim = "find it again" if different else "decide it"
    header += [f"new items to {aim}, chance 0.5 to {board.point.power:g}"]
    shown = rows.head(_MOST_ROWS).to_dict(orient="records")
    cells = [_pair_cells(row, many, lacking, board.measure) for row in shown]
    return _cut([header, *cells], title, of=len(rows), what="pairs")


def _pair_cells(row: Mapping[Any, Any], many: bool, lacking: bool, measure: Measure) -> list[str]:
    """Return the cells of a pair; with missing scores, also the gaps that these leave possible."""
    sign = -1 if row["direction"] < 0 else 1
    names = [row["model_a"], row["model_b"]][::sign]
    low, high = sorted((sign * row["gap_low"], sign * row["gap_high"]))
    lowest, highest = sorted((sign * row["gap_lowest"], sign * row["gap_highest"]))
    lacks = row["n_items"] < row["n_task"]
    at_worst = percent_interval(lowest, highest, measure) if lacks else "-"
    return [
        *([row["task"]] if many else []),
        *names,
        percent(sign * row["gap"], measure),
        gap_interval(low, high, measure),
        *([at_worst] * lacking),
        p_value(row["p_family"]),
        f"{row['n_items']:,}",
        items_needed(row["n_items"], row["gap"], row["items_even"], row["items_assured"]),
    ]


def _lacking(pairs: pd.DataFrame) -> bool:
    """Return whether a pair has fewer items than its task."""
    return bool((pairs["n_items"] < pairs["n_task"]).any())
