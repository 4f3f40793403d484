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
    rows = with_an_item(pairs)[pairs["b"].notna()]
    result = anytime_required_n(
        rows["b"].to_numpy(np.int64),
        rows["c"].to_numpy(np.int64),
        rows["n_items"].to_numpy(),
        alpha=point.alpha,
        power=point.power,
        mixture=UNIFORM_98,
    )
    columns = {
        "log_e": result.log_e,
        "n_star_anytime": result.n_star_anytime,
        "q_anytime": result.q_anytime,
        "anytime_inflation": result.inflation,
        "crossed": pd.array(result.crossed, dtype="boolean"),
        "resolved_anytime": pd.array(result.resolved_anytime, dtype="boolean"),
    }
    of_binary = pd.DataFrame(columns, index=rows.index).reindex(pairs.index)
    return pd.concat([pairs[PAIR_KEY], of_binary], axis=1)
