"""Functions of the paper's Appendix J whose names `llm_power._statistics` does not have."""

from __future__ import annotations

from llm_power._errors import InvalidArgument
from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power._statistics.inversion import required_n
from llm_power._statistics.paired_binary import (
    required_n_discordance,
    required_n_paired_binary,
    shortcut_required_n,
    unpaired_required_n_per_arm,
)


def parametric_required_n_proportions(
    p1: ArrayLike,
    p2: ArrayLike,
    paired: bool = False,
    rho: ArrayLike | None = None,
    *,
    alpha: ArrayLike = 0.05,
    power: float = 0.80,
) -> FloatArray:
    """Shortcut n_h in Cohen's convention, eq. (9): about half of what a paired test needs.

    Parameters
    ----------
    p1, p2 : array_like
        Accuracies in [0, 1].
    paired : bool
        Whether to multiply the per-arm value by 1 - `rho`.
    rho : array_like, optional
        Correlation of the paired scores; needed if, and only if, `paired`.
    alpha, power
        Two-sided level and target power.

    Returns
    -------
    ndarray
        Broadcast shape; items, not rounded.

    Raises
    ------
    InvalidArgument
        If `rho` is missing for a paired design, or given for an unpaired one.

    Notes
    -----
    Kept because the paper lists it. For a paired design use
    `parametric_required_n_paired_binary`: see Lemma 1 and
    :func:`llm_power._statistics.paired_binary.shortcut_required_n`.

    Examples
    --------
    >>> from llm_power import parametric_required_n_proportions
    >>> n = parametric_required_n_proportions(0.65, 0.60, paired=True, rho=0.30)
    >>> round(float(n), 1)
    514.5
    """
    if paired != (rho is not None):
        raise InvalidArgument(
            f"rho must be given if and only if paired is true, got paired={paired!r}, rho={rho!r}"
        )
    if rho is None:
        return unpaired_required_n_per_arm(p1, p2, alpha=alpha, power=power)
    return shortcut_required_n(p1, p2, rho, alpha=alpha, power=power)


def parametric_required_n_paired_binary(
    p1: ArrayLike,
    p2: ArrayLike,
    rho: ArrayLike,
    *,
    alpha: ArrayLike = 0.05,
    power: float = 0.80,
) -> FloatArray:
    """N* of eq. (6) from two accuracies and their correlation.

    Parameters
    ----------
    p1, p2 : array_like
        Accuracies in [0, 1].
    rho : array_like
        Correlation of the paired scores.
    alpha, power
        Two-sided level and target power.

    Returns
    -------
    ndarray
        Broadcast shape; items, not rounded; ``inf`` where the accuracies are equal.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain, or the accuracies do not admit `rho`.

    Examples
    --------
    >>> from llm_power import parametric_required_n_paired_binary
    >>> round(float(parametric_required_n_paired_binary(0.65, 0.60, 0.30)), 1)
    1027.6
    """
    return required_n_paired_binary(p1, p2, rho, alpha=alpha, power=power)


def required_n_mcnemar(
    n_ab: ArrayLike,
    n_ba: ArrayLike,
    n_observed: ArrayLike,
    *,
    alpha: ArrayLike = 0.05,
    power: float = 0.80,
) -> FloatArray:
    """N* in the discordance form, from the two discordant counts among `n_observed` items.

    Parameters
    ----------
    n_ab, n_ba : array_like of int
        Items that only the first, and only the second, model solves.
    n_observed : array_like of int
        Items that both models were scored on.
    alpha, power
        Two-sided level and target power.

    Returns
    -------
    ndarray
        Broadcast shape; items, not rounded; ``inf`` where the discordant counts are equal.

    Raises
    ------
    InvalidArgument
        If a count is not whole, negative, or the discordant ones exceed `n_observed`.

    Examples
    --------
    >>> from llm_power import required_n_mcnemar
    >>> round(float(required_n_mcnemar(295, 249, 10042)), 1)
    20255.5
    """
    return required_n_discordance(n_ab, n_ba, n_observed, alpha=alpha, power=power)


def parametric_required_n_paired(
    mean_diff: ArrayLike, sd_diff: ArrayLike, *, alpha: ArrayLike = 0.05, power: float = 0.80
) -> FloatArray:
    """N* of eq. (3) for graded scores, from mean and standard deviation of the difference.

    Parameters
    ----------
    mean_diff : array_like
        Gap in mean score, in score units; the sign is ignored.
    sd_diff : array_like
        Standard deviation of the paired difference of one item, in score units.
    alpha, power
        Two-sided level and target power.

    Returns
    -------
    ndarray
        Broadcast shape; items, not rounded; ``inf`` where the gap is zero.

    Raises
    ------
    InvalidArgument
        If an argument is outside its domain.

    Examples
    --------
    >>> from llm_power import parametric_required_n_paired
    >>> round(float(parametric_required_n_paired(mean_diff=0.05, sd_diff=0.572)), 1)
    1027.2
    """
    return required_n(mean_diff, sd_diff, alpha=alpha, power=power)
