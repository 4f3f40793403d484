"""Printed percentiles over many pairs: of the gain, of r and of n_h/N*, by size of gap."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from audit.printed_tables import PublishedError
from kotawala2026.labels import bucket_mask
from kotawala2026.operating_point import K
from kotawala2026.witness.oll_v1_board import Board
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.shortcut import cohens_h
from replication.constraints import Constraint

Moment = Literal["gain", "r", "shortcut"]

FIVE_NUMBERS: Final = {"min": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "max": 1.0}
# By the last word of a quantity; "worst" is the largest r.
_QUANTILES: Final = FIVE_NUMBERS | {"worst": 1.0}
_SUMMARY: Final = re.compile(
    r"(?P<moment>miller_gain|shortcut_ratio|r)_(?P<statistic>min|q1|median|q3|max|worst)"
)
_MOMENT: Final[dict[str, Moment]] = {
    "miller_gain": "gain",
    "shortcut_ratio": "shortcut",
    "r": "r",
}


def is_summary(c: Constraint) -> bool:
    """Whether the number is a percentile of the gain, of r or of n_h/N* over pairs."""
    return _SUMMARY.fullmatch(c.quantity) is not None


class PairPanel:
    """Gain, r and n_h/N* of all pairs as functions of their overlaps, shape (..., n_pairs)."""

    def __init__(self, board: Board) -> None:
        self.n, self.m_a, self.m_b = board.per_pair()
        p_a, p_b = self.m_a / self.n, self.m_b / self.n
        self.gap = p_a - p_b
        self.spread = p_a * (1 - p_a) + p_b * (1 - p_b)
        self.scale = np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b))
        self.independent = p_a * p_b
        self.h = cohens_h(p_a, p_b)

    def rho(self, overlaps: FloatArray) -> FloatArray:
        """Correlation of the two models' scores."""
        return np.asarray((overlaps / self.n - self.independent) / self.scale)

    def var_d(self, overlaps: FloatArray) -> FloatArray:
        """Variance of the paired difference."""
        discordant = (self.m_a + self.m_b - 2 * overlaps) / self.n
        return np.asarray(discordant - np.square(self.gap))

    def moment(self, name: Moment, overlaps: FloatArray) -> FloatArray:
        """Gain over the unpaired formula, r = N*/N, or n_h/N*."""
        var_d = self.var_d(overlaps)
        if name == "gain":
            return np.asarray(self.spread / var_d)
        if name == "r":
            return np.asarray(K * var_d / np.square(self.gap) / self.n)
        return np.asarray((1 - self.rho(overlaps)) * np.square(self.gap / self.h) / var_d)

    def summaries(self, wanted: Sequence[Constraint], overlaps: FloatArray) -> FloatArray:
        """Return the percentiles that `wanted` name, each over its own pairs."""
        groups: dict[tuple[Moment, tuple[str, ...]], dict[int, float]] = {}
        for place, c in enumerate(wanted):
            match = _SUMMARY.fullmatch(c.quantity)
            if match is None:
                raise PublishedError(f"oll_v1: {c.quantity!r} is no summary of pairs")
            group = groups.setdefault((_MOMENT[match["moment"]], c.subject), {})
            group[place] = 100 * _QUANTILES[match["statistic"]]
        moments = {name: self.moment(name, overlaps) for name, _ in groups}
        found = np.empty((*overlaps.shape[:-1], len(wanted)))
        for (name, subject), group in groups.items():
            members = bucket_mask(subject[0], self.gap) if subject else slice(None)
            percentiles = np.percentile(moments[name][..., members], [*group.values()], axis=-1)
            found[..., [*group]] = np.moveaxis(percentiles, 0, -1)
        return found
