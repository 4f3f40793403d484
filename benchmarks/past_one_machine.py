"""Measure each part of the plan in docs/scaling.md for 100,000 models, at a hundredth of its pairs.

``python benchmarks/past_one_machine.py [SHARE]`` prints a line a part, in seconds of processor
time; SHARE makes the boards smaller, to try the script. DuckDB is no dependency of the package:
``pip install duckdb``.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from drawn import Size, draw_scores
from ours import drawn_task
from threadpoolctl import threadpool_limits

from llm_power import Declared, OperatingPoint, prepare_task
from llm_power._board.all_pairs import BoardPairs, family_of, p_values_between
from llm_power._board.pair_store import PairWriter, files_in
from llm_power._board.stream import columns_between
from llm_power._statistics.max_t import GapDraws, centred_scores
from llm_power._statistics.random_streams import keys_of

_Result = TypeVar("_Result")
SHARE: Final = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
MODELS, ITEMS, TILE = int(10_000 * SHARE), 10_000, int(1_000 * SHARE)
PAIRS: Final = MODELS * (MODELS - 1) // 2


def timed(name: str, work: Callable[[], _Result], pairs: int) -> _Result:
    """Do the work and print its seconds of processor time."""
    start = time.process_time()
    result = work()
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    each = f"{seconds / pairs * 1e6:.3g} us each of {pairs:,}"
    print(f"{name}: {seconds:.3g} s, {each}; peak so far {peak:.2f} GB", flush=True)
    return result


def tiles(scores: np.ndarray) -> None:
    """Pack the scores, and count one tile of models by models from the bits alone."""
    bits = timed("pack", lambda: np.packbits(scores.T > 0, axis=1), scores.size)
    print(f"packed: {bits.nbytes / 1e6:.1f} MB")

    def count() -> np.ndarray:
        a, b = (np.unpackbits(bits[rows], axis=1) for rows in (slice(TILE), slice(TILE, 2 * TILE)))
        return a.astype(np.float32) @ b.astype(np.float32).T

    timed("unpack and count a tile", count, TILE * TILE)


def largest(scores: np.ndarray) -> None:
    """Find the 1,000 largest deviates of all pairs, a tile of models at a time."""
    names = [str(k) for k in range(ITEMS)]
    keys = keys_of(names, np.zeros(1, dtype=np.uint64))
    draws = timed("centre", lambda: GapDraws(centred_scores(scores), keys), scores.size)
    timed("largest deviates of 1,000 draws", lambda: draws.largest(0, 1_000), PAIRS)


def parquet(folder: Path) -> None:
    """Work out a tile's pairs with their columns, and write the pairs that are different.

    Of sixteen such tiles the p-values are merged, of which exact tests have few.
    """
    task = prepare_task(drawn_task(Size(int(1_415 * SHARE), ITEMS)))
    pairs = BoardPairs([task], "all", None, OperatingPoint(), Declared())
    n = pairs.n_pairs
    p = timed("first pass", lambda: p_values_between(pairs, 0, n, threads=1), n)
    family = family_of(*p, lambda start, stop: np.full(stop - start, 6.0), alpha=0.05)

    def write() -> None:
        with PairWriter(files_in(folder), [task]) as writer:
            for start, columns in columns_between(pairs, 0, n, family, threads=1):
                rows = columns["verdict"] == "different"
                writer.write(start, {name: x[rows] for name, x in columns.items()})

    timed("second pass, different pairs to Parquet", write, n)
    size = sum(file.stat().st_size for file in folder.iterdir())
    query = f"SELECT rank_a, count(*), min(gap_low) FROM '{folder}/*.parquet' GROUP BY rank_a"
    groups = timed("DuckDB, a group a model", lambda: duckdb.sql(query).fetchall(), n)
    kept = sum(row[1] for row in groups)
    print(f"kept: {kept:,} pairs, {size / kept:.0f} bytes each")
    values, counts = np.unique(p[1], return_counts=True)
    for part in range(16):
        pq.write_table(pa.table({"p": values, "n": counts}), folder / f"distinct{part:02}.parquet")
    merged = f"SELECT p, sum(n) AS n FROM '{folder}/distinct*.parquet' GROUP BY p"
    upto = f"SELECT p, n, sum(n) OVER (ORDER BY p) AS upto FROM ({merged})"
    every = 16 * n
    steps = f"COPY (SELECT p, p * ({every} - upto + n), p * {every} / upto FROM ({upto})) "
    timed(
        "merge tables of distinct p-values",
        lambda: duckdb.sql(f"{steps} TO '{folder}/steps' (FORMAT parquet)"),
        16 * len(values),
    )
    print(f"distinct: {len(values):,} p-values of {n:,}")


def merge(folder: Path) -> None:
    """Rank all p-values on disk within a gigabyte, for Holm and Benjamini-Hochberg."""
    for part in range(16):
        p = np.random.default_rng(part).random(PAIRS // 16) ** 9
        pq.write_table(pa.table({"p": p}), folder / f"p{part:02}.parquet")
    inside = f"SELECT p, row_number() OVER (ORDER BY p) AS place FROM '{folder}/p*.parquet'"
    limits = f"SET memory_limit = '2GB'; SET threads = 2; SET temp_directory = '{folder}/spilled';"
    ranked = f"COPY (SELECT p, p * {PAIRS} / place AS step FROM ({inside})) TO '{folder}/ranked'"
    timed("rank on disk", lambda: duckdb.sql(limits + ranked + " (FORMAT parquet)"), PAIRS)


def main() -> None:
    """Measure every part."""
    with TemporaryDirectory() as folder, threadpool_limits(1, user_api="blas"):
        scores = draw_scores(Size(MODELS, ITEMS))
        tiles(scores)
        largest(scores)
        for name, work in (("pairs", parquet), ("family", merge)):
            place = Path(folder, name)
            place.mkdir()
            work(place)


if __name__ == "__main__":
    main()
