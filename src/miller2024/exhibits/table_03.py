"""Table 3: clustered standard errors beside eq. (2)."""

from __future__ import annotations

from typing import Final

from miller2024.tables import present, table_03
from replication.exhibits import Exhibit, Inputs

_CAPTION: Final = (
    "Printed clustered standard errors (SE), and their ratio to those of eq. (2), which has no "
    "clusters."
)
_HEADERS: Final = {
    "eval": "Eval",
    "n": "Questions",
    "clusters": "Clusters",
    "mean_cluster_size": "Their mean size",
    "both": "Model",
    "both_printed": "Score, printed",
    "both_se_printed": "SE, printed",
    "both_naive": "SE, eq. (2)",
    "both_ratio": "Ratio",
}
_NOTE: Final = (
    "The paper prints scores and SE of DROP without the percent sign. Eq. (2) is for scores of 0 "
    "and 1; for graded scores it gives an upper bound, and the ratio is a lower one."
)


def make(inputs: Inputs) -> Exhibit:
    """Make Table 3."""
    frame = table_03(inputs.printed(3))
    return Exhibit(present(frame, _CAPTION, _HEADERS, sources="Table 3", notes=[_NOTE]))
