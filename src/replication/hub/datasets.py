"""Published files: those of a board's download, and the register data/datasets.csv."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Literal, get_args

from replication.hub.errors import HubError

Source = Literal["hub", "github"]
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
COLUMNS: Final = (
    *("name", "source", "repo", "revision", "file"),
    *("bytes", "sha256", "rows", "licence", "retrieved", "correct", "note"),
)

_REPO: Final = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)
_REVISION: Final = re.compile(r"[0-9a-f]{40}|")
_SHA256: Final = re.compile(r"[0-9a-f]{64}|")
_ROWS: Final = re.compile(r"([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?|")
_TIME_MARKS: Final = re.compile(r"[-:_T.]")
_BYTES: Final = re.compile(r"\d{1,15}|")
_CORRECT: Final = re.compile(r"\d{1,9}|")


@dataclass(frozen=True, slots=True)
class Dataset:
    """One published file."""

    # BOARD/TASK/MODEL: whose scores on what. Everything behind the second slash is the name of the
    # model.
    name: str
    source: Source
    repo: str
    revision: str | None
    # Path in the repository. May hold the wildcards *, ? and [...] where it is not known: exactly
    # one file must then match.
    file: str
    bytes: int | None
    # SHA-256 of the contents, or the id that git has for them (64 or 40 digits), where known.
    sum: str | None
    rows: tuple[int, int] | None
    # As declared there; "none declared" where none is, empty where it is not known.
    licence: str
    retrieved: str
    # Correct answers in it, where they are known to be others than those displayed: with so many
    # it is accepted, and with any other number refused.
    correct: int | None = None
    note: str = ""
    # The file of the board that lists it; empty if the register does. A file that a board lists is
    # not downloaded without its sum.
    listed_in: str = ""

    @property
    def board(self) -> str:
        """The first part of the name."""
        return self.name.split("/", 2)[0]

    @property
    def task(self) -> str:
        """The second part of the name."""
        return self.name.split("/", 2)[1]

    @property
    def model(self) -> str:
        """The rest of the name."""
        return self.name.split("/", 2)[2]

    @property
    def is_pattern(self) -> bool:
        """Whether the file is still to be found among those of the repository."""
        return any(wildcard in self.file for wildcard in "*?[")

    def means(self, path: str) -> bool:
        """Whether `path` of the repository is the file, or one that it may be."""
        # Runs are named by their time, which folder and file spell in different ways: with colons
        # or with dashes.
        if self.is_pattern:
            return fnmatchcase(path, self.file)
        return _TIME_MARKS.sub("", path) == _TIME_MARKS.sub("", self.file)

    @property
    def page(self) -> str:
        """The page of the repository, which a reader can open."""
        kind = {"hub": "https://huggingface.co/datasets", "github": "https://github.com"}
        return f"{kind[self.source]}/{self.repo}"


def listed_files(board: str, task: str, download: Mapping[str, Any]) -> list[Dataset]:
    """Return the files that are downloaded for a task of a board, as its entry lists them."""
    return [
        Dataset(
            name=f"{board}/{task}/{file}",
            source=download["source"],
            repo=download["repository"],
            revision=download["commit"],
            file=file,
            bytes=None,
            sum=known,
            rows=None,
            licence=download["licence"],
            retrieved="",
            listed_in=f"boards/{board}, tasks/{task}/download",
        )
        for file, known in download["files"].items()
    ]


def load_register(path: Path) -> dict[str, Dataset]:
    """Load the register."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HubError(
            f"the register cannot be read ({error})", remedy="check the path", file=str(path)
        ) from error
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    found: dict[str, Dataset] = {}
    try:
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"the columns must be {', '.join(COLUMNS)}")
        for row in reader:
            dataset = _parse(row)
            if dataset.name in found:
                raise ValueError(f"name: {dataset.name!r} is there twice")
            found[dataset.name] = dataset
    except (ValueError, csv.Error) as error:
        raise HubError(
            f"line {max(reader.line_num, 1)}: {error}",
            remedy="correct the line, whose columns data/README.md describes",
            file=str(path),
        ) from error
    return found


def _parse(row: Mapping[str, str | None]) -> Dataset:
    cells = {name: _cell(row, name) for name in COLUMNS}
    board, _, rest = cells["name"].partition("/")
    task, _, model = rest.partition("/")
    _require(all((board, task, model)), "name", cells, "BOARD/TASK/MODEL")
    source = next((source for source in SOURCES if source == cells["source"]), None)
    if source is None:
        raise ValueError(f"source: must be one of {', '.join(SOURCES)}, got {cells['source']!r}")
    _require(_REPO.fullmatch(cells["repo"]), "repo", cells, "OWNER/NAME")
    _require(_REVISION.fullmatch(cells["revision"]), "revision", cells, "a commit of 40 digits")
    _require(_is_inside(cells["file"]), "file", cells, "a path inside the repository")
    _require(_BYTES.fullmatch(cells["bytes"]), "bytes", cells, "a whole number")
    _require(_SHA256.fullmatch(cells["sha256"]), "sha256", cells, "64 hexadecimal digits")
    rows = _ROWS.fullmatch(cells["rows"])
    if rows is None:
        raise ValueError(f"rows: must be a number or a range, got {cells['rows']!r}")
    _require(_is_utc_time(cells["retrieved"]), "retrieved", cells, "an ISO 8601 time in UTC")
    _require(_CORRECT.fullmatch(cells["correct"]), "correct", cells, "a whole number")
    _require(bool(cells["note"]) == bool(cells["correct"]), "note", cells, "there with `correct`")
    return Dataset(
        name=cells["name"],
        source=source,
        repo=cells["repo"],
        revision=cells["revision"] or None,
        file=cells["file"],
        bytes=int(cells["bytes"]) if cells["bytes"] else None,
        sum=cells["sha256"] or None,
        rows=(int(rows[1]), int(rows[2] or rows[1])) if rows[1] else None,
        licence=cells["licence"],
        retrieved=cells["retrieved"],
        correct=int(cells["correct"]) if cells["correct"] else None,
        note=cells["note"],
    )


def _cell(row: Mapping[str, str | None], name: str) -> str:
    value = row[name]
    if value is None or None in row:
        raise ValueError(f"must have {len(COLUMNS)} cells")
    if value != value.strip() or not value.isprintable():
        raise ValueError(f"{name}: has a space at an end or an invisible character: {value!r}")
    return value


def _require(holds: object, column: str, cells: Mapping[str, str], what: str) -> None:
    if not holds:
        raise ValueError(f"{column}: must be {what}, got {cells[column]!r}")


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    return not path.startswith("/") and all(part not in {"", ".", ".."} for part in parts)


def _is_utc_time(text: str) -> bool:
    try:
        return not text or datetime.fromisoformat(text).utcoffset() == timedelta(0)
    except ValueError:
        return False
