"""Published files: of boards and of data/datasets.csv, and their paths here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, cast, get_args

from llm_power_audit._csv import CSVError, csv_rows
from replication.hub.errors import HubError, address_of

Source = Literal["hub", "github"]
SOURCES: Final[tuple[Source, ...]] = get_args(Source)
_PART: Final = r"(?!\.{1,2}(?:/|$))[^/]+"
# The pattern of each column of the register, and what it must be.
_COLUMNS: Final = {
    "name": ("[^/]+/[^/]+/.+", "BOARD/TASK/MODEL"),
    "source": ("|".join(SOURCES), f"one of {', '.join(SOURCES)}"),
    "repo": (r"[\w.-]{1,96}/[\w.-]{1,96}", "OWNER/NAME"),
    "revision": ("[0-9a-f]{40}|", "a commit of 40 digits"),
    "file": (f"{_PART}(/{_PART})*", "a path inside the repository"),
    "rows": (r"[1-9]\d{0,8}(-[1-9]\d{0,8})?|", "a number or a range"),
    "licence": (".*", "text"),
    "correct": (r"\d{0,9}", "a whole number"),
    "note": (".*", "there with `correct`"),
}
COLUMNS: Final = tuple(_COLUMNS)

_TIME_MARKS: Final = re.compile(r"[-:_T.]")
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


def load_datasets(path: Path) -> dict[str, Dataset]:
    """Load the register: data sets by name, in the order of the file."""
    datasets: dict[str, Dataset] = {}
    try:
        for line, row in enumerate(table_rows(path, COLUMNS, "the register"), start=2):
            try:
                dataset = _parse(dict(zip(COLUMNS, row, strict=True)))
                if dataset.name in datasets:
                    raise ValueError(f"name: {dataset.name!r} is there twice")
            except ValueError as error:
                raise ValueError(f"line {line}: {error}") from error
            datasets[dataset.name] = dataset
    except ValueError as error:
        remedy = "correct the line, whose columns data/README.md describes, or the path"
        raise HubError(str(error), remedy=remedy, file=str(path)) from error
    return datasets


def table_rows(path: Path, columns: Sequence[str], what: str) -> list[list[str]]:
    """Return the rows of a CSV file that has these columns; a ValueError says what is wrong."""
    try:
        header, *rows = csv_rows(path) or [[]]
    except CSVError as error:
        if error.row is None:
            raise ValueError(f"{what} {error}") from error
        raise ValueError(f"line {error.row + 1}: must have {len(columns)} cells") from error
    if header != list(columns):
        raise ValueError(f"line 1: the columns must be {', '.join(columns)}")
    return rows


def _parse(cells: Mapping[str, str]) -> Dataset:
    for column, (pattern, what) in _COLUMNS.items():
        value = cells[column]
        if value != value.strip() or not value.isprintable():
            problem = f"has a space at an end or an invisible character: {value!r}"
            raise ValueError(f"{column}: {problem}")
        has_reason = column != "note" or bool(value) == bool(cells["correct"])
        if not (re.fullmatch(pattern, value, re.ASCII) and has_reason):
            raise ValueError(f"{column}: must be {what}, got {value!r}")
    smallest, _, largest = cells["rows"].partition("-")
    return Dataset(
        name=cells["name"],
        source=cast(Source, cells["source"]),
        repo=cells["repo"],
        revision=cells["revision"] or None,
        file=cells["file"],
        rows=(int(smallest), int(largest or smallest)) if smallest else None,
        licence=cells["licence"],
        correct=int(cells["correct"]) if cells["correct"] else None,
        note=cells["note"],
    )


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
