"""Simulate what the verdicts claim of themselves, and write the tables of docs.

``make bench-verdicts`` writes them. ``--trials`` runs with another number, and prints.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from documents import replace_measured
from half_leaders import HalfLeader, half_leaders
from half_plans import HalfPlan, half_plans
from half_samples import HalfSample, half_samples
from simulations import SIZES, Rate, all_rates
from simultaneous import (
    Discoveries,
    HalfDiscoveries,
    Simultaneous,
    half_discoveries,
    simulated_discoveries,
    simultaneous_intervals,
)
from tabulate import tabulate

from llm_power._choices import Control

_ROOT: Final = Path(__file__).resolve().parents[1]
_TRIALS: Final = 20_000
_MADE_BY: Final = "make bench-verdicts"

_TITLES: Final = {
    "type I": "Type I error, the largest of the populations",
    "crossing": "Crossing where there is no gap, the largest of the populations",
    "coverage": "Coverage, the lowest of the populations",
    "power": "Power at the required N, the lowest of the populations",
}
# How far a coverage may lie below its nominal value.
_SHORT_OF: Final = 0.02

# Rows of the short table: what decides or is shown by default.
_SHORT: Final = (
    *["McNemar, exact", "McNemar, mid_p", "McNemar, asymptotic", "paired t", "CR2"],
    *["max-T, exact, any of 10 pairs", "monitored after every item, Beta(4, 4)"],
    *["gap, Tango's score", "gap, graded scores", "gap, graded scores, few items differ"],
    "gap, lognormal costs",
    *["gap, CR2", "gap, CR2, ICC 0.1", "ICC, F", "ICC, F, ICC 0.1", "N* and q, 0/1 scores"],
    *["sets of ranks", "n_exact, exact test", "equivalence, score test"],
)


def worst(rates: Sequence[Rate]) -> Rate:
    """Return the rate that is farthest on the wrong side."""
    above = rates[0].kind in ("type I", "crossing")
    return (max if above else min)(rates, key=lambda rate: rate.value)


def by_row(rates: Sequence[Rate]) -> list[list[Rate]]:
    """Return the rates of each test, interval or formula, kind by kind."""
    names = {(rate.kind, rate.name): None for rate in rates}
    order = sorted(names, key=lambda key: list(_TITLES).index(key[0]))
    return [[r for r in rates if (r.kind, r.name) == key] for key in order]


def _cells(row: Sequence[Rate], *, error: bool) -> list[str]:
    at_size = [worst([rate for rate in row if rate.n_items == n]) for n in SIZES]
    return [f"{r.value:.3f}" + (f" ± {r.error:.3f}" if error else "") for r in at_size]


def _markdown(rows: Sequence[Sequence[str]], headers: Sequence[str]) -> str:
    return tabulate(rows, headers, tablefmt="pipe", disable_numparse=True) + "\n"


def long_tables(rates: Sequence[Rate]) -> str:
    """Return one table a kind, with errors and the population of the worst cell."""
    parts = []
    for kind, rows in groupby(by_row(rates), key=lambda row: row[0].kind):
        headers = [_TITLES[kind], "nominal", *(f"n = {n:,}" for n in SIZES), "at worst"]
        lines = [
            [
                row[0].name,
                f"{row[0].nominal:.2f}",
                *_cells(row, error=True),
                worst(row).population,
            ]
            for row in rows
        ]
        parts.append(_markdown(lines, headers))
    return "\n".join(parts)


def below_nominal(rates: Sequence[Rate]) -> str:
    """Return one line an interval that covers less than it may, with where it does."""
    low = [
        f"- {r.name}, n = {r.n_items:,}, {r.population}: {r.value:.3f} for {r.nominal:.2f}"
        for r in rates
        if r.kind == "coverage" and r.value < r.nominal - _SHORT_OF
    ]
    if not low:
        return f"No interval covers more than {_SHORT_OF} less than it should.\n"
    return f"Cells more than {_SHORT_OF} below nominal:\n\n" + "\n".join(low) + "\n"


def short_table(rates: Sequence[Rate]) -> str:
    """Return the rows that decide or are shown by default, without errors."""
    names = {"type I": "type I error", "crossing": "ever crossing"}
    lines = [
        [
            f"{names.get(row[0].kind, row[0].kind)}: {row[0].name}",
            f"{row[0].nominal:.2f}",
            *_cells(row, error=False),
        ]
        for row in by_row(rates)
        if row[0].name in _SHORT
    ]
    return _markdown(lines, ["at worst", "nominal", *(f"n = {n:,}" for n in SIZES)])


def half_table(halves: Sequence[HalfSample]) -> str:
    """Return one row a real board, or a line that says which data are missing."""
    if not halves:
        return "Half samples are left out: LLM_POWER_DATA names no folder with the boards' files.\n"
    rows = [
        [
            half.board,
            f"{half.n_items:,}",
            f"{half.n_pairs:,}",
            str(half.n_splits),
            f"{half.different:.3f}",
            f"{1 - half.turned:.3f}",
            f"{half.turned:.3f}",
            f"{half.mean_stated:.3f}",
            f"{half.farthest:.3f} ± {half.farthest_error:.3f}",
            f"{half.unresolved:.3f}",
            f"{half.resolved_next:.3f}",
            f"{half.unresolved_next:.3f}",
        ]
        for half in halves
    ]
    headers = ["board", "items", "pairs", "splits", "different", "same in both halves"]
    headers += ["turned", "stated", "stated less turned, farthest decile"]
    of_q = ["unresolved, q < 1", "of these resolved by the other half", "resolved, then not"]
    return _markdown(rows, [*headers, *of_q])


def leader_table(leaders: Sequence[HalfLeader]) -> str:
    """Return one row a real board, in points; splits are the sample of each standard error."""
    columns = {
        "score less other half": "score",
        "corrected, less other half": "corrected_score",
        "lead less other half": "lead",
        "corrected lead, less other half": "corrected_lead",
    }
    rows = []
    for each in leaders:
        cells = [getattr(each, name) for name in columns.values()]
        means = [f"{x.mean():.2f} ± {x.std(ddof=1) / len(x) ** 0.5:.2f}" for x in cells]
        size = [f"{n:,}" for n in (each.n_items, each.n_models, len(each.score))]
        rows.append([each.board, *size, *means])
    return _markdown(rows, ["board", "items", "models", "splits", *columns])


def simultaneous_table(boards: Sequence[Simultaneous]) -> str:
    """Return coverage and median widths, in points, of each board and number of items."""
    rows = [
        [f"{x.kind}, {x.board}", f"{x.n_items:,}", f"{x.held:.3f} ± {_error(x.held, x.trials):.3f}"]
        + [f"{100 * width:.2f}" for width in (x.single, x.max_t, x.bonferroni)]
        for x in boards
    ]
    headers = ["all intervals of a board hold", "items", "share"]
    return _markdown(rows, [*headers, "width, a pair alone", "max-T", "Bonferroni"])


def discovery_table(boards: Sequence[Discoveries]) -> str:
    """Return the false discovery rate of each board and number of items."""
    rows = [
        [f"{x.kind}, {x.board}", f"{x.n_items:,}", f"{x.different['fdr']:.3f}"]
        + ["{:.3f} ± {:.3f}".format(*rate) for rate in (x.wrong["fdr"], x.missed)]
        + ["{:.3f} ± {:.3f}".format(*x.wrong["fdr-by"])]
        for x in boards
    ]
    headers = [
        "false discovery rate",
        "items",
        "different",
        "of these wrong",
        "intervals that miss",
    ]
    return _markdown(rows, [*headers, "wrong, FDR-BY"])


def half_discovery_table(boards: Sequence[HalfDiscoveries]) -> str:
    """Return, of each real board, pairs called different by half and their signs on the other."""
    controls: tuple[Control, ...] = ("max-t", "fdr", "fdr-by")
    rows = [
        [x.board, f"{x.n_items:,}", f"{x.n_pairs:,}", str(x.n_splits)]
        + [f"{x.different[name]:.3f}" for name in controls]
        + [f"{x.agree[name]:.4f}" if name in x.agree else "none" for name in controls]
        for x in boards
    ]
    headers = ["board", "items", "pairs", "splits", "different by max-T", "FDR", "FDR-BY"]
    return _markdown(rows, [*headers, *(f"same sign, {x}" for x in ("max-T", "FDR", "FDR-BY"))])


def _error(share: float, trials: int) -> float:
    return float((share * (1 - share) / trials) ** 0.5)


def plan_table(plans: Sequence[HalfPlan]) -> str:
    """Return one row a real board and level; splits or models are the sample of an error."""
    rows = []
    for each in plans:
        kept = [
            f"{run.share:.3f} ± {run.error:.3f}" if run.number else "none"
            for run in (each.new_run, each.further)
        ]
        sizes = [f"{n:,}" for n in (each.n_items, each.first_part, each.undetermined)]
        runs = [f"{run.number:,}" for run in (each.new_run, each.further)]
        share = f"{each.with_number:.2f}"
        rows.append([each.board, each.level, *sizes, share, runs[0], kept[0], runs[1], kept[1]])
    headers = ["board", "level", "items", "first part", "undetermined", "with a number"]
    headers += ["new runs", "different on the same side, for 0.80", "further runs", "the same"]
    return _markdown(rows, headers)


def main() -> None:
    """Simulate, then write the tables, or print those of another number of trials."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--trials", type=int, default=_TRIALS, help="a population; then print")
    trials = parser.parse_args().trials
    rates = list(all_rates(trials))
    folder = os.environ.get("LLM_POWER_DATA")
    halves = half_table(list(half_samples(Path(folder))) if folder else [])
    leaders = leader_table(list(half_leaders(Path(folder)))) if folder else ""
    boards = simultaneous_table(list(simultaneous_intervals(max(trials // 20, 1))))
    discoveries = discovery_table(list(simulated_discoveries(max(trials // 40, 1))))
    by_halves = half_discovery_table(list(half_discoveries(Path(folder)))) if folder else ""
    plans = plan_table(list(half_plans(Path(folder)))) if folder else ""
    parts = [long_tables(rates), below_nominal(rates), boards, discoveries]
    long = "\n".join([*parts, halves, leaders, by_halves, plans])
    if trials == _TRIALS:
        replace_measured(_ROOT / "docs" / "verdicts.md", long, made_by=_MADE_BY)
        replace_measured(_ROOT / "docs" / "numbers.md", short_table(rates), made_by=_MADE_BY)
    print(long, short_table(rates), sep="\n")


if __name__ == "__main__":
    main()
