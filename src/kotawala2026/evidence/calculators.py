"""What the five calculators of Table 1 return, by the formulas their documentation states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kotawala2026.evidence.published_numbers import PublishedNumbers
from kotawala2026.exhibits.table_01 import pooled_z_per_arm
from llm_power.errors import InvalidArgument
from llm_power.printed import (
    DISPLAY_RULES,
    Printed,
)
from llm_power.statistics.inversion import z_sum
from llm_power.statistics.paired_binary import (
    paired_difference_variance,
    required_n_paired_binary,
)
from llm_power.statistics.shortcut import unpaired_required_n_per_arm
from replication.evidence.rows import EvidenceRow

# A row is "half" below three quarters of N*: halfway between the two answers in question.
_HALF_BELOW: Final = 0.75
_TEXTBOOKS: Final = ("Cohen",)


def calculators(published: PublishedNumbers) -> list[EvidenceRow]:
    """Recompute Table 1, and recount its captions in its printed cells.

    Parameters
    ----------
    published : PublishedNumbers
        Table 1 and the worked example of its caption.

    Returns
    -------
    list of EvidenceRow
        ``derived`` for what the formulas give, ``counts`` for what the printed cells say.

    Raises
    ------
    InvalidArgument
        If Table 1 has not five rows.

    Notes
    -----
    The two-sample programs are taken at their documented formula, :math:`2K/h^2` a group for
    ``pwr.2p.test`` and ``NormalIndPower`` and the pooled z test for G*Power; Table 1 of the
    results holds the number that R and statsmodels themselves return.
    """
    table = published.tables[1]
    names = [str(name) for name in table["calculator"]]
    if len(names) != 5:
        raise InvalidArgument(f"table 1 must have 5 rows, got {len(names)}")
    settings = published.settings
    point = {"alpha": settings["alpha"], "power": settings["power"]}
    p_a, p_b, rho = (settings[f"calculator_{name}"] for name in ("p_a", "p_b", "rho"))
    n_star = float(required_n_paired_binary(p_a, p_b, rho, **point))
    one = float(unpaired_required_n_per_arm(p_a, p_b, **point))
    per_arm = [one, pooled_z_per_arm(p_a, p_b, **point), 2 * one, 2 * one]
    adjusted = [*((1 - rho) * n for n in per_arm), n_star]
    rows = [_derived("per_arm", name, n) for name, n in zip(names, per_arm, strict=False)]
    rows += [
        _derived("per_arm_over_k_h2", name, n / one)
        for name, n in zip(names, per_arm, strict=False)
    ]
    rows += [
        _derived("times_one_minus_rho", name, n) for name, n in zip(names, adjusted, strict=True)
    ]
    rows += [
        _derived("ratio_to_n_star", name, n / n_star)
        for name, n in zip(names, adjusted, strict=True)
    ]
    rows.append(_derived("calculators_at_half", "", _below(adjusted, n_star)))
    programs = [n for name, n in zip(names, adjusted, strict=True) if _is_program(name)]
    rows.append(_derived("programs_at_half", "", _below(programs, n_star)))
    rows += _rounding(published, [one, one, one, 2 * one], rho, n_star)
    variance = float(paired_difference_variance(p_a, p_b, rho))
    gap = p_a - p_b
    rows.append(_derived("printed_convention", names[-1], variance / gap**2))
    rows.append(
        _derived(
            "printed_convention_times_k",
            names[-1],
            float(z_sum(**point)) ** 2 * variance / gap**2,
        )
    )
    rows += _recovered(names[3], adjusted[3], n_star)
    return [*rows, *_recounted(names, [cell.value for cell in _cells(published)])]


def _recovered(name: str, n: float, n_star: float) -> Iterator[EvidenceRow]:
    method = "2K/h^2 times (1-rho) against eq. (6)"
    for subject, tolerance in (("to the item", 0.5 / n_star), ("within one percent", 0.01)):
        verdict = "recovered" if abs(n / n_star - 1) <= tolerance else "missed"
        yield EvidenceRow("n_star_recovered", f"{name}, {subject}", verdict, method, "derived")


def _recounted(names: list[str], printed: list[float]) -> Iterator[EvidenceRow]:
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
        (
            "share_of_others_at_half_printed",
            _below(others, n_star) / len(others),
            "of the calculators other than the paper's own package",
        ),
        ("printed_half_ratio", float(np.median(others[:3])) / n_star, "515 over 1,028 as printed"),
    ):
        yield EvidenceRow(quantity, "", value, method)


def _rounding(
    published: PublishedNumbers, per_arm: list[float], rho: float, n_star: float
) -> Iterator[EvidenceRow]:
    """How many of the nine cells each rounding explains, at the printed conventions."""
    table = published.tables[1]
    values = [*per_arm, *((1 - rho) * n for n in per_arm), n_star]
    printed = [cell.value for cell in [*table["per_arm"][:4], *table["times_one_minus_rho"]]]
    for name, rule in DISPLAY_RULES.items():
        explained = np.count_nonzero(rule(values) == printed)
        yield EvidenceRow("table_1_cells_by_rule", name, int(explained), "of nine cells")


def _is_program(name: str) -> bool:
    return not name.startswith(_TEXTBOOKS)


def _below(items: list[float], n_star: float) -> int:
    return sum(n < _HALF_BELOW * n_star for n in items)


def _cells(published: PublishedNumbers) -> list[Printed]:
    return list(published.tables[1]["times_one_minus_rho"])


def _derived(quantity: str, subject: str, value: float) -> EvidenceRow:
    return EvidenceRow(quantity, subject, value, "formula at the worked example", "derived")
