"""Table 2: type-I error and power of five paired tests, simulated and exact (Section 5)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import product
from math import ceil
from typing import Final

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import compared
from kotawala2026.operating_point import ALPHA, POWER
from kotawala2026.quantities.calibration import (
    Law,
    bootstrap_rejection,
    largest_deviation,
    median_rate,
)
from kotawala2026.simulations import TESTS, calibration_cell, discordance_at
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_fixed
from llm_power._statistics.arrays import FloatArray
from llm_power_audit.agreement import MONTE_CARLO_LEVEL
from llm_power_audit.printed import Printed
from replication.exhibits import Exhibit, Inputs
from replication.stages import csv_text

#: The three summaries of the printed table, by column.
SUMMARIES: Final = ("type1_max_dev_pp", "power_median", "power_max_dev_pp")
_POWER_DEVIATION: Final = SUMMARIES[-1]


def make(inputs: Inputs) -> Exhibit:
    """Make Table 2, and all its cells beside it."""
    settings, seed = inputs.settings, inputs.numbers["seed"]
    n_resamples = settings["oll_v1_bootstrap_resamples"]
    cells = compute(
        settings["calibration_p"],
        settings["calibration_rho_z"],
        settings["calibration_n"],
        n_trials=settings["calibration_trials"],
        seed=seed,
    )
    summary = summarize(cells, inputs.printed(2), n_resamples=n_resamples)
    table = build(summary, cells, seed=seed, n_resamples=n_resamples)
    return Exhibit(table, files={"_cells.csv": csv_text(cells)})


def declared_five(p: Sequence[float], rho_z: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Return the corners and the center of a grid, as (p, rho_z)."""
    # Section 5 has nine cells and Table 2 summarizes five, without saying which: chosen before any
    # was simulated.
    for name, values in (("p", p), ("rho_z", rho_z)):
        if len(values) < 3 or len(values) % 2 == 0:
            raise InvalidArgument(f"{name} must be an odd number of values >= 3, got {values!r}")
    corners = [(a, r) for a in (p[0], p[-1]) for r in (rho_z[0], rho_z[-1])]
    return (*corners, (p[len(p) // 2], rho_z[len(rho_z) // 2]))


def compute(
    p: Sequence[float],
    rho_z: Sequence[float],
    n_items: int,
    *,
    n_trials: int,
    seed: int,
) -> pd.DataFrame:
    """Simulate type-I error and power of each test in every cell of Section 5's grid."""
    five = declared_five(p, rho_z)
    parts = []
    for a, r in product(p, rho_z):
        cell = calibration_cell(a, r, n_items, n_trials=n_trials, seed=seed)
        cell.insert(2, "declared", (a, r) in five)
        parts.append(cell)
    return pd.concat(parts, ignore_index=True)


def summarize(cells: pd.DataFrame, printed: pd.DataFrame, *, n_resamples: int) -> pd.DataFrame:
    """Summaries of Table 2 over the declared five cells and over all, with their range.

    The bootstrap's largest deviation of power has its range by `n_resamples` a trial too.
    """
    if len(printed) != len(TESTS):
        raise InvalidArgument(f"printed must have {len(TESTS)} rows, got {len(printed)}")
    rows = []
    for chosen in (cells[cells["declared"]], cells):
        for row, test in zip(printed.to_dict(orient="records"), TESTS, strict=True):
            of_test = chosen[chosen["test"] == test]
            labels = {key: row[key] for key in ("variant", "null", "data")}
            rows.append({"cells": len(of_test), "test": test, **labels, **_summary(of_test, row)})
            if test == TESTS[-1]:
                law = _law_by_resamples(of_test, n_resamples)
                shown = _can_show(row[_POWER_DEVIATION], law, 100)
                rows[-1][f"{_POWER_DEVIATION}_in_range_by_resamples"] = shown
    return pd.DataFrame(rows)


def build(summary: pd.DataFrame, cells: pd.DataFrame, *, seed: int, n_resamples: int) -> Table:
    """Dress the frame of `summarize`; `cells` and the others are what it was made with."""
    n_trials = int(cells["n_trials"].iloc[0])
    shown = summary[summary["cells"] == summary["cells"].min()]
    shown = shown.assign(**{f"{name}_agrees": agreement(summary, name) for name in SUMMARIES})
    return Table(
        frame=summary,
        shown=shown,
        columns=[
            Column("variant", "Variant", _plain_chi, symbols=True),
            Column("null", "Null"),
            Column("data", "Data"),
            compared("type1_max_dev_pp", "Dev. α̂, pp", chance=True),
            Column("type1_max_dev_pp_exact", "no noise", as_fixed(1), "right"),
            compared("power_median", "Median power", chance=True),
            compared(_POWER_DEVIATION, "Dev. power, pp", chance=True),
            Column(f"{_POWER_DEVIATION}_exact", "no noise", as_fixed(1), "right"),
        ],
        finding=_finding(shown, _items(cells)),
        caption="Type-I error and power of five paired-binary tests on a grid of five cells, "
        f"{n_trials:,} trials a cell.",
        provenance=[
            Provenance.simulated(seed=seed, trials=n_trials, unit="trials a cell and hypothesis"),
            Provenance.published("Table 2"),
        ],
        notes=[
            "Dev.: largest deviation over the five cells, of the type-I error α̂ from two-sided α "
            f"= {ALPHA:g} and of the power from its target {POWER:g}, in percentage points (pp), "
            f"{_items(cells)} items a trial; no noise: the same without simulation. Null: both "
            "accuracies equal (marginal), or both models as likely to be right on each item "
            "(sharp). Null and Data are the paper's words; all scores are 0/1.",
            "The paper does not name its five of nine cells; here, fixed beforehand, the corners "
            f"and the center of mean accuracy p and latent correlation ρ_z: {_five(cells)}."
            f"{_no_other_five(summary)}",
            f"Chance: the central {1 - MONTE_CARLO_LEVEL:.1%} of runs, in these cells or all nine. "
            f"{_medians(shown)} {_by_resamples(summary, n_resamples)}",
        ],
    )


def agreement(summary: pd.DataFrame, name: str) -> list[bool | None]:
    """Whether chance gives each printed number, for five cells or for all.

    None where that depends on the number of resamples.
    """
    in_range = summary.groupby("test", sort=False)[f"{name}_in_range"].any()
    agrees: list[bool | None] = [*map(bool, in_range)]
    by_resamples = summary[f"{_POWER_DEVIATION}_in_range_by_resamples"].eq(True).any()
    if name == _POWER_DEVIATION and by_resamples and not agrees[-1]:
        agrees[-1] = None
    return agrees


def _three(rates: Sequence[FloatArray]) -> list[float]:
    """The three summaries, in the order of `SUMMARIES`."""
    type1, power = rates
    return [
        float(100 * np.abs(type1 - ALPHA).max()),
        float(np.median(power)),
        float(100 * np.abs(power - POWER).max()),
    ]


def _summary(rows: pd.DataFrame, printed: Mapping[Hashable, Printed]) -> dict[str, object]:
    # The largest of several deviations has no binomial standard error, and noise raises it above
    # the exact one: its spread is that of the same table drawn anew from the exact rates.
    trials = int(rows["n_trials"].iloc[0])
    type1, power = exact = [rows[f"{name}_exact"].to_numpy() for name in ("type1", "power")]
    laws = (
        largest_deviation(type1, ALPHA, trials),
        median_rate(power, trials),
        largest_deviation(power, POWER, trials),
    )
    simulated = [rows[name].to_numpy() for name in ("type1", "power")]
    result: dict[str, object] = {}
    for name, scale, law, here, there in zip(
        SUMMARIES, (100, 1, 100), laws, _three(simulated), _three(exact), strict=True
    ):
        number = printed[name]
        result |= {
            name: here,
            f"{name}_se": scale * law["standard_error"],
            f"{name}_low": scale * law["lower"],
            f"{name}_high": scale * law["upper"],
            f"{name}_exact": there,
            f"{name}_printed": number.text,
            f"{name}_in_range": _can_show(number, law, scale),
        }
    return result


def _can_show(printed: Printed, law: Law, scale: int) -> bool:
    """Whether a printed number is what all but the rarest runs show."""
    return (
        scale * law["lower"] <= printed.value + printed.half_unit
        and printed.value - printed.half_unit <= scale * law["upper"]
    )


def _law_by_resamples(rows: pd.DataFrame, n_resamples: int) -> Law:
    """Return the law of the bootstrap's largest deviation of power, by resamples a trial."""
    cells = rows[["p", "rho_z", "delta", "n_items"]].itertuples(index=False)
    powers = [
        bootstrap_rejection(*discordance_at(p, rho, gap), int(n), n_resamples=n_resamples)
        for p, rho, gap, n in cells
    ]
    return largest_deviation(np.array(powers), POWER, int(rows["n_trials"].iloc[0]))


def _no_other_five(summary: pd.DataFrame) -> str:
    name = _POWER_DEVIATION
    if summary[f"{name}_in_range"].all():
        return ""
    worst = summary.groupby("test")[f"{name}_exact"].max()
    chi2, corrected = (
        ceil(10 * worst[test]) / 10 for test in ("mcnemar_chi2", "continuity_corrected")
    )
    return (
        f" In each of the nine the power without noise is within {chi2:.1f} pp (χ²) and "
        f"{corrected:.1f} pp (corrected) of {POWER:g}. Fewer items could explain it: the paper's "
        "caption has n among the grid's coordinates, its text one n."
    )


def _finding(shown: pd.DataFrame, items: str) -> str:
    """Return for how many tests the printed deviation of power is beyond chance, and how far."""
    name = _POWER_DEVIATION
    beyond = shown[[agrees is False for agrees in shown[f"{name}_agrees"]]]
    start = f"For {len(beyond)} of {len(shown)} tests the printed largest deviation of power from"
    if beyond.empty:
        return f"{start} {POWER:g} is beyond chance at {items} items."
    printed, ours = (
        " to ".join(dict.fromkeys(f"{end:.1f}" for end in (numbers.min(), numbers.max())))
        for numbers in (beyond[f"{name}_printed"].astype(float), beyond[name])
    )
    return (
        f"{start} {POWER:g}, {printed} pp, is beyond chance at {items} items; here it is {ours} pp."
    )


def _by_resamples(summary: pd.DataFrame, n_resamples: int) -> str:
    """Say in which cells chance gives the printed number with the resamples of Section 6.1."""
    shown = summary[f"{_POWER_DEVIATION}_in_range_by_resamples"].eq(True)
    names = {summary["cells"].min(): "of these five", summary["cells"].max(): "of all nine"}
    cells = " and ".join(names[n] for n in summary.loc[shown, "cells"]) or "of no choice of"
    return (
        "?: the bootstrap's number of resamples is not printed; infinitely many here, and with "
        f"{n_resamples}, as in Section 6.1, the printed number is within chance {cells} cells."
    )


def _medians(shown: pd.DataFrame) -> str:
    """Say what the median power is without noise."""
    median = shown.set_index("variant")["power_median_exact"]
    listed = ", ".join(f"{x:.3f} ({_plain_chi(str(name))})" for name, x in median.items())
    return f"Median power without noise: {listed}."


def _items(cells: pd.DataFrame) -> str:
    return f"{int(cells['n_items'].iloc[0]):,}"


def _five(cells: pd.DataFrame) -> str:
    declared = cells.loc[cells["declared"], ["p", "rho_z"]].drop_duplicates()
    return ", ".join(f"({p:g}, {r:g})" for p, r in declared.itertuples(index=False))


def _plain_chi(variant: str) -> str:
    return variant.replace("χ_1^2", "χ²").replace(" (Definition 2)", "")
