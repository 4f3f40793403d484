"""Evaluation of the paper's quantities on printed numbers, boards and witnesses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kotawala2026.labels import dropped_subjects

# Imported so that their functions are registered.
from kotawala2026.quantities import (  # noqa: F401
    anytime,
    calibration,
    close_pairs,
    closed_forms,
    cluster_definitions,
    clusters,
    displayed_scores,
    gap_buckets,
    multiplicity,
    notation,
    pairs,
    prospective,
    raw_sample,
    rows_of_counts,
    shortcut,
    true_ranges,
    unpaired,
)
from kotawala2026.quantities.grounds import (
    QUANTITIES,
    ClusteredItems,
    DisplayedScores,
    PublishedNumbers,
    ResolvedBoard,
    load_published,
)
from llm_power._scores.store import TaskScores
from llm_power_audit.printed_tables import load_table
from replication.findings import Finding, Ground

# Numbers of prose on boards: the module that finds them, and the boards that the prose is about.
PROSE_OF_BOARDS: Final = {
    "rho_sensitivity": ("pairs", ("oll_v1", "mmlu_pro")),
    "shortcut_ratios": ("shortcut", ("oll_v1", "mmlu_pro", "frontier")),
    "miller_gain": ("unpaired", ("oll_v1",)),
    "multiplicity_of_buckets": ("multiplicity", ("oll_v1",)),
    "cluster_definitions": ("cluster_definitions", ("mmlu_pro",)),
}


def on_grounds(*grounds: Ground) -> list[Finding]:
    """Evaluate all quantities on these grounds."""
    return QUANTITIES.evaluate(*grounds)


def on_printed_numbers(published: PublishedNumbers, topics: Collection[str] = ()) -> list[Finding]:
    """Evaluate on printed numbers and displayed scores; if modules are named, only theirs."""
    named = notation.identified(published)
    return QUANTITIES.evaluate(named, DisplayedScores(named), topics=topics)


def evaluate_printed(folder: Path, topics: Collection[str] = ()) -> list[Finding]:
    """Evaluate on what the paper prints, read from the folder of its data."""
    return on_printed_numbers(load_published(folder), topics)


def on_scores(
    panel: str,
    tasks: Sequence[TaskScores],
    *,
    settings: Mapping[str, Any],
    table_8: Path,
    seed: int,
) -> list[Finding]:
    """Evaluate on item-level scores of a panel, columns in rank order."""
    if panel != "mmlu_pro":
        return QUANTITIES.evaluate(ResolvedBoard.of(panel, tasks, seed=seed))
    inflation = settings["mmlu_pro_anytime_inflation"]
    board = ResolvedBoard.of(panel, tasks, seed=seed, anytime_inflation=inflation)
    rows = {row: dropped_subjects(row) for row in load_table(table_8)["dropped"]}
    drops = {row: subjects for row, subjects in rows.items() if subjects}
    return QUANTITIES.evaluate(board, ClusteredItems(board.basis, tasks[0], drops, seed))
