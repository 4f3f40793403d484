"""What a plan is asked for, whatever is assumed of the models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from llm_power._choices import MCNEMAR_TESTS, McNemarTest
from llm_power._errors import InvalidArgument
from llm_power._statistics.argument_checks import open_unit, positive_count
from llm_power._statistics.max_t import all_pairs_level


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
        if open_unit("power", self.power) <= open_unit("alpha", self.alpha):
            raise InvalidArgument(
                f"power must lie in ({self.alpha:g}, 1), above alpha, got {self.power!r}"
            )
        if self.test not in MCNEMAR_TESTS:
            raise InvalidArgument(f"test must be one of {MCNEMAR_TESTS}, got {self.test!r}")
        if self.margin is not None:
            open_unit("margin", self.margin)
            if self.alpha >= 0.5:
                raise InvalidArgument(f"alpha must lie in (0, 0.5) for a margin, got {self.alpha}")
        positive_count("comparisons", self.comparisons)
        if self.models is not None and (self.models < 2 or self.comparisons != 1):
            raise InvalidArgument("models must be at least 2, and given without comparisons")
        if (self.clusters is None) != (self.icc is None):
            raise InvalidArgument("clusters and icc must be given together")
        if self.clusters is not None and self.margin is not None:
            raise InvalidArgument("margin is for items alone: leave out clusters and icc")
        if self.clusters is not None and self.clusters < 2:
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
