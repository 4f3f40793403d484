"""Whether the e-process of a pair has crossed, and whether the pair is resolvable anytime."""

from __future__ import annotations

import numpy as np
import pandas as pd

from llm_power._board.operating_point import OperatingPoint
from llm_power._board.tabulation import PAIR_KEY, with_an_item
from llm_power._statistics.e_process import UNIFORM_98, anytime_required_n


def add_sequential(pairs: pd.DataFrame, point: OperatingPoint) -> pd.DataFrame:
    """Return whether each pair's e-process crossed, and whether it is resolvable anytime.

    Null for graded scores.
    """
    table = pairs[PAIR_KEY].copy()
    for name in ("log_e", "n_star_anytime", "q_anytime", "anytime_inflation"):
        table[name] = np.nan
    for name in ("crossed", "resolved_anytime"):
        table[name] = pd.array([pd.NA] * len(table), dtype="boolean")
    binary = pairs["b"].notna()
    if not binary.any():
        return table
    rows = with_an_item(pairs)[binary]
    result = anytime_required_n(
        rows["b"].to_numpy(np.int64),
        rows["c"].to_numpy(np.int64),
        rows["n_items"].to_numpy(),
        alpha=point.alpha,
        power=point.power,
        mixture=UNIFORM_98,
    )
    table.loc[binary, "log_e"] = result.log_e
    table.loc[binary, "crossed"] = result.crossed
    table.loc[binary, "n_star_anytime"] = result.n_star_anytime
    table.loc[binary, "q_anytime"] = result.q_anytime
    table.loc[binary, "anytime_inflation"] = result.inflation
    table.loc[binary, "resolved_anytime"] = result.resolved_anytime
    return table
