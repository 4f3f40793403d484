"""Effects by name: how much better model A is than model B, and 0 where they are alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import FloatArray, IntArray, ratio
from llm_power.simulation._outcomes import Outcomes, PairedOutcomes, paired

#: Outcomes of trials to one number a trial; NaN where a trial has none.
Effect = Callable[[Outcomes], FloatArray]


def accuracy_gap(outcomes: Outcomes) -> FloatArray:
    """Mean score of A less that of B; sk-power's `cohens_g` and `risk_difference`."""
    return outcomes.gap


def cohens_g(outcomes: Outcomes) -> FloatArray:
    """Cohen's g with a sign, b/(b+c) - 1/2 (Cohen 1988, chapter 5); NaN where no item differs."""
    pairs = paired(outcomes, "Cohen's g")
    return ratio(pairs.wins, pairs.wins + pairs.losses, empty=np.nan) - 0.5


def win_rate(outcomes: Outcomes) -> FloatArray:
    """Win rate of A, ties counted one half, less one half."""
    pairs = paired(outcomes, "a win rate")
    return np.asarray((pairs.wins - pairs.losses) / (2 * pairs.n_items))


def f1_gap(outcomes: Outcomes) -> FloatArray:
    """F1 of A less that of B, where an F1 of 0/0 counts as 0."""
    pairs = paired(outcomes, "F1")
    positive = positive_references(pairs)
    return _f1(pairs, pairs.score_a, positive) - _f1(pairs, pairs.score_b, positive)


def positive_references(pairs: PairedOutcomes) -> IntArray:
    """Return 1 for outcomes whose reference is positive and 0 for others, refused if unknown."""
    if pairs.positive is None:
        raise InvalidArgument(
            "F1 needs the class of each reference; use resampled_predictions with positive"
        )
    return pairs.positive.astype(np.int64)


def _f1(pairs: PairedOutcomes, score: FloatArray, positive: IntArray) -> FloatArray:
    # A right answer to a positive item and a wrong one to a negative item both predict positive.
    predicted = np.where(positive == 1, score, 1 - score)
    true_positives = pairs.total(score * positive)
    both_sides = pairs.total(predicted) + pairs.total(positive)
    return ratio(2 * true_positives, both_sides, empty=0.0)


EFFECTS: Final[Mapping[str, Effect]] = {
    effect.__name__: effect for effect in (accuracy_gap, cohens_g, f1_gap, win_rate)
}
