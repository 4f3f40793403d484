"""Summaries of a board's verdict table: by procedure, by size of gap, by task."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from llm_power import __version__
from llm_power._board.clusters import sample_column, sampled_clusters
from llm_power._board.landscape import count_verdicts, describe_landscape
from llm_power._board.measure import GAP_BINS, confidence, measure_of
from llm_power._board.repeats import describe_repeats
from llm_power._choices import Control, MissingPolicy
from llm_power._errors import counted, first_names
from llm_power._statistics.verdict import DIFFERENT

if TYPE_CHECKING:
    from llm_power._board.resolve import BoardVerdicts
    from llm_power._scores.store import TaskScores

# Share of one cluster up to which CR2's level is at most .09 for .05: docs/verdicts.md.
_DOMINANT: Final = 0.9
_PROCEDURES: Final = {
    "Fixed n": "resolved",
    "Bonferroni": "resolved_bonferroni",
    "Šidák": "resolved_sidak",
    "Holm": "resolved_holm",
    "Benjamini-Hochberg": "resolved_bh",
    "Anytime-valid": "resolved_anytime",
    "Clustered": "resolved_cluster",
}


def unresolved_by_procedure(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Count the unresolved pairs of each task under each procedure, as Table 5 does.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    DataFrame
        One row a task and procedure: ``n_pairs`` it applies to and ``n_unresolved``. A
        procedure that does not apply to a task has no pairs there.

    Examples
    --------
    >>> from llm_power import example_task, resolve_board, unresolved_by_procedure
    >>> board = resolve_board([example_task()])
    >>> unresolved_by_procedure(board.verdicts).head(3)
       task   procedure  n_pairs  n_unresolved
    0  exam     Fixed n        3             1
    1  exam  Bonferroni        3             1
    2  exam       Šidák        3             1
    """
    rows = []
    for task, group in verdicts.groupby("task", sort=False):
        for procedure, name in _PROCEDURES.items():
            known = group[name].dropna().astype(bool)
            rows.append(
                {
                    "task": task,
                    "procedure": procedure,
                    "n_pairs": len(known),
                    "n_unresolved": int((~known).sum()),
                }
            )
    return pd.DataFrame(rows)


def unresolved_by_gap(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Bin the pairs of each task by the size of their gap, as Table 3 does.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table.

    Returns
    -------
    DataFrame
        One row a task and bin: its upper end (``inf`` for the last), pairs, unresolved pairs,
        and the median and largest r = N*/N.

    Examples
    --------
    >>> from llm_power import example_task, resolve_board, unresolved_by_gap
    >>> unresolved_by_gap(resolve_board([example_task()]).verdicts).iloc[:, :4]
       task  gap_up_to  n_pairs  n_unresolved
    0  exam       0.01        0             0
    1  exam       0.02        0             0
    2  exam       0.05        1             1
    3  exam       0.15        1             0
    4  exam        inf        1             0
    """
    edges = [0.0, *GAP_BINS, np.inf]
    columns = pd.DataFrame(
        {
            "task": pd.Categorical(verdicts["task"], categories=verdicts["task"].unique()),
            "bin": pd.cut(verdicts["delta"].abs(), edges, include_lowest=True, labels=edges[1:]),
            "r": verdicts["n_star"] / verdicts["n_items"],
            "unresolved": ~verdicts["resolved"].astype(bool),
        }
    )
    grouped = columns.groupby(["task", "bin"], observed=False)
    table = grouped.agg(
        n_pairs=("r", "size"),
        n_unresolved=("unresolved", "sum"),
        r_median=("r", "median"),
        r_worst=("r", "max"),
    )
    return (
        table.reset_index()
        .rename(columns={"bin": "gap_up_to"})
        .astype({"task": str, "gap_up_to": float})
    )


def task_overview(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Items, models and coverage of each task.

    Parameters
    ----------
    verdicts : DataFrame
        The verdict table; the columns of its counts are enough.

    Returns
    -------
    DataFrame
        One row a task: models, pairs, items, and the smallest and median share of the items
        that both models of a pair were scored on.

    Examples
    --------
    >>> from llm_power import example_task, resolve_board, task_overview
    >>> task_overview(resolve_board([example_task()]).verdicts)
       task  n_models  n_pairs  n_items  coverage_min  coverage_median
    0  exam         4        3      400           1.0              1.0
    """
    coverage = verdicts["n_items"] / verdicts["n_task"]
    grouped = verdicts.assign(coverage=coverage).groupby("task", sort=False)
    table = grouped.agg(
        n_models=("rank_b", "max"),
        n_pairs=("task", "size"),
        n_items=("n_task", "first"),
        coverage_min=("coverage", "min"),
        coverage_median=("coverage", "median"),
    )
    return table.reset_index()


def describe_board(
    board: BoardVerdicts,
    tasks: Sequence[TaskScores],
    *,
    missing: MissingPolicy,
) -> dict[str, Any]:
    """Return what summary.json holds: settings, scores, ranks, counts and warnings."""
    return {
        "llm_power": __version__,
        "family": board.family,
        "alpha": board.point.alpha,
        "power": board.point.power,
        "missing": missing,
        "cluster": board.cluster,
        **asdict(board.declared),
        "measure": asdict(measure_of(tasks)),
        "warnings": [
            *missing_warnings(board),
            *(board.average.warnings() if board.average else []),
            *_tested_by_items(tasks, board.cluster),
            *_one_cluster_dominates(tasks, board),
            *(_clusters_left_out(tasks, board.cluster) if board.declared.weighted else []),
        ],
        "ranks": _records(board.ranks),
        "average": _describe_average(board),
        "repeats": [] if board.repeats is None else describe_repeats(board.repeats),
        "cluster_readings": list(board.readings),
        "landscape": [describe_landscape(each) for each in board.landscapes.values()],
        "scores": [_describe_scores(task) for task in tasks],
        "glance": [_glance(board, task) for task in tasks],
        "n_pairs": board.n_pairs,
        "verdicts": board.verdict_counts,
        **_summarized(board),
    }


def summary_json(summary: Mapping[str, Any]) -> str:
    """Return what `describe_board` returned as the text of summary.json."""
    return json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _glance(board: BoardVerdicts, task: TaskScores) -> dict[str, Any]:
    """Return how far a task tells its models apart, in a few numbers.

    The smallest gaps are those that the items find with the target power, least and largest over
    neighbors; items on which every score is the same decide nothing.
    """
    own = board.verdicts[board.verdicts["task"] == task.task]
    near = own[own["rank_b"] == own["rank_a"] + 1]
    gaps = near["smallest_gap"][np.isfinite(near["smallest_gap"])]
    leaders = board.ranks[(board.ranks["task"] == task.task) & board.ranks["first"]]
    low = np.where(task.scored, task.values, np.inf).min(axis=1)
    alike = low == np.where(task.scored, task.values, -np.inf).max(axis=1)
    return {
        "task": task.task,
        "models": task.n_models,
        "items": task.n_items,
        "neighbors": len(near),
        "told_apart": int((near["verdict"] == DIFFERENT).sum()),
        "smallest_gap": [float(gaps.min()), float(gaps.max())] if len(gaps) else None,
        "leader": next(iter(leaders["model"]), None),
        "items_alike": int(alike.sum()),
        "items_all_solve": int((alike & (low == 1)).sum()),
        "items_none_solve": int((alike & (low == 0)).sum()),
    }


def _summarized(board: BoardVerdicts) -> dict[str, Any]:
    """Return the counts of all pairs; procedures are of pairs that are held."""
    if board.streamed is not None:
        streamed, counts = board.streamed, board.streamed.tally.counts
        return {
            **{f"n_{name}": counts[name] for name in ("resolved", "unattainable", "crossed")},
            "tasks": streamed.tasks,
            "procedures": [],
            "kept": streamed.keep.words,
            "shown": streamed.shown.words,
        }
    verdicts = board.verdicts
    return {
        "n_resolved": int(verdicts["resolved"].sum()),
        "n_unattainable": int((~verdicts["attainable"].dropna().astype(bool)).sum()),
        "n_crossed": int(verdicts["crossed"].dropna().astype(bool).sum()),
        "tasks": task_overview(verdicts).to_dict(orient="records"),
        "procedures": unresolved_by_procedure(verdicts).to_dict(orient="records"),
        **({} if board.top is None else {"shown": board.shown_words}),
    }


def selection_sentence(kept: int, of: int) -> str:
    """Return the sentence that the ranks are of the best of more models."""
    return f"Ranks are among the best {kept:,} of {of:,} models, selected on the same items."


def discovery_sentence(control: Control, alpha: float) -> str:
    """Return what a false discovery rate means, empty where no error at all is allowed."""
    if control == "max-t":
        return ""
    by = "Yekutieli, for any dependence" if control == "fdr-by" else "Hochberg"
    return (
        f"False discovery rate {100 * alpha:g}%: on average at most {100 * alpha:g}% of the pairs "
        f"called different do not differ or differ in the other direction (Benjamini-{by}), and at "
        "most the same share of their intervals miss the gap (false coverage rate, FCR). Possible "
        f"ranks hold simultaneously, with {confidence(alpha)} confidence, and can separate "
        "fewer models than the verdicts."
    )


def missing_warnings(board: BoardVerdicts) -> list[str]:
    """Return a warning for each model whose missing items differ in difficulty.

    The level is that of the board over its number of models.
    """
    lines = []
    treated = "weight others of their clusters" if board.declared.weighted else "leave them out"
    suspect = board.ranks["p_missing"] * len(board.ranks) <= board.point.alpha
    for row in board.ranks[suspect].itertuples():
        own = board.verdicts[
            (board.verdicts["task"] == row.task)
            & ((board.verdicts["model_a"] == row.model) | (board.verdicts["model_b"] == row.model))
        ]
        if own.empty:
            continue
        open_sign = int(((own["gap_lowest"] <= 0) & (own["gap_highest"] >= 0)).sum())
        lacking = f"{row.n_missing:,} {'item' if row.n_missing == 1 else 'items'}"
        differ = "differs" if row.n_missing == 1 else "differ"
        lines.append(
            f"task {row.task}, model {row.model}: {lacking} without a score {differ} in difficulty "
            f"from the others (p = {row.p_missing:.1g}); its gaps {treated}, and their scores "
            f"could reverse the lead in {open_sign} of {counted(len(own), 'pair')}"
        )
    return lines


def _clusters_left_out(tasks: Sequence[TaskScores], cluster: str | None) -> list[str]:
    """Return a warning for each model without a score in some cluster, whose gaps lack it."""
    lines = []
    for task in tasks:
        if cluster is None or cluster not in task.clusters or task.scored.all():
            continue
        labels, codes = task.cluster_codes(cluster)
        answered = np.zeros((len(labels), len(task.models)), dtype=np.int64)
        np.add.at(answered, codes, task.scored)
        for place in np.flatnonzero((answered == 0).any(axis=0)):
            without = first_names([labels[k] for k in np.flatnonzero(answered[:, place] == 0)])
            lines.append(
                f"task {task.task}, model {task.models[place]}: no score in {cluster} {without}; "
                "its gaps leave these items out, for no other stands for them"
            )
    return lines


def _tested_by_items(tasks: Sequence[TaskScores], cluster: str | None) -> list[str]:
    """Return a warning that names the tasks without clusters, where a cluster column was named."""
    if cluster is None:
        return []
    return [
        f"task {task.task}: {has} {cluster}; tested by its items"
        for task in tasks
        if sampled_clusters(task, cluster) is None
        for has in ["one cluster in" if cluster in task.clusters else "no cluster column"]
    ]


def _one_cluster_dominates(tasks: Sequence[TaskScores], board: BoardVerdicts) -> list[str]:
    """Return a warning for each task of which one cluster has nearly all items."""
    cluster = sample_column(board.cluster, board.declared)
    if board.declared.cluster_test != "cr2":
        return []
    lines = []
    for task in tasks:
        labels = sampled_clusters(task, cluster)
        if labels is None:
            continue
        names, sizes = np.unique(labels[task.scored.all(axis=1)], return_counts=True)
        if sizes.max(initial=0) > _DOMINANT * sizes.sum():
            lines.append(
                f"task {task.task}: {cluster} {names[sizes.argmax()]} has {sizes.max():,} of "
                f"the {sizes.sum():,} items that all models have; equal models are called "
                "different more often than the level says (for 5%, in simulations, in up to a "
                "fifth where it has 98%, in nearly all where it has 99.9%). Remedy: --cluster-test "
                "wild, or --clusters fixed if no further clusters are meant"
            )
    return lines


def _describe_average(board: BoardVerdicts) -> dict[str, Any] | None:
    if board.average is None:
        return None
    return {
        "weights": dict(board.average.weights),
        "left_out": {model: list(tasks) for model, tasks in board.average.left_out.items()},
        "repeated": dict(board.average.repeated),
        "n_pairs": len(board.average.verdicts),
        "verdicts": count_verdicts(board.average.verdicts),
        "cluster_readings": list(board.average.readings),
        "ranks": _records(board.average.ranks),
    }


def _records(table: pd.DataFrame) -> list[dict[Any, Any]]:
    return table.astype(object).where(table.notna(), None).to_dict("records")


def _describe_scores(task: TaskScores) -> dict[str, Any]:
    return {
        "task": task.task,
        "kind": task.kind,
        "provenance": task.provenance.kind,
        "fitted_to": task.provenance.fitted_to,
        "source": task.provenance.source,
        "revision": task.provenance.revision,
        "retrieved": task.provenance.retrieved,
        "sha256": dict(task.provenance.files),
        "tolerated": {fault: dict(n) for fault, n in task.provenance.tolerated.items()},
        "chosen_of": task.provenance.chosen_of,
        "reading": dict(task.provenance.reading),
        "items": task.n_items,
        "scored_items": dict(zip(task.models, task.scored.sum(axis=0).tolist(), strict=True)),
    }
