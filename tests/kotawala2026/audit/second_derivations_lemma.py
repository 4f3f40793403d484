"""Second derivations: the shortcut n_h against N*, its constant C(p, ρ), and the grid checked."""

from __future__ import annotations

import math
from fractions import Fraction

from second_derivations_paper import (
    N_MMLU_PRO,
    Derivation,
    Derived,
    apart,
    constant,
    correlation,
    counts_n_star,
    exact,
    exceeds,
    half_unit,
    rho_max,
    shortcut_ratio,
    solved_items,
    table,
    whole,
)

# Appendix A, numerical cross-check: the grid
MIDPOINTS = [0.5, 0.65, 0.8]
RHOS = [step / 10 for step in range(8)]

# Appendix A, numerical cross-check: a constant
PRINTED_080_05 = "0.80"

# Section 6.2, paragraph 2
PRINTED_RATIO_MIN, PRINTED_RATIO_MAX = "0.496", "0.500"
PRINTED_N_STAR = {4: 432, 5: 5786}  # Section 6.4


def largest_deviation(delta: float, printed: str) -> Derivation:
    """The largest |n_h/N* - 1/2| over the admissible cells of the grid, against its bound."""

    def derive() -> Derived:
        deviation = max(
            abs(shortcut_ratio(p + delta / 2, p - delta / 2, rho) - 0.5)
            for p in MIDPOINTS
            for rho in RHOS
            if rho <= rho_max(p + delta / 2, p - delta / 2)
        )
        return Derived(deviation, exceeds(deviation, printed))

    return derive


def printed_constant(delta: str, printed: str) -> Derivation:
    """C(0.8, 0.5) δ² with the printed C: 0.80 · 0.0025 = 0.002 and 0.80 · 0.04 = 0.032."""

    def derive() -> Derived:
        deviation = exact(PRINTED_080_05) * exact(delta) ** 2
        least = (exact(PRINTED_080_05) - Fraction("0.005")) * exact(delta) ** 2
        return Derived(float(deviation), exceeds(float(least), printed))

    return derive


def change_with_p() -> Derived:
    """C(0.65, 0) = |0.1087 - 0.7326|/2 = 0.312, C(0.8, 0) = |0.8789 - 1.0417|/2 = 0.081."""
    change = constant(Fraction("0.8"), Fraction(0)) - constant(Fraction("0.65"), Fraction(0))
    return Derived(float(change), change <= 0)


def change_with_rho() -> Derived:
    """At p = 0.65 ρ = 0.7 lifts the first term to 0.1087 · 1.7/0.3 = 0.616: C falls to 0.058."""
    p = Fraction("0.65")
    change = constant(p, Fraction("0.7")) - constant(p, Fraction(0))
    return Derived(float(change), change <= 0)


def ratios_of_counts(row: dict[str, str], n_items: int) -> list[float]:
    """n_h/N* of a row of Table 6 or 7 from b, c and N, at each solved count behind p_A."""
    b, c = int(row["b"]), int(row["c"])
    accuracies = [
        (solved / n_items, (solved - b + c) / n_items)
        for solved in solved_items(row["p_a"], n_items)
    ]
    return [
        shortcut_ratio(p_a, p_b, correlation(p_a, p_b, (b + c) / n_items))
        for p_a, p_b in accuracies
    ]


def close_pairs_at_half() -> Derived:
    """Of the seven close pairs, three have an n_h/N* that prints as 0.5000.

    Taken of whole items, both rounded up, it prints so for four: not seven either.
    """
    as_numbers = of_items = 0
    for row in table(6):
        n_items = int(exact(row["n"]))
        (ratio,) = ratios_of_counts(row, n_items)
        n_star = counts_n_star(int(row["b"]), int(row["c"]), n_items)
        as_numbers += round(ratio, 4) == 0.5
        of_items += round(math.ceil(ratio * n_star) / math.ceil(n_star), 4) == 0.5
    return Derived(as_numbers, as_numbers != len(table(6)) and of_items != len(table(6)))


def shortcut_ratio_min() -> Derived:
    """The smallest n_h/N* of Table 7 is 0.4991, of ranks 2 and 3, where 0.496 is printed.

    There δ = 208/12,032 and σ_D² = 360/12,032 - δ² = 0.029621; p_A = 0.7185 is 8,645 items and
    p_B 8,437, so that h = 0.038096 and ρ = 0.92821: the ratio is 0.07179 δ²/(h² σ_D²) = 0.4991.
    Solved counts that also round to the printed accuracies move no other pair below it.
    """
    smallest = min(min(ratios_of_counts(row, N_MMLU_PRO)) for row in table(7))
    return Derived(smallest, apart(smallest, PRINTED_RATIO_MIN))


def shortcut_ratio_max() -> Derived:
    """The largest is 0.5008, of ranks 4 and 5, which is not 0.500 rounded to the nearest."""
    largest = max(max(ratios_of_counts(row, N_MMLU_PRO)) for row in table(7))
    return Derived(largest, abs(largest - exact(PRINTED_RATIO_MAX)) > half_unit(PRINTED_RATIO_MAX))


def n_star_of_rank(rank: int) -> Derivation:
    """Table 7's N* of a rank and the next: Section 6.4 prints one less."""

    def derive() -> Derived:
        printed = whole(table(7)[rank - 1]["n_star"])
        return Derived(printed, printed != PRINTED_N_STAR[rank])

    return derive
