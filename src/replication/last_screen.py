"""What a finished run says at its end: made, left out, claims, changes, and where to look."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from textwrap import TextWrapper
from typing import Any, Final

from llm_power_audit.written_verdicts import counted, verdicts_by_claim

# What the last finished run made of a paper, in the folder of that name here; beside Snakemake's
# own state, for it is no result.
LAST: Final = Path(".snakemake/last_run")
_SHOWN: Final = 6
_KINDS: Final = ("table", "figure", "board")


@dataclass(frozen=True)
class Made:
    """What a run has made, as far as the next one is compared with it."""

    ended: str = ""
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    verdicts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, manifest: Mapping[str, Any], results: Path) -> Made:
        """Return what the manifest and the audit of a paper say."""
        described = [*manifest["exhibits"], *manifest["boards"]]
        files = {one["name"]: one["outputs"] for one in described}
        return cls(manifest["run"]["end"], files, verdicts_by_claim(results))

    @classmethod
    def last(cls, folder: str) -> Made | None:
        """Return what the last finished run made of the paper in a folder, if one is known."""
        try:
            return cls(**json.loads(_place(folder).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def remember(self, folder: str) -> None:
        """Let the next run be compared with this one."""
        _place(folder).parent.mkdir(parents=True, exist_ok=True)
        _place(folder).write_text(json.dumps(asdict(self)), encoding="utf-8")

    def changes_since(self, before: Made) -> Iterator[str]:
        """Say what is new, gone or different, kind by kind."""
        new = [name for name in self.files if name not in before.files]
        gone = [name for name in before.files if name not in self.files]
        other = [n for n, files in self.files.items() if before.files.get(n, files) != files]
        moved = [
            f"{claim} {before.verdicts[claim]} → {verdict}".replace("_", " ")
            for claim, verdict in self.verdicts.items()
            if before.verdicts.get(claim, verdict) != verdict
        ]
        changes = {"new": new, "gone": gone, "other bytes": other, "other verdicts": moved}
        yield from (f"{kind}: {_some(names)}" for kind, names in changes.items() if names)


def last_screen(folders: Sequence[str], *, seconds: float, log: Path | None) -> list[str]:
    """Return the lines with which a run ends that made the papers of these folders whole."""
    rows = [row for folder in folders for row in (*_of_paper(folder), ("", ""))]
    if log is not None:
        rows.append(("Log", str(log)))
    rows.append(("Took", took(seconds)))
    return [line for label, text in rows for line in _wrapped(label, text)]


def _of_paper(folder: str) -> Iterator[tuple[str, str]]:
    """Give the rows of a paper, and let the next run be compared with this one."""
    results = Path(folder, "results")
    manifest = json.loads((results / "manifest.json").read_bytes())
    made, before = Made.of(manifest, results), Made.last(folder)
    made.remember(folder)
    whole = [one for one in manifest["exhibits"] if "undefined" not in one]
    kinds = Counter(one["name"].split("_")[0] for one in whole)
    kinds["board"] = len(manifest["boards"])
    verdicts = Counter(made.verdicts.values())
    changes = "no earlier run is known here"
    if before is not None:
        changes = "; ".join(made.changes_since(before)) or "nothing"
        changes += f" (since the run of {before.ended})"
    numbers = [f"{kinds[one]} {one}{'s' * (kinds[one] != 1)}" for one in _KINDS]
    yield "Paper", manifest["paper"]["citation"]
    yield "Made", ", ".join(numbers)
    yield from (("Left out", line) for line in manifest["left_out"])
    yield "Claims", f"{len(made.verdicts):,}: {', '.join(text for _, text in counted(verdicts))}"
    yield "Changed", changes
    yield "Look at", str((results / "index.html").resolve())


def _place(folder: str) -> Path:
    return LAST / folder / "made.json"


def took(seconds: float) -> str:
    """Return a time as a reader says it."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _wrapped(label: str, text: str) -> list[str]:
    """Return the lines of a row; a path or an address stays whole, to be copied."""
    width = max(60, min(100, shutil.get_terminal_size().columns))
    wrapper = TextWrapper(width, f"{label:<10}", " " * 10, break_long_words=False)
    wrapper.break_on_hyphens = False
    return wrapper.wrap(text) or [""]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
