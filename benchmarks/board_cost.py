"""What all pairs of a board cost: measured on small boards, fitted, and reckoned for a large one.

``python benchmarks/board_cost.py`` writes docs/scaling.md; with ``--measure`` it measures first.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd
from documents import replace_measured
from drawn import N_CLUSTERS, Size, cluster_codes, draw_scores
from threadpoolctl import threadpool_limits

from llm_power import Declared, OperatingPoint, TaskScores
from llm_power._board.all_pairs import BoardPairs, FamilyValues, family_of, p_values_between
from llm_power._board.counts import ScoreCounts
from llm_power._board.operating_point import number_of_pairs, pairs_at
from llm_power._board.pair_store import PairWriter, write_family
from llm_power._board.stream import Tally, columns_between
from llm_power._choices import Kind
from llm_power._scores.store import read_task, write_task
from llm_power._statistics.mcnemar import mcnemar_exact
from replication.stages import write_stage

ROOT: Final = Path(__file__).resolve().parents[1]
MEASURED: Final = ROOT / "benchmarks" / "board_cost.json"
PAGE: Final = ROOT / "docs" / "scaling.md"
MADE_BY: Final = "benchmarks/board_cost.py"

_SIZES: Final = [Size(*both) for both in product((500, 1_000, 2_000), (1_000, 4_000, 12_000))]
# Larger than what is fitted, and so a test of it.
_TESTED: Final = Size(4_500, 12_032)
# Kinds of scores and numbers of clusters, at one size.
_OF_SHAPES: Final = Size(1_000, 4_000)
_SHAPES: Final = [*product(("0/1", "graded"), (0, 14, 100)), ("0/1", 1_000)]
# What is reckoned: a part a node, and two jobs a part.
RECKONED: Final = (Size(10_000, 10_000), Size(100_000, 10_000))
PARTS: Final = 16
CORES: Final = 32

_FAMILIES: Final = (1_000_000, 4_000_000, 16_000_000)
_ROUNDS: Final = 2

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class BoardRow:
    """Seconds of one core and bytes of memory for one board.

    Attributes
    ----------
    models, items : int
        Its size.
    read, counts, p_values, columns : float
        Seconds for the scores from disk, one count of all pairs, and the rest of both kinds of job.
    scores_memory, memory : float
        Peaks over an empty process: with the scores laid out, and of all.
    disk : int
        Bytes of all columns.
    """

    models: int
    items: int
    read: float
    counts: float
    p_values: float
    columns: float
    scores_memory: float
    memory: float
    disk: int

    @property
    def size(self) -> Size:
        """Its size."""
        return Size(self.models, self.items)

    @property
    def n_scores(self) -> int:
        """Number of its scores."""
        return self.models * self.items

    @property
    def seconds(self) -> float:
        """Seconds of both passes, which read the scores each."""
        return 2 * self.read + self.p_values + self.columns


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """Seconds of one core for both passes, without the scores, and bytes of memory at the peak."""

    scores: str
    clusters: int
    seconds: float
    memory: float


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """Seconds, and bytes of memory and disk, for the adjustment of so many p-values."""

    pairs: int
    seconds: float
    memory: float
    disk: int


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost model: seconds of one core, and bytes.

    Attributes
    ----------
    of_model, of_score : float
        Seconds to read a model, and each of its scores, in one job.
    of_answer : float
        Seconds to count an item of a pair, in one pass.
    of_pair : float
        Seconds for all else of a pair, in both passes.
    of_family, family_pairs : float
        Seconds for one of so many p-values to be adjusted; the sort takes a little more of more.
    score_bytes, job_bytes : float
        Peak memory of a job: of each score, and of what does not grow with them.
    family_bytes, pair_disk, family_disk : float
        Memory and disk of the family, and disk of all columns, a pair.
    """

    of_model: float
    of_score: float
    of_answer: float
    of_pair: float
    of_family: float
    family_pairs: int
    score_bytes: float
    job_bytes: float
    family_bytes: float
    pair_disk: float
    family_disk: float

    @classmethod
    def fitted(cls, boards: Sequence[BoardRow], families: Sequence[FamilyRow]) -> Cost:
        """Fit times to all boards but the last, which is the largest and tells the bytes."""
        *fitted, largest = boards
        last = families[-1]
        of_model, of_score = _fit([(x.models, x.n_scores, x.read) for x in fitted])
        answers = [(x.size.work, x.size.pairs, x.counts) for x in fitted]
        of_answer, to_count = _fit(answers)
        rest = [(x.size.pairs, x.p_values + x.columns - 2 * x.counts) for x in fitted]
        (of_rest,) = _fit(rest)
        return cls(
            of_model,
            of_score,
            of_answer,
            2 * to_count + of_rest,
            last.seconds / last.pairs,
            last.pairs,
            largest.scores_memory / largest.n_scores,
            largest.memory - largest.scores_memory,
            last.memory / last.pairs,
            largest.disk / largest.size.pairs,
            last.disk / last.pairs,
        )

    def reading(self, size: Size) -> float:
        """Seconds of one job."""
        return (self.of_model + self.of_score * size.items) * size.models

    def counting(self, size: Size) -> float:
        """Seconds of both passes."""
        return 2 * self.of_answer * size.work

    def others(self, size: Size) -> float:
        """Seconds of both passes for all but the scores and their count."""
        return self.of_pair * size.pairs

    def passes(self, size: Size) -> float:
        """Seconds of both passes, each in one job."""
        return 2 * self.reading(size) + self.counting(size) + self.others(size)

    def on_nodes(self, size: Size) -> float:
        """Seconds of both passes on the clock, a node a part: one core reads, all of them count."""
        return 2 * self.reading(size) + (self.counting(size) + self.others(size)) / (PARTS * CORES)

    def family(self, n_pairs: int) -> float:
        """Seconds to adjust the p-values: sorts of blocks of them."""
        return self.of_family * n_pairs * math.log(n_pairs) / math.log(self.family_pairs)

    def job_memory(self, size: Size) -> float:
        """Bytes at the peak of one job."""
        return self.score_bytes * size.models * size.items + self.job_bytes


def _fit(rows: Sequence[tuple[float, ...]]) -> list[float]:
    """Fit the last column by the others, by least squares with errors as of counts."""
    *terms, seconds = np.array(rows).T / np.sqrt(np.array(rows)[:, -1])
    costs, *_ = np.linalg.lstsq(np.array(terms).T, seconds)
    return [float(cost) for cost in costs]


def _board_row(size: Size, file: Path) -> BoardRow:
    before = _reset_peak()
    with threadpool_limits(1, user_api="blas"):  # It looks for the libraries once.
        task, read = _timed(lambda: read_task(file))
    scores_memory, counted = _count(task, before)
    out = file.with_suffix(".pairs")
    p_values, columns = _passes(task, out)
    return BoardRow(
        size.models,
        size.items,
        read,
        counted,
        p_values,
        columns,
        scores_memory,
        _peak() - before,
        out.stat().st_size,
    )


def _shape_row(scores: str, clusters: int, file: Path) -> ShapeRow:
    before = _reset_peak()
    passes = _passes(read_task(file), file.with_suffix(".pairs"))
    return ShapeRow(scores, clusters, sum(passes), _peak() - before)


def _passes(task: TaskScores, out: Path) -> tuple[float, float]:
    """Return the seconds of each pass over all pairs."""
    # Each pass lays the scores out, as jobs do.
    n_pairs = number_of_pairs([task])
    values, p_values = _timed(lambda: p_values_between(_pairs(task), 0, n_pairs, threads=1))
    family = family_of(*values, _no_draws, alpha=0.05)
    _, columns = _timed(lambda: _write_columns(task, family, out))
    return p_values, columns


def _count(task: TaskScores, before: float) -> tuple[float, float]:
    """Return the peak of memory with the scores laid out, and the seconds to count all pairs."""
    counts = ScoreCounts(task.values)
    peak, start = _peak() - before, time.process_time()
    with threadpool_limits(1, user_api="blas"):
        for low, high in _pairs(task).chunks():
            counts.tables(*pairs_at(len(task.models), "all", np.arange(low, high)))
    return peak, time.process_time() - start


def _write_columns(task: TaskScores, family: FamilyValues, out: Path) -> None:
    pairs = _pairs(task)
    tally = Tally.empty(pairs.tasks)
    with PairWriter(lambda _: out, pairs.tasks) as writer:
        for start, columns in columns_between(pairs, 0, pairs.n_pairs, family, threads=1):
            tally.add(task, columns)
            writer.write(start, columns)


def _pairs(task: TaskScores) -> BoardPairs:
    cluster = "category" if task.clusters else None
    return BoardPairs([task], "all", cluster, OperatingPoint(), Declared())


def _no_draws(start: int, stop: int) -> np.ndarray:
    """Stand in for the draws of max-T, whose cost is a term of its own."""
    return np.full(stop - start, 6.0)


def _family_row(n_pairs: int, folder: Path) -> FamilyRow:
    rng, out = np.random.default_rng(n_pairs), folder / "family"
    out.mkdir(exist_ok=True)
    # Those of the exact test are of few numbers of items, those of clusters all differ.
    p, unadjusted = rng.random(n_pairs) ** 9, mcnemar_exact(*rng.binomial(300, 0.4, (2, n_pairs)))
    write_stage(pd.DataFrame({"p": p, "unadjusted": unadjusted}), str(out / "p_values.parquet"))
    before = _reset_peak() - 16 * n_pairs

    def work() -> None:
        family = family_of(p, unadjusted, _no_draws, alpha=0.05)
        write_family(out / "family.parquet", family, {})

    _, seconds = _timed(work)
    disk = sum(path.stat().st_size for path in out.iterdir())
    return FamilyRow(n_pairs, seconds, _peak() - before, disk)


def _timed(work: Callable[[], _Row]) -> tuple[_Row, float]:
    start = time.process_time()
    return work(), time.process_time() - start


def _reset_peak() -> float:
    """Start the peak of this process's memory anew (Linux), and return it."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024.0 for line in lines if line.startswith("VmHWM"))


def _write_board(size: Size, file: Path, scores: str = "0/1", n_clusters: int = N_CLUSTERS) -> None:
    names = tuple(f"m{number}" for number in range(size.models))
    items = tuple(f"q{number}" for number in range(size.items))
    clusters, values = {}, draw_scores(size)
    if n_clusters:
        codes = cluster_codes(size, n_clusters)
        clusters = {"category": tuple(f"c{code:04}" for code in codes)}
    kind: Kind = "binary"
    if scores == "graded":
        kind, values = "graded", (2 * values + np.random.default_rng(1).random(values.shape)) / 3
    write_task(TaskScores("exam", kind, items, names, values, clusters), file)


def measure() -> dict[str, list[dict[str, Any]]]:
    """Measure every size in processes of their own, and keep the fastest of some rounds."""
    boards, shapes, families = [], [], []
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["llm_power._board.resolve"])
    with (
        TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as pool,
    ):
        for size in (*_SIZES, _TESTED):
            file = Path(folder, "board.parquet")
            pool.submit(_write_board, size, file).result()
            rounds = [pool.submit(_board_row, size, file).result() for _ in range(_ROUNDS)]
            boards.append(min(rounds, key=lambda row: row.seconds))
            print(boards[-1], flush=True)
        for shape in _SHAPES:
            pool.submit(_write_board, _OF_SHAPES, file, *shape).result()
            of_shape = [pool.submit(_shape_row, *shape, file).result() for _ in range(_ROUNDS)]
            shapes.append(min(of_shape, key=lambda row: row.seconds))
            print(shapes[-1], flush=True)
        for n_pairs in _FAMILIES:
            tries = [
                pool.submit(_family_row, n_pairs, Path(folder)).result() for _ in range(_ROUNDS)
            ]
            families.append(min(tries, key=lambda row: row.seconds))
            print(families[-1], flush=True)
    rows: dict[str, list[Any]] = {"boards": boards, "families": families, "shapes": shapes}
    return {name: [asdict(row) for row in some] for name, some in rows.items()}


def page(
    boards: Sequence[BoardRow], families: Sequence[FamilyRow], shapes: Sequence[ShapeRow]
) -> str:
    """Return the measured part of docs/scaling.md; the last board tests what the others fit."""
    cost = Cost.fitted(boards, families)
    tables = _terms_table(cost), _fit_table(cost, boards), _shape_table(shapes)
    return "\n".join([*tables, _reckoned_table(cost)])


def _terms_table(cost: Cost) -> str:
    rows = [
        ("a model, read, in each job", f"{cost.of_model * 1e6:.0f} us"),
        ("a score, read, in each job", f"{cost.of_score * 1e9:.0f} ns"),
        ("an item of a pair, counted, in each pass", f"{cost.of_answer * 1e12:.0f} ps"),
        ("all else of a pair, both passes together", f"{cost.of_pair * 1e6:.1f} us"),
        (
            f"a pair of the family, of {cost.family_pairs / 1e6:.0f} million",
            f"{cost.of_family * 1e6:.2f} us",
        ),
        ("a score, at the peak of a job", f"{cost.score_bytes:.0f} bytes of memory"),
        ("all else of a job of one thread", f"{cost.job_bytes / 1e9:.1f} GB of memory"),
        ("a pair of the family, in the one job", f"{cost.family_bytes:.0f} bytes of memory"),
        ("p-values of a pair of the family", f"{cost.family_disk:.0f} bytes on disk"),
        ("all columns of a pair", f"{cost.pair_disk:.0f} bytes on disk"),
    ]
    return _table(("what", "cost"), rows)


def _fit_table(cost: Cost, boards: Sequence[BoardRow]) -> str:
    rows = [
        (
            f"{row.models:,} x {row.items:,}{', not fitted' if row is boards[-1] else ''}",
            f"{row.seconds:.2f}",
            f"{cost.passes(row.size):.2f}",
            f"{row.seconds / cost.passes(row.size) - 1:+.0%}",
            f"{row.memory / 1e9:.2f}",
        )
        for row in boards
    ]
    return _table(("models x items", "seconds", "fitted", "off by", "peak memory, GB"), rows)


def _shape_table(shapes: Sequence[ShapeRow]) -> str:
    size = f"scores, {_OF_SHAPES.models:,} x {_OF_SHAPES.items:,}"
    rows = [
        (
            row.scores,
            f"{row.clusters:,}" if row.clusters else "none",
            f"{row.seconds:.2f}",
            f"{row.seconds / _OF_SHAPES.pairs * 1e6:.1f}",
            f"{row.memory / 1e9:.2f}",
        )
        for row in shapes
    ]
    head = (size, "clusters", "seconds of both passes", "us a pair", "peak memory, GB")
    return _table(head, rows)


def _reckoned_table(cost: Cost) -> str:
    head = [f"{size.models:,} models x {size.items:,} items" for size in RECKONED]
    columns = [_reckoned(cost, size) for size in RECKONED]
    rows = [[what, *(_two_digits(column[what]) for column in columns)] for what in columns[0]]
    return _table(("what", *head), rows)


def _two_digits(number: float) -> str:
    """Write what follows from two digits, and has no more."""
    return f"{float(f'{number:.2g}'):,.{0 if number >= 10 else 1}f}"


def _reckoned(cost: Cost, size: Size) -> dict[str, float]:
    return {
        "pairs": size.pairs,
        "counting, core-seconds": cost.counting(size),
        "all else of the pairs, core-seconds": cost.others(size),
        "reading the scores, seconds a job": cost.reading(size),
        f"both passes, {PARTS} nodes of {CORES} cores, minutes": cost.on_nodes(size) / 60,
        "memory of each node, GB": cost.job_memory(size) / 1e9,
        "adjusting the family, one job, seconds": cost.family(size.pairs),
        "its memory, GB": cost.family_bytes * size.pairs / 1e9,
        "its p-values on disk, GB": cost.family_disk * size.pairs / 1e9,
        "all columns on disk, GB": cost.pair_disk * size.pairs / 1e9,
    }


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = [":--", *["--:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *rows))


def load() -> tuple[list[BoardRow], list[FamilyRow], list[ShapeRow]]:
    """Return what was measured last."""
    rows = json.loads(MEASURED.read_text(encoding="utf-8"))
    return (
        [BoardRow(**row) for row in rows["boards"]],
        [FamilyRow(**row) for row in rows["families"]],
        [ShapeRow(**row) for row in rows["shapes"]],
    )


def main() -> None:
    """Write the page, and measure before where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure first, some minutes")
    if parser.parse_args().measure:
        MEASURED.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
    replace_measured(PAGE, page(*load()), made_by=MADE_BY)


if __name__ == "__main__":
    main()
