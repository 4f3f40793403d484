"""All quantities of the paper, evaluated on what it prints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from scipy import stats
from scipy.special import ndtri

from llm_power._statistics.inversion import minimum_detectable_effect, required_n
from llm_power._statistics.repeats import repeats_variance
from miller2024.tables import (
    MODELS,
    most_items,
    over_roundings,
    rows_of,
    rows_of_table_05,
    table_04,
    table_05,
)
from replication.findings import Finding, PrintedNumbers, Quantities, derived

QUANTITIES: Final = Quantities()


def uniform_items(low: float) -> tuple[float, float, float]:
    """Mean, variance between and mean variance within 0/1 items, means uniform on [low, 1]."""
    mean, between = stats.uniform(low, 1 - low).stats("mv")
    return float(mean), float(between), float(mean - mean**2 - between)


def variance_removed(between: float, within: float, repeats: float) -> float:
    """Share of a score's variance that K repeats of each item remove, Section 3.1."""
    one, several = (repeats_variance(between, within, 0.0, repeats_a=k) for k in (1, repeats))
    return float((one - several) / one)


@QUANTITIES.on(PrintedNumbers)
def repeats_of_uniform_items(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Section 3.1: what repeats remove where difficulty is uniform on [0, 1]; and Section 3.2."""
    _, between, within = uniform_items(0.0)
    yield derived("variance_between", "[0, 1]", between, "variance of the item means")
    yield derived("variance_within", "[0, 1]", within, "mean of x(1 - x)")
    yield derived("within_to_between", "[0, 1]", within / between, "ratio of the two")
    for k in [*numbers.settings["repeats"], np.inf]:
        removed = variance_removed(between, within, k)
        yield derived(
            "variance_removed", f"{k:g}", removed, "1 less the variance of K over that of 1"
        )


@QUANTITIES.on(PrintedNumbers)
def temperature(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Section 3.3: mean and variance between items at temperature 1 and 0."""
    for low, subject in ((0.0, "[0, 1]"), (1 / 3, "[1/3, 1]")):
        mean, between, _ = uniform_items(low)
        cold = float(stats.uniform(low, 1 - low).sf(0.5))
        yield derived("mean_warm", subject, mean, "mean of the uniform distribution")
        yield derived("variance_warm", subject, between, "its variance")
        yield derived("mean_cold", subject, cold, "probability of more than 1/2")
        yield derived("variance_cold", subject, cold * (1 - cold), "p(1 - p)")
        yield derived("variance_grows", subject, cold * (1 - cold) / between, "their ratio")


@QUANTITIES.on(PrintedNumbers)
def pairing(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Section 4.2: two uniform scores of the printed correlation."""
    variance, rho = uniform_items(0.0)[1], numbers.settings["correlation"]
    unpaired, paired = 2 * variance, 2 * variance * (1 - rho)
    yield derived("score_variance", "", variance, "of a uniform score")
    yield derived("covariance", "", rho * variance, "correlation times the variance")
    yield derived("variance_unpaired", "", unpaired, "n times the variance of the difference")
    yield derived("variance_paired", "", paired, "the same less twice the covariance")
    yield derived("removed_by_pairing", "", 1 - paired / unpaired, "1 less their ratio")


@QUANTITIES.on(PrintedNumbers)
def planning(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Section 5 by eqs. (9) and (10): at the printed 1/9, and at what Section 4.2's terms give."""
    given, point = numbers.settings, numbers.point
    _, variance, within = uniform_items(0.0)
    of_terms = 2 * variance * (1 - given["correlation"])
    for between, suffix in ((given["omega_squared"], ""), (of_terms, "_of_terms")):
        n = float(required_n(given["gap"], np.sqrt(between), **point))
        yield derived(f"required_n{suffix}", "", n, "eq. (9)")
        for k in given["mde_repeats"]:
            total = repeats_variance(between, within, within, repeats_a=k)
            mde = float(minimum_detectable_effect(given["mde_items"], np.sqrt(total), **point))
            yield derived(f"mde{suffix}", f"{k:g}", mde, "eq. (10)")
        yield derived(f"items_beyond_required{suffix}", "", 1000 - n, "1,000 less eq. (9)")
    yield derived("z_95", "", float(-ndtri(given["alpha"] / 2)), "normal quantile")


@QUANTITIES.on(PrintedNumbers)
def leads_of_dreadnought(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Evals of Table 1 on which Dreadnought scores higher, and all of them."""
    table = numbers.tables[1]
    ahead = [row["dreadnought"].value > row["galleon"].value for row in rows_of(table)]
    yield Finding("evals_led", "Dreadnought", sum(ahead), "scores of Table 1")
    yield Finding("evals", "", len(ahead), "rows of Table 1")


@QUANTITIES.on(PrintedNumbers)
def clustered_to_naive(numbers: PrintedNumbers) -> Iterator[Finding]:
    """The largest ratio of a clustered standard error to the naive one."""
    row = table_04(numbers.tables[4]).nlargest(1, "ratio").iloc[0]
    yield Finding(
        "largest_ratio",
        "",
        row["ratio"],
        "Table 4",
        lower=row["ratio_lower"],
        upper=row["ratio_upper"],
    )
    printed = max(cell.value for cell in numbers.tables[4]["ratio"])
    yield Finding("largest_printed_ratio", "", printed, "Table 4, its third column")


@QUANTITIES.on(PrintedNumbers)
def z_scores(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Difference over standard error of each eval of Table 5, eq. (6)."""
    frame = table_05(*(numbers.tables[number] for number in (5, 2, 3)))
    for row in frame.to_dict(orient="records"):
        yield Finding(
            "z", row["eval"], row["z"], "eq. (6)", lower=row["z_lower"], upper=row["z_upper"]
        )


@QUANTITIES.on(PrintedNumbers)
def items_of_errors(numbers: PrintedNumbers) -> Iterator[Finding]:
    """Questions on which scores in [0, 1] can have the paired errors, where none are clustered."""
    scores = {row["eval"]: row for row in rows_of(numbers.tables[2])}
    for row in rows_of_table_05(*(numbers.tables[number] for number in (5, 2, 3))):
        if (name := row["eval"]) not in set(numbers.tables[3]["eval"]):
            both = (scores[name][model] for model in MODELS)
            most = over_roundings(most_items, *both, row["correlation"], row["se_of_ends"]).upper
            yield Finding("n_items", name, most, "eq. (1), at most", lower=2, upper=most)


def evaluate_printed(folder: Path) -> list[Finding]:
    """Evaluate on what the paper prints, read from the folder of its data."""
    return QUANTITIES.evaluate(PrintedNumbers.load(folder))
