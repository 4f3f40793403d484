"""Simulations in chunks: each has its own random streams, jobs share them, and they are gathered.

The paper's module ``simulations.py`` has ``NAME(settings, numbers)``, which returns what simulates
each chunk by the chunk's name. No chunk depends on another, so that rows and values are the same
however many jobs there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import pandas as pd

from llm_power._errors import LLMPowerError, message_at
from replication.stages import read_stage

Chunks = Mapping[str, Callable[[], pd.DataFrame]]

#: Of a simulation's part, which chunk each row is of.
CHUNK: Final = "chunk"
_REMEDY: Final = "run snakemake again, which makes all parts; paper.yaml says how many there are"


class SimulationParts(LLMPowerError):
    """The parts of a simulation are not the whole of it."""


def simulate_part(chunks: Chunks, part: int, parts: int) -> pd.DataFrame:
    """Return the rows of one part: every chunk whose place is `part` modulo `parts`."""
    if parts > len(chunks):
        problem = f"a simulation of {len(chunks)} chunks is to have {parts} parts"
        raise SimulationParts(message_at({}, problem, "lower parts in paper.yaml"))
    mine = list(chunks.items())[part::parts]
    rows = pd.concat([simulate().assign(**{CHUNK: name}) for name, simulate in mine])
    return rows.reset_index(drop=True)


def gathered(paths: Sequence[str], chunks: Chunks) -> dict[str, pd.DataFrame]:
    """Return the rows of each chunk, in the order of `chunks`."""
    if not paths:
        return {name: simulate() for name, simulate in chunks.items()}
    by_chunk: dict[str, pd.DataFrame] = {}
    for path in paths:
        for name, rows in read_stage(path).groupby(CHUNK, sort=False):
            if name in by_chunk:
                problem = f"the chunk {name!r} is in another part too"
                raise SimulationParts(message_at({"file": path}, problem, _REMEDY))
            by_chunk[str(name)] = rows.drop(columns=CHUNK).reset_index(drop=True)
    if missing := [name for name in chunks if name not in by_chunk]:
        problem = f"no part has the chunk {missing[0]!r}"
        raise SimulationParts(message_at({"file": ", ".join(paths)}, problem, _REMEDY))
    return {name: by_chunk[name] for name in chunks}
