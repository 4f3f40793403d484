"""Table 10: power at the prescribed number of items, and the scores behind its pairs."""

# A gap and an N* fix the discordance probabilities, and so the power at any number of items.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from math import sqrt
from typing import Final

import numpy as np
import scipy  # its part stats, slow to load, is loaded when it is first used

from kotawala2026.exhibits.table_10 import FACTORS
from kotawala2026.labels import validated_labels
from kotawala2026.quantities.displayed_scores import DisplayedPair, tables_with_margins
from kotawala2026.quantities.grounds import QUANTITIES, DisplayedScores, PublishedNumbers
from kotawala2026.quantities.rows_of_counts import one_of
from kotawala2026.simulations import TESTS, discordance_from_required_n, exact_rates
from llm_power_audit.agreement import MONTE_CARLO_LEVEL, agrees
from llm_power_audit.printed import Printed, parse_printed
from replication.constraints import Interval
from replication.findings import Finding

_CHI2 = TESTS.index("mcnemar_chi2")
_TAIL: Final = MONTE_CARLO_LEVEL / 2
# Of the three decimals of Section 6.1's powers.
_HALF_UNIT: Final = 0.0005


@QUANTITIES.on(PublishedNumbers)
def powers(published: PublishedNumbers) -> Iterator[Finding]:
    """Power at 80, 100 and 120 percent of N*, by enumeration."""
    table, trials = published.tables[10], published.settings["prospective_trials"]
    target = published.settings["power"]
    possible = _possible_powers(target, published.settings["prospective_power_range"])
    on_target: list[float] = []
    for row in table.to_dict(orient="records"):
        gap, n_star = row["gap"], row["n_star"].value
        for name, factor in FACTORS.items():
            size = round(factor * n_star)
            power = _power(gap.value, n_star, size)
            if factor == 1:
                on_target.append(power)
            least, most = (
                _power(gap.value + side * gap.half_unit, n_star, size) for side in (-1, 1)
            )
            low, high = sorted((least, power, most))[::2]
            shown = Interval(
                float(scipy.stats.binom.ppf(_TAIL, trials, low)) / trials,
                float(scipy.stats.binom.ppf(1 - _TAIL, trials, high)) / trials,
            ).within(possible[name])
            yield Finding(
                name,
                row["pair"],
                shown.nearest_to(power),
                f"asymptotic McNemar on {size} items, enumerated; discordance from gap and N*; "
                f"{trials:,} trials, and what Section 6.1 says of the column",
                standard_error=sqrt(power * (1 - power) / trials),
                lower=shown.lower,
                upper=shown.upper,
            )
    counted = "counted in Table 10"
    for quantity, value, method in (
        ("power_on_target_max_dev", 100 * max(abs(p - target) for p in on_target), "enumerated"),
        ("powers_below_target", _count(table["power_at_080"], below=target), counted),
        ("powers_above_target", _count(table["power_at_120"], above=target), counted),
        ("prospective_mc_se", 100 * sqrt(target * (1 - target) / trials), "sqrt(x(1-x)/M)"),
    ):
        unit = "pp" if quantity.endswith(("dev", "se")) else ""
        yield Finding(quantity, "", value, method, unit=unit)


def _possible_powers(target: float, at_n_star: Sequence[float]) -> dict[str, Interval]:
    """Return what Section 6.1 says of each column: below the target, in a range, above it."""
    low, high = at_n_star
    columns = (
        Interval(0.0, target),
        Interval(low - _HALF_UNIT, high + _HALF_UNIT),
        Interval(target, 1.0),
    )
    return dict(zip(FACTORS, columns, strict=True))


def _power(gap: float, n_star: float, size: int) -> float:
    return float(exact_rates(*discordance_from_required_n(gap, n_star), size)[_CHI2])


@QUANTITIES.on(DisplayedScores)
def against_displayed_scores(ground: DisplayedScores) -> Iterator[Finding]:
    """Gap, correlation and N* of Table 10 and of Figure 4, by all tables with displayed margins."""
    published = ground.published
    pairs = [(a, b) for a, b in permutations(ground.oll_v1, 2) if a.task == b.task]
    for row in published.tables[10].to_dict(orient="records"):
        named = [
            (a, b) for a, b in pairs if row["pair"] in validated_labels(a.task, a.model, b.model)
        ]
        pair = min(named, key=_distance_to(row["gap"].value))
        yield _gap("gap_of_displayed_scores", row["pair"], pair)
        yield from _on_whole_counts(row["pair"], pair, row["rho"], row["n_star"].value)
    # The paper names the task, the gap and the correlation of this pair.
    gap, rho = published.settings["e_process_deltas"][0], published.settings["e_process_rho"]
    pair = min((x for x in pairs if x[0].task == "ARC-C"), key=_distance_to(gap))
    n_star = published.settings["figure_4_n_star"]
    yield _gap("gap_nearest_to_printed", "Figure 4", pair)
    yield from _on_whole_counts("Figure 4", pair, parse_printed(f"{rho:.2f}"), n_star)


def _gap(quantity: str, subject: str, pair: DisplayedPair) -> Finding:
    better, worse = pair
    method = f"scores displayed for {better.model} and {worse.model}"
    return Finding(quantity, subject, 100 * (better.accuracy - worse.accuracy), method, unit="pp")


def _on_whole_counts(
    subject: str, pair: DisplayedPair, rho: Printed, n_star: float
) -> Iterator[Finding]:
    a, b = pair
    tables = tables_with_margins(a, b)
    displayed = f"scores displayed for {a.model} and {b.model}"
    as_printed = (np.rint(tables.n_star) == n_star) | (np.ceil(tables.n_star) == n_star)
    yield one_of(
        "rho_nearest_to_printed",
        subject,
        tables.rho[as_printed].tolist(),
        rho.value,
        f"phi of every table of whole counts with the {displayed} whose N*, rounded up or "
        "to the nearest, is printed",
    )
    yield one_of(
        "n_star_nearest_to_printed",
        subject,
        tables.n_star[[agrees(rho, x) for x in tables.rho.tolist()]].tolist(),
        n_star,
        f"eq. (6) on every table of whole counts with the {displayed} whose correlation is "
        "the printed one",
    )


def _distance_to(gap: float) -> Callable[[DisplayedPair], float]:
    return lambda pair: abs(pair[0].accuracy - pair[1].accuracy - gap)


def _count(cells: Iterable[Printed], *, below: float = np.inf, above: float = -np.inf) -> int:
    return sum(above < cell.value < below for cell in cells)
