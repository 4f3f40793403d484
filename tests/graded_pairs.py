"""Verdicts on pairs of graded models from the differences of their scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from llm_power._board.counts import ScoreMoments
from llm_power._board.evidence import Evidence, PairTests
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._statistics.verdict import Verdicts


def graded_verdicts(differences: ArrayLike, *, alpha: float = 0.05, **declared: Any) -> Verdicts:
    """Judge models with these scores, (n_items, ...), beside one that scores 0 on every item."""
    d = np.asarray(differences, dtype=np.float64)
    scores = np.column_stack([np.zeros(len(d)), d])
    first = np.arange(1, scores.shape[1])
    evidence = Evidence(ScoreMoments(scores).moments(first, np.zeros_like(first)))
    return PairTests.of(evidence, Declared(**declared)).judged(OperatingPoint(alpha)).verdicts
