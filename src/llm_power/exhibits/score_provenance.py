"""Where the scores came from that an exhibit was computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal

from llm_power.provenance import Provenance
from llm_power.scores.store import TaskScores

_REGISTER = "constraints.yaml"


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
        sources.append(
            Provenance.raw(repo=task.provenance.source, revision=revision, sha256=digest)
        )
    return sources


def basis_of(tasks: Sequence[TaskScores]) -> Literal["witness", "raw"]:
    """Return ``witness`` if any of the tasks is one, else ``raw``."""
    sources = score_provenance(tasks)
    return "witness" if any(source.kind == "witness" for source in sources) else "raw"


def _witness_provenance(task: TaskScores, sums: Mapping[str, str]) -> Provenance:
    _, _, free = task.provenance.source.partition("free: ")
    fitted = f"printed numbers of role input or target, constraints.yaml {sums[_REGISTER][:12]}"
    return Provenance.witness(f"{fitted}; free: {free}" if free else fitted)
