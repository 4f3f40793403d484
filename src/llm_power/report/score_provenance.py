"""Where the scores came from that an exhibit was computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal

from llm_power.provenance import Provenance
from llm_power.scores.store import TaskScores

_REGISTER = "constraints.yaml"
# How the source of a download begins that did not come from where it is published.
_STAND_IN = "stand-in or mirror at "


def score_provenance(tasks: Sequence[TaskScores]) -> list[Provenance]:
    """Return where the scores of each task came from.

    Parameters
    ----------
    tasks : sequence of TaskScores
        The tasks of a board.

    Returns
    -------
    list of Provenance
        One a task. A witness names the register of roles it was fitted by, and what of it is
        free. Several files are identified by the SHA-256 of their list, one line a
        file with its own sum, two spaces and its name, as ``sha256sum`` writes it.
    """
    sources = []
    for task in tasks:
        sums = dict(task.provenance.files)
        if task.provenance.source.startswith("witness"):
            sources.append(_witness_provenance(task, sums))
            continue
        if len(sums) == 1:
            (digest,) = sums.values()
        else:
            lines = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
            digest = hashlib.sha256(lines.encode()).hexdigest()
        revision = task.provenance.revision or "not stated"
        source = task.provenance.source
        if source.startswith(_STAND_IN):
            endpoint = source.removeprefix(_STAND_IN)
            found = Provenance.stand_in(endpoint=endpoint, revision=revision, sha256=digest)
        else:
            found = Provenance.raw(repo=source, revision=revision, sha256=digest)
        sources.append(found)
    return sources


def basis_of(tasks: Sequence[TaskScores]) -> Literal["witness", "raw", "stand_in"]:
    """Return ``stand_in`` or else ``witness`` if any of the tasks is one, else ``raw``."""
    kinds = {source.kind for source in score_provenance(tasks)}
    if "stand_in" in kinds:
        return "stand_in"
    return "witness" if "witness" in kinds else "raw"


def _witness_provenance(task: TaskScores, sums: Mapping[str, str]) -> Provenance:
    _, _, free = task.provenance.source.partition("free: ")
    fitted = f"printed numbers of role input or target, constraints.yaml {sums[_REGISTER][:12]}"
    return Provenance.witness(f"{fitted}; free: {free}" if free else fitted)
