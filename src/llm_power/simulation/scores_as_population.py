"""Scores and predictions at hand in the place of the population: trials resample their items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from llm_power.errors import InvalidArgument, listed
from llm_power.simulation.outcomes import PairedOutcomes
from llm_power.simulation.processes import one_by_one
from llm_power.statistics._checks import finite
from llm_power.statistics._typing import ArrayLike, BoolArray, FloatArray

if TYPE_CHECKING:
    from llm_power.scores.store import TaskScores

# With more outcomes than these, items are drawn one by one.
_MOST_OUTCOMES = 256


@dataclass(frozen=True, eq=False, repr=False)
class ResampledPairs:
    """Scores of two models on the same items, which trials draw with replacement.

    Attributes
    ----------
    scores_a, scores_b : array_like, shape (n_items,)
        Scores in score units.

    Notes
    -----
    What is resampled has the gap that was observed, which is not the true one: power found in
    this way plans a replication of what was seen, and is no verdict (`ObservedPower`).

    Examples
    --------
    >>> from llm_power.simulation.scores_as_population import ResampledPairs
    >>> ResampledPairs([1, 1, 0, 1], [0, 1, 0, 0]).population().gap
    array([0.5])
    """

    scores_a: ArrayLike
    scores_b: ArrayLike

    def __post_init__(self) -> None:
        a, b = finite("scores_a", self.scores_a), finite("scores_b", self.scores_b)
        if a.ndim != 1 or a.shape != b.shape or a.size == 0:
            raise InvalidArgument(
                "scores_a and scores_b must be vectors over the same items, "
                f"got shapes {a.shape} and {b.shape}"
            )

    def __repr__(self) -> str:
        law = self._law
        held = [law.counts, law.score_a, law.score_b, law.positive]
        digest = sha256(b"".join(np.asarray(part).tobytes() for part in held if part is not None))
        return f"{type(self).__name__}({self.n_items} items, {digest.hexdigest()[:16]})"

    @classmethod
    def of_task(cls, task: TaskScores, model_a: str, model_b: str) -> ResampledPairs:
        """Take two models of a matrix of scores, on the items that both have a score for.

        Parameters
        ----------
        task : TaskScores
            The scores.
        model_a, model_b : str
            Two of its models.

        Returns
        -------
        ResampledPairs
            Their scores.

        Raises
        ------
        InvalidArgument
            If a model is not in the task, or no item has both scores.

        Examples
        --------
        >>> from llm_power.example import example_task
        >>> from llm_power.simulation.scores_as_population import ResampledPairs
        >>> ResampledPairs.of_task(example_task(), "heron", "wren").n_items
        400
        """
        for model in (model_a, model_b):
            if model not in task.models:
                raise InvalidArgument(f"model must be one of {listed(task.models)}, got {model!r}")
        both = task.values[:, [task.models.index(model) for model in (model_a, model_b)]]
        both = both[~np.isnan(both).any(axis=1)]
        return cls(both[:, 0], both[:, 1])

    @property
    def n_items(self) -> int:
        """Number of items at hand.

        Examples
        --------
        >>> from llm_power.simulation.scores_as_population import ResampledPairs
        >>> ResampledPairs([1, 1, 0, 1], [0, 1, 0, 0]).n_items
        4
        """
        return int(np.size(self.scores_a))

    @property
    def by_items(self) -> bool:
        """Whether there are so many outcomes that items are drawn one by one.

        Examples
        --------
        >>> from llm_power.simulation.scores_as_population import ResampledPairs
        >>> ResampledPairs([1, 1, 0, 1], [0, 1, 0, 0]).by_items
        False
        """
        return bool(self._law.counts.shape[1] > _MOST_OUTCOMES)

    def population(self) -> PairedOutcomes:
        """Return one row with the share of each outcome.

        Examples
        --------
        >>> from llm_power.simulation.scores_as_population import ResampledPairs
        >>> ResampledPairs([1, 1, 0, 1], [0, 1, 0, 0]).population().counts
        array([[0.25, 0.5 , 0.25]])
        """
        return self._law

    def draw(self, n_items: int, n_trials: int, rng: np.random.Generator) -> PairedOutcomes:
        """Draw items with replacement.

        Parameters
        ----------
        n_items, n_trials : int
            Items a trial, and trials.
        rng : numpy.random.Generator
            Stream of random numbers.

        Returns
        -------
        PairedOutcomes
            Trial by trial.

        Examples
        --------
        >>> import numpy as np
        >>> from llm_power.simulation.scores_as_population import ResampledPairs
        >>> pairs = ResampledPairs([1, 1, 0, 1], [0, 1, 0, 0])
        >>> pairs.draw(10, 2, np.random.default_rng(1)).n_items
        array([10, 10])
        """
        if not self.by_items:
            counts = rng.multinomial(n_items, self._law.counts[0], size=n_trials)
            return replace(self._law, counts=counts)
        rows = self._rows[rng.integers(0, self.n_items, size=(n_trials, n_items))]
        return one_by_one(rows[..., 0], rows[..., 1])

    @cached_property
    def _rows(self) -> FloatArray:
        """What is known of each item, shape (n_items, 2 or 3)."""
        return np.stack([finite("scores", self.scores_a), finite("scores", self.scores_b)], axis=1)

    @cached_property
    def _law(self) -> PairedOutcomes:
        rows, counts = np.unique(self._rows, axis=0, return_counts=True)
        positive = rows[:, 2] == 1 if rows.shape[1] == 3 else None
        return PairedOutcomes(counts[np.newaxis] / self.n_items, rows[:, 0], rows[:, 1], positive)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ResampledPredictions(ResampledPairs):
    """Predictions of two models and their references, which trials draw with replacement.

    Parameters
    ----------
    predictions_a, predictions_b, references : array_like, shape (n_items,)
        Labels of any kind; a prediction that is its reference scores 1.
    positive : object, optional
        The label that F1 is of; without it there is none.

    Examples
    --------
    >>> from llm_power.simulation.scores_as_population import ResampledPredictions
    >>> ResampledPredictions(["a", "b", "a"], ["b", "b", "b"], ["a", "b", "b"]).population().gap
    array([0.])
    """

    _positive: BoolArray | None

    def __init__(
        self,
        predictions_a: ArrayLike,
        predictions_b: ArrayLike,
        references: ArrayLike,
        *,
        positive: object = None,
    ) -> None:
        labels: list[NDArray[Any]] = [
            np.asarray(given) for given in (predictions_a, predictions_b, references)
        ]
        shapes = {given.shape for given in labels}
        if len(shapes) > 1 or labels[0].ndim != 1:
            raise InvalidArgument(
                "predictions and references must be vectors over the same items, got shapes "
                f"{', '.join(str(given.shape) for given in labels)}"
            )
        a, b, truth = labels
        is_positive = None if positive is None else truth == positive
        if is_positive is not None and np.unique(np.concatenate(labels)).size > 2:
            raise InvalidArgument("F1 is of two classes; give labels that are positive or not")
        object.__setattr__(self, "scores_a", (a == truth).astype(np.float64))
        object.__setattr__(self, "scores_b", (b == truth).astype(np.float64))
        object.__setattr__(self, "_positive", is_positive)
        super().__post_init__()

    @cached_property
    def _rows(self) -> FloatArray:
        scores = [np.asarray(self.scores_a), np.asarray(self.scores_b)]
        if self._positive is not None:
            scores.append(self._positive.astype(np.float64))
        return np.stack(scores, axis=1)
