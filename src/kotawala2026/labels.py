"""Names as the paper abbreviates them, and pairs in its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import Final

import numpy as np
import pandas as pd

from llm_power._board.measure import GAP_BINS
from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import BoolArray, FloatArray
from llm_power_audit.printed_tables import PublishedCounts, PublishedError

_TASKS: Final[Mapping[str, str]] = {
    "arc": "ARC-C",
    "hellaswag": "HS",
    "winogrande": "Wino",
    "gsm8k": "GSM8K",
}
_MODELS: Final[Mapping[str, str]] = {
    "Mistral-7B-Instruct-v0.2": "Mistral-I",
    "Mistral-7B-I-v0.2": "Mistral-I",
    "gemma-7b": "gemma",
    "gemma-7b-it": "gemma-it",
    "Meta-Llama-3-8B": "Llama-3-8B",
    "Meta-Llama-3-8B-Instruct": "Llama-I",
    "Llama-3-8B-Instruct": "Llama-I",
    "Llama-4-Maverick-17B-128E-Instruct-FP8": "Llama-4-Maverick",
}

_ABBREVIATIONS: Final[Mapping[str, Sequence[str]]] = {
    "Open LLM Leaderboard v1": ["OLL v1"],
    "ARC-Challenge": ["ARC-C", "ARC"],
    "HellaSwag": ["HS"],
    "Winogrande": ["Wino", "Wi"],
    "gemma-7b": ["gemma", "gem"],
    "gemma-7b-it": ["gemma-it"],
    "Llama-3-8B": ["L-8B"],
    "Llama-3-8B-Instruct": ["Llama-I", "L-I"],
    "Mistral-7B-Instruct-v0.2": ["Mistral-I", "Mistral-7B-I-v0.2", "Mi"],
    "percentage points": ["pp"],
}
_SPELLED_OUT: Final = {short: name for name, every in _ABBREVIATIONS.items() for short in every}

#: Quantiles by the names that summaries give them.
FIVE_NUMBERS: Final = {"min": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "max": 1.0}
_ENDS: Final = [f"{100 * end:g}%" for end in GAP_BINS]
#: Table 3's buckets of absolute gaps: beyond the first end, up to the second.
BUCKETS: Final[Mapping[str, tuple[float, float]]] = dict(
    zip(
        (f"≤{_ENDS[0]}", *(f"{low}–{high}" for low, high in pairwise(_ENDS)), f">{_ENDS[-1]}"),
        pairwise((-inf, *GAP_BINS, inf)),
        strict=True,
    )
)
#: The gap up to which Table 6 prints every pair: they fill the first two buckets.
CLOSE_GAP: Final = GAP_BINS[1]
#: The rows of Table 3: its buckets, and all pairs.
BUCKETS_AND_ALL: Final = {**BUCKETS, "all": (-inf, inf)}


def bucket_mask(label: str, gap: FloatArray) -> BoolArray:
    """Return which absolute gaps are in the bucket of Table 3 with this label."""
    if label not in BUCKETS_AND_ALL:
        raise PublishedError(f"not a bucket of gaps: {label!r}")
    low, high = BUCKETS_AND_ALL[label]
    size = np.abs(gap)
    return np.asarray((size > low) & (size <= high))


def full_name(abbreviation: str) -> str:
    """Return what the paper abbreviates."""
    return _SPELLED_OUT[abbreviation]


def spelled_out(*abbreviations: str) -> str:
    """Return the sentence of a caption that spells out what the paper abbreviates."""
    return "; ".join(f"{short}: {full_name(short)}" for short in abbreviations) + "."


def task_label(task: str) -> str:
    """Return the paper's abbreviation of a task, or the task's own name."""
    return _TASKS.get(task, task)


def model_label(model: str) -> str:
    """Return the paper's abbreviation of a model, or its name without the organization."""
    name = model.rpartition("/")[2]
    return _MODELS.get(name, name)


def pair_label(model_a: str, model_b: str) -> str:
    """Return ``gemma / Llama-3-8B``."""
    return f"{model_label(model_a)} / {model_label(model_b)}"


def validated_labels(task: str, model_a: str, model_b: str) -> tuple[str, str]:
    """Return a pair's name in Table 10, which writes "gemma" for either gemma, in both orders."""
    a, b = (model_label(model).removesuffix("-it") for model in (model_a, model_b))
    name = task_label(task).split("-")[0]
    return f"{name}, {a} / {b}", f"{name}, {b} / {a}"


def dropped_subjects(row: str) -> tuple[str, ...]:
    """Return the subjects that a row of Table 8 drops, each by itself; none in its base row."""
    names, _, count = row.partition(" (")
    return tuple(names.split(", ")) if count.endswith("drops)") else ()


def rank_labels(rows: pd.DataFrame) -> list[str]:
    """Return ``4 vs 5`` of every row that has ``rank_a`` and ``rank_b``."""
    return [f"{a} vs {b}" for a, b in zip(rows["rank_a"], rows["rank_b"], strict=True)]


def pair_names(counts: PublishedCounts) -> list[str]:
    """Return a name of each pair: its label, with the models where labels repeat."""
    if len(set(counts.label)) == len(counts):
        return list(counts.label)
    return [
        ", ".join(names) for names in zip(counts.label, counts.model_a, counts.model_b, strict=True)
    ]


def in_printed_order(rows: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return a board's rows in the order of printed ranks, or task and models (`pair_names`)."""
    own = rank_labels(rows)
    if rows["task"].nunique() > 1:
        keys = zip(rows["task"], rows["model_a"], rows["model_b"], strict=True)
        own = [", ".join((task_label(task), a, b)) for task, a, b in keys]
    if any(own.count(name) != 1 for name in names):
        raise InvalidArgument(
            f"the board's pairs must be the printed ones, {'; '.join(names)}; got {'; '.join(own)}"
        )
    return rows.set_index(pd.Index(own)).loc[list(names)].reset_index(drop=True)
