"""What is made only where the extra `report` is installed: pages and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec


def installed(module: str) -> bool:
    """Return whether a module of the extra can be imported."""
    return find_spec(module) is not None


def left_out(needs: Mapping[str, str]) -> str:
    """Return one line that says which files are left out and how to get them."""
    absent = {files: module for files, module in needs.items() if not installed(module)}
    if not absent:
        return ""
    modules = " and ".join(dict.fromkeys(absent.values()))
    return (
        f"left out: {', '.join(absent)}, for want of {modules}. "
        "Remedy: in the clone, pip install '.[report]'."
    )
