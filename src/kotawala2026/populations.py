"""Populations of the paper's simulations: by the correlation of scores, and by a required N."""

from __future__ import annotations

import numpy as np

from llm_power import InvalidArgument
from llm_power._statistics._numerics import find_roots
from llm_power._statistics.argument_checks import (
    broadcast,
    counts,
    finite,
    open_unit,
    strictly_between,
)
from llm_power._statistics.arrays import ArrayLike, FloatArray
from llm_power._statistics.copula_pairs import copula_cells
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.paired_binary import admissible_rho


def latent_correlation(p_a: ArrayLike, p_b: ArrayLike, rho: ArrayLike) -> FloatArray:
    r"""Latent correlation :math:`\rho_z` that gives two 0/1 scores the correlation `rho`."""
    a, b, r = broadcast(
        p_a=strictly_between("p_a", p_a, 0.0, 1.0),
        p_b=strictly_between("p_b", p_b, 0.0, 1.0),
        rho=finite("rho", rho),
    )

    def excess(rho_z: FloatArray, a: FloatArray, b: FloatArray, r: FloatArray) -> FloatArray:
        return copula_cells(a, b, rho_z).rho - r

    edge = np.full(r.shape, 1 - 1e-12)
    rho_z = find_roots(excess, (-edge, edge), (a, b, r))
    if not np.all(np.isfinite(rho_z)):
        lower, upper = admissible_rho(a, b)
        at = tuple(np.argwhere(~np.isfinite(rho_z))[0])
        raise InvalidArgument(
            f"rho must lie inside ({lower[at]:.6g}, {upper[at]:.6g}) for p_a={a[at]:.6g} and "
            f"p_b={b[at]:.6g} (eqs. 7 and 8), got {float(r[at])!r}"
        )
    return rho_z


def gap_at_required_n(
    p: float, rho_z: float, n_items: int, *, alpha: float = 0.05, power: float = 0.80
) -> float:
    """Gap whose required N is exactly `n_items` (the alternative of Section 5)."""
    mid, latent = open_unit("p", p), float(strictly_between("rho_z", rho_z, -1.0, 1.0))
    n, k = int(counts("n_items", n_items)), float(z_sum(alpha, power)) ** 2

    def surplus(delta: FloatArray) -> FloatArray:
        cells = copula_cells(mid + delta / 2, mid - delta / 2, np.full(np.shape(delta), latent))
        # N* <= n without dividing by the gap: K (b + c - delta^2) <= n delta^2.
        return (n + k) * np.square(delta) - k * (cells.p10 + cells.p01)

    widest = 2 * min(mid, 1 - mid) * (1 - 1e-9)
    root = find_roots(surplus, (np.asarray(1e-9), np.asarray(widest)))
    if not np.isfinite(root):
        raise InvalidArgument(
            f"n_items is too small for any gap around p={p!r} to have N* = n, got {n_items!r}"
        )
    return float(root)


def discordance_from_required_n(
    delta: float, n_star: float, *, alpha: float = 0.05, power: float = 0.80
) -> tuple[float, float]:
    r"""Discordance probabilities of a pair known by its gap and required N alone.

    Eq. (3) gives :math:`\sigma_D^2`, and :math:`p_{10} + p_{01} = \sigma_D^2 + \delta^2`.
    Figure 4's pair is (0.024, 2362).
    """
    variance = n_star * delta**2 / float(z_sum(alpha, power)) ** 2
    total = variance + delta**2
    p10, p01 = (total + delta) / 2, (total - delta) / 2
    if n_star <= 0 or min(p10, p01) < 0 or total > 1:
        raise InvalidArgument(f"no pair has delta={delta!r} and n_star={n_star!r}")
    return p10, p01
