"""Open the files that a user names, and name them where the system does not."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


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
