"""Table 5: differences, by the relation of Section 4.2 from the errors of Tables 2 and 3."""

from __future__ import annotations

from typing import Final

from miller2024.tables import present, table_05
from replication.exhibits import Exhibit, Inputs

_CAPTION: Final = (
    "Paired differences, Galleon minus Dreadnought: standard errors (SE), correlations and "
    "intervals, each computed from the others."
)
_HEADERS: Final = {
    "eval": "Eval",
    "difference": "Difference",
    "se": "SE",
    "low": "CI from",
    "high": "CI to",
    "correlation": "ρ",
    "se_of_scores": "SE by eq. (2)",
    "z": "z",
}
_NOTE: Final = (
    "SE and ρ, the correlation, follow from each other and the errors of Tables 2 and 3; the ends "
    "of the 95% interval (CI) from difference and SE; the difference is the interval's middle. "
    "SE by eq. (2): from the scores and the printed ρ, for answers of 0 and 1 to independent "
    "questions."
)


def make(inputs: Inputs) -> Exhibit:
    """Make Table 5."""
    frame = table_05(inputs.printed(5), inputs.printed(2), inputs.printed(3))
    return Exhibit(present(frame, _CAPTION, _HEADERS, sources="Tables 2, 3 and 5", notes=[_NOTE]))
