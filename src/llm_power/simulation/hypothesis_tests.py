r"""Whether a two-sided test rejects at a level, for every trial at once.

A test of paired scores whose differences are 1, 0 or -1 needs the wins and losses alone: flips of
the signs of the differences are then the exact form of McNemar's test, and Tango's score test of a
zero gap is its asymptotic form (Tango 1998).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, stdtr

from llm_power.errors import InvalidArgument
from llm_power.simulation.effects import f1_gap, references
from llm_power.simulation.outcomes import Outcomes, PairedOutcomes, Sample, paired
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray
from llm_power.statistics.bootstrap_law import percentile_bootstrap_rejects
from llm_power.statistics.graded_difference import t_test_p_value
from llm_power.statistics.mcnemar import (
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power.statistics.paired_bootstrap import shared_bootstrap_rejects

#: Outcomes of trials, the level, and random numbers for tests that resample, to decisions.
Test = Callable[[Outcomes, float, np.random.Generator], BoolArray]

# Resamples and flips of signs, which the trials share.
_RESAMPLES = 1_999
# Numbers held at once by a work array; results do not depend on it.
_BLOCK = 2**22
# Sums within this share of the largest one are a tie, in whatever order they were added.
_TIE = 1e-9


def asymptotic(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """McNemar's test against the chi-squared law, which is the score test of a zero gap.

    Parameters
    ----------
    outcomes : Outcomes
        Trials of pairs whose differences are 1, 0 or -1.
    alpha : float
        Two-sided level.
    rng : numpy.random.Generator
        For tests that resample.

    Returns
    -------
    ndarray of bool, shape (n_trials,)
        Where it rejects: never where no item differs.

    Raises
    ------
    InvalidArgument
        If the outcomes are of another kind.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import asymptotic
    >>> from llm_power.simulation.processes import PairedMultinomial
    >>> rng = np.random.default_rng(1)
    >>> trials = PairedMultinomial(0.5, 0.3, 0.0, 0.2).draw(100, 4, rng)
    >>> asymptotic(trials, 0.05, rng)
    array([ True,  True,  True,  True])
    """
    return mcnemar_asymptotic(*_discordant(outcomes)) <= alpha


def continuity_corrected(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """McNemar's test with Edwards's continuity correction; arguments as of `asymptotic`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import continuity_corrected
    >>> from llm_power.simulation.processes import PairedMultinomial
    >>> rng = np.random.default_rng(1)
    >>> trials = PairedMultinomial(0.5, 0.3, 0.0, 0.2).draw(100, 4, rng)
    >>> continuity_corrected(trials, 0.05, rng).all()
    np.True_
    """
    return mcnemar_continuity_corrected(*_discordant(outcomes)) <= alpha


def exact(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """McNemar's exact test; arguments as of `asymptotic`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import exact
    >>> from llm_power.simulation.processes import PairedMultinomial
    >>> rng = np.random.default_rng(1)
    >>> exact(PairedMultinomial(0.5, 0.3, 0.0, 0.2).draw(5, 4, rng), 0.05, rng)
    array([False, False, False, False])
    """
    return mcnemar_exact(*_discordant(outcomes)) <= alpha


def mid_p(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """McNemar's mid-p test; arguments as of `asymptotic`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import mid_p
    >>> from llm_power.simulation.processes import PairedMultinomial
    >>> rng = np.random.default_rng(1)
    >>> mid_p(PairedMultinomial(0.5, 0.3, 0.0, 0.2).draw(100, 4, rng), 0.05, rng).all()
    np.True_
    """
    return mcnemar_mid_p(*_discordant(outcomes)) <= alpha


def sign(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Exact sign test, a binomial test of wins among the items that are no tie.

    Parameters, returns and errors as of `asymptotic`, for pairs of any scores. Its null
    hypothesis is that wins and losses are as likely, which for graded scores is not a zero gap.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import sign
    >>> from llm_power.simulation.processes import GradedBeta
    >>> rng = np.random.default_rng(1)
    >>> sign(GradedBeta(0.2, 0.6).draw(200, 4, rng), 0.05, rng)
    array([ True,  True,  True,  True])
    """
    pairs = paired(outcomes, "the sign test")
    return mcnemar_exact(pairs.wins, pairs.losses) <= alpha


def paired_t(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Paired t test of the mean difference; arguments as of `sign`.

    Where all differences are equal it decides as the exact sign test does (`t_test_p_value`).

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import paired_t
    >>> from llm_power.simulation.processes import GradedBeta
    >>> rng = np.random.default_rng(1)
    >>> paired_t(GradedBeta(0.2, 0.6).draw(200, 4, rng), 0.05, rng)
    array([ True,  True,  True,  True])
    """
    pairs = paired(outcomes, "the paired t test")
    values = np.broadcast_to(pairs.difference, pairs.counts.shape)
    there = pairs.counts > 0
    # Differences less one that is there: equal ones are then 0 to the bit.
    first = np.take_along_axis(values, np.argmax(there, axis=1)[:, np.newaxis], axis=1)
    moved = pairs.deviations(np.where(there, values - first, 0.0))
    return t_test_p_value(first[:, 0] + moved.mean, moved.squares, moved.n_items) <= alpha


def paired_bootstrap(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Percentile bootstrap of the mean difference (Definition 2); arguments as of `sign`.

    Where differences are 1, 0 or -1 it is the decision of infinitely many resamples; else trials
    share 1,999 resamples of the items.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import paired_bootstrap
    >>> from llm_power.simulation.processes import Preferences
    >>> rng = np.random.default_rng(1)
    >>> paired_bootstrap(Preferences(0.8, tie_rate=0.1).draw(100, 4, rng), 0.05, rng)
    array([ True,  True,  True,  True])
    """
    pairs = paired(outcomes, "the paired bootstrap")
    if pairs.steps:
        return percentile_bootstrap_rejects(pairs.wins, pairs.losses, pairs.n_items, alpha=alpha)
    return shared_bootstrap_rejects(
        pairs.item_differences().T, resamples=_RESAMPLES, alpha=alpha, rng=rng
    )


def permutation(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Permutation test of the mean difference by flips of its signs; arguments as of `sign`.

    Where differences are 1, 0 or -1 all flips are summed; else trials share 1,999 flips, and the
    observed signs are one more.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import permutation
    >>> from llm_power.simulation.processes import GradedBeta
    >>> rng = np.random.default_rng(1)
    >>> permutation(GradedBeta(0.2, 0.6).draw(50, 4, rng), 0.05, rng)
    array([ True,  True,  True,  True])
    """
    pairs = paired(outcomes, "the permutation test")
    if pairs.steps:
        return mcnemar_exact(pairs.wins, pairs.losses) <= alpha
    differences = pairs.item_differences()
    n_trials, n_items = differences.shape
    scale = np.abs(differences).sum(axis=1)
    observed = np.abs(differences.sum(axis=1)) - _TIE * scale
    as_large = np.ones(n_trials, dtype=np.int64)
    rows = max(1, _BLOCK // n_items)
    for start in range(0, _RESAMPLES, rows):
        flips = np.where(rng.random((min(rows, _RESAMPLES - start), n_items)) < 0.5, -1.0, 1.0)
        as_large += (np.abs(flips @ differences.T) >= observed).sum(axis=0)
    return as_large / (_RESAMPLES + 1) <= alpha


def f1_permutation(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Permutation test of the difference of F1, which swaps the two answers to an item.

    Parameters, returns and errors as of `asymptotic`, for outcomes of `ResampledPredictions` with
    a positive label. Of the items of one class that one model alone answers right, the first
    model's are binomial under the null hypothesis: 1,999 draws of them, with the trial itself.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import f1_permutation
    >>> from llm_power.simulation.scores_as_population import ResampledPredictions
    >>> rng = np.random.default_rng(1)
    >>> trials = ResampledPredictions([1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0], positive=1)
    >>> f1_permutation(trials.draw(100, 2, rng), 0.05, rng)
    array([ True,  True])
    """
    pairs = paired(outcomes, "the permutation test of F1")
    positive = references(pairs)
    observed = np.abs(f1_gap(pairs)) * (1 - _TIE)
    counts = []
    for label in (0, 1):
        of_class = positive == label
        for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
            here = of_class & (pairs.score_a == a) & (pairs.score_b == b)
            counts.append(pairs.total(here.astype(np.int64)))
    cells = np.stack(counts, axis=1)
    score_a, score_b = np.array([[0.0, 0, 1, 1] * 2, [0.0, 1, 0, 1] * 2])
    as_large = np.ones(cells.shape[0], dtype=np.int64)
    for of_trial in range(cells.shape[0]):
        swapped = np.tile(cells[of_trial], (_RESAMPLES, 1))
        for first in (1, 5):
            differ = int(cells[of_trial, first] + cells[of_trial, first + 1])
            swapped[:, first] = rng.binomial(differ, 0.5, size=_RESAMPLES)
            swapped[:, first + 1] = differ - swapped[:, first]
        drawn = PairedOutcomes(swapped, score_a, score_b, np.repeat([False, True], 4))
        as_large[of_trial] += int((np.abs(f1_gap(drawn)) >= observed[of_trial]).sum())
    return as_large / (_RESAMPLES + 1) <= alpha


def unpaired_z(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Pooled z test of two proportions, as if the models had items of their own.

    Parameters, returns and errors as of `asymptotic`, for 0/1 scores, paired or not. It never
    rejects where both models solve all items or none.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import unpaired_z
    >>> from llm_power.simulation.processes import IndependentBinomials
    >>> rng = np.random.default_rng(1)
    >>> unpaired_z(IndependentBinomials(0.9, 0.5).draw(100, 4, rng), 0.05, rng)
    array([ True,  True,  True,  True])
    """
    if (
        isinstance(outcomes, PairedOutcomes)
        and not np.isin([outcomes.score_a, outcomes.score_b], (0.0, 1.0)).all()
    ):
        raise InvalidArgument("unpaired_z is a test of 0/1 scores; use two_sample_t")
    a, b = outcomes.samples
    pooled = (a.n_items * a.mean + b.n_items * b.mean) / (a.n_items + b.n_items)
    error = np.sqrt(pooled * (1 - pooled) * (1 / a.n_items + 1 / b.n_items))
    z = _ratio(np.abs(a.mean - b.mean), error)
    return 2 * ndtr(-z) <= alpha


def two_sample_t(outcomes: Outcomes, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Welch's t test, as if the models had items of their own.

    Parameters, returns and errors as of `asymptotic`, for any scores. It never rejects where
    neither model's scores vary.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_power.simulation.hypothesis_tests import two_sample_t
    >>> from llm_power.simulation.processes import IndependentBinomials
    >>> rng = np.random.default_rng(1)
    >>> two_sample_t(IndependentBinomials(0.9, 0.5).draw(100, 4, rng), 0.05, rng)
    array([ True,  True,  True,  True])
    """
    a, b = outcomes.samples
    first, second = _squared_error(a), _squared_error(b)
    both = first + second
    freedom = _ratio(
        np.square(both),
        np.square(first) / np.maximum(a.n_items - 1, 1)
        + np.square(second) / np.maximum(b.n_items - 1, 1),
        otherwise=1.0,
    )
    t = _ratio(np.abs(a.mean - b.mean), np.sqrt(both))
    return 2 * stdtr(freedom, -t) <= alpha


def _discordant(outcomes: Outcomes) -> tuple[IntArray | FloatArray, IntArray | FloatArray]:
    pairs = paired(outcomes, "McNemar's test")
    if not pairs.steps:
        raise InvalidArgument(
            "McNemar's test needs differences of 1, 0 or -1; use paired_t, permutation or sign"
        )
    return pairs.wins, pairs.losses


def _squared_error(sample: Sample) -> FloatArray:
    return np.asarray(sample.squares / np.maximum(sample.n_items - 1, 1) / sample.n_items)


def _ratio(top: FloatArray, bottom: FloatArray, *, otherwise: float = 0.0) -> FloatArray:
    ratio = np.full(np.shape(bottom), otherwise)
    np.divide(top, bottom, out=ratio, where=bottom > 0)
    return ratio
