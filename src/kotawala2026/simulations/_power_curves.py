"""Power of the paired bootstrap against the number of items (Figures 5 and 6, Appendix B).

The trials draw items from one reference score matrix. The gap of a drawn reference of 30,000 items
has a standard error of about 0.3 points, so that its own required N can lie a third off the
population's at a gap of 2 points. The curve meets the target power at the reference's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from kotawala2026.populations import latent_correlation
from llm_power._statistics.argument_checks import counts
from llm_power._statistics.arrays import ArrayLike, FloatArray, IntArray
from llm_power._statistics.copula_pairs import (
    draw_graded_pairs,
    graded_difference_variance,
    lattice_graded_pairs,
    paired_bernoulli_cells,
)
from llm_power._statistics.inversion import required_n
from llm_power._statistics.paired_bootstrap import bootstrap_power
from llm_power._statistics.random_streams import named_rng
from replication.simulations import Chunks

#: A score matrix that is drawn once, or one that has the population's moments.
Reference = Literal["drawn", "expected"]
Scores = tuple[FloatArray, FloatArray]

#: Sizes of the trials, as shares of N*.
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 2.0)
REFERENCES: tuple[Reference, Reference] = ("expected", "drawn")


@dataclass(frozen=True, slots=True)
class Population:
    """Pairs of scores, and how a reference of so many items is made of them."""

    stream: str
    delta: float
    variance: float  # of an item's difference
    draw: Callable[[int, np.random.Generator], Scores]
    expected: Callable[[int], Scores]

    @property
    def n_star(self) -> float:
        """N* of eq. (3)."""
        return float(required_n(self.delta, np.sqrt(self.variance)))

    @property
    def sizes(self) -> IntArray:
        """Sizes of the trials around N*, in whole items."""
        return np.unique(np.rint(self.n_star * np.asarray(RATIOS)).astype(np.int64))


def bernoulli_pairs(p_a: float, delta: float, rho: float) -> Population:
    """0/1 pairs by A's accuracy, the gap to B and the correlation (Figure 5).

    An expected reference holds the expected counts of its four cells, rounded to whole items.
    """
    cells = paired_bernoulli_cells(p_a, p_a - delta, latent_correlation(p_a, p_a - delta, rho))
    shares = np.array([cells.p11, cells.p10, cells.p01, cells.p00])

    def scores(numbers: IntArray) -> Scores:
        return np.repeat([1.0, 1.0, 0.0, 0.0], numbers), np.repeat([1.0, 0.0, 1.0, 0.0], numbers)

    def expected(n: int) -> Scores:
        solved = np.rint(n * shares[:3]).astype(np.int64)
        return scores(np.append(solved, n - solved.sum()))

    return Population(
        f"bernoulli_power/{p_a:g}/{delta:g}/{rho:g}",
        delta,
        float(cells.p10 + cells.p01) - delta**2,
        lambda n, rng: scores(rng.multinomial(n, shares)),
        expected,
    )


def graded_pairs(delta: float, rho_z: float) -> Population:
    """Beta(4, 2) pairs of which B's mean is `delta` lower (Figure 6).

    An expected reference holds equidistributed quantiles of the two independent normal variables, a
    golden-ratio lattice, whose moments are the population's to about five digits.
    """
    return Population(
        f"graded_power/{delta:g}/{rho_z:g}",
        delta,
        graded_difference_variance(delta, rho_z),
        lambda n, rng: draw_graded_pairs(n, delta, rho_z, rng=rng),
        lambda n: lattice_graded_pairs(n, delta, rho_z),
    )


def power_curve(
    population: Population,
    sizes: ArrayLike | None = None,
    *,
    reference: Reference = "drawn",
    n_reference: int = 30_000,
    n_trials: int = 1_000,
    n_resamples: int | None = 1_000,
    seed: int,
) -> pd.DataFrame:
    """Return the bootstrap's power at each size, with gap and N* of population and reference.

    Without `n_resamples` the decision is that of infinitely many.
    """
    stream = population.stream
    if reference == "drawn":
        rng = named_rng(seed, f"{stream}/reference")
        scores_a, scores_b = population.draw(n_reference, rng)
    else:
        stream = f"{stream}/expected"
        scores_a, scores_b = population.expected(n_reference)
    n_items = counts("sizes", population.sizes if sizes is None else sizes)
    estimates = [
        bootstrap_power(
            scores_a,
            scores_b,
            int(n),
            n_trials=n_trials,
            n_resamples=n_resamples,
            rng=named_rng(seed, f"{stream}/{n}"),
        )
        for n in n_items
    ]
    difference = scores_a - scores_b
    observed = float(difference.mean())
    return pd.DataFrame(
        {
            "reference": reference,
            "delta": population.delta,
            "n_items": n_items,
            "power": [estimate.power for estimate in estimates],
            "power_se": [estimate.standard_error for estimate in estimates],
            "n_trials": n_trials,
            "n_star": population.n_star,
            "n_reference": n_reference,
            "reference_delta": observed,
            "reference_rho": float(np.corrcoef(scores_a, scores_b)[0, 1]),
            "reference_n_star": float(required_n(observed, float(difference.std()))),
        }
    )


def chunks_of(
    populations: Iterable[Population],
    numbers: Mapping[str, int],
    *,
    n_reference: int,
    n_resamples: int | None,
) -> Chunks:
    """Return by REFERENCE/GAP what simulates a curve's rows, each a size of the trials."""
    return {
        f"{reference}/{population.delta:g}": partial(
            power_curve,
            population,
            reference=reference,
            n_reference=n_reference,
            n_trials=numbers["n_trials"],
            n_resamples=n_resamples,
            seed=numbers["seed"],
        )
        for reference, population in product(REFERENCES, populations)
    }
