"""What the paper prints, as the ground of its quantities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import pandas as pd

from replication.findings import Basis, Quantities

QUANTITIES: Final = Quantities()


@dataclass(frozen=True, eq=False)
class PrintedNumbers:
    """The five tables by their number, and the numbers that examples are computed with."""

    name: ClassVar[str] = "printed numbers"
    panel: ClassVar[str] = "general"
    basis: ClassVar[Basis] = "counts"

    tables: Mapping[int, pd.DataFrame]
    settings: Mapping[str, Any]
