"""Where the scores came from that an exhibit was computed from."""

from __future__ import annotations

from collections.abc import Sequence

from llm_power._provenance import Provenance, ScoresKind, files_digest
from llm_power._scores.store import Provenance as ScoresProvenance
from llm_power._scores.store import TaskScores


def score_provenance(tasks: Sequence[TaskScores]) -> list[Provenance]:
    """Return where the scores of each task came from.

    Several files are identified by the SHA-256 of their list, one line a file with its own sum, two
    spaces and its name, as ``sha256sum`` writes it.
    """
    return [_as_source(task.provenance) for task in tasks]


def basis_of(tasks: Sequence[TaskScores]) -> ScoresKind:
    """Return ``stand_in`` or else ``witness`` if any of the tasks is one, else ``raw``."""
    kinds = {task.provenance.kind for task in tasks}
    if "stand_in" in kinds:
        return "stand_in"
    return "witness" if "witness" in kinds else "raw"


def _as_source(scores: ScoresProvenance) -> Provenance:
    if scores.kind == "witness":
        return Provenance.witness(scores.fitted_to)
    revision, digest = scores.revision or "not stated", files_digest(scores.files)
    if scores.kind == "stand_in":
        return Provenance.stand_in(endpoint=scores.source, revision=revision, sha256=digest)
    return Provenance.raw(repo=scores.source, revision=revision, sha256=digest)
