"""Open files that a user names, and nothing that would be waited for without end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading.

    Raises
    ------
    OSError
        If there is none or it cannot be read, or if the path is of a pipe, a socket or a device,
        which may never come to an end.
    ValueError
        If there is a NUL in the path.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power.files import open_file
    >>> _ = Path("exam.csv").write_text("item_id,heron,wren")
    >>> with open_file(Path("exam.csv")) as file:
    ...     header = file.read()
    ...
    >>> header
    b'item_id,heron,wren'
    """
    mode = path.stat().st_mode
    # To open a folder is an error already.
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        problem = "a pipe, a socket or a device instead of a file"
        raise OSError(errno.EINVAL, problem, os.fspath(path))
    return path.open("rb")
