"""Outcomes of the trials of a simulated evaluation: counts of outcomes, not items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Sample:
    """Number, mean and sum of squared deviations of one model's scores, a value a trial."""

    n_items: FloatArray | IntArray
    mean: FloatArray
    squares: FloatArray


@dataclass(frozen=True)
class PairedOutcomes:
    """How often each outcome of two models on one item occurred, trial by trial.

    One row of probabilities stands for a population.
    """

    counts: FloatArray | IntArray  # shape (n_trials, n_outcomes)
    score_a: FloatArray  # shape (n_outcomes,) or (n_trials, n_outcomes), and so score_b
    score_b: FloatArray
    # Shape (n_outcomes,): whether the reference is the positive class of F1; scores are 0/1 then.
    positive: BoolArray | None = None

    @cached_property
    def difference(self) -> FloatArray:
        """Score of A minus that of B, of each outcome."""
        return self.score_a - self.score_b

    @cached_property
    def n_items(self) -> FloatArray | IntArray:
        """Number of items of each trial."""
        number: FloatArray | IntArray = self.counts.sum(axis=-1)
        return number

    @cached_property
    def wins(self) -> FloatArray | IntArray:
        """Items on which A scores more; the b of McNemar's test where scores are 0/1."""
        return self._number_where(self.difference > 0)

    @cached_property
    def losses(self) -> FloatArray | IntArray:
        """Items on which B scores more; the c of McNemar's test where scores are 0/1."""
        return self._number_where(self.difference < 0)

    @property
    def gap(self) -> FloatArray:
        """Mean score of A less that of B."""
        return np.asarray(self.total(self.difference) / self.n_items)

    @property
    def binary(self) -> bool:
        """Whether every score is 0 or 1."""
        return bool(np.isin([self.score_a, self.score_b], (0.0, 1.0)).all())

    @property
    def steps(self) -> bool:
        """Whether every difference is 1, 0 or -1, so that wins and losses are sufficient."""
        return bool(np.isin(self.difference, (-1.0, 0.0, 1.0)).all())

    def total(self, values: FloatArray | IntArray) -> FloatArray | IntArray:
        """Sum over the items of each trial of `values`, with the shape of a score."""
        product: FloatArray | IntArray = (
            self.counts @ values if values.ndim == 1 else (self.counts * values).sum(axis=-1)
        )
        return product

    def _number_where(self, these: BoolArray) -> FloatArray | IntArray:
        """Number of items of each trial with some of the outcomes."""
        # Counts stay whole, and probabilities what they are.
        number: FloatArray | IntArray = (self.counts * these).sum(axis=-1)
        return number

    def deviations(self, values: FloatArray) -> Sample:
        """Mean and squared deviations over the items of each trial of `values`, as in `total`."""
        # Two passes: a small variance beside a large mean keeps its digits.
        mean = np.asarray(self.total(values) / self.n_items)
        squares = self.total(np.square(values - mean[:, np.newaxis]))
        return Sample(self.n_items, mean, np.asarray(squares, dtype=np.float64))

    @property
    def samples(self) -> tuple[Sample, Sample]:
        """The scores of A and of B, as if they were two samples."""
        return self.deviations(self.score_a), self.deviations(self.score_b)

    def item_differences(self) -> FloatArray:
        """Difference of each item, shape (n_trials, n_items), in the order of the outcomes."""
        trials = self.counts.shape[0]
        values = np.broadcast_to(self.difference, self.counts.shape).ravel()
        return np.repeat(values, self.counts.astype(np.int64).ravel()).reshape(trials, -1)


@dataclass(frozen=True)
class IndependentOutcomes:
    """Solved items of two models, each on `n_items` of its own, trial by trial.

    Probabilities, with one item, stand for a population.
    """

    solved_a: FloatArray | IntArray  # shape (n_trials,), and so solved_b
    solved_b: FloatArray | IntArray
    n_items: int

    @property
    def gap(self) -> FloatArray:
        """Accuracy of A less that of B."""
        return np.asarray((self.solved_a - self.solved_b) / self.n_items)

    @property
    def samples(self) -> tuple[Sample, Sample]:
        """The scores of A and of B."""
        return self._sample(self.solved_a), self._sample(self.solved_b)

    def _sample(self, solved: FloatArray | IntArray) -> Sample:
        mean = np.asarray(solved / self.n_items)
        return Sample(np.full(mean.shape, self.n_items), mean, np.asarray(solved * (1 - mean)))


Outcomes = PairedOutcomes | IndependentOutcomes


def paired(outcomes: Outcomes, purpose: str) -> PairedOutcomes:
    """Return the outcomes, refused if each model has items of its own."""
    if not isinstance(outcomes, PairedOutcomes):
        raise InvalidArgument(
            f"{purpose} needs both models on the same items; use unpaired_z or two_sample_t"
        )
    return outcomes
