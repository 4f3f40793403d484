"""Intervals of all pairs of a board at once: how often all hold, and how wide they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
from half_leaders import MORE
from half_samples import BOARDS, read_board
from scipy.special import ndtr, ndtri
from simulations import ALPHA, SEED, SIZES, draw_board

from llm_power._board.all_pairs import (
    BoardPairs,
    FamilyValues,
    controlled_family,
    family_of,
    item_keys,
    p_values_between,
)
from llm_power._board.operating_point import Declared, OperatingPoint
from llm_power._board.pair_items import Columns
from llm_power._choices import Control, Kind
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.max_t import GapDraws, centred_scores
from llm_power._statistics.multiplicity import FamilyTest
from llm_power._statistics.random_streams import named_rng

_SPLITS: Final = 10
#: Kinds of scores by name, and the latent ICC of 14 clusters.
KINDS: Final[dict[str, tuple[Kind, float | None]]] = {
    "exact": ("binary", None),
    "graded": ("graded", None),
    "exact, 14 clusters": ("binary", 0.05),
}
_BOARDS: Final = {
    "5 equal models": (0.6,) * 5,
    "5 models, gaps of 0 to 40 points": (0.7, 0.7, 0.6, 0.5, 0.3),
}


@dataclass(frozen=True, slots=True)
class Simultaneous:
    """Coverage of all intervals at once, and median widths in score units by level of a pair."""

    kind: str
    board: str
    n_items: int
    trials: int
    held: float
    single: float
    max_t: float
    bonferroni: float


@dataclass(frozen=True, slots=True)
class SimulatedBoard:
    """A board of models whose accuracies, on the latent scale, are given."""

    kind: str
    accuracies: tuple[float, ...]
    n: int

    def task(self, rng: np.random.Generator) -> TaskScores:
        """Draw items."""
        drawn = draw_board(rng, self.n, self.accuracies, *KINDS[self.kind])
        return replace(drawn, item_ids=tuple(map(str, range(drawn.n_items))))

    @property
    def gaps(self) -> FloatArray:
        """Return the true gaps of all pairs."""
        score_kind, icc = KINDS[self.kind]
        variance = 2 + 2 * (icc or 0.0) + (score_kind == "graded")
        mean = ndtr(np.sqrt(2) * ndtri(self.accuracies) / np.sqrt(variance))
        first, second = np.triu_indices(mean.size, k=1)
        return np.asarray(mean[first] - mean[second])

    def pairs(self, rng: np.random.Generator) -> BoardPairs:
        """Draw items and return all pairs."""
        cluster = None if KINDS[self.kind][1] is None else "subject"
        return BoardPairs([self.task(rng)], "all", cluster, OperatingPoint(), Declared())


def judged(pairs: BoardPairs, values: FamilyValues) -> Columns:
    """Return the columns of all pairs within a family."""
    return pairs.columns(0, pairs.n_pairs, values)


def simultaneous_intervals(trials: int) -> Iterator[Simultaneous]:
    """Yield coverage and widths of each kind of scores, board and number of items."""
    for kind, (board, accuracies), n in product(KINDS, _BOARDS.items(), SIZES):
        simulated = SimulatedBoard(kind, accuracies, n)
        rng, truth = named_rng(SEED, f"verdicts/simultaneous/{kind}/{board}/{n}"), simulated.gaps
        held, widths = 0, []
        # Graded scores and clusters take most of the time.
        number = trials if kind == "exact" else max(trials // 2, 1)
        for _ in range(number):
            pairs = simulated.pairs(rng)
            p = p_values_between(pairs, 0, pairs.n_pairs)
            values = pairs.adjusted(*p, threads=1)
            size = pairs.n_pairs
            families = (
                FamilyTest(p[0], ALPHA, 1),
                values.decided,
                FamilyTest(np.minimum(size * p[0], 1.0), ALPHA / size, size),
            )
            columns = [judged(pairs, replace(values, decided=family)) for family in families]
            low, high = columns[1]["gap_low"], columns[1]["gap_high"]
            held += bool(np.all((low <= truth) & (truth <= high)))
            widths.append([np.median(x["gap_high"] - x["gap_low"]) for x in columns])
        width = np.median(widths, axis=0).tolist()
        yield Simultaneous(kind, board, n, number, held / number, *width)


#: Boards of which some pairs differ by little or nothing.
_TIED: Final = {
    "12 equal models": (0.6,) * 12,
    "6 equal models, 6 apart": (*(0.6,) * 6, 0.75, 0.7, 0.65, 0.5, 0.45, 0.4),
    "12 models, a point apart": tuple(0.65 - 0.01 * np.arange(12)),
}
CONTROLLED: Final[tuple[Control, ...]] = ("fdr", "fdr-by")


@dataclass(frozen=True, slots=True)
class Discoveries:
    """Share of pairs called different, and mean share of wrong ones among them, by procedure."""

    kind: str
    board: str
    n_items: int
    trials: int
    different: dict[Control, float]
    wrong: dict[Control, tuple[float, float]]
    # Of Benjamini-Hochberg: intervals of these pairs that miss the gap.
    missed: tuple[float, float]


def simulated_discoveries(trials: int) -> Iterator[Discoveries]:
    """Yield the rates of each kind of scores, board and number of items."""
    for kind, (board, accuracies), n in product(KINDS, _TIED.items(), SIZES):
        simulated = SimulatedBoard(kind, accuracies, n)
        rng, truth = named_rng(SEED, f"verdicts/discoveries/{kind}/{board}/{n}"), simulated.gaps
        different: dict[Control, list[float]] = {name: [] for name in CONTROLLED}
        wrong: dict[Control, list[float]] = {name: [] for name in CONTROLLED}
        missed = []
        for _ in range(trials):
            pairs = simulated.pairs(rng)
            p = p_values_between(pairs, 0, pairs.n_pairs)
            families = {
                name: controlled_family(p[0], _no_draws, alpha=ALPHA, control=name)
                for name in CONTROLLED
            }
            values = family_of(*p, _no_draws, alpha=ALPHA, control="fdr")
            columns = judged(pairs, values)
            outside = (columns["gap_low"] > truth) | (truth > columns["gap_high"])
            astray = np.sign(columns["gap"]) != np.sign(np.round(truth, 12))
            for name, family in families.items():
                selected = family.p <= ALPHA
                number = max(int(selected.sum()), 1)
                different[name].append(float(selected.mean()))
                wrong[name].append((selected & astray).sum() / number)
                if name == "fdr":
                    missed.append((selected & outside).sum() / number)
        yield Discoveries(
            kind,
            board,
            n,
            trials,
            {name: float(np.mean(x)) for name, x in different.items()},
            {name: _mean(x) for name, x in wrong.items()},
            _mean(missed),
        )


def _mean(values: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values) / np.sqrt(len(values)))


def _no_draws(start: int, stop: int) -> FloatArray:
    raise AssertionError("no draws are needed")


@dataclass(frozen=True, slots=True)
class HalfDiscoveries:
    """Pairs of a real board called different by half of its items, and how many agree in sign."""

    board: str
    n_items: int
    n_pairs: int
    n_splits: int
    # By procedure: share of the pairs, and of these the share with that sign on the other half.
    different: dict[Control, float]
    agree: dict[Control, float]


def half_discoveries(folder: Path) -> Iterator[HalfDiscoveries]:
    """Yield the study of each board whose file is in `folder`."""
    for board, file in (BOARDS | MORE).items():
        if (folder / file).is_file():
            scores = read_board(folder / file, board)
            yield _halved(board, scores[:, ~np.isnan(scores).any(axis=0)])


def _halved(board: str, scores: FloatArray) -> HalfDiscoveries:
    rng, half = named_rng(SEED, f"half_discoveries/{board}"), len(scores) // 2
    kind: Kind = "binary" if np.isin(scores, (0.0, 1.0)).all() else "graded"
    controls: tuple[Control, ...] = ("max-t", *CONTROLLED)
    different: dict[Control, list[float]] = {name: [] for name in controls}
    agree: dict[Control, list[float]] = {name: [] for name in controls}
    first, second = np.triu_indices(scores.shape[1], k=1)
    for _ in range(_SPLITS):
        order = rng.permutation(len(scores))
        here, there = scores[order[:half]], scores[order[half : 2 * half]]
        task = TaskScores(
            task=board,
            kind=kind,
            item_ids=tuple(map(str, range(half))),
            models=tuple(f"m{model}" for model in range(here.shape[1])),
            values=here,
        )
        pairs = BoardPairs([task], "all", None, OperatingPoint(), Declared())
        p = p_values_between(pairs, 0, pairs.n_pairs)[0]
        means = [x.mean(axis=0) for x in (here, there)]
        gaps = [np.sign(np.round(mean[first] - mean[second], 12)) for mean in means]
        largest = GapDraws(centred_scores(here), item_keys(task)).largest
        for control in controls:
            discoveries = controlled_family(p, largest, alpha=ALPHA, control=control).p <= ALPHA
            different[control].append(float(discoveries.mean()))
            if discoveries.any():
                agree[control].append(float((gaps[0] == gaps[1])[discoveries].mean()))
    return HalfDiscoveries(
        board,
        len(scores),
        first.size,
        _SPLITS,
        {name: float(np.mean(x)) for name, x in different.items()},
        {name: float(np.mean(x)) for name, x in agree.items() if x},
    )
