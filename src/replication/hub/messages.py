"""What a job about downloads says: all of it to its log, warnings to the terminal too."""

from __future__ import annotations

import logging
import sys


def tell() -> None:
    """Send messages to the log, and to the terminal what the user should know."""
    # Of that kind are a first download, and a file that differs from what was displayed.
    messages = logging.getLogger("replication.hub")
    messages.setLevel(logging.INFO)
    messages.addHandler(logging.StreamHandler(sys.stderr))
    terminal = logging.StreamHandler(sys.__stderr__)
    terminal.setLevel(logging.WARNING)
    messages.addHandler(terminal)
