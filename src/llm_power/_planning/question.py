"""What a plan is asked for, and what is assumed of two models that are right or wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from llm_power._choices import MCNEMAR_TESTS, McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import (
    counts,
    discordant_rates,
    open_unit,
    pair_counts,
    percent_meant,
    positive_count,
)
from llm_power._statistics.max_t import all_pairs_level
from llm_power._statistics.paired_binary import admissible_rho, paired_difference_variance

#: Rounded inputs on an edge may lie beyond it by an error of representation.
EDGE: Final = 1e-12
# By how much of itself a gap may differ from the one that is asked for, which floats round.
SAME_GAP: Final = 1e-3
_LEAST_MARGIN: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the items shall be enough for."""

    alpha: float = 0.05  # two-sided, of a pair or of its family
    power: float = 0.80
    test: McNemarTest = "exact"  # that will be declared; "asymptotic" is the score test
    margin: float | None = None  # to show that the models are equivalent
    comparisons: int = 1  # pairs of the family, each with the level of Bonferroni and Holm's first
    models: int | None = None  # all pairs of which are the family, with the level by max-T
    clusters: int | None = None  # that the items come from, a sample of clusters of one size
    icc: float | None = None  # of the paired difference

    def __post_init__(self) -> None:
        for name in ("alpha", "power"):
            object.__setattr__(self, name, open_unit(name, getattr(self, name)))
        if self.power <= self.alpha:
            raise InvalidArgument(
                f"power must lie in ({self.alpha:g}, 1), above alpha, got {self.power!r}"
            )
        if self.test not in MCNEMAR_TESTS:
            raise InvalidArgument(f"test must be one of {MCNEMAR_TESTS}, got {self.test!r}")
        if self.margin is not None:
            open_unit("margin", self.margin)
            if self.margin < _LEAST_MARGIN:
                raise InvalidArgument(
                    f"margin must be at least {_LEAST_MARGIN:g}, got {self.margin!r}"
                )
            if self.alpha >= 0.5:
                raise InvalidArgument(f"alpha must lie in (0, 0.5) for a margin, got {self.alpha}")
        positive_count("comparisons", self.comparisons)
        if self.models is not None and (counts("models", self.models) < 2 or self.comparisons != 1):
            raise InvalidArgument("models must be at least 2, and given without comparisons")
        if (self.clusters is None) != (self.icc is None):
            raise InvalidArgument("clusters and icc must be given together")
        if self.clusters is not None and self.margin is not None:
            raise InvalidArgument("margin is for items alone: leave out clusters and icc")
        if self.clusters is not None and counts("clusters", self.clusters) < 2:
            raise InvalidArgument(f"clusters must be at least 2, got {self.clusters!r}")
        if self.icc is not None and not 0 <= self.icc <= 1:
            raise InvalidArgument(f"icc must lie in [0, 1], got {self.icc!r}")

    @property
    def family_size(self) -> int:
        """Number of pairs that the level is for."""
        return self.comparisons if self.models is None else self.models * (self.models - 1) // 2

    @property
    def level(self) -> float:
        """Level that a pair of the family has at worst."""
        if self.models is None:
            return self.alpha / self.comparisons
        return all_pairs_level(self.models, alpha=self.alpha)


#: Level .05, power .80, exact test, one pair.
STANDARD: Final = Question()


@dataclass(frozen=True, slots=True)
class AssumedPair:
    """Probabilities that only A, and only B, solves an item."""

    p10: float
    p01: float

    def __post_init__(self) -> None:
        discordant_rates(self.p10, self.p01)

    @property
    def gap(self) -> float:
        """Accuracy of A less that of B."""
        return self.p10 - self.p01

    @property
    def discordance(self) -> float:
        """Probability that exactly one of them solves an item."""
        return self.p10 + self.p01

    @property
    def sigma_d(self) -> float:
        """Standard deviation of the paired difference of one item."""
        return float(np.sqrt(max(self.discordance - self.gap**2, 0.0)))


def pair_from_accuracies(
    p_a: float, p_b: float, *, rho: float | None = None, agreement: float | None = None
) -> AssumedPair:
    """Return the pair of two accuracies and either the correlation or the agreement."""
    least, most = _discordances(p_a, p_b)
    gap = p_a - p_b
    if rho is not None and agreement is None:
        # Eq. (5) is the discordance less the squared gap.
        discordance = float(paired_difference_variance(p_a, p_b, rho)) + gap**2
    elif agreement is not None and rho is None:
        discordance = 1 - agreement
        if not least - EDGE <= discordance <= most + EDGE:
            raise InvalidArgument(
                f"agreement must lie in [{1 - most:.6g}, {1 - least:.6g}] for p_a={p_a:g} and "
                f"p_b={p_b:g}, got {agreement!r}"
            )
    else:
        raise InvalidArgument("give rho or agreement, one of the two")
    return _of_gap(gap, min(max(discordance, least), most))


def pairs_of_accuracies(p_a: float, p_b: float) -> tuple[AssumedPair, AssumedPair]:
    """Return the pairs of two accuracies at the highest and the lowest correlation they admit."""
    least, most = _discordances(p_a, p_b)
    return _of_gap(p_a - p_b, least), _of_gap(p_a - p_b, most)


def pair_from_counts(b: int, c: int, n_items: int) -> AssumedPair:
    """Return the pair at the rates that were observed."""
    pair_counts(b, c, n_items)
    return AssumedPair(b / n_items, c / n_items)


def pair_from_gap(gap: float, discordance: float) -> AssumedPair:
    """Return the pair of a gap and a discordance."""
    if not abs(gap) <= 1:
        raise InvalidArgument(f"gap must lie in [-1, 1], got {gap!r}{percent_meant(gap)}")
    if not abs(gap) - EDGE <= discordance <= 1 + EDGE:
        raise InvalidArgument(
            f"discordance must lie in [{abs(gap):g}, 1] for a gap of {gap:g}, got {discordance!r}"
            f"{percent_meant(discordance)}"
        )
    pair = _of_gap(gap, discordance)
    if abs(pair.gap - gap) > SAME_GAP * abs(gap):
        raise InvalidArgument(
            f"gap must be 0, or farther from it beside a discordance of {discordance:g}, "
            f"got {gap!r}"
        )
    return pair


def _of_gap(gap: float, discordance: float) -> AssumedPair:
    only_a = max((discordance + gap) / 2, 0.0)
    # Less the first, so that the sum of both is never above 1 by an error of representation.
    return AssumedPair(only_a, max(discordance - only_a, 0.0))


def _discordances(p_a: float, p_b: float) -> tuple[float, float]:
    """Least and most discordance of two accuracies, after Hoeffding and Fréchet."""
    admissible_rho(p_a, p_b)  # that both are accuracies
    return abs(p_a - p_b), min(p_a + p_b, 2 - p_a - p_b)
