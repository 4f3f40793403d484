"""What follows from the printed numbers alone, and what from mathematics alone.

Each module holds one idea and a public function from `PublishedNumbers` to rows.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from llm_power.audit.evidence.published_numbers import load_published
from llm_power.audit.evidence.rows import evidence_frame


def printed_evidence(folder: Path) -> pd.DataFrame:
    """Recompute everything that a folder of printed numbers decides.

    Parameters
    ----------
    folder : Path
        Tables, settings and registers of printed numbers.

    Returns
    -------
    DataFrame
        One row per number; the columns are the attributes of
        `llm_power.audit.evidence.rows.EvidenceRow`. Quantity and subject identify a row.

    Raises
    ------
    PublishedError
        If a file is malformed.
    """
    published = load_published(folder)
    parts = [part(published) for part in ()]
    return evidence_frame(row for part in parts for row in part)
