"""Paths of downloads, safe on every file system, from names of models and files."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath
from typing import Final

from replication.hub.datasets import Dataset
from replication.hub.errors import address_of

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST: Final = 100
# Names that Windows reserves whatever their ending, and folders that mean another one.
_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?|\.*")


def safe_name(name: str, *, ignore_case: bool = False) -> str:
    """Return a file name that stands for `name` alone."""
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
