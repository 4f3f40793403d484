"""What the page of a board shows, as one JSON-ready mapping made from the board's tables alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_05UP, Context
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd

from llm_power._board.average import TaskAverage
from llm_power._board.cluster_robustness import readings_sentence
from llm_power._board.have_need import have_need
from llm_power._board.measure import Measure, confidence
from llm_power._board.ranks import first_sentence, further_sentence, rank_notes
from llm_power._board.summary import discovery_sentence, selection_sentence
from llm_power._provenance import files_digest
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.verdict import DIFFERENT, EQUIVALENT, UNDETERMINED

# A cell of a column; a column whose cells are all the same is that cell.
Cell = float | int | None
Column = Cell | list[Cell]
# A board as its page shows it, or one of its tasks.
PageData = Mapping[str, Any]

AVERAGE: Final = "average"
# More pairs than these no browser takes in seconds: the page is then that of the best models.
MOST_PAIRS: Final = 100_000
MOST_TIERS: Final = 500
#: Verdicts by their codes in the page; of 2 model B is better.
CODED: Final = (UNDETERMINED, DIFFERENT, DIFFERENT, EQUIVALENT)
# Settings that the page has from the summary as they are.
_SETTINGS: Final = ("alpha", "power", "margin", "cluster", "clusters", "control")
# Short name in the page, column of the verdict table, significant digits. Cells and gaps in full:
# the page recomputes q from them. P-values to four digits, for the page holds them against levels.
_SCORES: Final = (("delta", "delta", 17), ("pa", "p_a", 6), ("pb", "p_b", 6))
_BY_KIND: Final = {
    "binary": (("n11", "n11", 0), ("b", "b", 0), ("c", "c", 0)),
    **dict.fromkeys(("graded", "real"), (*_SCORES, ("var", "var_d", 17))),
    AVERAGE: (*_SCORES, ("t2", "t2", 17)),
}
_SHARED: Final = (
    ("i", "rank_a", 0),
    ("j", "rank_b", 0),
    ("n", "n_items", 0),
    ("ps", "p_single", 3),
    ("pf", "p_family", 4),
    ("pe", "p_equivalence", 4),
    ("gap", "gap", 6),
    ("lo", "gap_low", 6),
    ("hi", "gap_high", 6),
    ("even", "items_even", 0),
    ("need", "items_assured", 0),
    ("sees", "smallest_gap", 6),
    ("more", "more_items_needed", 3),
    ("turn", "chance_of_turning", 2),
    ("deff", "design_effect", 17),
    ("inflation", "anytime_inflation", 9),
)


def page_data(
    verdicts: pd.DataFrame,
    summary: Mapping[str, Any],
    *,
    title: str,
    average: TaskAverage | None = None,
    result: str = "pairs.csv",
    average_result: str = "average.csv",
) -> PageData:
    """Return the data of a board's page, JSON-ready, of at most `MOST_PAIRS` pairs.

    Gaps are in score units, what is unknown or infinite is None, and a column of equal cells is
    that one cell. Tasks with pairs in one file, `result`, are one family; `shown` names the pairs
    if not all are here.
    """
    ranks = pd.DataFrame(summary["ranks"])
    coverage = {row["task"]: row["coverage_min"] for row in summary["tasks"]}
    most = MOST_PAIRS // len(summary["scores"])
    landscapes = {
        each["task"]: each | {"tiers": each["tiers"][:MOST_TIERS]} for each in summary["landscape"]
    }
    tasks = [
        _task(
            verdicts[verdicts["task"] == scores["task"]],
            ranks[ranks["task"] == scores["task"]],
            scores,
            summary,
            coverage=float(coverage[scores["task"]]),
            family=(result, summary["n_pairs"]),
            most=most,
            readings=summary["cluster_readings"],
            landscape=landscapes.get(scores["task"]),
        )
        for scores in summary["scores"]
    ]
    if average is not None and len(average.verdicts):
        averaged = [task for task in tasks if task["task"] in average.weights]
        tasks.append(_average(average, averaged, summary, most=most, result=average_result))
    return {
        "version": summary["llm_power"],
        "title": title,
        # The page is about the pairs that it shows.
        "family": "adjacent" if "adjacent" in (summary.get("shown") or "") else summary["family"],
        "compared": "every two models" if summary["family"] == "all" else "adjacent ranks",
        "shown": summary.get("shown"),
        **{name: summary[name] for name in _SETTINGS},
        "confidence": confidence(summary["alpha"]),
        "discoveries": discovery_sentence(summary["control"], summary["alpha"]),
        "missing": summary["missing"],
        "measure": summary["measure"],
        "measured": Measure(**summary["measure"]).sentence,
        "warnings": [*summary["warnings"], *_selections(summary["scores"])],
        "weights": {} if average is None else dict(average.weights),
        "tasks": tasks,
    }


def _selections(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"task {task['task']}: " + selection_sentence(len(task["scored_items"]), task["chosen_of"])
        for task in scores
        if task["chosen_of"] is not None
    ]


def _average(
    average: TaskAverage,
    tasks: Sequence[PageData],
    summary: Mapping[str, Any],
    *,
    most: int,
    result: str,
) -> PageData:
    # Of its standard error the page needs q alone, at any level and power.
    square = float(z_sum(summary["alpha"], summary["power"])) ** 2
    kinds = {task["provenance"] for task in tasks}
    scores: dict[str, Any] = {
        "task": "average over tasks",
        "kind": AVERAGE,
        "items": sum(task["items"] for task in tasks),
        "provenance": kinds.pop() if len(kinds) == 1 else "mixed",
        "fitted_to": ", ".join(dict.fromkeys(t["fitted_to"] for t in tasks if t["fitted_to"])),
        "source": "the scores of all tasks",
        "revision": None,
        "sha256": {},
        "tolerated": {},
        "chosen_of": next((x["chosen_of"] for x in summary["scores"] if x["chosen_of"]), None),
    }
    return _task(
        average.verdicts.assign(t2=average.verdicts["q"] * square),
        average.ranks,
        scores,
        summary,
        coverage=min(task["coverage"] for task in tasks),
        family=(result, int(average.verdicts["family_size"].max())),
        most=most,
        readings=[{**each, "task": scores["task"]} for each in average.readings],
    )


def _task(
    every: pd.DataFrame,
    ranks: pd.DataFrame,
    scores: Mapping[str, Any],
    summary: Mapping[str, Any],
    *,
    coverage: float,
    family: tuple[str, int],
    most: int,
    readings: Sequence[Mapping[str, Any]],
    landscape: Mapping[str, Any] | None = None,
) -> PageData:
    alpha, measure = summary["alpha"], Measure(**summary["measure"])
    last = np.sort(every["rank_b"].to_numpy())[: most + 1].max() - (len(every) > most)
    rows = every[every["rank_b"] <= last]
    columns = {
        short: _squeezed(_cells(rows[name], digits))
        for short, name, digits in (*_SHARED, *_BY_KIND[scores["kind"]])
        if name in rows and rows[name].notna().any()
    }
    gap, delta = (rows[name].to_numpy(float) for name in ("gap", "delta"))
    if np.allclose(gap, delta, rtol=1e-9, atol=1e-12, equal_nan=True):
        columns.pop("gap", None)
    result, family_pairs = family
    return {
        **{name: scores[name] for name in ("task", "kind", "items")},
        "n_models": len(ranks),
        "result": result,
        "family_pairs": family_pairs,
        "tests": sorted(set(rows["test"])),
        "coverage": coverage,
        **{name: scores[name] for name in ("provenance", "fitted_to", "source", "revision")},
        "sha256": files_digest(scores["sha256"]) if scores["sha256"] else "",
        "files": len(scores["sha256"]),
        "tolerated": scores["tolerated"],
        "finding": have_need(every, scores["task"], scores["items"]).finding,
        "first": first_sentence(ranks, every, alpha),
        "rank_notes": rank_notes(ranks, rows),
        "further": further_sentence(ranks, alpha, measure, chosen=scores["chosen_of"] is not None),
        "readings": readings_sentence(
            readings, scores["task"], summary["cluster"], summary["clusters"]
        ),
        "models": _models(ranks[ranks["rank"] <= last]),
        "pairs": {**columns, "verdict": _squeezed(_codes(rows))},
        "landscape": landscape,
    }


def _models(ranks: pd.DataFrame) -> list[dict[str, Any]]:
    columns: dict[str, list[Any]] = {
        "name": ranks["model"].tolist(),
        "score": _cells(ranks["score"], 6),
        "score_low": _cells(ranks["score_low"], 4),
        "score_high": _cells(ranks["score_high"], 4),
        "low": _cells(ranks["rank_low"], 0),
        "high": _cells(ranks["rank_high"], 0),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _codes(rows: pd.DataFrame) -> list[Cell]:
    """Return verdicts by their codes in `CODED`."""
    different = np.where(rows["direction"] < 0, 2, 1)
    equivalent = np.where(rows["verdict"] == EQUIVALENT, 3, 0)
    return [*np.where(rows["verdict"] == DIFFERENT, different, equivalent).tolist()]


def _cells(values: pd.Series, digits: int) -> list[Cell]:
    return [
        None if not math.isfinite(value) else _rounded(value, digits) if digits else int(value)
        for value in values.astype("Float64").astype(float).tolist()
    ]


def _squeezed(cells: list[Cell]) -> Column:
    return cells[0] if len(set(cells)) == 1 else cells


def _rounded(value: float, digits: int) -> float:
    return float(_rounding(digits).create_decimal(repr(float(value))))


@cache
def _rounding(digits: int) -> Context:
    # So that rounding again to what is shown gives what rounding once does.
    return Context(prec=digits, rounding=ROUND_05UP)
