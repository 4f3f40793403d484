"""Published files: of boards and of data/datasets.csv, and their paths here."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, get_args

from replication.hub.errors import HubError, address_of

Source = Literal["hub", "github"]
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
COLUMNS: Final = (
    *("name", "source", "repo", "revision", "file"),
    *("rows", "licence", "correct", "note"),
)

_REPO: Final = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)
_REVISION: Final = re.compile(r"[0-9a-f]{40}|")
_ROWS: Final = re.compile(r"([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?|")
_TIME_MARKS: Final = re.compile(r"[-:_T.]")
_CORRECT: Final = re.compile(r"\d{1,9}|")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST: Final = 100
# Names that Windows reserves whatever their ending, and folders that mean another one.
_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?|\.*")


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
    # As declared there; "none declared" where none is, empty where it is not known.
    licence: str
    # Smallest and largest number of items that it may hold.
    rows: tuple[int, int] | None = None
    # Correct answers in it, where they are known to be others than those displayed: with so many
    # it is accepted, and with any other number refused.
    correct: int | None = None
    note: str = ""
    # The file of the board that lists it; empty if the register does. A file that a board lists is
    # pinned, and not downloaded without its sum: SHA-256 or git's id (64 or 40 digits).
    listed_in: str = ""
    sum: str | None = None

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
    """Return the files that a board's entry lists for a task."""
    return [
        Dataset(
            name=f"{board}/{task}/{file}",
            source=download["source"],
            repo=download["repository"],
            revision=download["commit"],
            file=file,
            licence=download["licence"],
            sum=known,
            listed_in=f"boards/{board}, tasks/{task}/download",
        )
        for file, known in download["files"].items()
    ]


def load_register(path: Path) -> dict[str, Dataset]:
    """Load the register: data sets by name, in the order of the file."""
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
    rows = _ROWS.fullmatch(cells["rows"])
    if rows is None:
        raise ValueError(f"rows: must be a number or a range, got {cells['rows']!r}")
    _require(_CORRECT.fullmatch(cells["correct"]), "correct", cells, "a whole number")
    _require(bool(cells["note"]) == bool(cells["correct"]), "note", cells, "there with `correct`")
    return Dataset(
        name=cells["name"],
        source=source,
        repo=cells["repo"],
        revision=cells["revision"] or None,
        file=cells["file"],
        rows=(int(rows[1]), int(rows[2] or rows[1])) if rows[1] else None,
        licence=cells["licence"],
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


def safe_name(name: str, *, ignore_case: bool = False) -> str:
    """Return a file name that no other name has: at most 100 characters of ASCII, no separator."""
    safe = _UNSAFE.sub("_", name).strip(".")
    is_kept = (
        safe == name
        and len(name) <= _LONGEST
        and not _RESERVED.fullmatch(name)
        and not (ignore_case and name != name.lower())
    )
    if is_kept:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    # The ending of a model's name, Mistral-7B-v0.2, is none: only letters are kept behind.
    suffix = re.search(r"\.[A-Za-z]{1,8}$", safe)
    ending = "" if suffix is None or ignore_case else suffix.group()
    stem = safe.removesuffix(ending)[: _LONGEST - len(ending) - len(digest) - 1]
    return f"{stem}-{digest}{ending}".lstrip(".-")


def download_path(folder: Path, endpoint: str, dataset: Dataset) -> Path:
    """Return where the file of a data set lies: apart from that of any other endpoint."""
    host = safe_name(address_of(endpoint).partition("://")[2], ignore_case=True)
    if dataset.listed_in:
        place = (dataset.board, dataset.task, *dataset.file.split("/"))
        return folder.joinpath(host, *map(safe_name, place))
    board, task, model = (safe_name(part, ignore_case=True) for part in dataset.name.split("/", 2))
    name = PurePosixPath(dataset.file).name
    if dataset.source == "github":
        return folder.joinpath(host, board, task, model, safe_name(name))
    # Of `samples_*.json*`, what is known of the ending.
    suffix = re.search(r"(\.[a-z]+)[^.]*$", name)
    return folder.joinpath(host, board, task, model + (suffix[1] if suffix else ""))
