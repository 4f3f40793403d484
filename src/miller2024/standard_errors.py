"""What the paper's tables say of their standard errors, from printed numbers alone."""

from __future__ import annotations

import numpy as np

from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import (
    broadcast,
    non_negative,
    numbers,
    positive,
    proportions,
)
from llm_power._statistics.arrays import ArrayLike, FloatArray, ratio


def bernoulli_error(score: ArrayLike, n_items: ArrayLike) -> FloatArray:
    r"""Standard error of a score from the score and the number of items alone, eq. (2).

    .. math:: SE = \sqrt{\bar s (1 - \bar s) / n}

    For scores of 0 and 1 only. Eq. (1) of such scores is this with :math:`n - 1` for
    :math:`n`, and no scores in [0, 1] have a larger one: a printed standard error above it is
    not one of :math:`n` independent items.
    """
    s, n = broadcast(score=proportions("score", score), n_items=positive("n_items", n_items))
    return np.asarray(np.sqrt(s * (1 - s) / n))


def error_of_difference(
    error_a: ArrayLike, error_b: ArrayLike, correlation: ArrayLike = 0.0
) -> FloatArray:
    r"""Standard error of a difference from those of two scores and their correlation.

    .. math:: SE_{A-B} = \sqrt{SE_A^2 + SE_B^2 - 2\,SE_A\,SE_B\,\mathrm{Corr}(s_A, s_B)}

    Section 4.2 has the Pearson correlation of the scores, whatever the standard errors. Of
    clustered standard errors it is that of the cluster sums: the scores' own gives another
    number.
    """
    a, b, r = broadcast(
        error_a=_errors("error_a", error_a),
        error_b=_errors("error_b", error_b),
        correlation=numbers("correlation", correlation),
    )
    if np.any(np.abs(r) > 1):
        raise InvalidArgument(
            f"correlation must lie in [-1, 1], got {float(r[np.abs(r) > 1][0])!r}"
        )
    return np.asarray(np.sqrt(np.square(a - b) + 2 * a * b * (1 - r)))


def most_items(
    score_a: ArrayLike, score_b: ArrayLike, correlation: ArrayLike, error_difference: ArrayLike
) -> FloatArray:
    """Most independent items on which scores in [0, 1] have a standard error of the difference.

    Of scores that vary less than 0 and 1 do, one may not vary at all.
    """
    a, b = (bernoulli_error(score, 1) for score in (score_a, score_b))
    widest = np.maximum(np.maximum(a, b), error_of_difference(a, b, correlation))
    return np.asarray(1 + np.square(widest / positive("error_difference", error_difference)))


def correlation_from_errors(
    error_a: ArrayLike, error_b: ArrayLike, error_difference: ArrayLike
) -> FloatArray:
    """Correlation that standard errors of two scores and of their difference imply.

    Broadcast shape; outside [-1, 1] where the three cannot belong together, and NaN where one of
    the scores has none.
    """
    a, b, d = broadcast(
        error_a=non_negative("error_a", error_a),
        error_b=non_negative("error_b", error_b),
        error_difference=non_negative("error_difference", error_difference),
    )
    return ratio(np.square(a) + np.square(b) - np.square(d), 2 * a * b)


def _errors(name: str, value: ArrayLike) -> FloatArray:
    x = numbers(name, value)
    non_negative(name, x[~np.isnan(x)])
    return x
