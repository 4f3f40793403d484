"""What the library's tests, intervals and required items do on simulated populations.

Each function yields rates of one kind. Every population has a random stream of its own name, so
that a subset of them draws the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, product
from typing import Final, Literal

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import beta

from kotawala2026.simulations import e_process_calibration
from llm_power._board.all_pairs import BoardPairs
from llm_power._board.clusters import ICC_CONFIDENCE
from llm_power._board.counts import ScoreMoments
from llm_power._board.evidence import Evidence, PairTests
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._board.ranks import leader_p, score_interval, with_clusters
from llm_power._board.resolve import resolve_board
from llm_power._choices import Kind as ScoreKind
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores
from llm_power._statistics.anytime_horizon import anytime_horizon
from llm_power._statistics.arrays import BoolArray, FloatArray, IntArray
from llm_power._statistics.average_gap import average_gap, binary_gap
from llm_power._statistics.cluster_moments import ClusterMoments, moments_from_counts
from llm_power._statistics.cluster_requirement import (
    ClusterItemsDesign,
    cluster_power,
    icc_interval,
)
from llm_power._statistics.cluster_robust import (
    cluster_robust_test,
    cluster_sign_flip_test,
    wild_cluster_bootstrap,
)
from llm_power._statistics.copula_pairs import lattice_graded_pairs
from llm_power._statistics.designs import required_units
from llm_power._statistics.e_process import BETA_4_4
from llm_power._statistics.intervals import tango_interval
from llm_power._statistics.inversion import required_n, z_sum
from llm_power._statistics.max_t import GapDraws, centred_scores, max_t_family
from llm_power._statistics.mcnemar import (
    P_VALUES,
    McNemarDesign,
    connor_required_n,
    continuity_corrected,
    mcnemar_exact,
)
from llm_power._statistics.missing_scores import weighted_gap
from llm_power._statistics.paired_equivalence import (
    score_equivalence_required_n,
    score_equivalence_test,
)
from llm_power._statistics.predictive_power import ObservedGap
from llm_power._statistics.random_streams import content_digest, keys_of, named_rng
from llm_power._statistics.repeats import repeats_variance
from llm_power._statistics.t_test import asymmetry, near_power, upper_t_quantile
from llm_power._statistics.verdict import Verdicts, average_verdicts, mean_verdicts
from llm_power._statistics.verdict_stability import required_n_interval

Kind = Literal["type I", "coverage", "crossing", "power"]

SEED: Final = 20260528
SIZES: Final = (50, 500, 5_000)
ALPHA: Final = 0.05
POWER: Final = 0.80

DISCORDANCES: Final = (0.05, 0.2, 0.5)
# Gap as a share of the discordance: none, moderate, almost all discordant items one way.
SHARES: Final = (0.0, 0.5, 0.9)

#: Items of the 14 subjects of MMLU-Pro.
SUBJECTS: Final = np.array(
    [1351, 1299, 1132, 1101, 969, 924, 844, 818, 798, 789, 717, 499, 410, 381]
)
N_MODELS: Final = 5
_POOL: Final = 20_000


@dataclass(frozen=True, slots=True)
class Rate:
    """One simulated rate beside what it should be.

    Attributes
    ----------
    kind : str
        What is counted.
    name : str
        Test, interval or formula.
    nominal : float
        What the rate should be, or at most (type I, crossing) or at least (coverage).
    n_items : int
        Items of a trial.
    population : str
        What the trials were drawn from.
    value, error : float
        The rate and its Monte Carlo standard error.
    """

    kind: Kind
    name: str
    nominal: float
    n_items: int
    population: str
    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Tables:
    """Simulated pairs of 0/1 scores: the different tables, and how often each was drawn."""

    b: IntArray
    c: IntArray
    times: IntArray

    def share(self, hits: BoolArray) -> tuple[float, float]:
        """Return the share of trials whose table is a hit, and its standard error."""
        trials = int(self.times.sum())
        return _with_error(float(self.times @ hits) / trials, trials)


def _with_error(value: float, trials: int) -> tuple[float, float]:
    return value, float(np.sqrt(value * (1 - value) / trials))


def _share(hits: BoolArray) -> tuple[float, float]:
    return _with_error(float(np.mean(hits)), hits.size)


def draw_tables(psi: float, gap: float, n: int, trials: int, name: str) -> Tables:
    """Draw tables of `n` items of which a share `psi` is discordant, with a mean gap `gap`."""
    cells = [(psi + gap) / 2, (psi - gap) / 2, 1 - psi]
    drawn = named_rng(SEED, f"verdicts/{name}/{psi:g}/{gap:g}/{n}").multinomial(n, cells, trials)
    tables, times = np.unique(drawn[:, :2], axis=0, return_counts=True)
    return Tables(tables[:, 0], tables[:, 1], times)


def _covers(low: FloatArray, high: FloatArray, truth: float | FloatArray) -> BoolArray:
    return np.asarray((low <= truth) & (truth <= high))


def binary_rates(trials: int) -> Iterator[Rate]:
    """Yield type I error and coverage for pairs of 0/1 scores."""
    for n, psi, share in product(SIZES, DISCORDANCES, SHARES):
        gap = psi * share
        drawn = draw_tables(psi, gap, n, trials, "binary")
        population = f"discordance {psi:g}, gap {gap:g}"
        b, c = drawn.b, drawn.c
        if gap == 0:
            for test, p_value in P_VALUES.items():
                rejected = drawn.share(p_value(b, c) <= ALPHA)
                yield Rate("type I", f"McNemar, {test}", ALPHA, n, population, *rejected)
        else:
            claim = score_equivalence_test(b, c, n, margin=gap, alpha=ALPHA).equivalent
            name = "equivalence, score test"
            yield Rate("type I", name, ALPHA, n, population, *drawn.share(claim))
        interval = tango_interval(b, c, n, confidence=1 - ALPHA)
        hit = drawn.share(_covers(interval.low, interval.high, gap))
        yield Rate("coverage", "gap, Tango's score", 1 - ALPHA, n, population, *hit)
        bounds = required_n_interval(interval.low, interval.high, (b + c) / n)
        hit = drawn.share(_covers(*bounds, required_n(gap, np.sqrt(psi - gap**2))))
        yield Rate("coverage", "N* and q, 0/1 scores", 1 - ALPHA, n, population, *hit)


def graded_populations() -> dict[str, FloatArray]:
    """Return populations of graded differences by name, each a list of equally likely values."""
    null, shifted = (
        np.subtract(*lattice_graded_pairs(_POOL, mean_shift=shift, rho_z=0.6))
        for shift in (0.0, 0.1)
    )
    # Skewed gains where the items differ at all.
    gains = beta.ppf((np.arange(_POOL // 10) + 0.5) / (_POOL // 10), 1, 4)
    few = {}
    for share in (2, 10):
        rest = np.zeros(gains.size * (share - 1))
        few[f"1 item in {share} differs, no gap"] = np.concatenate([gains - gains.mean(), rest])
        few[f"1 item in {share} differs, all one way"] = np.concatenate([gains, rest])
    return {"all items differ, no gap": null - null.mean(), "all items differ": shifted, **few}


def draw_graded(pool: FloatArray, n: int, trials: int, name: str) -> Iterator[FloatArray]:
    """Yield blocks of differences of shape (n, trials of the block)."""
    rng = named_rng(SEED, f"verdicts/graded/{name}/{n}")
    rows = max(1, 1_000_000 // n)
    for start in range(0, trials, rows):
        yield pool[rng.integers(pool.size, size=(n, min(rows, trials - start)))]


def graded_verdicts(differences: FloatArray, margin: float | None = None) -> Verdicts:
    """Judge models with these scores, (n_items, trials), beside one that scores 0 on every item."""
    scores = np.column_stack([np.zeros(len(differences)), differences])
    first = np.arange(1, scores.shape[1])
    evidence = Evidence(ScoreMoments(scores).moments(first, np.zeros_like(first)))
    return PairTests.of(evidence, Declared(margin=margin)).judged(OperatingPoint(ALPHA)).verdicts


def graded_rates(trials: int) -> Iterator[Rate]:
    """Yield type I error and coverage for pairs of graded scores."""
    for n, (population, pool) in product(SIZES, graded_populations().items()):
        gap, sigma = float(pool.mean()), float(pool.std())
        need = required_n(gap, sigma)
        null = abs(gap) < 1e-12
        hits: dict[str, list[BoolArray]] = {"p": [], "gap": [], "n": [], "equivalent": []}
        for d in draw_graded(pool, n, trials, population):
            pair = graded_verdicts(d)
            low, high = pair.interval.low, pair.interval.high
            bounds = required_n_interval(low, high, np.square(d).mean(axis=0))
            hits["p"].append(pair.p <= ALPHA)
            hits["gap"].append(_covers(low, high, 0.0 if null else gap))
            hits["n"].append(_covers(*bounds, np.inf if null else need))
            if not null:
                hits["equivalent"].append(graded_verdicts(d, margin=gap).within_margin)
        few = "" if population.startswith("all") else ", few items differ"
        share = {name: _share(np.concatenate(blocks)) for name, blocks in hits.items() if blocks}
        if null:
            yield Rate("type I", f"paired t{few}", ALPHA, n, population, *share["p"])
        else:
            name = f"equivalence, paired t{few}"
            yield Rate("type I", name, ALPHA, n, population, *share["equivalent"])
        name = f"gap, graded scores{few}"
        yield Rate("coverage", name, 1 - ALPHA, n, population, *share["gap"])
        name = f"N* and q, graded scores{few}"
        yield Rate("coverage", name, 1 - ALPHA, n, population, *share["n"])


# Logarithms' standard deviations of what two models cost on an item of one difficulty, and how
# much dearer the first one is.
_COSTS: Final = {
    "as variable, equally dear": (0.5, 0.5, 1.0),
    "as variable, a third dearer": (0.5, 0.5, 1.3),
    "one more variable, equally dear": (0.3, 0.8, 1.0),
}


def real_rates(trials: int) -> Iterator[Rate]:
    """Yield type I error and coverage for costs: lognormal, and so skewed."""
    for n, (population, (first, second, ratio)) in product(SIZES, _COSTS.items()):
        rng = named_rng(SEED, f"verdicts/costs/{population}/{n}")
        gap, rows = (ratio - 1) * np.exp(0.8**2 / 2), max(1, 1_000_000 // n)
        held, rejected = [], []
        for start in range(0, trials, rows):
            shape = (n, min(rows, trials - start))
            base = np.exp(0.8 * rng.standard_normal(shape))
            cost = [np.exp(sd * rng.standard_normal(shape) - sd**2 / 2) for sd in (first, second)]
            pair = graded_verdicts(base * (ratio * cost[0] - cost[1]))
            held.append(_covers(pair.interval.low, pair.interval.high, gap))
            rejected.append(pair.p <= ALPHA)
        if ratio == 1:
            share = _share(np.concatenate(rejected))
            yield Rate("type I", "paired t, lognormal costs", ALPHA, n, population, *share)
        share = _share(np.concatenate(held))
        yield Rate("coverage", "gap, lognormal costs", 1 - ALPHA, n, population, *share)


def cluster_sizes(n: int) -> IntArray:
    """Return items of 14 clusters, about n in all, in the shares of MMLU-Pro's subjects."""
    return np.asarray(np.maximum(np.rint(n * SUBJECTS / SUBJECTS.sum()), 2), dtype=np.int64)


def draw_clusters(
    sizes: IntArray, psi: float, gap: float, icc: float, *, trials: int, name: str
) -> ClusterMoments:
    """Draw clustered pairs of 0/1 scores, one a column; clusters lean by a Beta distribution."""
    rng = named_rng(SEED, f"verdicts/{name}/{psi:g}/{gap:g}/{icc:g}/{sizes.sum()}")
    shape, mean = (sizes.size, trials), (1 + gap / psi) / 2
    lean = np.full(shape, mean)
    if icc > 0:
        variance = icc * (psi - gap**2) / (4 * psi**2)
        total = mean * (1 - mean) / variance - 1
        lean = rng.beta(mean * total, (1 - mean) * total, shape)
    discordant = rng.binomial(sizes[:, np.newaxis], psi, shape)
    b = rng.binomial(discordant, lean)
    return moments_from_counts(sizes[:, np.newaxis], b, discordant - b)


def cluster_verdicts(moments: ClusterMoments, skew: FloatArray | None = None) -> Verdicts:
    """Return the verdicts of CR2, as a board has them, or with another skewness."""
    robust = cluster_robust_test(moments)
    n = moments.n_items.sum(axis=0)
    error, df = robust.standard_error, robust.df
    skew = robust.skew if skew is None else skew
    return mean_verdicts(robust.delta, error, df, n, skew=skew, test="cluster")


def cluster_rates(trials: int) -> Iterator[Rate]:
    """Yield type I error and coverage for 14 clusters, in the sizes of MMLU-Pro's subjects."""
    few = max(trials // 10, 1)
    for n, psi, share, icc in product(SIZES, (0.2, 0.5), (0.0, 0.5), (0.0, 0.01, 0.1)):
        gap = psi * share
        sizes = cluster_sizes(n)
        moments = draw_clusters(sizes, psi, gap, icc, trials=trials, name="clusters")
        population = f"discordance {psi:g}, gap {gap:g}, ICC {icc:g}"
        verdicts = cluster_verdicts(moments)
        alike = ", ICC 0.1" if icc == 0.1 else ""
        if gap == 0:
            yield Rate("type I", f"CR2{alike}", ALPHA, n, population, *_share(verdicts.p <= ALPHA))
            some = draw_clusters(sizes, psi, gap, icc, trials=few, name="resampling")
            for name, test in (
                (f"wild cluster bootstrap{alike}", wild_cluster_bootstrap),
                (f"cluster sign flips{alike}", cluster_sign_flip_test),
            ):
                rejected = _share(test(some).p <= ALPHA)
                yield Rate("type I", name, ALPHA, n, population, *rejected)
        low, high = verdicts.interval.low, verdicts.interval.high
        hit = _share(_covers(low, high, gap))
        yield Rate("coverage", f"gap, CR2{alike}", 1 - ALPHA, n, population, *hit)
        square = moments.sum_d2.sum(axis=0) / sizes.sum()
        bounds = required_n_interval(low, high, square)
        hit = _share(_covers(*bounds, required_n(gap, np.sqrt(psi - gap**2))))
        yield Rate("coverage", f"N* and q, clusters{alike}", 1 - ALPHA, n, population, *hit)
        limits = np.stack(icc_interval(moments, confidence=ICC_CONFIDENCE))
        low, high = limits[:, np.isfinite(limits).all(axis=0)]
        hit = _share(_covers(low, high, icc))
        yield Rate("coverage", f"ICC, F{alike}", 0.90, n, population, *hit)


# Shares of the items of clusters, in proportion: the largest is 10, or 200, times the smallest.
#: Sizes of the clusters, up to a factor, and ICC.
_UNEQUAL: Final = {
    "6 clusters of sizes 10 to 1, ICC 0.05": (np.linspace(10, 1, 6), 0.05),
    "12 clusters of sizes 10 to 1, ICC 0.05": (np.linspace(10, 1, 12), 0.05),
    "23 clusters of sizes 200 to 1, ICC 0.1": (np.geomspace(200, 1, 23), 0.1),
}
_EQUAL: Final = {
    "6 clusters, ICC 0.05": (np.ones(6), 0.05),
    "14 clusters, ICC 0.05": (np.ones(14), 0.05),
}


class _Clusters:
    """Clusters of exponential or normal effects, whose items vary normally around them."""

    def __init__(self, population: str, n: int, trials: int) -> None:
        parts, self.icc = (_UNEQUAL | _EQUAL)[population]
        rng = named_rng(SEED, f"verdicts/skewed clusters/{population}/{n}")
        self.sizes = np.maximum(np.rint(n * parts / parts.sum()), 2)[:, np.newaxis]
        shape = (len(self.sizes), trials)
        self.exponential = rng.exponential(size=shape) - 1
        self.noise = np.sqrt(self.sizes * (1 - self.icc)) * rng.standard_normal(shape)
        self.squares = (1 - self.icc) * rng.chisquare(self.sizes - 1, shape)
        self.normal = rng.standard_normal(shape)

    def moments(self, effects: FloatArray, gap: float = 0.0) -> ClusterMoments:
        """Return what the tests read, for these effects and this gap."""
        sums = self.sizes * (gap + np.sqrt(self.icc) * effects) + self.noise
        return ClusterMoments(self.sizes, sums, np.square(sums) / self.sizes + self.squares)


def clustered_score_rates(trials: int) -> Iterator[Rate]:
    """Yield coverage of scores where clusters, skewed and of unequal sizes, are the sample."""
    ways = product(SIZES, (1, 2), (0.6, 0.9), (0.0, 0.01, 0.1))
    for n, k, share, icc in ways:
        rng = named_rng(SEED, f"verdicts/clustered scores/{k}/{share:g}/{icc:g}/{n}")
        tasks = [_clustered_scores(rng, n // k, share, icc, trials) for _ in range(k)]
        population = f"score {share:g}, ICC {icc:g}"
        if k == 1:
            row, ends = "score, clusters", score_interval(tasks[0], OperatingPoint(), "subject")
        else:
            row, alone = "score, clusters, average of two tasks", np.full(trials, np.nan)
            ends = with_clusters((alone, alone), tasks, [0.5, 0.5], alpha=ALPHA, cluster="subject")
        yield Rate("coverage", row, 1 - ALPHA, n, population, *_share(_covers(*ends, share)))


def _clustered_scores(
    rng: np.random.Generator, n: int, share: float, icc: float, trials: int
) -> TaskScores:
    """Return as many models as trials; clusters have a Beta distribution of the share solved."""
    sizes = cluster_sizes(n)
    means = np.full((sizes.size, trials), share)
    if icc:
        total = 1 / icc - 1
        means = rng.beta(share * total, (1 - share) * total, means.shape)
    labels = np.repeat(np.arange(sizes.size), sizes)
    solved = (rng.random((labels.size, trials)) < means[labels]).astype(np.float64)
    items, models = tuple(map(str, range(labels.size))), tuple(map(str, range(trials)))
    clusters = {"subject": tuple(labels.astype(str))}
    return TaskScores("simulated", "binary", items, models, solved, clusters)


def skewed_cluster_rates(trials: int) -> Iterator[Rate]:
    """Yield type I error for clusters whose effects are exponential."""
    for name, populations in (("unequal", _UNEQUAL), ("equal", _EQUAL)):
        for n, population in product(SIZES, populations):
            clusters = _Clusters(population, n, trials)
            rejected = cluster_verdicts(clusters.moments(clusters.exponential)).p <= ALPHA
            row = f"CR2, skewed {name} clusters"
            yield Rate("type I", row, ALPHA, n, population, *_share(rejected))


def unequal_cluster_power(trials: int) -> Iterator[Rate]:
    """Yield power at normal effects, where Hall's by the skewness of cluster sums has `POWER`."""
    for n, population in product(SIZES, _UNEQUAL):
        clusters = _Clusters(population, n, trials)
        gap = brentq(_excess_by_sums, 0.0, 10.0, args=(clusters,), xtol=1e-4)
        rejected = cluster_verdicts(clusters.moments(clusters.normal, float(gap))).p <= ALPHA
        row = "CR2 and Hall's of means, at the gap of Hall's of sums"
        yield Rate("power", row, POWER, n, population, *_share(rejected))


def _excess_by_sums(gap: float, clusters: _Clusters) -> float:
    moments = clusters.moments(clusters.normal, gap)
    centred = moments.sum_d - moments.n_items * cluster_robust_test(moments).delta
    p = cluster_verdicts(moments, skew=asymmetry(centred)).p
    return float(np.mean(p <= ALPHA)) - POWER


def family_rates(trials: int) -> Iterator[Rate]:
    """Yield what holds for all pairs of five equal models at once."""
    first, second = np.triu_indices(N_MODELS, k=1)
    population = f"{N_MODELS} equal models, accuracy 0.6, latent correlation 0.5"
    for n in SIZES:
        rng, names = named_rng(SEED, f"verdicts/family/{n}"), [str(item) for item in range(n)]
        wrong = np.zeros(trials, dtype=np.bool_)
        for trial in range(trials):
            latent = rng.normal(size=(n, 1)) + rng.normal(size=(n, N_MODELS))
            scores = (latent < 0.2533 * np.sqrt(2)).astype(np.float64)
            x, y = scores[:, first] > 0, scores[:, second] > 0
            p = mcnemar_exact((x & ~y).sum(axis=0), (~x & y).sum(axis=0))
            draws = GapDraws(centred_scores(scores), keys_of(names, content_digest(names, scores)))
            wrong[trial] = (max_t_family(p, draws.largest).p <= ALPHA).any()
        yield Rate("type I", "max-T, exact, any of 10 pairs", ALPHA, n, population, *_share(wrong))


# By kind of board, what each of its tasks adds to the accuracy of five models that are equal on the
# average, and the ICC of its clusters.
_NO_TILT: Final = (0.0,) * N_MODELS
_TILT: Final = (0.1, 0.05, 0.0, -0.05, -0.1)
_EQUAL_BOARDS: Final = {
    "sets of ranks": {
        "5 equal models, no clusters": ([_NO_TILT], None),
        "5 equal models, latent ICC 0.05": ([_NO_TILT], 0.05),
    },
    "sets of ranks, average of two tasks": {
        "5 models equal in each task": ([_NO_TILT, _NO_TILT], None),
        "5 models equal on the average": ([_TILT, _TILT[::-1]], None),
        "5 models equal in each task, latent ICC 0.05": ([_NO_TILT, _NO_TILT], 0.05),
    },
}


def rank_rates(trials: int) -> Iterator[Rate]:
    """Yield how often the possible ranks of equal models are all ranks."""
    boards = [(row, *board) for row, some in _EQUAL_BOARDS.items() for board in some.items()]
    for (row, population, (tilts, icc)), n in product(boards, SIZES):
        rng = named_rng(SEED, f"verdicts/ranks/{row}/{population}/{n}")
        held = np.zeros(trials, dtype=np.bool_)
        for trial in range(trials):
            tasks = [
                draw_board(rng, n // len(tilts), np.add(0.6, tilt), icc=icc, name=str(k))
                for k, tilt in enumerate(tilts)
            ]
            ranks = _ranks([*map(_ranked, tasks)], None if icc is None else "subject")
            held[trial] = (ranks["rank_low"] == 1).all()
        yield Rate("coverage", row, 1 - ALPHA, n, population, *_share(held))


def _ranks(tasks: Sequence[TaskScores], cluster: str | None) -> pd.DataFrame:
    board = resolve_board(tasks, cluster=cluster)
    return board.ranks if board.average is None else board.average.ranks


# Accuracies of models of which the first two tie for the lead, and of two that are as good as they.
_TIES: Final = {
    "two tie for the lead, two far below": ((0.6, 0.6, 0.2, 0.2), (1.0,)),
    "four models tie": ((0.6, 0.6, 0.6, 0.6), (1.0,)),
    # The first differs from each other model on more items than these from each other.
    "two unlike models tie, two far below": ((0.6, 0.6, 0.2, 0.2), (3.0, 0.3, 0.3, 0.3)),
}


def leader_rates(trials: int) -> Iterator[Rate]:
    """Yield how often a model is called first that is not better than every other."""
    kinds: tuple[tuple[ScoreKind, float | None], ...] = (
        ("binary", None),
        ("graded", None),
        ("binary", 0.05),
    )
    for (kind, icc), (ties, (accuracies, own)), n in product(kinds, _TIES.items(), SIZES):
        name = f"leader, {kind}" + (", 14 clusters" if icc else "")
        rng = named_rng(SEED, f"verdicts/leader/{name}/{ties}/{n}")
        cluster = "subject" if icc else None
        first = np.zeros(trials, dtype=np.bool_)
        for trial in range(trials):
            task = _ranked(draw_board(rng, n, accuracies, kind, icc, own=own))
            p = leader_p(BoardPairs([task], "all", cluster, OperatingPoint(), Declared()))
            first[trial] = p <= ALPHA
        yield Rate("type I", name, ALPHA, n, ties, *_share(first))


def leader_powers(trials: int) -> Iterator[Rate]:
    """Yield how often the best model is called first, by each rival and by the sets of ranks."""
    for n, rivals in product(SIZES, (1, 3)):
        # Eq. (3) against a rival; scores with a latent correlation of .5 differ on a third.
        best = 0.6 + z_sum(ALPHA, POWER) * np.sqrt(1 / (3 * n))
        accuracies = (best, *[0.6] * rivals, *[0.2] * (3 - rivals))
        population = "one close rival, two far below" if rivals == 1 else "three close rivals"
        rng = named_rng(SEED, f"verdicts/leader power/{rivals}/{n}")
        is_first = np.zeros((2, trials), dtype=np.bool_)
        for trial in range(trials):
            board = resolve_board([prepare_task(_ranked(draw_board(rng, n, accuracies)))])
            top = board.ranks.iloc[0]
            is_best = top["model"] == "m0"
            is_first[:, trial] = is_best & top["first"], is_best & (top["rank_high"] == 1)
        for name, share in zip(("each rival", "the sets of ranks"), is_first, strict=True):
            yield Rate("power", f"leader, by {name}", POWER, n, population, *_share(share))


def draw_board(
    rng: np.random.Generator,
    n: int,
    accuracies: Sequence[float] | FloatArray,
    kind: ScoreKind = "binary",
    icc: float | None = None,
    *,
    own: Sequence[float] = (1.0,),
    name: str = "simulated",
) -> TaskScores:
    """Return n items in 14 clusters of a latent ICC, as a task.

    `own` is the latent standard deviation of each model's own part, beside 1 of the common one.
    """
    labels = np.repeat(np.arange(SUBJECTS.size), cluster_sizes(n))
    models, spread = len(accuracies), np.asarray(own)
    latent = rng.normal(size=(labels.size, 1)) + spread * rng.normal(size=(labels.size, models))
    # The same spread for all, so that models of one accuracy have one mean graded score too.
    latent /= np.sqrt((1 + np.square(spread)) / 2)
    lean = np.sqrt(2 * (icc or 0.0)) * rng.normal(size=(SUBJECTS.size, models))
    latent += np.sqrt(2) * ndtri(accuracies) + lean[labels]
    return TaskScores(
        task=name,
        kind=kind,
        item_ids=tuple(f"{name}/{item}" for item in range(labels.size)),
        models=tuple(f"m{model}" for model in range(models)),
        values=ndtr(latent) if kind == "graded" else (latent > 0).astype(np.float64),
        clusters={"subject": tuple(labels.astype(str))},
    )


def _ranked(task: TaskScores) -> TaskScores:
    """Return the models in the order of their scores."""
    order = np.argsort(-task.values.mean(axis=0), kind="stable")
    return task.part(models=order.tolist())


def average_rates(trials: int) -> Iterator[Rate]:
    """Yield type I error and coverage of averages over tasks, whose gaps may cancel."""
    for n, k, psi, share in product(SIZES, (2, 6), DISCORDANCES, SHARES):
        gaps = psi * share * np.resize([1.0, -1.0], k)
        population = f"{k} tasks, discordance {psi:g}, gaps of {psi * share:g} either way"
        rng = named_rng(SEED, f"verdicts/average/{k}/{psi:g}/{share:g}/{n}")
        cells = [
            rng.multinomial(n // k, [(psi + gap) / 2, (psi - gap) / 2, 1 - psi], size=trials).T
            for gap in gaps
        ]
        average = average_gap([binary_gap(b, c, b + c + same) for b, c, same in cells], [1 / k] * k)
        discordant = np.sum([b + c for b, c, _ in cells], axis=0)
        verdicts = average_verdicts(average, np.full(trials, n // k * k), discordant)
        rejected = _share(verdicts.p <= ALPHA)
        yield Rate("type I", "average over tasks", ALPHA, n, population, *rejected)
        covered = _share(_covers(verdicts.interval.low, verdicts.interval.high, 0.0))
        yield Rate("coverage", "gap, average over tasks", 1 - ALPHA, n, population, *covered)


def weighted_rates(trials: int) -> Iterator[Rate]:
    """Yield coverage of the gap over all items where the items of some clusters are missing."""
    answered = np.linspace(0.3, 1.0, SUBJECTS.size)[:, np.newaxis]
    for n, psi, share in product(SIZES, (0.2, 0.5), (0.0, 0.5)):
        sizes = cluster_sizes(n)[:, np.newaxis]
        rng = named_rng(SEED, f"verdicts/weighted/{psi:g}/{share:g}/{n}")
        # Clusters lean by as much as they lack; their sizes are drawn, as items are.
        p_a = psi * (1 + share + (1 - share) * np.linspace(1, -1, SUBJECTS.size)) / 2
        drawn = rng.multinomial(sizes.sum(), sizes[:, 0] / sizes.sum(), trials).T
        at_hand = rng.binomial(drawn, answered)
        b = rng.binomial(at_hand, p_a[:, np.newaxis])
        c = rng.binomial(at_hand - b, ((psi - p_a) / (1 - p_a))[:, np.newaxis])
        gaps = [
            weighted_gap(moments_from_counts(*(x[:, i] for x in (at_hand, b, c))), drawn[:, i])
            for i in range(trials)
        ]
        gap, error, df = np.array([(one.delta, one.standard_error, one.df) for one in gaps]).T
        reach = upper_t_quantile(df, ALPHA / 2) * error
        truth = float(sizes[:, 0] @ (2 * p_a - psi)) / sizes.sum()
        hit = _share(_covers(gap - reach, gap + reach, truth))
        population = f"discordance {psi:g}, gap {truth:.3g}, .3 to all items answered"
        yield Rate("coverage", "gap, weighted by cluster", 1 - ALPHA, n, population, *hit)


def repeat_power(trials: int) -> Iterator[Rate]:
    """Yield the power of the paired t test at the items that eq. (9) asks for with repeats."""
    # Item means are uniform, .25 wide, about 1/2 and half the gap to either side.
    spread = 0.25**2 / 12
    for n, repeats in product(SIZES, (1, 4)):
        rng = named_rng(SEED, f"verdicts/repeats/{repeats}/{n}")
        # eq. (10) for the gap, which takes (gap / 2)^2 off the variance within, twice.
        variance = float(repeats_variance(2 * spread, *[0.25 - spread] * 2, repeats_a=repeats))
        z2 = float(z_sum(ALPHA, POWER)) ** 2
        gap = np.sqrt(z2 * variance / (n + z2 / (2 * repeats)))
        differences = []
        for _ in range(trials):
            mean = 0.375 + 0.25 * rng.random((n, 2)) + np.array([gap, -gap]) / 2
            answers = rng.binomial(repeats, mean) / repeats
            differences.append(answers[:, 0] - answers[:, 1])
        power = _share(graded_verdicts(np.stack(differences, axis=1)).p <= ALPHA)
        population = f"{repeats} answers an item, gap {gap:.3g}"
        yield Rate("power", "eq. (9) with repeats, paired t", POWER, n, population, *power)


def crossing_rates(trials: int) -> Iterator[Rate]:
    """Yield how often the e-process crosses by n items where there is no gap."""
    for n, psi in product(SIZES, DISCORDANCES):
        rng = named_rng(SEED, f"verdicts/crossing/{psi:g}/{n}")
        run = e_process_calibration(psi / 2, psi / 2, n, n_trials=trials, mixture=BETA_4_4, rng=rng)
        name = f"monitored after every item, {BETA_4_4.name}"
        population = f"discordance {psi:g}"
        yield Rate("crossing", name, ALPHA, n, population, run.rejection_rate, run.standard_error)


def binary_power(trials: int) -> Iterator[Rate]:
    """Yield the power at each required N, where that of eq. (6) is n."""
    for n, psi in product(SIZES, DISCORDANCES):
        # eq. (6), z^2 (psi - gap^2) / gap^2 = n, for the gap.
        z2 = float(z_sum(ALPHA, POWER)) ** 2
        gap = float(np.sqrt(psi * z2 / (n + z2)))
        if gap >= psi:
            continue
        p10, p01 = (psi + gap) / 2, (psi - gap) / 2
        connor = connor_required_n(p10, p01)
        population = f"discordance {psi:g}, gap {gap:.3g}"
        for name, test, need in (
            ("eq. (6), asymptotic test", "asymptotic", n),
            ("eq. (6), exact test", "exact", n),
            ("n_connor, asymptotic test", "asymptotic", float(connor)),
            ("n_exact, exact test", "exact", float(continuity_corrected(connor, np.array(gap)))),
            ("mcnemar_required_n, exact", "exact", required_units(McNemarDesign(p10, p01), 0.8)),
            (
                "mcnemar_required_n, mid_p",
                "mid_p",
                required_units(McNemarDesign(p10, p01, test="mid_p"), 0.8),
            ),
        ):
            drawn = draw_tables(psi, gap, int(np.ceil(need)), trials, f"power/{name}")
            power = drawn.share(P_VALUES[test](drawn.b, drawn.c) <= ALPHA)
            yield Rate("power", name, POWER, n, population, *power)
        # Counts in proportion, for the horizon takes the rates from them.
        counts = np.rint(np.array([p10, p01, 1.0]) * 10**7)
        end = int(anytime_horizon(*counts).n_star_anytime)
        rng = named_rng(SEED, f"verdicts/horizon/{psi:g}/{n}")
        run = e_process_calibration(p10, p01, end, n_trials=max(trials // 4, 1), rng=rng)
        crossed = run.rejection_rate, run.standard_error
        yield Rate("power", "n_star_monitored, e-process", POWER, n, population, *crossed)


def equivalence_power(trials: int) -> Iterator[Rate]:
    """Yield the power of the equivalence test at its required N, where there is no gap."""
    for n, psi in product(SIZES, DISCORDANCES):
        # Both one-sided tests reach power .8 together where each has .9.
        margin = float(z_sum(2 * ALPHA, 0.90)) * np.sqrt(psi / n)
        need = score_equivalence_required_n(psi / 2, psi / 2, margin=margin)
        drawn = draw_tables(psi, 0.0, int(np.ceil(need)), trials, "equivalence")
        size = int(np.ceil(need))
        equivalent = score_equivalence_test(drawn.b, drawn.c, size, margin=margin).equivalent
        population = f"discordance {psi:g}, margin {margin:.3g}"
        name = "equivalence, score test"
        yield Rate("power", name, POWER, n, population, *drawn.share(equivalent))


def graded_power(trials: int) -> Iterator[Rate]:
    """Yield the power of the paired t test at its required N."""
    null = graded_populations()["all items differ, no gap"]
    sigma = float(null.std())
    for n in SIZES:
        gap = float(z_sum(ALPHA, POWER)) * sigma / np.sqrt(n)
        blocks = draw_graded(null + gap, n, trials, "power")
        power = _share(np.concatenate([graded_verdicts(d).p <= ALPHA for d in blocks]))
        population = f"all items differ, gap {gap:.3g}"
        yield Rate("power", "eq. (3), paired t", POWER, n, population, *power)


def cluster_power_rates(trials: int) -> Iterator[Rate]:
    """Yield the power of both tests with as many clusters as `n_clusters_needed` asks for."""
    for n, psi, icc in product(SIZES, (0.2, 0.5), (0.01, 0.1)):
        size = max(n // 14, 2)
        gap = psi * 0.3
        sigma = np.sqrt(psi - gap**2)
        enough = (k for k in count(2) if cluster_power(gap, sigma, icc, k, size) >= POWER)
        sizes = np.full(next(enough), size)
        verdicts = cluster_verdicts(
            draw_clusters(sizes, psi, gap, icc, trials=trials, name="power")
        )
        population = f"{sizes.size} clusters of {size}, discordance {psi:g}, ICC {icc:g}"
        share = _share(verdicts.p <= ALPHA)
        yield Rate("power", "n_clusters_needed, CR2 and Hall's", POWER, n, population, *share)


def _power_less_target(shift: float, clusters: float) -> float:
    return float(near_power(shift, clusters, ALPHA)) - POWER


def planned_cluster_rates(trials: int) -> Iterator[Rate]:
    """Yield the power of both tests of clusters at planned items, and at the smallest gap."""
    for n, clusters in product(SIZES, (6, 9, 14, 23)):
        icc, size, k = 0.01, max(n // clusters, 2), np.array(float(clusters))
        error = np.sqrt(((1 - icc) / size + icc) / k)
        gap = float(error * brentq(_power_less_target, 0, 50, args=(k,)))
        items = int(required_units(ClusterItemsDesign(gap, 1.0, icc, clusters), POWER))
        seen = ObservedGap(k, error, np.array(float(n)), freedom=k - 1)
        # Of a family of ten pairs.
        level = ALPHA / 10
        smallest = float(seen.smallest(level, POWER))
        for name, alpha, true, of in (
            ("plan --clusters, CR2 and Hall's", ALPHA, gap, items),
            ("smallest gap, CR2 and Hall's, level 0.005", level, smallest, size),
        ):
            rng, shape = named_rng(SEED, f"verdicts/{name}/{clusters}/{n}"), (clusters, trials)
            sizes = np.full((clusters, 1), float(of))
            sums = sizes * (true + np.sqrt(icc) * rng.standard_normal(shape))
            sums += np.sqrt(sizes * (1 - icc)) * rng.standard_normal(shape)
            squares = np.square(sums) / sizes + (1 - icc) * rng.chisquare(sizes - 1, shape)
            verdicts = cluster_verdicts(ClusterMoments(sizes, sums, squares))
            power = _share((verdicts.p <= alpha) & (verdicts.interval.delta > 0))
            yield Rate("power", name, POWER, n, f"{clusters} clusters of {of}", *power)


def all_rates(trials: int) -> Iterator[Rate]:
    """Yield every rate; the slow ones with fewer trials."""
    some, few = max(trials // 4, 1), max(trials // 40, 1)
    yield from binary_rates(trials)
    yield from graded_rates(some)
    yield from real_rates(some)
    yield from cluster_rates(trials)
    yield from skewed_cluster_rates(trials)
    yield from clustered_score_rates(max(trials // 10, 1))
    yield from family_rates(few)
    yield from rank_rates(few)
    yield from average_rates(trials)
    yield from leader_rates(max(trials // 10, 1))
    yield from weighted_rates(max(trials // 10, 1))
    yield from crossing_rates(trials)
    yield from binary_power(trials)
    yield from equivalence_power(trials)
    yield from graded_power(some)
    yield from repeat_power(max(trials // 10, 1))
    yield from cluster_power_rates(some)
    yield from planned_cluster_rates(trials)
    yield from unequal_cluster_power(trials)
    yield from leader_powers(max(trials // 100, 1))
