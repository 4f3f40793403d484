"""Table 9: category-bootstrap intervals of the clustered quantities, and their verdicts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from kotawala2026.exhibits._beside import as_rounded_up, beside, compared, of_witness
from kotawala2026.labels import in_printed_order
from kotawala2026.operating_point import DECLARED
from kotawala2026.quantities.clusters import SHARED_COUNTS
from llm_power._board.cluster_robustness import category_bootstrap_tables
from llm_power._board.operating_point import OperatingPoint
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table, as_digits_of
from llm_power_audit.agreement import MONTE_CARLO_STANDARD_ERRORS
from replication.exhibits import Exhibit, Inputs

_QUANTITIES = ("icc", "design_effect", "n_star_cluster")
_BOUNDS: Final = [f"{name}_{end}" for name in _QUANTITIES for end in ("p05", "p95")]
# The paper gives no rule: 8 vs 9 and 9 vs 10 have bounds above zero too.
_NAMED: Final = ("4 vs 5", "5 vs 6", "6 vs 7")
_PRINTED_RESAMPLES: Final = 1000
# A verdict in at least this share of the resamples, and at most one less it, depends on the draw.
_RARE: Final = 0.05
# Bootstraps of so many resamples each: a standard error of a bound is right to 7%.
_BOOTSTRAPS: Final = 100


def make(inputs: Inputs) -> Exhibit:
    """Make Table 9."""
    panel, n_resamples = "mmlu_pro_top10", inputs.numbers["n_resamples"]
    clusters = inputs.stage(panel, "discordance_by_cluster")
    errors = bound_errors(
        clusters,
        OperatingPoint(**inputs.point),
        n_resamples=n_resamples,
        seed=inputs.numbers["seed"],
    )
    frame = table_09(
        inputs.printed(9),
        inputs.stage(panel, "icc"),
        inputs.stage(panel, "category_bootstrap"),
        errors,
        n_resamples=n_resamples,
    )
    table = present(
        frame,
        inputs.stage(panel, "category_bootstrap_counts"),
        inputs.provenance(),
        printed_shares=dict(
            zip(SHARED_COUNTS, inputs.settings["category_bootstrap_shares"], strict=True)
        ),
        n_items=int(clusters.groupby(["rank_a", "rank_b"])["n_items"].sum().max()),
        n_subjects=int(inputs.settings["mmlu_pro_categories"]),
        n_resamples=n_resamples,
        seed=inputs.numbers["seed"],
    )
    return Exhibit(table)


def table_09(
    published: pd.DataFrame,
    pairs: pd.DataFrame,
    intervals: pd.DataFrame,
    errors: pd.DataFrame,
    *,
    n_resamples: int,
) -> pd.DataFrame:
    """Each cell of Table 9, as printed and as the board gives it."""
    # Points have no Monte Carlo error. Bounds and shares are of resamples in the paper and here:
    # agreement allows for the standard error of their difference, which is 0 for a share of 0 or 1.
    labels = list(published["pair"])
    points, bounds, errors = (
        in_printed_order(frame, labels) for frame in (pairs, intervals, errors)
    )
    printed = {
        f"{name}{end}": [getattr(cell, part) for cell in published[name]]
        for name in _QUANTITIES
        for end, part in (("", "point"), ("_p05", "lower"), ("_p95", "upper"))
    }
    values = points[[*_QUANTITIES]].join(bounds[_BOUNDS])[[*printed]]
    columns = {"label": labels} | beside(printed, values, errors[_BOUNDS])
    name, shares = "probability_unresolved", bounds["probability_unresolved"].to_numpy(np.float64)
    error = np.sqrt(shares * (1 - shares) / n_resamples)
    of_both = error * np.sqrt(1 + n_resamples / _PRINTED_RESAMPLES)
    cells_of_shares = beside({name: published["pr_unresolved"]}, {name: shares}, {name: of_both})
    agrees = cells_of_shares.pop(f"{name}_agrees")
    columns |= {**cells_of_shares, f"{name}_se": error, f"{name}_agrees": agrees}
    return pd.DataFrame(columns).assign(n_undefined=bounds["n_undefined"])


def bound_errors(
    clusters: pd.DataFrame, point: OperatingPoint, *, n_resamples: int, seed: int
) -> pd.DataFrame:
    """Return the Monte Carlo standard error of each printed bound less ours."""
    repeated = [
        category_bootstrap_tables(clusters, point, n_resamples=_PRINTED_RESAMPLES, seed=other)[0]
        for other in range(seed + 1, seed + 1 + _BOOTSTRAPS)
    ]
    of_printed = np.std([table[_BOUNDS].to_numpy() for table in repeated], axis=0, ddof=1)
    both = of_printed * np.sqrt(1 + _PRINTED_RESAMPLES / n_resamples)
    return repeated[0].assign(**dict(zip(_BOUNDS, both.T, strict=True)))


def present(
    frame: pd.DataFrame,
    distribution: pd.DataFrame,
    provenance: Sequence[Provenance],
    *,
    printed_shares: Mapping[int, float],
    n_items: int,
    n_subjects: int,
    n_resamples: int,
    seed: int,
) -> Table:
    """Dress the frame of `table_09`, with the bootstrap's `distribution` of unresolved pairs."""
    shares = distribution.set_index("n_unresolved")["share"]
    law = ", ".join(
        f"{count} in {100 * shares.get(count, 0):.1f}%"
        + (f" (printed: {100 * printed_shares[count]:.1f}%)" if count in printed_shares else "")
        for count in sorted({*shares.index[shares > 0], *printed_shares})
    )
    others = frame.loc[(frame["icc_p05"] > 0) & ~frame["label"].isin(_NAMED), "label"]
    headers = {"icc": "ICC(D)", "design_effect": "DE", "n_star_cluster": "Cluster N*"}
    return Table(
        frame=frame,
        shown=_with_intervals(frame),
        columns=[
            Column("label", "Pair"),
            *(compared(name, header, chance=True, given=True) for name, header in headers.items()),
            compared("probability_unresolved", "Pr(unr.)", chance=True),
        ],
        finding=f"{_finding(frame)}; {_likely(shares, printed_shares, len(frame))}.",
        caption="Bootstrap of the subjects, adjacent MMLU-Pro pairs: point and, in brackets, 5–95% "
        "interval.",
        provenance=[
            *provenance,
            Provenance.published("Table 9"),
            Provenance.simulated(seed=seed, trials=n_resamples, unit="resamples of the subjects"),
        ],
        notes=[
            "ICC(D): intraclass correlation, within subjects, of the difference D of the scores; "
            "DE: design effect; cluster N*: N* times DE, as in Table 4, rounded up; M: million. "
            f"Pr(unr.): share of the resamples with cluster N* above N = {n_items:,}, unresolved; "
            f"the draw decides a verdict where it is from {_RARE:.0%} to {1 - _RARE:.0%}.",
            f"Resamples: {_PRINTED_RESAMPLES:,} in the paper, {n_resamples:,} here, of the "
            f"{n_subjects} subjects with replacement; N* stays that of all items, so that the "
            f"intervals leave out its own error. Chance: {MONTE_CARLO_STANDARD_ERRORS:.1f} "
            f"Monte Carlo standard errors. The paper's caption names {', '.join(_NAMED)} as those "
            "that drive the verdicts; further intervals of the ICC that exclude 0: "
            f"{', '.join(others) or 'none'}. {DECLARED}",
            f"Unresolved of the {len(frame)} pairs, by share of the resamples: {law}.",
            *of_witness(
                provenance,
                "Points and bounds were fitted, Pr(unr.) and these shares were not.",
            ),
        ],
    )


def _finding(frame: pd.DataFrame) -> str:
    """Return which verdicts depend on the subjects drawn."""
    share = frame["probability_unresolved"]
    open_ = frame[(share >= _RARE) & (share <= 1 - _RARE)]
    which = ", ".join(
        f"{label}, unresolved in {100 * p:.1f}% of the resamples"
        for label, p in zip(open_["label"], open_["probability_unresolved"], strict=True)
    )
    return (
        f"The draw of the subjects decides {len(open_)} of {len(frame)} verdicts"
        f"{': ' if which else ''}{which}"
    )


def _likely(shares: pd.Series, printed: Mapping[int, float], n_pairs: int) -> str:
    """Return how often as many pairs are unresolved as the paper has in most resamples."""
    counts = [count for count, share in printed.items() if share >= _RARE]
    ours, theirs = (sum(of.get(count, 0) for count in counts) for of in (shares, printed))
    return (
        f"{' or '.join(map(str, counts)) or 'no number'} of the {n_pairs} are unresolved in "
        f"{100 * ours:.1f}% (printed: {100 * theirs:.1f}%)"
    )


def _with_intervals(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with a point and, on the next line, its interval in each cell."""
    records = frame.to_dict(orient="records")
    cells = {
        f"{name}{end}": [_point_and_interval(row, name)[end] for row in records]
        for name in _QUANTITIES
        for end in ("", "_printed", "_agrees")
    }
    # A second line, so that what is printed of a share stands on the line of what is printed.
    share = "probability_unresolved"
    cells |= {
        f"{share}{end}": [(row[f"{share}{end}"], "") for row in records] for end in ("", "_printed")
    }
    cells[f"{share}_agrees"] = [(row[f"{share}_agrees"], True) for row in records]
    return pd.DataFrame(records).assign(**pd.DataFrame(cells))


def _point_and_interval(row: Mapping[Hashable, Any], name: str) -> dict[str, tuple[Any, ...]]:
    parts = [f"{name}{part}" for part in ("", "_p05", "_p95")]
    printed = [row[f"{part}_printed"] for part in parts]
    ours = [
        as_rounded_up(row[part])
        if text.replace(",", "").isdigit()
        else as_digits_of(text)(row[part])
        for part, text in zip(parts, printed, strict=True)
    ]
    point, *bounds = (bool(row[f"{part}_agrees"]) for part in parts)
    return {
        "": (ours[0], f"[{ours[1]}; {ours[2]}]"),
        "_printed": (printed[0], f"[{printed[1]}; {printed[2]}]"),
        "_agrees": (point, all(bounds)),
    }
