"""What the paper simulates: rejection rates, trials of the e-process, and power.

Of the five tests of Table 2 counts are sufficient, so that cells are drawn, never items, and the
rejection probability is also known exactly, by summing over the tables (b, c). The e-process is
that of Figure 4 and Appendix C, the power that of Figures 5 and 6.

A function with the name of an exhibit, or of a job, returns what simulates each of its chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from kotawala2026.operating_point import ALPHA
from llm_power._errors import InvalidArgument
from llm_power._statistics._numerics import binomial_pmf, find_roots, likely_counts
from llm_power._statistics.argument_checks import (
    broadcast,
    counts,
    discordance,
    finite,
    open_unit,
    positive_count,
    strictly_between,
)
from llm_power._statistics.arrays import ArrayLike, BoolArray, FloatArray, IntArray, RandomSource
from llm_power._statistics.copula_pairs import (
    copula_cells,
    draw_graded_pairs,
    graded_difference_variance,
    lattice_graded_pairs,
    paired_bernoulli_cells,
)
from llm_power._statistics.e_process import (
    BETA_2_2,
    BETA_4_4,
    TWO_POINT,
    UNIFORM_98,
    Mixture,
    anytime_boundary,
)
from llm_power._statistics.inversion import required_n, z_sum
from llm_power._statistics.mcnemar import (
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power._statistics.paired_binary import admissible_rho
from llm_power._statistics.paired_bootstrap import bootstrap_power, percentile_bootstrap_rejects
from llm_power._statistics.random_streams import named_rng
from replication.simulations import Chunks

# Probability that more discordant items arrive than are simulated.
_BEYOND = 1e-14
# Signs held at once; results do not depend on it.
_BLOCK = 2**22
_MIXTURES: Final[tuple[Mixture, ...]] = (UNIFORM_98, BETA_2_2, TWO_POINT)
_HORIZON: Final = 10  # in N*: nearly every trial under the alternative has crossed by then
#: A score matrix that is drawn once, or one that has the population's moments.
Reference = Literal["drawn", "expected"]
Scores = tuple[FloatArray, FloatArray]

#: Sizes of the trials, as shares of N*.
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 2.0)
REFERENCES: tuple[Reference, Reference] = ("expected", "drawn")

#: The five tests of Table 2, in its order.
TESTS = ("mcnemar_chi2", "exact", "mid_p", "continuity_corrected", "paired_bootstrap")

# Probability left out on each side of a binomial range.
_OUTSIDE = 1e-14


def exact_rates(p10: float, p01: float, n_items: int, *, alpha: float = 0.05) -> FloatArray:
    """Probability that each of the five tests rejects, in the order of `TESTS`.

    The paired bootstrap enters by its exact decision: infinitely many resamples.
    """
    b, c, mass = likely_tables(p10, p01, n_items)
    return np.asarray(_rejects(b, c, n_items, alpha) @ mass)


def calibration_cell(
    p: float,
    rho_z: float,
    n_items: int = 500,
    *,
    n_trials: int = 1_500,
    seed: int,
) -> pd.DataFrame:
    r"""Return the rates under :math:`p_A = p_B = p`, and at the gap with this :math:`N^*`.

    A row a test, in one cell of Section 5's grid; the streams are
    ``calibration/p/rho_z/n/hypothesis``.
    """
    delta, trials = gap_at_required_n(p, rho_z, n_items), positive_count("n_trials", n_trials)
    rhos: dict[str, float] = {}
    rates: dict[str, FloatArray] = {}
    for name, rate, gap in (("null", "type1", 0.0), ("alternative", "power", delta)):
        p10, p01 = discordance_at(p, rho_z, gap)
        exact = exact_rates(p10, p01, n_items)
        rng = named_rng(seed, f"calibration/{p:g}/{rho_z:g}/{n_items}/{name}")
        drawn = rng.multinomial(n_items, [p10, p01, 1 - p10 - p01], size=trials)
        rhos[f"rho_{name}"] = float(paired_bernoulli_cells(p + gap / 2, p - gap / 2, rho_z).rho)
        rates |= {
            rate: _rejects(drawn[:, 0], drawn[:, 1], n_items, ALPHA).mean(axis=1),
            # At the exact probability.
            f"{rate}_se": np.sqrt(exact * (1 - exact) / trials),
            f"{rate}_exact": exact,
        }
    cell = {"n_items": n_items, "n_trials": n_trials, "delta": delta}
    return pd.DataFrame({"p": p, "rho_z": rho_z, "test": TESTS, **cell, **rhos, **rates})


def discordance_at(p: float, rho_z: float, gap: float) -> tuple[float, float]:
    """Return the discordance probabilities of accuracies p ± gap/2 at a latent correlation."""
    cells = paired_bernoulli_cells(p + gap / 2, p - gap / 2, rho_z)
    return float(cells.p10), float(cells.p01)


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


def hypotheses(
    delta: float, n_star: float, *, alpha: float = 0.05, power: float = 0.80
) -> dict[str, tuple[float, float]]:
    """Return the discordance probabilities with the gap, and the null's: as many, split evenly."""
    p10, p01 = discordance_from_required_n(delta, n_star, alpha=alpha, power=power)
    return {"null": ((p10 + p01) / 2, (p10 + p01) / 2), "gap": (p10, p01)}


def _rejects(b: IntArray, c: IntArray, n: int, alpha: float) -> BoolArray:
    """Decisions of the five tests, shape (5, number of tables), in the order of `TESTS`."""
    by_p_value = [
        test(b, c) <= alpha
        for test in (
            mcnemar_asymptotic,
            mcnemar_exact,
            mcnemar_mid_p,
            mcnemar_continuity_corrected,
        )
    ]
    return np.stack([*by_p_value, percentile_bootstrap_rejects(b, c, n, alpha=alpha)])


def likely_tables(p10: float, p01: float, n: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the tables (b, c) that hold all but a trace of the trinomial mass, and their mass."""
    discordance(p10, p01)
    likely = (likely_counts(n, n, p, outside=_OUTSIDE) for p in (p10, p01))
    b, c = (grid.ravel() for grid in np.meshgrid(*likely))
    inside = b + c <= n
    b, c = b[inside], c[inside]
    # P(c) P(b | c): given c, the other n - c items favor A with probability p10 / (1 - p01).
    favored = p10 / (1 - p01) if p01 < 1 else 0.0
    mass = binomial_pmf(c, n, p01) * binomial_pmf(b, n - c, favored)
    return b, c, mass


def e_process_trajectories(
    p10: float,
    p01: float,
    n_items: int,
    n_trajectories: int,
    *,
    mixture: Mixture = BETA_4_4,
    rng: RandomSource = None,
) -> FloatArray:
    """Log e after each item of simulated pairs (Figure 4), shape (n_trajectories, n_items)."""
    rng = np.random.default_rng(rng)
    discordance(p10, p01)
    shape = (positive_count("n_trajectories", n_trajectories), positive_count("n_items", n_items))
    uniform = rng.random(shape)
    only_a, only_b = uniform < p10, uniform >= 1 - p01
    return log_e_trajectory(only_a.astype(np.int8) - only_b.astype(np.int8), mixture)


def log_e_trajectory(differences: ArrayLike, mixture: Mixture = BETA_4_4) -> FloatArray:
    """Log e after each step, from differences -1, 0 and 1 of shape (..., n_steps), as they come."""
    steps = np.asarray(differences)
    # A trajectory stays where it is until the next discordant item: `place` has its start, where
    # b = c = 0, and each item that moves it.
    flat, moved = steps.ravel(), np.flatnonzero(steps != 0)
    if np.any(np.abs(flat[moved]) != 1):
        raise InvalidArgument("differences must be -1, 0 or 1")
    starts = np.arange(0, flat.size, max(np.atleast_1d(steps).shape[-1], 1))
    first = np.searchsorted(moved, starts)
    place, sign = np.insert(moved, first, starts), np.insert(flat[moved], first, 0)
    origin = first + np.arange(starts.size)
    so_far, length = np.cumsum([sign == 1, sign == -1], axis=1), np.diff(origin, append=place.size)
    b, c = so_far - np.repeat(so_far[:, origin], length, axis=1)
    # Trajectories meet at the same few counts over and over: evaluate each (b, c) once.
    base = int(c.max(initial=0)) + 1
    visited, where = np.unique(b * base + c, return_inverse=True)
    values = mixture.log_e((visited // base).astype(np.float64), (visited % base).astype(float))
    return np.repeat(values[where], np.diff(place, append=flat.size)).reshape(steps.shape)


@dataclass(frozen=True, slots=True)
class EProcessCalibration:
    """Stopping times of the e-process on simulated pairs, in items."""

    stopping_items: FloatArray  # a trial each; inf where it does not cross within the horizon
    rejection_rate: float
    standard_error: float
    mean_stopping: float  # of the trials that cross; NaN where none does
    mean_stopping_error: float


def e_process_calibration(
    p10: float,
    p01: float,
    horizon: int,
    *,
    alpha: float = 0.05,
    n_trials: int = 600,
    mixture: Mixture = BETA_4_4,
    rng: RandomSource = None,
) -> EProcessCalibration:
    """Type-I error or stopping times of the mixture e-process (Appendix C, Calibration).

    Only discordant items move the process: their signs are simulated against the boundary of
    `anytime_boundary`, which needs a mixture symmetric about 1/2, and the item at which the M-th of
    them arrives is M plus a negative binomial number of concordant ones, independent of the signs.

    Appendix C reports type-I errors of 0.035 and 0.043 on its two pairs, as simulated here, and
    expected stopping times of 1.84 to 2.32 N*. The construction it describes stops sooner: at
    1.30 N* in the mean on the pair of gap 2.4% (N* = 2362) and 1.15 N* on that of 7.8%
    (N* = 294). The paper's range is nearer the 80th percentile, the items at which the power
    is 0.80: 2.0 N* and 1.8 N*. The paper does not say where its trials end.
    """
    rng = np.random.default_rng(rng)
    total = discordance(p10, p01)
    end, trials = positive_count("horizon", horizon), positive_count("n_trials", n_trials)
    signs_rng, items_rng = rng.spawn(2)
    steps = max(1, int(likely_counts(0, end, total, outside=_BEYOND)[-1]))
    gap = anytime_boundary(np.arange(1, steps + 1), alpha=alpha, mixture=mixture).gap
    crossing = _first_discordant_crossing(gap, p10 / total, trials, signs_rng)
    # Drawn for every trial, so that the stream does not depend on which ones cross.
    arrival = np.where(crossing > 0, crossing, 1)
    items = arrival + items_rng.negative_binomial(arrival, total)
    crossed = (crossing > 0) & (items <= end)
    stopping = np.where(crossed, items, np.inf)
    rate, of_crossed = float(crossed.mean()), items[crossed]
    return EProcessCalibration(
        stopping_items=stopping,
        rejection_rate=rate,
        standard_error=float(np.sqrt(rate * (1 - rate) / trials)),
        mean_stopping=float(of_crossed.mean()) if of_crossed.size else np.nan,
        mean_stopping_error=(
            float(of_crossed.std() / np.sqrt(of_crossed.size)) if of_crossed.size else np.nan
        ),
    )


def _first_discordant_crossing(
    gap: FloatArray, theta: float, trials: int, rng: np.random.Generator
) -> IntArray:
    """Discordant items until |b - c| reaches the boundary, 0 where it does not."""
    # |b - c| is a whole number: a root a rounding error above one belongs to it.
    limit = gap - 1e-9
    crossing = np.zeros(trials, dtype=np.int64)
    rows = max(1, _BLOCK // gap.size)
    for start in range(0, trials, rows):
        ups = rng.random((min(rows, trials - start), gap.size)) < theta
        walk = np.cumsum(2 * ups.astype(np.int8) - 1, axis=1, dtype=np.int32)
        beyond = np.abs(walk) >= limit
        first = beyond.argmax(axis=1) + 1
        crossing[start : start + rows] = np.where(beyond.any(axis=1), first, 0)
    return crossing


def chunk_name(delta: float, hypothesis: str, n_trials: int) -> str:
    """Return the name of a chunk, and of its stream below ``e_process``."""
    return f"{delta:g}/{hypothesis}/{n_trials}"


def findings_simulated(settings: Mapping[str, Any], numbers: Mapping[str, int]) -> Chunks:
    """Return by DELTA/HYPOTHESIS/TRIALS what simulates the e-process, a row per mixture."""
    # The paper does not say where its trials end; here, at 10 N*.
    alpha, power = settings["alpha"], settings["power"]

    def rows(
        delta: float, n_star: float, hypothesis: str, cells: tuple[float, float], n_trials: int
    ) -> pd.DataFrame:
        name = f"e_process/{chunk_name(delta, hypothesis, n_trials)}"
        return pd.DataFrame(
            [
                _row(
                    cells,
                    horizon=round(_HORIZON * n_star),
                    alpha=alpha,
                    n_trials=n_trials,
                    mixture=mixture,
                    rng=named_rng(numbers["seed"], name),
                )
                for mixture in _MIXTURES
            ]
        )

    by_name = {}
    pairs = zip(settings["e_process_deltas"], settings["e_process_n_stars"], strict=True)
    for delta, n_star in pairs:
        both = hypotheses(delta, n_star, alpha=alpha, power=power)
        for n_trials in (settings["e_process_trials"], numbers["n_trials_large"]):
            for hypothesis, cells in both.items():
                chunk = partial(rows, delta, n_star, hypothesis, cells, n_trials)
                by_name[chunk_name(delta, hypothesis, n_trials)] = chunk
    return by_name


def _row(cells: tuple[float, float], mixture: Mixture, **how: Any) -> dict[str, object]:
    result = asdict(e_process_calibration(*cells, mixture=mixture, **how))
    late = np.quantile(result.pop("stopping_items"), 0.8, method="inverted_cdf")
    return {"mixture": mixture.name, **result, "stopping_p80": float(late)}


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
    # The trials draw items from one reference. The gap of a drawn reference of 30,000 items has a
    # standard error of about 0.3 points, so that its own N* can lie a third off the population's
    # at a gap of 2 points. The curve meets the target power at the reference's own.
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


def figure_05(settings: Mapping[str, Any], numbers: Mapping[str, int]) -> Chunks:
    """Return what simulates each curve of Figure 5, against an expected or a drawn reference."""
    p_a, rho = settings["figure_5_p_a"], settings["figure_5_rho"]
    populations = [bernoulli_pairs(p_a, delta, rho) for delta in settings["figure_5_deltas"]]
    # Decided as with infinitely many resamples, whose number the paper does not state.
    return _of_populations(
        populations, numbers, n_reference=settings["figure_5_population"], n_resamples=None
    )


def figure_06(settings: Mapping[str, Any], numbers: Mapping[str, int]) -> Chunks:
    """Return what simulates each curve of Figure 6, with N* of eq. (3)."""
    # Appendix B repeats the exercise of Figure 5: its latent correlation.
    rho_z, n_reference = settings["figure_5_rho"], settings["figure_5_population"]
    populations = [graded_pairs(delta, rho_z) for delta in settings["figure_6_deltas"]]
    return _of_populations(
        populations, numbers, n_reference=n_reference, n_resamples=numbers["n_resamples"]
    )


def _of_populations(
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
