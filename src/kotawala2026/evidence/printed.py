"""All evidence that printed numbers hold, gathered from the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pandas as pd

from kotawala2026.evidence.adjacent_pairs import adjacent_pairs
from kotawala2026.evidence.anytime import anytime
from kotawala2026.evidence.board_scores import board_scores
from kotawala2026.evidence.calculators import calculators
from kotawala2026.evidence.calibration import calibration
from kotawala2026.evidence.close_pairs import close_pairs
from kotawala2026.evidence.closed_forms import closed_forms
from kotawala2026.evidence.clusters import clusters
from kotawala2026.evidence.lemma_grid import lemma_grid
from kotawala2026.evidence.published_numbers import PublishedNumbers, load_published
from kotawala2026.evidence.sharpness import sharpness
from kotawala2026.evidence.shortcut_on_counts import shortcut_on_counts
from kotawala2026.evidence.tables_together import tables_together
from replication.evidence.rows import EvidenceRow, evidence_frame

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
        `replication.evidence.rows.EvidenceRow`. Quantity and subject identify a row.

    Raises
    ------
    PublishedError
        If a file is malformed.
    """
    published = load_published(folder)
    return evidence_frame(row for part in _PARTS for row in part(published))
