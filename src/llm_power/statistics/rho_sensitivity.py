"""What becomes of a verdict when the correlation of the pair is misstated, Section 6.2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from llm_power.statistics._checks import finite, positive
from llm_power.statistics._typing import ArrayLike, BoolArray, FloatArray
from llm_power.statistics.paired_binary import admissible_rho, required_n_paired_binary


@dataclass(frozen=True, slots=True)
class RhoSensitivity:
    """Verdicts at the observed correlation and at both shifted ones.

    Attributes
    ----------
    lower, observed, upper : ndarray of bool, shape (n_pairs,)
        Whether the pair is unresolved at rho - `shift`, at rho and at rho + `shift`.
    clamped : ndarray of bool, shape (n_pairs,)
        Whether a shifted correlation was moved to the end of its admissible interval.
    shift, alpha, power : float
        The settings.

    Examples
    --------
    >>> from llm_power.statistics.rho_sensitivity import rho_sensitivity
    >>> found = rho_sensitivity(0.65, 0.60, 0.30, n_items=1000)
    >>> found.shift
    0.1
    """

    lower: BoolArray
    observed: BoolArray
    upper: BoolArray
    clamped: BoolArray
    shift: float
    alpha: float
    power: float

    @property
    def flips(self) -> BoolArray:
        """Whether either shift changes the verdict.

        Examples
        --------
        >>> from llm_power.statistics.rho_sensitivity import rho_sensitivity
        >>> rho_sensitivity(0.65, 0.60, 0.30, n_items=[1000, 5000]).flips
        array([ True, False])
        """
        return np.asarray((self.lower != self.observed) | (self.upper != self.observed))


def required_n_at_shifted_rho(
    p_a: ArrayLike,
    p_b: ArrayLike,
    rho: ArrayLike,
    shift: float,
    *,
    alpha: float = 0.05,
    power: float = 0.80,
) -> FloatArray:
    """Required items, eq. (6), at rho + `shift`, clamped to the interval of eqs. (7) and (8).

    Parameters
    ----------
    p_a, p_b, rho : array_like
        Accuracies, and correlation of the two 0/1 scores.
    shift : float
        How far the correlation is moved, with its sign.
    alpha, power : float
        Two-sided level and target power.

    Returns
    -------
    ndarray
        Broadcast shape; items, not rounded.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Examples
    --------
    >>> from llm_power.statistics.rho_sensitivity import required_n_at_shifted_rho
    >>> round(float(required_n_at_shifted_rho(0.65, 0.60, 0.30, shift=0.1)), 1)
    880.9
    """
    moved = np.clip(finite("rho", rho) + shift, *admissible_rho(p_a, p_b))
    return required_n_paired_binary(p_a, p_b, moved, alpha=alpha, power=power)


def rho_sensitivity(
    p_a: ArrayLike,
    p_b: ArrayLike,
    rho: ArrayLike,
    n_items: ArrayLike,
    *,
    shift: float = 0.10,
    alpha: float = 0.05,
    power: float = 0.80,
) -> RhoSensitivity:
    """Move the correlation of every pair down and up, and judge it again.

    Parameters
    ----------
    p_a, p_b, rho : array_like, shape (n_pairs,)
        Accuracies, and correlation of the two 0/1 scores.
    n_items : array_like
        Items at hand.
    shift : float, default 0.10
        How far the correlation is moved each way.
    alpha, power : float
        Two-sided level and target power.

    Returns
    -------
    RhoSensitivity
        Arrays of shape (n_pairs,).

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Examples
    --------
    >>> from llm_power.statistics.rho_sensitivity import rho_sensitivity
    >>> found = rho_sensitivity(0.65, 0.60, 0.30, n_items=1000)
    >>> [round(float(q), 3) for q in (found.lower, found.observed, found.upper)]
    [1.0, 1.0, 0.0]
    """
    n = positive("n_items", n_items)
    lower, observed, upper = (
        np.asarray(required_n_at_shifted_rho(p_a, p_b, rho, step, alpha=alpha, power=power) > n)
        for step in (-shift, 0.0, shift)
    )
    least, most = admissible_rho(p_a, p_b)
    r = finite("rho", rho)
    clamped = np.asarray((r - shift < least) | (r + shift > most))
    return RhoSensitivity(lower, observed, upper, clamped, shift, alpha, power)
