"""What the discordant counts of Table 1 imply."""

from __future__ import annotations

import numpy as np
import pandas as pd

from llm_power._statistics.mcnemar import mcnemar_exact
from llm_power._statistics.paired_binary import required_n_discordance


def resolved_pairs(table_1: pd.DataFrame, *, alpha: float, power: float) -> pd.DataFrame:
    """Return counts, exact p-value, N* and r = N*/N of each pair of Table 1."""
    n, b, c = (np.array([int(cell.value) for cell in table_1[name]]) for name in ("n", "b", "c"))
    n_star = required_n_discordance(b, c, n, alpha=alpha, power=power)
    return pd.DataFrame(
        {
            "pair": table_1["pair"].to_list(),
            **{"n": n, "b": b, "c": c},
            "p_exact": mcnemar_exact(b, c),
            "n_star": n_star,
            "r": n_star / n,
        }
    )
