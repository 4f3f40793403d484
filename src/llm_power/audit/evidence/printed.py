"""All evidence that printed numbers hold, gathered from the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pandas as pd

from llm_power.audit.evidence.adjacent_pairs import adjacent_pairs
from llm_power.audit.evidence.anytime import anytime
from llm_power.audit.evidence.board_scores import board_scores
from llm_power.audit.evidence.calculators import calculators
from llm_power.audit.evidence.calibration import calibration
from llm_power.audit.evidence.close_pairs import close_pairs
from llm_power.audit.evidence.closed_forms import closed_forms
from llm_power.audit.evidence.clusters import clusters
from llm_power.audit.evidence.lemma_grid import lemma_grid
from llm_power.audit.evidence.published_numbers import PublishedNumbers, load_published
from llm_power.audit.evidence.rows import EvidenceRow, evidence_frame
from llm_power.audit.evidence.sharpness import sharpness
from llm_power.audit.evidence.shortcut_on_counts import shortcut_on_counts
from llm_power.audit.evidence.tables_together import tables_together

# One function a module, in alphabetical order.
_PARTS: Final[tuple[Callable[[PublishedNumbers], list[EvidenceRow]], ...]] = (
    adjacent_pairs,
    anytime,
    board_scores,
    calculators,
    calibration,
    close_pairs,
    closed_forms,
    clusters,
    lemma_grid,
    sharpness,
    shortcut_on_counts,
    tables_together,
)


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
    return evidence_frame(row for part in _PARTS for row in part(published))
