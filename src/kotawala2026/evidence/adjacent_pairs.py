"""What Table 7 decides alone, and what Sections 6.2 and 6.3 say that follows from printed numbers.

A row of Table 7 holds b, c, two accuracies, a correlation, two p-values and N*, and the nine
rows share one N: the table is overdetermined, and says which N and rounding it was made with.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np
from scipy.special import chdtrc

from kotawala2026.evidence.published_numbers import PublishedNumbers, pair_names
from kotawala2026.exhibits.item_count import (
    chained_solved_counts,
    implied_item_count,
    jointly_solved,
    rules_displaying,
)
from llm_power.choices import Family
from llm_power.printed import (
    DISPLAY_RULES,
)
from llm_power.statistics._typing import BoolArray, FloatArray, IntArray
from llm_power.statistics.inversion import z_sum
from llm_power.statistics.mcnemar import mcnemar_asymptotic, mcnemar_exact
from llm_power.statistics.multiplicity import (
    Procedure,
    adjusted_required_n,
    benjamini_hochberg_levels,
    bonferroni_level,
    family_size,
    holm_levels,
    sidak_level,
)
from llm_power.statistics.paired_binary import (
    PairSummary,
    admissible_rho,
    required_n_discordance,
    required_n_paired_binary,
    summarize_counts,
)
from llm_power.statistics.rho_sensitivity import required_n_at_shifted_rho, rho_sensitivity
from llm_power.statistics.shortcut import shortcut_required_n
from replication.evidence.rows import EvidenceRow
from replication.printed import (
    PublishedCounts,
)

_TABLE = "Table 7"
_MMLU_PRO, _CLOSE = "MMLU-Pro", "close pairs"
_SHIFT = 0.10
_PROCEDURES: Final[tuple[Procedure, ...]] = ("bonferroni", "holm")
_FAMILIES: Final[tuple[Family, ...]] = ("adjacent", "all")
# Buckets of Table 3 with gaps above five points, whose rejections Section 6.3 says stand.
_ABOVE_5PP = ("5%–15%", ">15%")


def adjacent_pairs(published: PublishedNumbers) -> list[EvidenceRow]:
    """Recompute what Table 7 and the text of Sections 6.2 and 6.3 say about each other.

    Parameters
    ----------
    published : PublishedNumbers
        Tables 3 to 7 and the settings.

    Returns
    -------
    list of EvidenceRow
        A pair of Table 7 is named by its ranks, a pair of Table 6 by task and models. The
        "implied" N, and rounding, is that which reproduces most N* of Table 7: as long as the
        table is right in most of its rows, one wrong row does not hide the others.
    """
    return [
        *_items(published),
        *_rows_of_table_7(published),
        *_two_forms(published),
        *_shortcut(published),
        *_families(published),
        *_inflations(published),
        *_false_discovery(published),
        *_shifted_correlation(published),
    ]


def _items(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Which N and which rounding the nine rows have in common."""
    counts = published.adjacent_pairs
    implied = implied_item_count(counts)
    method = "the N at which eq. (6) in b and c, under one rounding, displays most of the N*"
    yield EvidenceRow("n_items_implied", _TABLE, implied.n_items, method, unit="items")
    yield EvidenceRow("rounding_implied", _TABLE, implied.rule, "with that N")
    for where, n_items in _both_items(counts).items():
        n = int(n_items[0])
        shown = [
            rules_displaying(round(cell.value), int(b), int(c), n)
            for cell, b, c in zip(counts.n_star, counts.b, counts.c, strict=True)
        ]
        for rule in DISPLAY_RULES:
            yield EvidenceRow(
                f"rows_explained_at_{where}_n",
                rule,
                sum(rule in rules for rules in shown),
                f"rows of Table 7 whose N* is eq. (6) at N = {n:,} rounded so",
            )
        left = [label for label, rules in zip(counts.label, shown, strict=True) if not rules]
        method = f"rows of Table 7 whose N* no rounding of eq. (6) gives at N = {n:,}"
        yield EvidenceRow(f"rows_unexplained_at_{where}_n", _TABLE, len(left), method)
        yield EvidenceRow(f"rows_unexplained_at_{where}_n_which", _TABLE, ", ".join(left), method)
        yield EvidenceRow(
            f"chain_solutions_at_{where}_n",
            _TABLE,
            len(chained_solved_counts(counts, n)),
            f"items that the first model can have solved of N = {n:,}, by all ten accuracies",
        )


def _both_items(counts: PublishedCounts) -> dict[str, IntArray]:
    n_implied = implied_item_count(counts).n_items
    return {"printed": counts.n_items, "implied": np.full_like(counts.n_items, n_implied)}


def _rows_of_table_7(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    counts, items = published.adjacent_pairs, _both_items(published.adjacent_pairs)
    names, difference = counts.label, counts.b - counts.c
    printed_gap = np.array([a.value - b.value for a, b in zip(counts.p_a, counts.p_b, strict=True)])
    yield from _per_pair("b_minus_c", names, difference, "b - c of Table 7", unit="items")
    for name, found in zip(
        ("b", "c"), _from_the_other_count(counts, items["implied"]), strict=True
    ):
        method = f"eq. (6) at N*, implied N and the other count, solved for {name}"
        yield from _per_pair(f"{name}_from_row", names, found, method)
    for where, n in items.items():
        summary = _summarize(counts, n)
        method = f"at N = {int(n[0]):,}"
        yield from _per_pair(f"n_star_at_{where}_n", names, summary.n_star, f"eq. (6) {method}")
        yield from _per_pair(f"rho_at_{where}_n", names, summary.rho, f"phi coefficient {method}")
        yield from _per_pair(f"q_at_{where}_n", names, summary.q, f"N/N* {method}")
        yield from _per_pair(
            f"gap_mismatch_at_{where}_n",
            names,
            np.abs(printed_gap - difference / n),
            f"|(p_A - p_B) - (b - c)/N| {method}",
        )
    summary = _summarize(counts, items["printed"])
    for name, value, method in (
        ("models_ranked", len({*counts.model_a, *counts.model_b}), "models that Table 7 names"),
        ("rho_min", summary.rho.min(), "smallest phi of Table 7"),
        ("rho_max", summary.rho.max(), "largest phi of Table 7"),
        (
            "pairs_out_of_order",
            np.count_nonzero(difference <= 0),
            "rows of Table 7 whose first model solves no more than the second",
        ),
        (
            "exact_below_asymptotic",
            np.count_nonzero(
                mcnemar_exact(counts.b, counts.c) < mcnemar_asymptotic(counts.b, counts.c)
            ),
            "rows of Table 7 whose exact p-value is below the asymptotic one",
        ),
    ):
        yield EvidenceRow(name, _TABLE, float(value), method)


def _from_the_other_count(counts: PublishedCounts, n: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return b from c, and c from b; both also from N* and N.

    Eq. (6) is N (b + c) = R (b - c)^2 with R = N*/K + 1: a quadratic in d = b - c, with
    b + c = 2c + d or 2b - d. An N* that was rounded up is half a unit too large on average.
    """
    shift = {"up": -0.5, "nearest": 0.0, "down": 0.5}[implied_item_count(counts).rule]
    n_star = np.array([cell.value for cell in counts.n_star]) + shift
    ratio = n_star / float(z_sum(0.05, 0.80)) ** 2 + 1
    of_c = (n + np.sqrt(n**2 + 8.0 * ratio * counts.c * n)) / (2 * ratio)
    of_b = (-n + np.sqrt(n**2 + 8.0 * ratio * counts.b * n)) / (2 * ratio)
    return counts.c + of_c, counts.b - of_b


def _two_forms(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Section 6.2 compares eq. (6) with "the discordance form", which it does not define."""
    counts = published.adjacent_pairs
    summary = _summarize(counts, counts.n_items)
    bernoulli = required_n_paired_binary(summary.p_a, summary.p_b, summary.rho)
    for name, other, method in (
        ("same_variance", summary.n_star, "eq. (6) in b and c, variance (b+c)/N - δ²"),
        ("connor", _connor(counts), "Connor (1987): (z_α sqrt(ψ) + z_β sqrt(ψ - δ²))²/δ²"),
    ):
        apart = 100 * np.abs(other / bernoulli - 1)
        yield from _per_pair(f"forms_apart_{name}", counts.label, apart, method, unit="%")
        yield EvidenceRow(f"forms_apart_{name}_max", _TABLE, float(apart.max()), method, unit="%")


def _connor(counts: PublishedCounts) -> FloatArray:
    """Required N with the null variance in the level term (Connor 1987, 10.2307/2531961)."""
    discordant = (counts.b + counts.c) / counts.n_items
    delta = (counts.b - counts.c) / counts.n_items
    z_alpha = float(z_sum(0.05, 0.5))  # the quantile of a power of one half is 0
    z_beta = float(z_sum(0.05, 0.80)) - z_alpha
    root = z_alpha * np.sqrt(discordant) + z_beta * np.sqrt(discordant - delta**2)
    return np.asarray((root / delta) ** 2)


def _shortcut(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Lemma 1 on Table 7: n_h/N* of each pair."""
    counts = published.adjacent_pairs
    summary = _summarize(counts, counts.n_items)
    printed = [
        np.array([cell.value for cell in cells]) for cells in (counts.p_a, counts.p_b, counts.rho)
    ]
    for name, inputs, method in (
        ("shortcut_ratio", (summary.p_a, summary.p_b, summary.rho), "of the counts of Table 7"),
        ("shortcut_ratio_of_printed", tuple(printed), "of the printed p_A, p_B and ρ of Table 7"),
    ):
        ratio = shortcut_required_n(*inputs) / required_n_paired_binary(*inputs)
        yield from _per_pair(name, counts.label, ratio, f"n_h/N* by eqs. (6) and (9), {method}")
        for which, value in (
            ("min", ratio.min()),
            ("median", np.median(ratio)),
            ("max", ratio.max()),
            ("pairs_below_one", np.count_nonzero(ratio < 1)),
            ("pairs_above_half", np.count_nonzero(ratio > 0.5)),
            ("largest_deviation_from_half", np.abs(ratio - 0.5).max()),
        ):
            yield EvidenceRow(f"{name}_{which}", _TABLE, float(value), f"n_h/N* {method}")


def _families(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Unresolved pairs of Table 7 at fixed n and under the two families of Section 6.3."""
    counts, settings = published.adjacent_pairs, published.settings
    adjacent, everything = (
        family_size(len(counts) + 1, "adjacent"),
        int(settings["mmlu_pro_all_pairs_family"]),
    )
    for subject, models, tasks in (
        (_MMLU_PRO, len(counts) + 1, 1),
        ("frontier panel", 4, 1),
        ("one task of OLL v1", 5, 1),
        ("four tasks of OLL v1", 5, 4),
    ):
        for family in _FAMILIES:
            size = tasks * family_size(models, family)
            method = f"K = {models} models, {tasks} task(s)"
            yield EvidenceRow(f"family_{family}", subject, size, method, "derived")
    yield EvidenceRow(
        "family_wise_error",
        "m = 40",
        float(1 - (1 - settings["alpha"]) ** int(settings["oll_v1_pairs"])),
        "1 - (1 - α)^m, true nulls, independent tests",
        "derived",
    )
    for where, n in _both_items(counts).items():
        fixed = required_n_discordance(counts.b, counts.c, n) > n
        yield from _unresolved(counts, f"fixed_n_at_{where}_n", fixed)
        for procedure, m in product(_PROCEDURES, (adjacent, everything)):
            strict = _unresolved_under(counts, n, procedure, m)
            yield from _unresolved(counts, f"{procedure}_{m}_at_{where}_n", strict)
            yield EvidenceRow(
                f"unresolved_that_stay_{procedure}_{m}_at_{where}_n",
                _MMLU_PRO,
                int(np.count_nonzero(fixed & strict)),
                "pairs unresolved at fixed n that the family leaves unresolved",
            )


def _unresolved(counts: PublishedCounts, name: str, which: BoolArray) -> Iterator[EvidenceRow]:
    labels = ", ".join(np.array(counts.label)[which])
    method = "N* at the adjusted level exceeds N, from b and c of Table 7"
    yield EvidenceRow(f"unresolved_{name}", _MMLU_PRO, int(np.count_nonzero(which)), method)
    yield EvidenceRow(f"unresolved_{name}_which", _MMLU_PRO, labels, method)


def _unresolved_under(
    counts: PublishedCounts, n: IntArray, procedure: Procedure, m: int
) -> BoolArray:
    delta = (counts.b - counts.c) / n
    sigma_d = np.sqrt((counts.b + counts.c) / n - delta**2)
    p = mcnemar_asymptotic(counts.b, counts.c)
    return ~adjusted_required_n(p, delta, sigma_d, n, procedure=procedure, m=m).resolved


def _inflations(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Factors of N* that the adjusted levels bring, and what they do to Table 3."""
    settings = published.settings
    pairs, everything = int(settings["oll_v1_pairs"]), int(settings["mmlu_pro_all_pairs_family"])
    adjacent = int(settings["mmlu_pro_adjacent_family"])
    for name, level in (
        ("fixed n", 0.05),
        *((f"Bonferroni, m = {m}", bonferroni_level(m)) for m in (adjacent, pairs, everything)),
        *((f"Šidák, m = {m}", sidak_level(m)) for m in (adjacent, pairs, everything)),
    ):
        # The quantile of a power of one half is 0: what is left is that of the level.
        critical = float(z_sum(level, 0.5))
        yield EvidenceRow("critical_value", name, critical, "z at 1 - α'/2", "derived")
        factor = float((z_sum(level, 0.80) / z_sum(0.05, 0.80)) ** 2)
        yield EvidenceRow("inflation", name, factor, "((z' + z_β)/(z + z_β))²", "derived")
    levels = holm_levels(np.arange(1, pairs + 1) / (pairs + 1))
    steps = (z_sum(levels, 0.80) / z_sum(0.05, 0.80)) ** 2
    bound = float((z_sum(bonferroni_level(pairs), 0.80) / z_sum(0.05, 0.80)) ** 2)
    for name, value, method in (
        ("holm_inflation_max", steps.max(), "largest factor of Holm's steps, m = 40"),
        ("holm_inflation_min", steps.min(), "smallest factor of Holm's steps, m = 40"),
        (
            "holm_steps_above_bonferroni",
            np.count_nonzero(steps > bound * (1 + 1e-12)),
            "Holm's steps that inflate N* by more than Bonferroni, m = 40",
        ),
    ):
        yield EvidenceRow(name, "m = 40", float(value), method, "derived")
    close = published.close_pairs
    needed = required_n_discordance(close.b, close.c, close.n_items, alpha=bonferroni_level(pairs))
    yield EvidenceRow(
        "unresolved_bonferroni_40",
        _CLOSE,
        int(np.count_nonzero(needed > close.n_items)),
        "pairs of Table 6 whose N* at level 0.05/40 exceeds N",
    )
    table = published.tables[3]
    for label, worst in zip(table["gap_bucket"], table["r_worst"], strict=True):
        yield EvidenceRow(
            "worst_r_inflated", label, worst.value * bound, "worst r of Table 3 times the factor"
        )


def _false_discovery(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Bounds that Table 3 puts on Benjamini-Hochberg's rejections; r bounds each p-value.

    T_N² is (z_α + z_β)²/r. The fewest items of any task that is printed bound the p-value.
    """
    table, pairs = published.tables[3], int(published.settings["oll_v1_pairs"])
    above = table[table["gap_bucket"].isin(_ABOVE_5PP)]
    n_above = sum(int(cell.value) for cell in above["pairs"])
    worst = max(cell.value + cell.half_unit for cell in above["r_worst"])
    fewest = int(published.close_pairs.n_items.min())
    k = float(z_sum(0.05, 0.80)) ** 2
    p, p_resolved = _p_value(k / worst, fewest), _p_value(k, fewest)
    level = float(benjamini_hochberg_levels(np.full(n_above, p), pairs)[0])
    resolved = int(
        sum(
            cell.value - unresolved.count
            for cell, unresolved in zip(table["pairs"][:-1], table["unresolved"][:-1], strict=True)
        )
    )
    level_resolved = float(benjamini_hochberg_levels(np.full(resolved, p_resolved), pairs)[0])
    for name, value, method in (
        ("pairs_above_5pp", n_above, "Table 3"),
        ("p_largest_above_5pp", p, "of the worst r above 5 pp in Table 3"),
        ("bh_level_above_5pp", level, "level of Benjamini-Hochberg at the rank of those pairs"),
        ("bh_retracted_above_5pp_at_most", 0 if p <= level else n_above, "p against that level"),
        ("pairs_resolved", resolved, "Table 3"),
        ("p_largest_resolved", p_resolved, "of r = 1"),
        (
            "bh_rejections_up_to_5pp_at_least",
            resolved - n_above if p_resolved <= level_resolved else 0,
            "resolved pairs of Table 3 with smaller gaps: their p against the level of their rank",
        ),
    ):
        yield EvidenceRow(name, "OLL v1", float(value), method)
    counts = published.close_pairs
    for name, values in (
        ("asymptotic", mcnemar_asymptotic(counts.b, counts.c)),
        ("exact", mcnemar_exact(counts.b, counts.c)),
    ):
        method = f"smallest {name} McNemar p-value of Table 6"
        yield EvidenceRow("smallest_p", f"{_CLOSE}, {name}", float(values.min()), method)


def _p_value(wald_squared: float, n_items: int) -> float:
    """Asymptotic McNemar p-value at T_N², N items: McNemar's z² is T²/(1 + T²/N)."""
    return float(chdtrc(1, wald_squared / (1 + wald_squared / n_items)))


def _shifted_correlation(published: PublishedNumbers) -> Iterator[EvidenceRow]:
    """Section 6.2: verdicts with every correlation a tenth off."""
    pairs, close = published.adjacent_pairs, published.close_pairs
    for subject, counts in ((_MMLU_PRO, pairs), (_CLOSE, close)):
        summary = _summarize(counts, counts.n_items)
        moved = rho_sensitivity(summary.p_a, summary.p_b, summary.rho, counts.n_items, shift=_SHIFT)
        flips = moved.flips
        after = [int(np.count_nonzero(x)) for x in (moved.lower, moved.observed, moved.upper)]
        names = pair_names(counts)
        for name, value in (
            ("fewest", min(after)),
            ("most", max(after)),
            ("flips", int(np.count_nonzero(flips))),
            ("clamped", int(np.count_nonzero(moved.clamped))),
            ("largest_gap_pp", float(100 * np.abs(summary.delta)[flips].max(initial=0.0))),
            ("largest_r", float(1 / summary.q[flips].min(initial=np.inf))),
            ("which", "; ".join(name for name, flip in zip(names, flips, strict=True) if flip)),
        ):
            method = "eqs. (6) to (8) at ρ - 0.10 and ρ + 0.10, accuracies and ρ of the counts"
            yield EvidenceRow(f"rho_shift_{name}", subject, value, method)
    summary = _summarize(close, close.n_items)
    upper = admissible_rho(summary.p_a, summary.p_b)[1]
    needed = required_n_at_shifted_rho(summary.p_a, summary.p_b, summary.rho, _SHIFT)
    for i, name in enumerate(pair_names(close)):
        for quantity, value, method in (
            ("rho_upper_limit", upper[i], "eq. (7)"),
            ("rho_shifted", min(summary.rho[i] + _SHIFT, upper[i]), "ρ + 0.10, at most eq. (7)"),
            ("r_at_shifted_rho", needed[i] / close.n_items[i], "N*/N at ρ + 0.10"),
        ):
            yield EvidenceRow(quantity, name, float(value), method)


def _summarize(counts: PublishedCounts, n: IntArray) -> PairSummary:
    n11 = jointly_solved(counts, n)
    return summarize_counts(n11, counts.b, counts.c, n - n11 - counts.b - counts.c)


def _per_pair(
    quantity: str,
    names: tuple[str, ...],
    values: FloatArray | IntArray,
    method: str,
    unit: str = "",
) -> Iterator[EvidenceRow]:
    for name, value in zip(names, values, strict=True):
        yield EvidenceRow(quantity, name, float(value), method, unit=unit)
