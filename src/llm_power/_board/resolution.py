"""Required items, resolution ratio, minimum detectable effect and tests of every pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd

from llm_power._board.counts import DifferenceMoments, PairCells
from llm_power._board.operating_point import OperatingPoint
from llm_power._board.tabulation import (
    PAIR_KEY,
    statistics_of,
    with_an_item,
    without_strangers,
)
from llm_power._statistics.arrays import FloatArray, ratio
from llm_power._statistics.inversion import (
    minimum_detectable_effect,
    required_n,
    resolution_ratio,
)
from llm_power._statistics.mcnemar import (
    log_mcnemar_exact,
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
)
from llm_power._statistics.paired_binary import (
    miller_unpaired_required_n,
    shortcut_required_n,
    summarize_counts,
)

_SUMMARY: Final = ("p_a", "p_b", "delta", "rho", "var_d", "n_star", "q", "mde", "resolved")
# Of each column what it says; p_a, p_b and delta are of the pair itself.
RESOLUTION_COLUMNS: Final[Mapping[str, str]] = {
    "rho": "correlation of the two models' scores: phi of 0/1 scores",
    "var_d": "variance of an item's difference, eq. (5)",
    "n_star": "required items N* at the observed gap, eq. (6)",
    "q": "resolution ratio N/N*",
    "mde": "smallest gap with the target power at the items at hand",
    "resolved": "whether q >= 1: the items at hand reach the target power at the observed gap",
    "n_h": "shortcut (1 - rho)(z + z)^2/h^2, eq. (9)",
    "n_miller": "N* with the covariance set to zero",
    "p_chi2": "McNemar's test, asymptotic; not adjusted, like the next three",
    "p_exact": "McNemar's test, exact",
    "log_p_exact": "natural logarithm of p_exact, also below the smallest float",
    "p_midp": "McNemar's test, mid-p",
    "p_cc": "McNemar's test, continuity-corrected",
}
ESTIMATES: Final = (
    *("p_a", "p_b", "delta", "rho", "var_d"),
    *("n_star", "mde", "n_h", "n_miller"),
)


def add_resolution(pairs: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    """Return required items, resolution ratio, detectable effect and four McNemar tests."""
    parts = [
        pd.DataFrame(resolution_columns(statistics_of(rows), point), index=rows.index)
        for _, rows in with_an_item(pairs).groupby(pairs["b"].notna(), sort=False)
    ]
    table = pd.concat([pairs[PAIR_KEY], pd.concat(parts).sort_index()], axis=1)
    return without_strangers(table, pairs, ESTIMATES)


def resolution_columns(
    items: PairCells | DifferenceMoments, point: OperatingPoint
) -> dict[str, np.ndarray]:
    """Return the columns of this stage for pairs of one task, (n_pairs,)."""
    core = core_columns(items, point)
    if isinstance(items, PairCells):
        p_a, p_b, rho = core["p_a"], core["p_b"], core["rho"]
        more = {
            "n_h": shortcut_required_n(p_a, p_b, rho, alpha=point.alpha, power=point.power),
            "n_miller": miller_unpaired_required_n(p_a, p_b, alpha=point.alpha, power=point.power),
            "p_midp": mcnemar_mid_p(items.b, items.c),
            "p_cc": mcnemar_continuity_corrected(items.b, items.c),
        }
    else:
        # The covariance set to zero, as for binary scores.
        apart = np.sqrt((items.ss_a + items.ss_b) / items.n_items)
        unpaired = required_n(core["delta"], apart, alpha=point.alpha, power=point.power)
        undefined = np.full(unpaired.shape, np.nan)
        more = {"n_h": undefined, "n_miller": unpaired, "p_midp": undefined, "p_cc": undefined}
    columns = core | more
    return {name: columns[name] for name in ("p_a", "p_b", "delta", *RESOLUTION_COLUMNS)}


def core_columns(
    items: PairCells | DifferenceMoments,
    point: OperatingPoint,
    *,
    p_exact: FloatArray | None = None,
) -> dict[str, np.ndarray]:
    """Return the `resolution_columns` that boards of millions of pairs have."""
    if isinstance(items, PairCells):
        p = mcnemar_exact(items.b, items.c) if p_exact is None else p_exact
        return _binary_columns(items, point, p)
    return _graded_columns(items, point)


def _binary_columns(
    cells: PairCells, point: OperatingPoint, p_exact: FloatArray
) -> dict[str, np.ndarray]:
    b, c = cells.b, cells.c
    summary = summarize_counts(cells.n11, b, c, cells.n00, alpha=point.alpha, power=point.power)
    return {
        **{name: getattr(summary, name) for name in _SUMMARY},
        "p_chi2": mcnemar_asymptotic(b, c),
        "p_exact": p_exact,
        "log_p_exact": log_mcnemar_exact(b, c, known_p=p_exact),
    }


def _graded_columns(moments: DifferenceMoments, point: OperatingPoint) -> dict[str, np.ndarray]:
    n = moments.n_items.astype(np.float64)
    var_a, var_b, var_d = moments.ss_a / n, moments.ss_b / n, moments.ss_d / n
    delta = moments.sum_d / n
    at = {"alpha": point.alpha, "power": point.power}
    n_star = required_n(delta, np.sqrt(var_d), **at)
    q = resolution_ratio(n, n_star)
    scale = np.sqrt(var_a * var_b)
    rho = ratio((var_a + var_b - var_d) / 2, scale)
    undefined = np.full(scale.shape, np.nan)
    return {
        "p_a": moments.sum_a / n,
        "p_b": moments.sum_b / n,
        "delta": delta,
        "rho": rho,
        "var_d": var_d,
        "n_star": n_star,
        "q": q,
        "mde": minimum_detectable_effect(n, np.sqrt(var_d), **at),
        "resolved": q >= 1,
        "p_chi2": undefined,
        "p_exact": undefined,
        "log_p_exact": undefined,
    }
