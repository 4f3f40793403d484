"""What a finished run says at its end: made, left out, claims, changes, and where to look."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from replication.judged import counted, verdicts_by_claim

# What the last finished run made of a paper, in the folder of that name here; beside Snakemake's
# own state, for it is no result.
LAST: Final = Path(".snakemake/last_run")
_SHOWN: Final = 6
_LABEL: Final = 10


@dataclass(frozen=True)
class Made:
    """What a run has made, as far as the next one is compared with it."""

    ended: str = ""
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # The verdict of each claim.
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
        for kind, names in (("new", new), ("gone", gone), ("other bytes", other)):
            if names:
                yield f"{kind}: {_some(names)}"
        if moved:
            yield f"other verdicts: {_some(moved)}"


def last_screen(folders: Sequence[str], *, seconds: float, log: Path | None) -> list[str]:
    """Return the lines with which a finished run ends."""
    lines = [line for folder in folders for line in (*_of_paper(folder), "")]
    return [*lines, *(_row("Log", str(log)) if log else []), *_row("Took", took(seconds))]


def _of_paper(folder: str) -> list[str]:
    results = Path(folder, "results")
    manifest = json.loads((results / "manifest.json").read_bytes())
    made, before = Made.of(manifest, results), Made.last(folder)
    exhibits, boards = manifest["exhibits"], manifest["boards"]
    made.remember(folder)
    return [
        *_row("Paper", manifest["paper"]["citation"]),
        *_row("Made", f"{_kinds(exhibits)}, {_number(len(boards), 'board')}"),
        *(line for left_out in manifest["left_out"] for line in _row("Left out", left_out)),
        *_row("Claims", _verdicts(made.verdicts)),
        *_row("Changed", _changes(made, before)),
        *_row("Look at", str((results / "index.html").resolve())),
    ]


def _place(folder: str) -> Path:
    return LAST / folder / "made.json"


def took(seconds: float) -> str:
    """Return a time as a reader says it."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _row(label: str, text: str) -> list[str]:
    width = max(60, min(100, shutil.get_terminal_size().columns))
    indents = f"{label:<{_LABEL}}", " " * _LABEL
    # A path or an address stays whole, to be copied.
    options: Any = {"break_long_words": False, "break_on_hyphens": False}
    shown = fill(text, width, initial_indent=indents[0], subsequent_indent=indents[1], **options)
    return shown.splitlines()


def _kinds(exhibits: Sequence[Mapping[str, Any]]) -> str:
    kinds = Counter(one["name"].split("_")[0] for one in exhibits)
    tables, figures = kinds["table"], kinds["figure"]
    return f"{_number(tables, 'table')}, {_number(figures, 'figure')}"


def _changes(made: Made, before: Made | None) -> str:
    if before is None:
        return "no earlier run is known here"
    changes = "; ".join(made.changes_since(before)) or "nothing"
    return f"{changes} (since the run of {before.ended})"


def _verdicts(verdicts: Mapping[str, str]) -> str:
    counts = Counter(verdicts.values())
    return f"{len(verdicts):,}: {', '.join(said for _, said in counted(counts))}"


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
