"""Table 2: type-I error and power of five paired tests, simulated and exact (Section 5)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import product
from math import ceil

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import compared
from kotawala2026.operating_point import ALPHA, POWER
from kotawala2026.simulations import TESTS, calibration_cell
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_percent, as_text, to_csv
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.random_streams import named_rng
from llm_power_audit.printed import Printed
from replication.exhibits import Exhibit, Inputs

# Repetitions of the whole table that its Monte Carlo error is read from.
_REPETITIONS = 20_000
_RANGE = (0.025, 0.975)
#: The three summaries of the printed table, by column.
SUMMARIES = ("type1_max_dev_pp", "power_median", "power_max_dev_pp")


def make(inputs: Inputs) -> Exhibit:
    """Make Table 2, and all its cells beside it."""
    settings, seed = inputs.settings, inputs.numbers["seed"]
    cells = compute(
        settings["calibration_p"],
        settings["calibration_rho_z"],
        settings["calibration_n"],
        n_trials=settings["calibration_trials"],
        seed=seed,
    )
    summary = summarize(cells, inputs.printed(2), seed=seed)
    table = build(summary, cells, seed=seed)
    return Exhibit(table, files={"_cells.csv": to_csv(build_cells(cells, seed=seed))})


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


def summarize(cells: pd.DataFrame, printed: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Summaries of Table 2 over the declared five cells and over all, with their range."""
    # The largest of several deviations has no binomial standard error, and noise raises it above
    # the exact one: its spread is that of the same table drawn anew from the exact rates.
    if len(printed) != len(TESTS):
        raise InvalidArgument(f"printed must have {len(TESTS)} rows, got {len(printed)}")
    rows = []
    for chosen in (cells[cells["declared"]], cells):
        for row, test in zip(printed.to_dict(orient="records"), TESTS, strict=True):
            of_test = chosen[chosen["test"] == test]
            name = f"table_02/{len(of_test)} cells/{test}"
            summary = _summary(of_test, row, named_rng(seed, name))
            labels = {key: row[key] for key in ("variant", "null", "data")}
            rows.append({"cells": len(of_test), "test": test, **labels, **summary})
    return pd.DataFrame(rows)


def provenance(*, seed: int, n_trials: int) -> list[Provenance]:
    """Return the sources of both tables; the arguments are those of `compute`."""
    return [
        Provenance.simulated(seed=seed, trials=n_trials, unit="trials a cell and hypothesis"),
        Provenance.published("Table 2"),
    ]


def build(summary: pd.DataFrame, cells: pd.DataFrame, *, seed: int) -> Table:
    """Dress the frame of `summarize`; `cells` and `seed` are what it was made with."""
    n_trials = int(cells["n_trials"].iloc[0])
    shown = summary[summary["cells"] == summary["cells"].min()]
    shown = shown.assign(**{f"{name}_agrees": shown[f"{name}_in_range"] for name in SUMMARIES})
    return Table(
        frame=summary,
        shown=shown,
        columns=[
            Column("variant", "Variant", _plain_chi, symbols=True),
            Column("null", "Null"),
            Column("data", "Data"),
            compared("type1_max_dev_pp", "Max dev. of α̂, pp"),
            compared("power_median", "Median power"),
            compared("power_max_dev_pp", "Max dev. of power, pp"),
        ],
        caption="Type-I error and power of five paired-binary tests on a grid of five cells, "
        f"{n_trials:,} trials a cell.",
        number="2",
        provenance=provenance(seed=seed, n_trials=n_trials),
        notes=[
            "Max dev.: largest deviation over the five cells, of the type-I error α̂ from "
            f"{ALPHA:g} and of the power from {POWER:g}, in percentage points (pp); "
            f"{_items(cells)} items a trial; p: mean accuracy of the two models, ρ_z: their "
            "latent correlation.",
            "The paper does not name its five of nine cells; here they are the corners and the "
            f"center, fixed beforehand: (p, ρ_z) = {_five(cells)}.",
            *_no_other_five(summary, cells),
            f"Standard errors of a cell: at most {100 * cells['type1_se'].max():.1f} pp on type-I "
            f"error, {100 * cells['power_se'].max():.1f} pp on power. The bootstrap has infinitely "
            "many resamples. The CSV has all nine cells.",
        ],
    )


def build_cells(cells: pd.DataFrame, *, seed: int) -> Table:
    """Dress the frame of `compute`, all cells and tests; `seed` is the one it was made with."""
    return Table(
        frame=cells,
        columns=[
            Column("p", "p", as_text, "right", "$p$"),
            Column("rho_z", "ρ_z", as_text, "right", r"$\rho_z$"),
            Column("declared", "Of the five", as_text, "center"),
            Column("delta", "gap, pp", as_percent(2), "right"),
            Column("test", "Test", _spaced),
            Column("type1", "type-I, %", as_percent(2), "right"),
            Column("type1_se", "SE", as_percent(2), "right"),
            Column("type1_exact", "exact", as_percent(2), "right"),
            Column("power", "power, %", as_percent(2), "right"),
            Column("power_se", "SE", as_percent(2), "right"),
            Column("power_exact", "exact", as_percent(2), "right"),
        ],
        caption="Every cell behind Table 2.",
        provenance=provenance(seed=seed, n_trials=int(cells["n_trials"].iloc[0]))[:1],
        notes=[
            f"{_items(cells)} items a trial. Under the alternative the models "
            "have p ± gap/2 at the same latent correlation, with the gap whose N* is the number "
            "of items. SE: Monte Carlo standard error at the exact rate.",
        ],
    )


def _three(rates: Sequence[FloatArray]) -> list[FloatArray]:
    """The three summaries over the last axis, in the order of `SUMMARIES`."""
    type1, power = rates
    return [
        100 * np.abs(type1 - ALPHA).max(axis=-1),
        np.median(power, axis=-1),
        100 * np.abs(power - POWER).max(axis=-1),
    ]


def _summary(
    rows: pd.DataFrame, printed: Mapping[Hashable, Printed], rng: np.random.Generator
) -> dict[str, object]:
    trials = int(rows["n_trials"].iloc[0])
    exact = [rows[f"{name}_exact"].to_numpy() for name in ("type1", "power")]
    anew = [rng.binomial(trials, rate, (_REPETITIONS, rate.size)) / trials for rate in exact]
    simulated = [rows[name].to_numpy() for name in ("type1", "power")]
    result: dict[str, object] = {}
    for name, here, there, repeated in zip(
        SUMMARIES, _three(simulated), _three(exact), _three(anew), strict=True
    ):
        low, high = (float(edge) for edge in np.quantile(repeated, _RANGE))
        number = printed[name]
        result |= {
            name: float(here),
            f"{name}_se": float(repeated.std()),
            f"{name}_low": low,
            f"{name}_high": high,
            f"{name}_exact": float(there),
            f"{name}_printed": number.text,
            f"{name}_in_range": low <= number.value + number.half_unit
            and number.value - number.half_unit <= high,
        }
    return result


def _no_other_five(summary: pd.DataFrame, cells: pd.DataFrame) -> list[str]:
    name = "power_max_dev_pp"
    if summary[f"{name}_in_range"].all():
        return []
    worst = summary.groupby("test")[f"{name}_exact"].max()
    chi2, corrected = (
        ceil(10 * worst[test]) / 10 for test in ("mcnemar_chi2", "continuity_corrected")
    )
    return [
        f"No other five would help: at n = {_items(cells)} the exact power is within {chi2:.1f} pp "
        f"(χ²) and {corrected:.1f} pp (continuity-corrected) of its target in every cell. Fewer "
        "items would: the paper's caption has n among the coordinates, its text prints one n."
    ]


def _items(cells: pd.DataFrame) -> str:
    return f"{int(cells['n_items'].iloc[0]):,}"


def _five(cells: pd.DataFrame) -> str:
    declared = cells.loc[cells["declared"], ["p", "rho_z"]].drop_duplicates()
    return ", ".join(f"({p:g}, {r:g})" for p, r in declared.itertuples(index=False))


def _plain_chi(variant: str) -> str:
    return variant.replace("χ_1^2", "χ²").replace(" (Definition 2)", "")


def _spaced(test: str) -> str:
    return test.replace("_", " ")
