"""What llm_power does in each contest. A function prepares the data and returns what is timed.

What is timed returns its answers, or where reading them is no part of the work, what reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import pandas as pd
from drawn import N_CLUSTERS, Size, cluster_codes, draw_scores

from kotawala2026.simulations import log_e_trajectory
from llm_power._board.all_pairs import BoardPairs
from llm_power._board.counts import ScoreCounts, count_cells
from llm_power._board.operating_point import Declared, OperatingPoint, pair_indices
from llm_power._board.resolve import resolve_board, stream_board
from llm_power._board.stream import Keep, is_streamed, stream_pairs
from llm_power._choices import Kind
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.design_effect import category_bootstrap, leave_one_cluster_out
from llm_power._statistics.e_process import BETA_2_2, BETA_4_4, UNIFORM_98
from llm_power._statistics.max_t import GapDraws, centred_scores, max_t_family
from llm_power._statistics.mcnemar import mcnemar_exact
from llm_power._statistics.paired_bootstrap import paired_bootstrap_delta
from llm_power._statistics.random_streams import content_digest, keys_of

Answers = Mapping[str, FloatArray]
Call = Callable[[], Answers | Callable[[], Answers]]

DRAWS: Final = 1_000
RESAMPLES: Final = 10_000


def counts(size: Size) -> Call:
    """Count b and c of all pairs, of scores laid out for it as the yardstick's are."""
    prepared, pairs = ScoreCounts(draw_scores(size)), pair_indices(size.models, "all")

    def call() -> Callable[[], Answers]:
        _, b, c, _ = prepared.tables(*pairs).counts[:, 0]
        return lambda: {"b": b.astype(float), "c": c.astype(float)}

    return call


def float32_product(size: Size) -> Call:
    """Multiply the scores, models by items, by their transpose in single precision."""
    scores = np.ascontiguousarray(draw_scores(size).T, dtype=np.float32)
    return lambda: {"n11": (scores @ scores.T).astype(float, copy=False)}


def core(size: Size) -> Call:
    """Write the core columns of all pairs to Parquet."""
    return _core_of(drawn_task(size))


def core_missing(size: Size) -> Call:
    """Write the core columns of all pairs to Parquet where one score in a hundred is missing."""
    return _core_of(drawn_task(size, missing=0.01))


def board(size: Size, n_clusters: str = str(N_CLUSTERS), kind: Kind = "binary") -> Call:
    """Resolve all pairs with every default: family, ranks, and the pairs shown in full."""
    task = prepare_task(drawn_task(size, n_clusters=int(n_clusters), kind=kind))

    def call() -> Answers:
        if is_streamed([task], "all", None):
            resolved = stream_board([task], cluster="subject")
        else:
            resolved = resolve_board([task], family="all", cluster="subject")
        return {"gap": resolved.verdicts["gap"].to_numpy(float)}

    return call


def different(size: Size) -> Call:
    """Count all pairs, and write those that are different."""
    pairs = BoardPairs([drawn_task(size)], "all", None, OperatingPoint(), Declared())

    def call() -> Answers:
        with TemporaryDirectory() as folder:
            stream_pairs(pairs, Keep("different"), folder=Path(folder))
        return {"n_pairs": np.array([pairs.n_pairs])}

    return call


def drawn_task(
    size: Size,
    missing: float = 0.0,
    n_clusters: int = N_CLUSTERS,
    kind: Kind = "binary",
) -> TaskScores:
    """Return the drawn scores as a task."""
    values = draw_scores(size, missing=missing)
    if kind == "graded":
        values = 0.8 * values + 0.2 * np.random.default_rng(1).random(values.shape)
    return TaskScores(
        task="board",
        kind=kind,
        item_ids=tuple(f"q{i}" for i in range(size.items)),
        models=tuple(f"m{i}" for i in range(size.models)),
        values=values,
        clusters={"subject": tuple(f"s{code:02d}" for code in cluster_codes(size, n_clusters))},
    )


def _core_of(task: TaskScores) -> Call:
    folder = TemporaryDirectory()  # Goes with what is timed.
    path = Path(folder.name)

    def call() -> Callable[[], Answers]:
        pairs = BoardPairs([task], "all", "subject", OperatingPoint(), Declared())
        stream_pairs(pairs, Keep(), folder=path)
        return read

    def read() -> Answers:
        assert folder
        numbers = pd.read_parquet(path).select_dtypes("number")
        return {str(name): column.to_numpy(float) for name, column in numbers.items()}

    return call


def paired_bootstrap(size: Size) -> Call:
    """Bootstrap the gap of two models."""
    scores = draw_scores(size)

    def call() -> Answers:
        rng = np.random.default_rng(1)
        interval = paired_bootstrap_delta(
            scores[:, 0], scores[:, 1], n_resamples=RESAMPLES, rng=rng
        )
        return {"ends": np.array([interval.ci_low, interval.ci_high]) * np.sqrt(size.items)}

    return call


def clusters(size: Size) -> Call:
    """Resample the clusters, and leave out one at a time, from the counts of each."""
    scores, codes = draw_scores(size), cluster_codes(size)
    moments = ScoreCounts(scores, codes).tables(*pair_indices(size.models, "all")).moments()

    def call() -> Callable[[], Answers]:
        category_bootstrap(moments, rng=1, n_resamples=DRAWS)
        leave_one_cluster_out(moments)
        return lambda: {"gap": moments.sum_d.sum(axis=0) / size.items}

    return call


def trajectories(size: Size) -> Call:
    """Follow the e-process of all pairs of equal models by three mixtures."""
    scores = draw_scores(size, spread=0.0)
    first, second = pair_indices(size.models, "all")
    differences = (scores[:, first] - scores[:, second]).T.astype(np.int64)

    def call() -> Callable[[], Answers]:
        for mixture in (UNIFORM_98, BETA_2_2, BETA_4_4):
            log_e_trajectory(differences, mixture)
        return lambda: {"gap": differences.mean(axis=1)}

    return call


def max_t(size: Size) -> Call:
    """Adjust the exact test of all pairs by max-T."""
    scores = draw_scores(size)
    first, second = pair_indices(size.models, "all")

    def call() -> Answers:
        cells = count_cells(scores, first, second)
        p = mcnemar_exact(cells.b, cells.c)
        names = [str(item) for item in range(len(scores))]
        keys = keys_of(names, content_digest(names, scores))
        draws = GapDraws(centred_scores(scores), keys)
        return {"p_family": max_t_family(p, draws.largest).p}

    return call
