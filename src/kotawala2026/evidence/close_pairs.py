"""What Tables 3, 6, 10 and 11 decide about one another, from their printed numbers alone.

A row of Table 6 is overdetermined: N, the two accuracies and N* fix b and c, and b, c and N*
fix N. Its seven rows are the two closest buckets of Table 3 and the pairs of Table 11, and
decide the bootstrap of Section 6.1. A gap and an N* of Table 10 fix the discordance
probabilities, and with them the power at any number of items; with the scores that the board
displayed, its correlation fixes N*.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import combinations, permutations
from math import comb, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri
from scipy.stats import binom, multinomial

from kotawala2026.evidence.published_numbers import PublishedNumbers, pair_names
from kotawala2026.exhibits.table_10 import FACTORS
from kotawala2026.exhibits.table_11 import table_11
from llm_power.agreement import agrees
from llm_power.printed import (
    DISPLAY_RULES,
    Printed,
    split_parentheses,
)
from llm_power.report._board import model_label
from llm_power.statistics._seeds import named_rng
from llm_power.statistics._typing import FloatArray
from llm_power.statistics.bernoulli_pairs import discordance_from_required_n
from llm_power.statistics.paired_binary import required_n_discordance, required_n_paired_binary
from llm_power.statistics.rejection_rates import TESTS, rejection_rates
from replication.constraints import BoardScore
from replication.evidence.rows import EvidenceRow

_CHI2 = TESTS.index("mcnemar_chi2")
# Bounds of the buckets of Table 3 in pp; the close pairs fill the first two.
_BUCKETS = {
    "≤1%": (-1.0, 1.0),
    "1%–2%": (1.0, 2.0),
    "2%–5%": (2.0, 5.0),
    "5%–15%": (5.0, 15.0),
    ">15%": (15.0, 100.0),
}
_CLOSE = ("≤1%", "1%–2%")
_QUANTILE = 0.05
# Standard deviations around the mean that an enumeration covers.
_REACH = 10.0


def close_pairs(published: PublishedNumbers) -> list[EvidenceRow]:
    """Recompute what the exhibits on the Open LLM Leaderboard v1 say about each other.

    Parameters
    ----------
    published : PublishedNumbers
        Tables 3, 6, 10 and 11, and the scores the board displayed.

    Returns
    -------
    list of EvidenceRow
        A pair of Table 6 is named by task and models, a row of another table by its label.
    """
    rows: list[EvidenceRow] = []
    for part in (
        _rows_of_table_6,
        _chains,
        _rounding,
        _buckets,
        _bootstrap,
        _arbiters,
        _prospective,
        _required_n_of_table_10,
        _displayed_scores,
    ):
        rows += part(published)
    return rows


def _rows_of_table_6(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    counts = published.close_pairs
    for i, pair in enumerate(pair_names(counts)):
        n, b, c = (int(x[i]) for x in (counts.n_items, counts.b, counts.c))
        p_a, p_b, n_star = counts.p_a[i], counts.p_b[i], counts.n_star[i].value
        yield EvidenceRow(
            "accuracy_gap_items", pair, n * (p_a.value - p_b.value), "N (p_A - p_B) of Table 6"
        )
        for name, value in zip(("b", "c"), _discordant_counts(n, p_a, p_b, n_star), strict=True):
            yield EvidenceRow(
                f"{name}_from_row",
                pair,
                value,
                "b and c that fit N, p_A and p_B, with the N* by eq. (6) nearest to the printed",
            )
        candidates = np.arange(b + c, 2 * n + 1)
        distance = np.abs(required_n_discordance(b, c, candidates) - n_star)
        yield EvidenceRow(
            "n_items_from_row",
            pair,
            int(candidates[np.argmin(distance)]),
            "N at which eq. (6) in b and c comes nearest to the printed N*",
        )
        yield EvidenceRow("n_discordant", pair, b + c, "b + c of Table 6")
        yield EvidenceRow("n_difference", pair, b - c, "b - c of Table 6")


def _discordant_counts(n: int, p_a: Printed, p_b: Printed, n_star: float) -> tuple[int, int]:
    """Counts b and c that a printed row admits; its own b and c are not used."""
    reach = n * (p_a.half_unit + p_b.half_unit)
    middle = n * (p_a.value - p_b.value)
    around = range(int(np.ceil(middle - reach)), int(np.floor(middle + reach)) + 1)
    candidates = []
    for difference in [d for d in around if _solves(n, p_a, p_b, d)] or [round(middle)]:
        total = np.arange(abs(difference), n + 1, 2)
        b, c = (total + difference) // 2, (total - difference) // 2
        distance = np.abs(required_n_discordance(b, c, n) - n_star)
        k = int(np.argmin(distance))
        candidates.append((float(distance[k]), int(b[k]), int(c[k])))
    _, only_a, only_b = min(candidates)
    return only_a, only_b


def _solves(n: int, p_a: Printed, p_b: Printed, difference: int) -> bool:
    """Whether some whole number of solved items displays both accuracies."""
    around = range(int(n * (p_a.value - p_a.half_unit)), int(n * (p_a.value + p_a.half_unit)) + 2)
    return any(agrees(p_a, s / n) and agrees(p_b, (s - difference) / n) for s in around)


def _chains(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Difference b - c of A against C where A against B and B against C are printed as well."""
    counts = published.close_pairs
    difference = dict(
        zip(
            zip(counts.label, counts.model_a, counts.model_b, strict=True),
            (counts.b - counts.c).tolist(),
            strict=True,
        )
    )
    for (task, a, b), first in difference.items():
        for (other_task, same, c), second in difference.items():
            if task == other_task and b == same and (task, a, c) in difference:
                yield EvidenceRow(
                    "difference_by_chain",
                    ", ".join((task, a, c)),
                    first + second,
                    f"b - c of {a} against {b} and of {b} against {c}, added",
                )


def _rounding(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    counts = published.close_pairs
    required = required_n_discordance(counts.b, counts.c, counts.n_items)
    printed = np.array([cell.value for cell in counts.n_star])
    for rule, display in DISPLAY_RULES.items():
        yield EvidenceRow(
            "n_star_rows_by_rule",
            rule,
            int(np.count_nonzero(display(required) == printed)),
            "rows of Table 6 whose N* is eq. (6) rounded so",
        )
    # N* is K (N (b+c)/(b-c)^2 - 1): the largest N* pins K down best.
    i = int(np.argmax(printed))
    ratio = counts.n_items[i] * (counts.b[i] + counts.c[i]) / (counts.b[i] - counts.c[i]) ** 2 - 1
    yield EvidenceRow(
        "power_implied",
        "",
        float(ndtr(np.sqrt(printed[i] / ratio) - ndtri(1 - published.settings["alpha"] / 2))),
        "power at which the largest N* of Table 6 is eq. (6), at level 0.05",
    )


def _buckets(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    counts, table = published.close_pairs, published.tables[3]
    gap = 100 * np.abs(counts.b - counts.c) / counts.n_items
    r = required_n_discordance(counts.b, counts.c, counts.n_items) / counts.n_items
    for label in _CLOSE:
        low, high = _BUCKETS[label]
        inside = r[(gap > low) & (gap <= high)]
        for name, value in (
            ("pairs", inside.size),
            ("unresolved", np.count_nonzero(inside > 1)),
            ("r_median", np.median(inside)),
            ("r_worst", inside.max()),
        ):
            method = "pairs of Table 6 with such a gap, r = N*/N by eq. (6)"
            yield EvidenceRow(f"bucket_{name}", label, float(value), method)
    *buckets, everything = table.to_dict(orient="records")
    for row in (*buckets, everything):
        yield EvidenceRow(
            "bucket_share",
            row["gap_bucket"],
            row["unresolved"].count / row["pairs"].value,
            "unresolved over pairs, both of Table 3",
        )
    summed = "over the buckets of Table 3"
    worst = max(buckets, key=lambda row: row["r_worst"].value)
    for name, value in (
        ("sum_pairs", sum(row["pairs"].value for row in buckets)),
        ("sum_unresolved", sum(row["unresolved"].count for row in buckets)),
        ("worst", worst["r_worst"].value),
        ("verdicts_against_r", sum(_against_its_r(row) for row in buckets)),
    ):
        yield EvidenceRow(f"buckets_{name}", "", float(value), summed)
    yield EvidenceRow(
        "all_pairs", "", 4 * comb(5, 2), "four tasks, five models: 4 × 5·4/2", "derived"
    )
    yield EvidenceRow("pairs_a_task", "", comb(5, 2), "five models: 5·4/2", "derived")


def _against_its_r(row: Mapping[Hashable, Any]) -> bool:
    """Whether a bucket's count of unresolved pairs contradicts its median or worst r."""
    unresolved, pairs = int(row["unresolved"].count), float(row["pairs"].value)
    median, worst = float(row["r_median"].value), float(row["r_worst"].value)
    return (worst > 1) != (unresolved > 0) or (median > 1) != (2 * unresolved > pairs)


def _bootstrap(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    counts, size = published.close_pairs, published.settings["oll_v1_bootstrap_resamples"]
    tests = [tuple(map(int, row)) for row in zip(counts.b, counts.c, counts.n_items, strict=True)]
    laws = [_resampled_required_n(*row) for row in tests]
    enumerated = "N* of a resample, its b and c enumerated"
    share = np.array(
        [mass[needed > n].sum() for (needed, mass), (_, _, n) in zip(laws, tests, strict=True)]
    )
    ends = np.array([_percentiles(*law) for law in laws])
    for i, pair in enumerate(pair_names(counts)):
        yield EvidenceRow("share_of_resamples_unresolved", pair, float(share[i]), enumerated)
        for name, value in zip(("n_star_p05", "n_star_p95"), ends[i], strict=True):
            yield EvidenceRow(name, pair, float(value), enumerated)
    n = counts.n_items
    robust, spanning = ends[:, 0] > n, (ends[:, 0] <= n) & (ends[:, 1] > n)
    yield EvidenceRow(
        "robustly_unresolved", "", int(robust.sum()), f"5th percentile of {enumerated}"
    )
    yield EvidenceRow(
        "spanning", "", int(spanning.sum()), f"5th and 95th percentile of {enumerated}"
    )
    yield EvidenceRow(
        "intervals_beyond_tenfold",
        "",
        int(np.count_nonzero(ends[spanning, 1] > 10 * ends[spanning, 0])),
        f"spanning pairs with a 95th above ten times the 5th percentile of {enumerated}",
    )
    # The 25th of 500 exceeds N where at most 24 resamples need N or less.
    rank = round(_QUANTILE * size)
    chance = np.asarray(binom.cdf(rank - 1, size, 1 - share))
    for name, mean in (
        ("robustly_unresolved_in_a_run", chance.sum()),
        ("spanning_in_a_run", (1 - chance).sum()),
    ):
        yield EvidenceRow(
            name,
            "",
            float(mean),
            f"mean over runs of {size} resamples; standard error: standard deviation over runs",
            standard_error=float(np.sqrt((chance * (1 - chance)).sum())),
        )
    gap = np.array([abs(b - c) / sqrt(b + c) for b, c, _ in tests])
    yield EvidenceRow(
        "spanning_pairs_nearer_zero",
        "",
        int(np.count_nonzero(gap[spanning] < np.max(gap[robust], initial=0.0))),
        "spanning pairs whose |b - c| / sqrt(b + c) is below that of some robust pair",
    )


def _resampled_required_n(b: int, c: int, n: int) -> tuple[FloatArray, FloatArray]:
    """N* of each resample (b*, c*), and its probability."""
    first, second = (
        np.arange(max(0, int(k - _REACH * sqrt(k))), min(n, int(k + _REACH * sqrt(k))) + 1)
        for k in (b, c)
    )
    grid_b, grid_c = (x.ravel() for x in np.meshgrid(first, second, indexing="ij"))
    possible = grid_b + grid_c <= n
    drawn = np.stack([grid_b, grid_c, n - grid_b - grid_c], axis=1)[possible]
    mass = np.asarray(multinomial.pmf(drawn, n, [b / n, c / n, 1 - (b + c) / n]))
    return required_n_discordance(drawn[:, 0], drawn[:, 1], n), mass


def _percentiles(values: FloatArray, mass: FloatArray) -> tuple[float, float]:
    order = np.argsort(values)
    reached = np.cumsum(mass[order])
    low, high = np.searchsorted(reached, (_QUANTILE, 1 - _QUANTILE))
    return float(values[order[low]]), float(values[order[high]])


def _arbiters(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    frame = table_11(published.tables[11], published.close_pairs)
    for name, method in (
        ("verdict", "tests on Table 6's b, c and N"),
        ("verdict_printed", "letters of Table 11"),
    ):
        letters: pd.Series = frame[name]
        for quantity, hits in (
            ("unanimous", letters.map(lambda word: len(set(word)) == 1)),
            ("unanimous_fail", letters.map(lambda word: set(word) == {"F"})),
            ("split", letters.map(lambda word: len(set(word)) > 1)),
        ):
            yield EvidenceRow(quantity, name, int(hits.sum()), method)
    n_letters = {len(word) for word in published.tables[11]["verdict"]}
    yield EvidenceRow("arbiters", "", max(n_letters), "letters of a verdict of Table 11")
    for row in published.tables[11].to_dict(orient="records"):
        letters_of_row = [
            "R" if row[name].value <= published.settings["alpha"] else "F"
            for name in ("p_chi2", "p_exact", "p_midp")
        ]
        letters_of_row.append("F" if row["zero_in_ci"] == "yes" else "R")
        yield EvidenceRow(
            "verdict_of_printed_cells",
            split_parentheses(row["pair"])[0],
            "".join(letters_of_row),
            "Table 11's own p-values against alpha, and its interval",
        )


def _prospective(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    table, trials = published.tables[10], published.settings["prospective_trials"]
    on_target: list[float] = []
    for row in table.to_dict(orient="records"):
        p10, p01 = discordance_from_required_n(row["gap"].value, row["n_star"].value)
        for name, factor in FACTORS.items():
            size = round(factor * row["n_star"].value)
            rates = rejection_rates(
                p10, p01, size, n_trials=1, rng=named_rng(0, f"{row['pair']}/{name}")
            )
            power = float(rates.exact[_CHI2])
            if factor == 1:
                on_target.append(power)
            yield EvidenceRow(
                name,
                row["pair"],
                power,
                f"asymptotic McNemar on {size} items, enumerated; discordance from gap and N*",
                standard_error=sqrt(power * (1 - power) / trials),
            )
    target = published.settings["power"]
    counted = "counted in Table 10"
    for quantity, value, method in (
        ("power_on_target_max_dev", 100 * max(abs(p - target) for p in on_target), "enumerated"),
        ("powers_below_target", _count(table["power_at_080"], below=target), counted),
        ("powers_above_target", _count(table["power_at_120"], above=target), counted),
        ("prospective_mc_se", 100 * sqrt(target * (1 - target) / trials), "sqrt(x(1-x)/M)"),
    ):
        unit = "pp" if quantity.endswith(("dev", "se")) else ""
        yield EvidenceRow(quantity, "", value, method, unit=unit)


def _displayed_scores(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    scores = published.board_scores
    models = {score.model for score in scores}
    yield EvidenceRow("models_displayed", "", len(models), "models with displayed scores")
    gaps = np.array(
        [
            100 * abs(_solved(a) - _solved(b)) / a.n_items
            for a, b in combinations(scores, 2)
            if a.task == b.task
        ]
    )
    for label, (low, high) in _BUCKETS.items():
        inside = np.count_nonzero((gaps > low) & (gaps <= high))
        method = "pairs whose displayed scores, as whole numbers of items, differ by so much"
        yield EvidenceRow("bucket_pairs_of_displayed_scores", label, int(inside), method)


def _required_n_of_table_10(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Table 10 against the accuracies that the board displayed for its models."""
    for row in published.tables[10].to_dict(orient="records"):
        better, worse = _models_of(row["pair"], row["gap"].value, published.board_scores)
        p_a, p_b = _solved(better) / better.n_items, _solved(worse) / worse.n_items
        pair, printed = row["pair"], row["n_star"].value
        displayed = f"scores displayed for {better.model} and {worse.model}"
        yield EvidenceRow("gap_of_displayed_scores", pair, 100 * (p_a - p_b), displayed, unit="pp")
        yield EvidenceRow("worse_model", pair, worse.model, displayed)
        needed = required_n_paired_binary(p_a, p_b, _ends(row["rho"]))
        # N* is linear in the correlation. Printed 193, it is above 192 and at most 193.5.
        independent = float(required_n_paired_binary(p_a, p_b, 0.0))
        slope = (independent - float(needed[0])) / float(_ends(row["rho"])[0])
        rhos = [(independent - n) / slope for n in (printed + 0.5, printed - 1)]
        yield EvidenceRow(
            "rho_nearest_to_printed",
            pair,
            float(np.clip(row["rho"].value, *rhos)),
            f"eq. (6) at the {displayed}, at the N*, rounded up or to the nearest as printed, "
            "that comes nearest to the printed correlation",
        )
        yield EvidenceRow(
            "n_star_nearest_to_printed",
            pair,
            float(np.clip(printed, needed.min(), needed.max())),
            f"eq. (6) at the {displayed}, at the correlation within the printed digits that "
            "comes nearest to the printed N*",
        )


def _models_of(
    label: str, gap: float, scores: tuple[BoardScore, ...]
) -> tuple[BoardScore, BoardScore]:
    """Return the models that a label of Table 10 can name, with the gap nearest to the printed."""
    task, _, names = label.partition(", ")
    first, second = names.split(" / ")
    of_task = [score for score in scores if score.task.split("-")[0] == task]
    pairs = [
        (a, b)
        for a, b in permutations(of_task, 2)
        # Table 10 writes "gemma" for either gemma model.
        if _solved(a) > _solved(b)
        and {model_label(x.model).removesuffix("-it") for x in (a, b)} == {first, second}
    ]
    return min(pairs, key=lambda p: abs((_solved(p[0]) - _solved(p[1])) / p[0].n_items - gap))


def _solved(score: BoardScore) -> int:
    return round(score.score.value / 100 * score.n_items)


def _ends(cell: Printed) -> FloatArray:
    return np.array([cell.value - cell.half_unit, cell.value + cell.half_unit])


def _count(cells: Iterable[Printed], *, below: float = np.inf, above: float = -np.inf) -> int:
    return sum(above < cell.value < below for cell in cells)
