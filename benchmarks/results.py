"""What was measured, and on what: kept in one file, from which table and plots are written."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from contests import CONTESTS
from drawn import Size

from llm_power import __version__

ROOT: Final = Path(__file__).resolve().parents[1]
# Of the last run; each run writes it anew.
LATEST: Final = ROOT / "benchmarks" / "results" / "latest.json"


@dataclass(frozen=True, slots=True)
class Measured:
    """What one side took at one size.

    Attributes
    ----------
    contest, who : str
        Contest and side.
    size : Size
        Size of the board.
    seconds : list of float
        Wall time of each run.
    gigabytes : float
        Peak of the process's memory; 0 if it was not measured.
    in_turn : bool
        Whether the runs were in turn with those of the other sides, round by round.
    """

    contest: str
    who: str
    size: Size
    seconds: list[float]
    gigabytes: float = 0.0
    in_turn: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A side that was not timed.

    Attributes
    ----------
    contest, who, why : str
        Contest, side and reason.
    """

    contest: str
    who: str
    why: str


@dataclass(frozen=True, slots=True)
class Profile:
    """Where our time goes in a contest that misses its target.

    Attributes
    ----------
    contest : str
        The contest.
    size : Size
        Size of the board.
    own_seconds : list of (str, float)
        Functions, or modules of an import, and their own time; longest first.
    """

    contest: str
    size: Size
    own_seconds: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Results:
    """Everything of a session.

    Attributes
    ----------
    machine : dict of str to str
        Processor, Python, and versions of who took part.
    measured : list of Measured
        Times and memory.
    left_out : list of LeftOut
        Who was not timed.
    profiles : list of Profile
        Of the contests that miss their target.
    """

    machine: dict[str, str]
    measured: list[Measured] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)

    def of(self, contest: str, *, in_turn: bool) -> list[Measured]:
        """Return the rows of a contest, those of its rounds or the others."""
        return [x for x in self.measured if x.contest == contest and x.in_turn is in_turn]

    def write(self, path: Path) -> None:
        """Write them as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


def read_results(path: Path) -> Results:
    """Read what `Results.write` wrote."""
    written = json.loads(path.read_text(encoding="utf-8"))
    return Results(
        machine=written["machine"],
        measured=[Measured(**row | {"size": Size(**row["size"])}) for row in written["measured"]],
        left_out=[LeftOut(**row) for row in written["left_out"]],
        profiles=[Profile(**row | {"size": Size(**row["size"])}) for row in written["profiles"]],
    )


def this_machine() -> dict[str, str]:
    """Return what the figures depend on."""
    peers = {side.who: side.who for contest in CONTESTS for side in contest.peers}
    names = ("numpy", *sorted(peers))
    return {
        "cores": str(os.cpu_count()),
        "processor": platform.machine(),
        "Python": platform.python_version(),
        "llm-power": __version__,
        **{name: installed for name in names if (installed := _version(name))},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
