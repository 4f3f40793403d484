r"""Where the constant of Lemma 1 is smallest: mathematics alone.

With :math:`u = p(1-p)` the two terms of eq. (11) cancel where
:math:`(1+\rho)(1-4u) = \frac{8}{3}(1-\rho)u`. There :math:`C = 0` and the shortcut's
deviation from one half is of order :math:`\delta^4`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from kotawala2026.evidence.published_numbers import PublishedNumbers
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.paired_binary import admissible_rho
from llm_power.statistics.shortcut import shortcut_constant
from replication.evidence.rows import EvidenceRow

# The correlations at which the paper evaluates its constant, and that of its Corollary 1.
_RHO: Final = np.array([0.0, 0.3, 0.5, 0.9])
_MIDPOINTS: Final = np.arange(500, 1000) / 1000
# Lemma 1 keeps the correlation away from 1; where exactly does not matter.
_LARGEST_RHO: Final = 0.99


def sharpness(published: PublishedNumbers) -> list[EvidenceRow]:
    """Locate the smallest constant of Lemma 1, which at p = 1/2 is 1/3.

    Parameters
    ----------
    published : PublishedNumbers
        Not used: nothing printed goes in.

    Returns
    -------
    list of EvidenceRow
        Evidence ``derived``.
    """
    del published
    rows: list[EvidenceRow] = []
    for rho, p in zip(_RHO, sharpest_midpoint(_RHO), strict=True):
        subject = f"ρ = {rho:g}"
        smallest = float(shortcut_constant(_MIDPOINTS, rho).min())
        rows += [
            EvidenceRow(
                "sharpest_midpoint", subject, float(p), "the terms of eq. (11) cancel", "derived"
            ),
            EvidenceRow(
                "smallest_shortcut_constant",
                subject,
                smallest,
                "eq. (11), p in thousandths",
                "derived",
            ),
        ]
    worst = [_largest_constant(float(p)) for p in _MIDPOINTS]
    rows.append(
        EvidenceRow(
            "smallest_of_largest_constants",
            f"ρ up to {_LARGEST_RHO:g}",
            min(worst),
            "eq. (11) at the worst admissible correlation of each p, p in thousandths",
            "derived",
        )
    )
    return rows


def _largest_constant(p: float) -> float:
    """C at the worst correlation that two scores of accuracy p can have, eqs. (7) and (8).

    The difference within the bars of eq. (11) increases with the correlation, so that C is
    largest at one of the two ends.
    """
    least = float(admissible_rho(p, p)[0])
    ends = np.array([max(least, -_LARGEST_RHO), _LARGEST_RHO])
    return float(shortcut_constant(np.array(p), ends).max())


def sharpest_midpoint(rho: FloatArray) -> FloatArray:
    r"""Return the midpoint above 1/2 at which :math:`C(p, \rho)` is zero.

    Parameters
    ----------
    rho : ndarray
        Correlations in (-1, 1).

    Returns
    -------
    ndarray
        :math:`\frac12 + \frac12\sqrt{1-4u}` with
        :math:`u = 1 / \{4 + \frac83 (1-\rho)/(1+\rho)\}`; its mirror image below 1/2 is the other.
    """
    u = 1 / (4 + 8 / 3 * (1 - rho) / (1 + rho))
    return np.asarray(0.5 + 0.5 * np.sqrt(1 - 4 * u))
