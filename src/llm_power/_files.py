"""Open the files that a user names, and name them where the system does not."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Final

# What a file of each option ends in.
REPORT_ENDINGS: Final[Mapping[str, Sequence[str]]] = {
    "--report": (".txt", ".md", ".json", ".html"),
    "--junit": (".xml",),
}


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading, but no pipe, socket or device, which may never come to an end."""
    mode = path.stat().st_mode
    # To open a folder is an error already.
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        problem = "a pipe, a socket or a device instead of a file"
        raise OSError(errno.EINVAL, problem, os.fspath(path))
    return path.open("rb")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name a file or folder in a system's error that names none, as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        # Arrow has a text of its own.
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def write_whole(path: Path, text: str) -> None:
    """Write a file that nobody sees a part of; an error names it."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def remove_reports(arguments: Sequence[str]) -> None:
    """Remove the reports that a command line names, valid or not, but nothing it reads."""
    words = [""]
    for argument in arguments:
        words += argument.split("=", 1) if argument.startswith("--") else [argument]
    named = list(pairwise(words))
    others = [word for option, word in named if option not in REPORT_ENDINGS]
    for option, path in named:
        if Path(path).suffix not in REPORT_ENDINGS.get(option, ()) or not os.path.isfile(path):
            continue
        if not any(os.path.exists(other) and os.path.samefile(path, other) for other in others):
            os.unlink(path)
