"""Where the numbers of an exhibit come from, in one line."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from llm_power._errors import InvalidArgument, one_line

Kind = Literal["published", "simulated", "witness", "raw", "stand_in"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
# Of these, what per-item scores can be.
ScoresKind = Literal["raw", "witness", "stand_in"]
SCORES_KINDS: Final[tuple[ScoresKind, ...]] = get_args(ScoresKind)

# Where the description of a file lists the kinds of its sources.
SOURCE_KINDS: Final = "dc:source"
WITNESS_NOTE: Final = (
    "The scores are a witness, built to agree with printed numbers, not the models' real answers: "
    "agreement with a fitted number proves nothing."
)
# The text of a PNG that says what is seen.
FINDING: Final = "Finding"

#: The words for each kind, in lines and on figures.
PHRASES: Final[Mapping[Kind, str]] = {
    "published": "from published numbers",
    "simulated": "simulated",
    "witness": "witness",
    "raw": "raw",
    "stand_in": "stand-in or mirror",
}


@dataclass(frozen=True, slots=True)
class Provenance:
    """One source of an exhibit's numbers."""

    kind: Kind
    detail: str

    def __post_init__(self) -> None:
        if not self.detail.strip():
            raise InvalidArgument(f"detail must say what the source is, got {self.detail!r}")

    @property
    def line(self) -> str:
        """The source as one line, for example ``simulated (seed 7, 1,500 trials)``."""
        return one_line(f"{PHRASES[self.kind]} ({self.detail})")

    @classmethod
    def published(cls, source: str) -> Provenance:
        """Numbers computed from printed ones; `source` names the table or section."""
        return cls("published", source)

    @classmethod
    def simulated(cls, *, seed: int, trials: int, unit: str = "trials") -> Provenance:
        """Numbers simulated or resampled; `unit` says what was repeated."""
        return cls("simulated", f"seed {seed}, {trials:,} {unit}")

    @classmethod
    def witness(cls, fitted_to: str) -> Provenance:
        """Numbers of a data set that was fitted to printed numbers: no finding of its own."""
        return cls("witness", f"fitted to {fitted_to}")

    @classmethod
    def raw(cls, *, repo: str, revision: str, sha256: str) -> Provenance:
        """Numbers computed from per-item scores; the three identify the bytes."""
        return cls("raw", f"{repo}, revision {revision}, sha256 {sha256}")

    @classmethod
    def stand_in(cls, *, endpoint: str, revision: str, sha256: str) -> Provenance:
        """Numbers computed from per-item scores that another server than their owners' gave."""
        return cls("stand_in", f"{endpoint}, revision {revision}, sha256 {sha256}")


def provenance_line(sources: Sequence[Provenance]) -> str:
    """Join the sources of one exhibit into one line."""
    if not sources:
        raise InvalidArgument("sources must hold at least one Provenance, got none")
    return "; ".join(dict.fromkeys(source.line for source in sources))


def provenance_kinds(sources: Sequence[Provenance]) -> list[Kind]:
    """Return the kinds of the sources, each once, in order."""
    return list(dict.fromkeys(source.kind for source in sources))


def files_digest(sums: Mapping[str, str]) -> str:
    """Return what identifies a set of files: of one its SHA-256, of several that of their list."""
    if len(sums) == 1:
        return next(iter(sums.values()))
    lines = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
    return hashlib.sha256(lines.encode()).hexdigest()
