"""What the trials of a simulated evaluation came to: counts of outcomes, not items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from llm_power.errors import InvalidArgument
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Sample:
    """Scores of one model in each trial, by what a test of two samples needs.

    Attributes
    ----------
    n_items : ndarray
        Number of scores.
    mean, squares : ndarray
        Their mean, and the sum of squared deviations from it.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.outcomes import Sample
    >>> float(Sample(np.array([4]), np.array([0.5]), np.array([1.0])).mean[0])
    0.5
    """

    n_items: FloatArray | IntArray
    mean: FloatArray
    squares: FloatArray


@dataclass(frozen=True)
class PairedOutcomes:
    """How often each outcome of two models on one item occurred, trial by trial.

    Attributes
    ----------
    counts : ndarray, shape (n_trials, n_outcomes)
        Items with each outcome. One row of probabilities stands for a population.
    score_a, score_b : ndarray, shape (n_outcomes,) or (n_trials, n_outcomes)
        The two scores of each outcome.
    positive : ndarray of bool, shape (n_outcomes,), optional
        Whether the reference is the positive class, where F1 is asked for; scores are 0/1 then.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.outcomes import PairedOutcomes
    >>> scores = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> outcomes = PairedOutcomes(np.array([[3, 1, 4, 2]]), *scores)
    >>> outcomes.wins, outcomes.losses, outcomes.gap
    (array([4]), array([1]), array([0.3]))
    """

    counts: FloatArray | IntArray
    score_a: FloatArray
    score_b: FloatArray
    positive: BoolArray | None = None

    @cached_property
    def difference(self) -> FloatArray:
        """Score of A minus that of B, of each outcome.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.5]), np.array([0.0, 1])).difference
        array([ 1. , -0.5])
        """
        return self.score_a - self.score_b

    @cached_property
    def n_items(self) -> FloatArray | IntArray:
        """Number of items of each trial.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.5]), np.array([0.0, 1])).n_items
        array([4])
        """
        number: FloatArray | IntArray = self.counts.sum(axis=-1)
        return number

    @cached_property
    def wins(self) -> FloatArray | IntArray:
        """Items on which A scores more; the b of McNemar's test where scores are 0/1.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.5]), np.array([0.0, 1])).wins
        array([3])
        """
        return self._where(self.difference > 0)

    @cached_property
    def losses(self) -> FloatArray | IntArray:
        """Items on which B scores more; the c of McNemar's test where scores are 0/1.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.5]), np.array([0.0, 1])).losses
        array([1])
        """
        return self._where(self.difference < 0)

    @property
    def gap(self) -> FloatArray:
        """Mean score of A less that of B.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.5]), np.array([0.0, 1])).gap
        array([0.625])
        """
        return np.asarray(self.total(self.difference) / self.n_items)

    @property
    def steps(self) -> bool:
        """Whether every difference is 1, 0 or -1, so that wins and losses say all of it.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.5]), np.array([0.0, 1])).steps
        False
        """
        return bool(np.isin(self.difference, (-1.0, 0.0, 1.0)).all())

    def total(self, values: FloatArray | IntArray) -> FloatArray | IntArray:
        """Sum of something over the items of each trial.

        Parameters
        ----------
        values : ndarray, shape (n_outcomes,) or (n_trials, n_outcomes)
            What an item with each outcome adds.

        Returns
        -------
        ndarray, shape (n_trials,)
            The sums.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> outcomes = PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.5]), np.array([0.0, 1]))
        >>> outcomes.total(outcomes.score_a)
        array([3.5])
        """
        product: FloatArray | IntArray = (
            self.counts @ values if values.ndim == 1 else (self.counts * values).sum(axis=-1)
        )
        return product

    def _where(self, these: BoolArray) -> FloatArray | IntArray:
        """Number of items of each trial with some of the outcomes."""
        # Counts stay whole, and probabilities what they are.
        number: FloatArray | IntArray = (self.counts * these).sum(axis=-1)
        return number

    def deviations(self, values: FloatArray) -> Sample:
        """Mean of something over the items of each trial, and its squared deviations.

        Parameters
        ----------
        values : ndarray, shape (n_outcomes,) or (n_trials, n_outcomes)
            Its value for an item with each outcome.

        Returns
        -------
        Sample
            In two passes, so that a small variance beside a large mean keeps its digits.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> outcomes = PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.0]), np.array([0.0, 1]))
        >>> outcomes.deviations(outcomes.score_a).squares
        array([0.75])
        """
        mean = np.asarray(self.total(values) / self.n_items)
        squares = self.total(np.square(values - mean[:, np.newaxis]))
        return Sample(self.n_items, mean, np.asarray(squares, dtype=np.float64))

    @property
    def samples(self) -> tuple[Sample, Sample]:
        """The scores of A and of B, as if they were two samples.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> outcomes = PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.0]), np.array([0.0, 1]))
        >>> [float(sample.mean[0]) for sample in outcomes.samples]
        [0.75, 0.25]
        """
        return self.deviations(self.score_a), self.deviations(self.score_b)

    def item_differences(self) -> FloatArray:
        """Difference of each item of each trial.

        Returns
        -------
        ndarray, shape (n_trials, n_items)
            Items in the order of the outcomes.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import PairedOutcomes
        >>> outcomes = PairedOutcomes(np.array([[2, 1]]), np.array([1.0, 0.5]), np.array([0.0, 1]))
        >>> outcomes.item_differences()
        array([[ 1. ,  1. , -0.5]])
        """
        trials = self.counts.shape[0]
        values = np.broadcast_to(self.difference, self.counts.shape).ravel()
        return np.repeat(values, self.counts.astype(np.int64).ravel()).reshape(trials, -1)


@dataclass(frozen=True)
class IndependentOutcomes:
    """Solved items of two models, each on items of its own, trial by trial.

    Attributes
    ----------
    solved_a, solved_b : ndarray, shape (n_trials,)
        Items that each solved. Probabilities stand for a population, of one item.
    n_items : int
        Items of each model.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.outcomes import IndependentOutcomes
    >>> IndependentOutcomes(np.array([7]), np.array([6]), 10).gap.round(2)
    array([0.1])
    """

    solved_a: FloatArray | IntArray
    solved_b: FloatArray | IntArray
    n_items: int

    @property
    def gap(self) -> FloatArray:
        """Accuracy of A less that of B.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import IndependentOutcomes
        >>> IndependentOutcomes(np.array([7]), np.array([2]), 10).gap
        array([0.5])
        """
        return np.asarray((self.solved_a - self.solved_b) / self.n_items)

    @property
    def samples(self) -> tuple[Sample, Sample]:
        """The scores of A and of B.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.outcomes import IndependentOutcomes
        >>> [float(sample.mean[0]) for sample in
        ...  IndependentOutcomes(np.array([7]), np.array([2]), 10).samples]
        [0.7, 0.2]
        """
        return self._sample(self.solved_a), self._sample(self.solved_b)

    def _sample(self, solved: FloatArray | IntArray) -> Sample:
        mean = np.asarray(solved / self.n_items)
        return Sample(np.full(mean.shape, self.n_items), mean, np.asarray(solved * (1 - mean)))


Outcomes = PairedOutcomes | IndependentOutcomes


def paired(outcomes: Outcomes, what: str) -> PairedOutcomes:
    """Return outcomes if they are of pairs.

    Parameters
    ----------
    outcomes : Outcomes
        Of any kind.
    what : str
        What wants pairs, for the message.

    Returns
    -------
    PairedOutcomes
        The same.

    Raises
    ------
    InvalidArgument
        If the two models have items of their own.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.outcomes import PairedOutcomes, paired
    >>> outcomes = PairedOutcomes(np.array([[3, 1]]), np.array([1.0, 0.0]), np.array([0.0, 1]))
    >>> paired(outcomes, "the sign test") is outcomes
    True
    """
    if not isinstance(outcomes, PairedOutcomes):
        raise InvalidArgument(
            f"{what} needs both models on the same items; use unpaired_z or two_sample_t"
        )
    return outcomes
