"""What names, labels, units and relations of the paper stand for, by the numbers beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from kotawala2026.labels import BUCKETS, bucket_mask, validated_labels
from kotawala2026.quantities.gap_buckets import named_buckets
from kotawala2026.quantities.grounds import QUANTITIES, DisplayedScores, PublishedNumbers
from kotawala2026.quantities.unpaired import CALCULATORS
from kotawala2026.simulations import TESTS
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.mcnemar import mcnemar_exact, mcnemar_mid_p
from llm_power_audit.agreement import agrees
from llm_power_audit.printed import Printed
from llm_power_audit.printed_tables import PublishedCounts
from replication.constraints import BoardScore, Interval
from replication.findings import Finding, derived, within

# Two accuracies are of one model if they differ by no more than one item and a rounding.
_SAME_ACCURACY: Final = 1.5e-4
# The names that Table 11 shortens.
_SHORT: Final = {
    **{"ARC-C": "ARC", "HS": "HS", "Wino": "Wi"},
    **{"gemma-7b": "gem", "Llama-3-8B-Instruct": "L-I", "Llama-3-8B": "L-8B"},
    **{"Mistral-7B-I-v0.2": "Mi"},
}


@QUANTITIES.on(PublishedNumbers)
def rank_pairs(published: PublishedNumbers) -> Iterator[Finding]:
    """Rank pair of each row of Tables 4, 7 and 9, which follow one another from the first rank."""
    for number in (4, 7, 9):
        ranks = [f"{i} vs {i + 1}" for i in range(1, 1 + len(published.tables[number]))]
        yield from _named(f"table_{number:02d}", "pair", ranks, "pairs in the order of their ranks")


@QUANTITIES.on(DisplayedScores)
def models(ground: DisplayedScores) -> Iterator[Finding]:
    """Task and models of each row of Tables 6, 7 and 11 by displayed scores; else as printed."""
    published = ground.published
    names_of: dict[str, list[str]] = {}
    for table, counts, scores in (
        ("table_06", published.close_pairs, ground.oll_v1),
        ("table_07", published.adjacent_pairs, ground.mmlu_pro),
    ):
        for side, names, accuracies in (
            ("model_a", counts.model_a, counts.p_a),
            ("model_b", counts.model_b, counts.p_b),
        ):
            of_side = names_of[f"{table}/{side}"] = []
            for i, (name, p) in enumerate(zip(names, accuracies, strict=True)):
                score = _score_of(scores, int(counts.n_items[i]), p)
                of_side.append(score.model if score else name)
                method = f"the model with the accuracy {p.text} on {counts.n_items[i]:,} items"
                named = Finding("name", f"{table}/{i + 1}/{side}", of_side[-1], method)
                yield named if score else replace(named, basis="none")
    close = published.close_pairs
    tasks = {score.n_items: score.task for score in ground.oll_v1}
    labels = [tasks.get(int(n), label) for n, label in zip(close.n_items, close.label, strict=True)]
    yield from _named("table_06", "task", labels, "the task with so many items")
    rows = list(
        zip(labels, names_of["table_06/model_a"], names_of["table_06/model_b"], strict=True)
    )
    yield from _named("table_11", "pair", list(_of_table_11(published, rows)), "as in Table 6")


@QUANTITIES.on(DisplayedScores)
def validated_pairs(ground: DisplayedScores) -> Iterator[Finding]:
    """Task and models of each row of Table 10 by its gap and, among several, its name."""
    names = []
    table = ground.published.tables[10]
    for printed, gap in zip(table["pair"], table["gap"], strict=True):
        fitting = [
            validated_labels(a.task, a.model, b.model)[0]
            for a, b in permutations(ground.oll_v1, 2)
            if a.task == b.task and agrees(gap, a.accuracy - b.accuracy)
        ]
        names.append(printed if printed in fitting else (fitting or [printed])[0])
    yield from _named("table_10", "pair", names, "a pair with this gap of displayed scores")


@QUANTITIES.on(PublishedNumbers)
def calculators(_: PublishedNumbers) -> Iterator[Finding]:
    """The calculators of Table 1, in its order, as the text names them."""
    yield from _named("table_01", "calculator", CALCULATORS, "Sections 1 and 4.1; R's own session")


def identified(published: PublishedNumbers) -> PublishedNumbers:
    """Return the numbers with each row under the name that it has by its numbers."""
    # A misprinted name is a finding of its own, and takes no other claim on the row with it.
    displayed = DisplayedScores(published)
    named = (
        *(f for name in (rank_pairs, calculators, named_buckets) for f in name(published)),
        *(f for name in (models, validated_pairs) for f in name(displayed)),
    )
    names = {f.subject: str(f.value) for f in named}
    tables = {number: table.copy() for number, table in published.tables.items()}
    for subject, name in names.items():
        table, row, column = subject.split("/")
        frame, i = tables[int(table.removeprefix("table_"))], int(row) - 1
        if i not in frame.index:
            continue
        # Of Table 11 the gap in parentheses is a printed number.
        gap = f" ({str(frame[column][i]).rpartition('(')[2]}" if table == "table_11" else ""
        frame.loc[i, column] = f"{name.rpartition(' (')[0]}{gap}" if gap else name
    of_6, of_7 = tables[6], tables[7]
    return replace(
        published,
        tables=tables,
        close_pairs=_relabelled(published.close_pairs, of_6["task"], of_6),
        adjacent_pairs=_relabelled(published.adjacent_pairs, of_7["pair"], of_7),
    )


def _relabelled(
    counts: PublishedCounts, labels: pd.Series[Any], table: pd.DataFrame
) -> PublishedCounts:
    model_a, model_b = (tuple(map(str, table[name])) for name in ("model_a", "model_b"))
    return replace(counts, label=tuple(map(str, labels)), model_a=model_a, model_b=model_b)


def _of_table_11(published: PublishedNumbers, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    counts = published.close_pairs
    gaps = 100 * np.abs(counts.b - counts.c) / counts.n_items
    for names, gap in zip(rows, gaps, strict=True):
        task, first, second = (_SHORT.get(name, name) for name in names)
        yield f"{task}, {first}/{second} ({gap:.2f})"


@QUANTITIES.on(PublishedNumbers)
def buckets(published: PublishedNumbers) -> Iterator[Finding]:
    """Pairs of gaps up to two points, read as points and as per cent of the lower accuracy."""
    counts = published.close_pairs
    gap = (counts.b - counts.c) / counts.n_items
    lower = np.array([p.value for p in counts.p_b])
    for reading, values in (("points", gap), ("per cent of the lower accuracy", gap / lower)):
        inside = sum(int(bucket_mask(name, values).sum()) for name in tuple(BUCKETS)[:2])
        method = "pairs of Table 6 in the first two buckets of Table 3"
        yield Finding("close_pairs_in", reading, inside, method)


@QUANTITIES.on(PublishedNumbers)
def units(published: PublishedNumbers) -> Iterator[Finding]:
    """Whether the gaps of a table are differences in points, or per cent of an accuracy."""
    gaps_11 = [float(text.rpartition("(")[2].rstrip(")")) for text in published.tables[11]["pair"]]
    for table, printed, counts in (
        ("Table 4", [cell.value for cell in published.tables[4]["gap_pp"]], "adjacent_pairs"),
        ("Table 11", gaps_11, "close_pairs"),
    ):
        pairs: PublishedCounts = getattr(published, counts)
        points = 100 * (pairs.b - pairs.c) / pairs.n_items
        relative = points / np.array([p.value for p in pairs.p_b])
        apart = [float(np.abs(np.array(printed) - values).sum()) for values in (points, relative)]
        unit = "pp" if apart[0] <= apart[1] else "%"
        yield Finding("unit_of_gap", table, unit, "nearer to 100 (b - c)/N than to that over p_B")


@QUANTITIES.on(PublishedNumbers)
def relation_of_q(published: PublishedNumbers) -> Iterator[Finding]:
    """Whether a pair with q of exactly one has the target power, eq. (2)."""
    alpha, power = published.settings["alpha"], published.settings["power"]
    at_one = float(ndtr(z_sum(alpha, power) + ndtri(alpha / 2)))
    relation = "≥" if at_one >= power * (1 - 1e-12) else ">"
    yield derived("relation_of_q", "", relation, "the power at N = N* is the target itself")


@QUANTITIES.on(PublishedNumbers)
def nulls(_: PublishedNumbers) -> Iterator[Finding]:
    """The null hypothesis under which each test of Table 2 has its p-value."""
    # Sharp where the p-value is of the binomial law of random signs of discordant items; marginal
    # where a variance is estimated from them.
    b = np.arange(10)
    # Of nine discordant items the tail of the binomial distribution, and of the mid-p half the
    # probability of the outcome itself, are whole multiples of 1/2^9.
    for i, test in enumerate(TESTS, start=1):
        function = {"exact": mcnemar_exact, "mid_p": mcnemar_mid_p}.get(test)
        p = np.full(1, 0.5) if function is None else 2**9 * np.asarray(function(b, 9 - b))
        null = "sharp" if np.allclose(p, np.round(p)) else "marginal"
        yield derived("name", f"table_02/{i}/null", null, "whether p is a count of signs")


@QUANTITIES.on(PublishedNumbers)
def frontier_gap(published: PublishedNumbers) -> Iterator[Finding]:
    """The frontier gap over all items drawn, whatever the models did on the dropped ones."""
    drawn, kept, gap = published.settings["frontier_items_and_gap"]
    dropped = (drawn - kept) / drawn
    method = f"the gap on {kept:,.0f} items, and anything on the other {drawn - kept:,.0f}"
    value = gap * kept / drawn
    possible = Interval(value - dropped, value + dropped)
    yield within("frontier_gap_of_drawn", "", value, possible, method)


def _score_of(scores: Sequence[BoardScore], n_items: int, accuracy: Printed) -> BoardScore | None:
    """The displayed score of so many items, or one more, that is the accuracy; else None."""
    of_task = [score for score in scores if abs(score.n_items - n_items) <= 1]
    distance = [abs(score.accuracy - accuracy.value) for score in of_task]
    if not distance or min(distance) > _SAME_ACCURACY:
        return None
    return of_task[int(np.argmin(distance))]


def _named(table: str, column: str, names: Sequence[str], method: str) -> Iterator[Finding]:
    for i, name in enumerate(names, start=1):
        yield Finding("name", f"{table}/{i}/{column}", name, method)


# What names an inversion of Section 3, or the adjustment of Section 6.3, in a row of Table 12.
_CONSEQUENCES: Final = ("Equation", "Definition", "Multiplicity")
# An interval of an inversion, by another method: a consequence only in a wide sense.
_INTERVAL: Final = "N* CI"


@QUANTITIES.on(PublishedNumbers)
def rows_that_follow(published: PublishedNumbers) -> Iterator[Finding]:
    """Rows of Table 12 that are consequences of an inversion or of an adjustment, not inputs."""
    rows = published.tables[12].to_dict(orient="records")
    least = sum(
        any(word in f"{row['quantity']} {row['definition']}" for word in _CONSEQUENCES)
        for row in rows
    )
    most = least + sum(row["quantity"] == _INTERVAL for row in rows)
    method = "rows that name an equation, a definition or the adjustment; at most the interval too"
    yield Finding("checklist_consequences", "", most, method, lower=least, upper=most)


@QUANTITIES.on(PublishedNumbers)
def directions(published: PublishedNumbers) -> Iterator[Finding]:
    """Directions that Section 7 lists."""
    listed = published.settings["future_directions"]
    yield Finding("directions_listed", "", listed, "items (i) to (iv) of the text, transcribed")
