"""How much better model A did than model B: 0 where they are alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from llm_power.errors import InvalidArgument
from llm_power.simulation.outcomes import Outcomes, PairedOutcomes, paired
from llm_power.statistics._typing import FloatArray, IntArray

#: Outcomes of trials to one number a trial; NaN where a trial has none.
Effect = Callable[[Outcomes], FloatArray]


def accuracy_gap(outcomes: Outcomes) -> FloatArray:
    """Mean score of A less that of B.

    Parameters
    ----------
    outcomes : Outcomes
        Trials, or a population.

    Returns
    -------
    ndarray, shape (n_trials,)
        In score units.

    Examples
    --------
    >>> from llm_power.simulation.effects import accuracy_gap
    >>> from llm_power.simulation.processes import PairedMultinomial
    >>> accuracy_gap(PairedMultinomial(0.5, 0.12, 0.08, 0.3).population()).round(3)
    array([0.04])
    """
    return outcomes.gap


def cohens_g(outcomes: Outcomes) -> FloatArray:
    r"""Cohen's g: A's share of the items on which the models differ, less one half.

    Parameters
    ----------
    outcomes : Outcomes
        Trials, or a population, of pairs.

    Returns
    -------
    ndarray, shape (n_trials,)
        :math:`b/(b+c) - 1/2`, which has a sign here; NaN where no item differs.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, chapter 5.

    Examples
    --------
    >>> from llm_power.simulation.effects import cohens_g
    >>> from llm_power.simulation.processes import PairedMultinomial
    >>> cohens_g(PairedMultinomial(0.5, 0.12, 0.08, 0.3).population()).round(3)
    array([0.1])
    """
    pairs = paired(outcomes, "Cohen's g")
    return _ratio(pairs.wins, pairs.wins + pairs.losses) - 0.5


def win_rate(outcomes: Outcomes) -> FloatArray:
    """Win rate of A, ties counted one half, less one half.

    Parameters
    ----------
    outcomes : Outcomes
        Trials, or a population, of pairs.

    Returns
    -------
    ndarray, shape (n_trials,)
        Between -1/2 and 1/2.

    Examples
    --------
    >>> from llm_power.simulation.effects import win_rate
    >>> from llm_power.simulation.processes import Preferences
    >>> win_rate(Preferences(0.6, tie_rate=0.2).population()).round(3)
    array([0.1])
    """
    pairs = paired(outcomes, "a win rate")
    return np.asarray((pairs.wins - pairs.losses) / (2 * pairs.n_items))


def f1_gap(outcomes: Outcomes) -> FloatArray:
    """F1 of A less that of B.

    Parameters
    ----------
    outcomes : Outcomes
        Trials, or a population, of pairs whose references are known.

    Returns
    -------
    ndarray, shape (n_trials,)
        An F1 of 0/0 counts as 0.

    Raises
    ------
    InvalidArgument
        If the outcomes do not tell positive references from others.

    Examples
    --------
    >>> from llm_power.simulation.effects import f1_gap
    >>> from llm_power.simulation.scores_as_population import ResampledPredictions
    >>> answers = ResampledPredictions([1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0], positive=1)
    >>> f1_gap(answers.population())
    array([0.5])
    """
    pairs = paired(outcomes, "F1")
    positive = references(pairs)
    return _f1(pairs, pairs.score_a, positive) - _f1(pairs, pairs.score_b, positive)


def references(pairs: PairedOutcomes) -> IntArray:
    """Return 1 for outcomes whose reference is positive, and 0 for others.

    Parameters
    ----------
    pairs : PairedOutcomes
        Of predictions.

    Returns
    -------
    ndarray, shape (n_outcomes,)
        Ones and zeros.

    Raises
    ------
    InvalidArgument
        If the outcomes do not say.

    Examples
    --------
    >>> from llm_power.simulation.effects import references
    >>> from llm_power.simulation.scores_as_population import ResampledPredictions
    >>> references(ResampledPredictions([1, 0], [0, 1], [1, 0], positive=1).population())
    array([0, 1])
    """
    if pairs.positive is None:
        raise InvalidArgument(
            "F1 needs the class of each reference; use resampled_predictions with positive"
        )
    return pairs.positive.astype(np.int64)


def _f1(pairs: PairedOutcomes, score: FloatArray, positive: IntArray) -> FloatArray:
    # A right answer to a positive item and a wrong one to a negative item both say positive.
    said = np.where(positive == 1, score, 1 - score)
    found = pairs.total(score * positive)
    asked = pairs.total(said) + pairs.total(positive)
    return np.nan_to_num(_ratio(2 * found, asked))


def _ratio(top: FloatArray | IntArray, bottom: FloatArray | IntArray) -> FloatArray:
    ratio = np.full(np.shape(bottom), np.nan)
    np.divide(top, bottom, out=ratio, where=bottom > 0)
    return ratio
