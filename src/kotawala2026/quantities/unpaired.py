"""What unpaired formulas give beside N*: the calculators of Table 1, and the gain of Figure 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kotawala2026.exhibits.table_01 import pooled_z_per_arm
from kotawala2026.quantities.displayed_scores import gain_of
from kotawala2026.quantities.grounds import QUANTITIES, Board, PublishedNumbers, summary_of
from kotawala2026.quantities.shortcut import five_numbers
from llm_power._errors import InvalidArgument
from llm_power._statistics.inversion import z_sum
from llm_power._statistics.paired_binary import (
    paired_difference_variance,
    required_n_paired_binary,
    unpaired_required_n_per_arm,
)
from llm_power_audit.printed import DISPLAY_RULES
from replication.findings import Finding, derived

# A row is "half" below three quarters of N*: halfway between the two answers in question.
_HALF_BELOW: Final = 0.75
_TEXTBOOKS: Final = ("Cohen",)
# The rows of Table 1.
CALCULATORS: Final = (
    "Cohen 1988, Eq. 6.3.2",
    "G*Power 3.1 (2-prop. z)",
    "R pwr::pwr.2p.test",
    "statsmodels.NormalIndPower",
    "llm_power (paired)",
)


@QUANTITIES.on(PublishedNumbers)
def calculators(published: PublishedNumbers) -> Iterator[Finding]:
    """Recompute Table 1 by each program's documented formula, and recount its captions."""
    # 2K/h^2 a group for pwr.2p.test and NormalIndPower, the pooled z test for G*Power; Table 1 of
    # the results has what R and statsmodels themselves return.
    table, settings, point = published.tables[1], published.settings, published.point
    names = [str(name) for name in table["calculator"]]
    if len(names) != 5:
        raise InvalidArgument(f"table 1 must have 5 rows, got {len(names)}")
    p_a, p_b, rho = (settings[f"calculator_{name}"] for name in ("p_a", "p_b", "rho"))
    n_star = float(required_n_paired_binary(p_a, p_b, rho, **point))
    one = float(unpaired_required_n_per_arm(p_a, p_b, **point))
    per_arm = [one, pooled_z_per_arm(p_a, p_b, **point), 2 * one, 2 * one]
    adjusted = [*((1 - rho) * n for n in per_arm), n_star]
    of_programs = [n for name, n in zip(names, adjusted, strict=True) if _is_program(name)]
    variance, gap = float(paired_difference_variance(p_a, p_b, rho)), p_a - p_b
    k = float(z_sum(**point)) ** 2
    for quantity, subjects, values in (
        ("per_arm", names[:4], per_arm),
        ("per_arm_over_k_h2", names[:4], [n / one for n in per_arm]),
        ("times_one_minus_rho", names, adjusted),
        ("ratio_to_n_star", names, [n / n_star for n in adjusted]),
        ("calculators_at_half", [""], [_below(adjusted, n_star)]),
        ("programs_at_half", [""], [_below(of_programs, n_star)]),
        ("printed_convention", names[-1:], [variance / gap**2]),
        ("printed_convention_times_k", names[-1:], [k * variance / gap**2]),
    ):
        for subject, value in zip(subjects, values, strict=True):
            yield derived(quantity, subject, value, "formula at the worked example")
    yield from _rounding(published, [one, one, one, 2 * one], rho, n_star)
    yield from _recovered(names[3], adjusted[3], n_star)
    yield from _recounted(names, [cell.value for cell in table["times_one_minus_rho"]])


def _recovered(name: str, n: float, n_star: float) -> Iterator[Finding]:
    method = "2K/h^2 times (1-rho) against eq. (6)"
    for subject, tolerance in (("to the item", 0.5 / n_star), ("within one percent", 0.01)):
        verdict = "recovered" if abs(n / n_star - 1) <= tolerance else "missed"
        yield derived("n_star_recovered", f"{name}, {subject}", verdict, method)


def _recounted(names: list[str], printed: list[float]) -> Iterator[Finding]:
    n_star = printed[-1]
    others = printed[:-1]
    for quantity, value, method in (
        ("calculators_printed", len(printed), "rows of Table 1"),
        (
            "programs_printed",
            sum(map(_is_program, names)),
            "rows of Table 1 that are software, not a book's formula",
        ),
        ("calculators_at_half_printed", _below(printed, n_star), "printed cells below 3/4 of N*"),
        ("printed_half_ratio", float(np.median(others[:3])) / n_star, "515 over 1,028 as printed"),
    ):
        yield Finding(quantity, "", value, method)


def _rounding(
    published: PublishedNumbers, per_arm: list[float], rho: float, n_star: float
) -> Iterator[Finding]:
    """How many of the nine cells each rounding reproduces, by the printed conventions."""
    table = published.tables[1]
    values = [*per_arm, *((1 - rho) * n for n in per_arm), n_star]
    printed = [cell.value for cell in [*table["per_arm"][:4], *table["times_one_minus_rho"]]]
    for name, rule in DISPLAY_RULES.items():
        explained = np.count_nonzero(rule(values) == printed)
        yield Finding("table_1_cells_by_rule", name, int(explained), "of nine cells")


def _is_program(name: str) -> bool:
    return not name.startswith(_TEXTBOOKS)


def _below(items: list[float], n_star: float) -> int:
    return sum(n < _HALF_BELOW * n_star for n in items)


@QUANTITIES.on(Board)
def miller_gain(board: Board) -> Iterator[Finding]:
    """Five numbers of the gain over a board's pairs, and its residuals from 1/(1 - rho)."""
    gain = gain_of(board.verdicts)
    finite = np.isfinite(board.column("n_star"))
    gain[finite] = board.column("n_miller")[finite] / board.column("n_star")[finite]
    residual = gain - 1 / (1 - board.column("rho"))
    yield from five_numbers("miller_gain", gain)
    yield Finding("miller_residual_mean", "", float(residual.mean()))
    largest = float(np.abs(residual).max())
    yield Finding("miller_residual_max", "", largest, "largest in absolute value")


@QUANTITIES.on(PublishedNumbers)
def of_printed_pairs(published: PublishedNumbers) -> Iterator[Finding]:
    """Gain of the pairs of Tables 6 and 7."""
    method = "independent-sample N over eq. (6)"
    for table, counts in published.counted.items():
        pairs = summary_of(counts)
        gain = gain_of(pairs)
        yield Finding("smallest_gain", table, float(gain.min()), method)
        yield Finding("smallest_rho", table, float(pairs.rho.min()), "phi of the counts")
