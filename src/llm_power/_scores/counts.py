"""Tables of counts, a row a pair of models, which is how papers print them."""

# Nothing says which items the pairs of a table share, so that each pair is a task of its own. A
# family of them is adjusted as if they were independent, which holds the level of two-sided tests
# whatever they share (Šidák 1967, doi:10.1080/01621459.1967.10482935).

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from llm_power._scores._choosing import asked_tasks
from llm_power._scores._table import Table
from llm_power._scores.options import Given, ReadOptions, read_table
from llm_power._scores.store import TaskScores

_PAIR: Final = ("model_a", "model_b")
_DISCORDANT: Final = ("b", "c")
_CELLS: Final = ("n11", "n00")
_ACCURACIES: Final = ("p_a", "p_b")
# Accuracies are printed with three digits at least.
_ROUNDING: Final = 0.001
# Of both models, in the cells n11, b, c and n00.
_OUTCOMES: Final = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])


def is_counts(names: Collection[str]) -> bool:
    """Return whether these are the columns of a table of counts."""
    return {*_PAIR, *_DISCORDANT} <= {*names}


def read_counts(given: Given, options: ReadOptions) -> list[TaskScores]:
    """Read the pairs of a table of counts, each as a task."""
    table = read_table(given, options)
    options.refuse_clusters("counts have no item", table.file)
    size = next((name for name in ("n", "n_items") if name in table.columns), "n")
    others = _CELLS if {*_CELLS} <= {*table.columns} else _ACCURACIES
    whole = (*_DISCORDANT, *(_CELLS if others == _CELLS else (size,)))
    table.require(*_PAIR, *whole, *others)
    models = list(zip(*map(table.labels, _PAIR), strict=True))
    names = [" vs ".join(pair) for pair in models]
    tasks = table.labels("task") if "task" in table.columns else ("",) * len(names)
    numbers = {name: table.scores(name, names) for name in dict.fromkeys((*whole, *others))}
    labels = [f"{task}: {name}" if task else name for task, name in zip(tasks, names, strict=True)]
    known = [*filter(None, dict.fromkeys(tasks)), *labels]
    asked = {*asked_tasks(options.task, known, table.source)}
    pairs = []
    for k, (pair, name, label) in enumerate(zip(models, names, labels, strict=True)):
        if asked.isdisjoint((tasks[k], label)):
            continue
        row = {column: float(values[k]) for column, values in numbers.items()}
        _check_counts(table, name, {column: row[column] for column in whole})
        if others == _ACCURACIES:
            row |= _cells(table, name, row, row[size], options)
        cells = [int(row[column]) for column in ("n11", "b", "c", "n00")]
        pairs.append(
            TaskScores(
                task=label,
                kind="binary",
                item_ids=tuple(str(i) for i in range(1, sum(cells) + 1)),
                models=pair,
                values=np.repeat(_OUTCOMES, cells, axis=0),
                provenance=options.provenance([table.source], table.source.path.name),
            )
        )
    return pairs


def _check_counts(table: Table, name: str, counts: Mapping[str, float]) -> None:
    for column, count in counts.items():
        if not (count >= 0 and count.is_integer()):
            raise table.source.fault(
                f"{column} of {name!r} is {count:g}, which is no count",
                "give whole numbers of items",
            )


def _cells(
    table: Table, name: str, row: Mapping[str, float], n: float, options: ReadOptions
) -> dict[str, float]:
    """Return the concordant cells from both accuracies, which are printed with few digits."""
    for accuracy in _ACCURACIES:
        if math.isnan(row[accuracy]):
            raise table.source.fault(f"{accuracy} of {name!r} is missing", "complete the row")
    scale = 100 if options.percent else 1
    solved = [row[accuracy] / scale * n for accuracy in _ACCURACIES]
    b, c = row["b"], row["c"]
    if abs((solved[0] - solved[1]) - (b - c)) > 1 + 2 * _ROUNDING * n:
        raise table.source.fault(
            f"the accuracies of {name!r} differ by {solved[0] - solved[1]:.1f} items, and "
            f"b - c is {b - c:g}",
            "correct the row: b counts what only model_a solved; accuracies in percent are "
            "declared (percent)",
        )
    both = round((solved[0] - b + solved[1] - c) / 2)
    if not 0 <= both <= n - b - c:
        raise table.source.fault(
            f"of the {n:g} items of {name!r} {b + c:g} are discordant, which leaves no room for "
            "its accuracies",
            "correct the row",
        )
    return {"n11": both, "n00": n - b - c - both}
