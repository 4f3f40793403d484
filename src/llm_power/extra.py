"""What is made only where the extra `report` is installed: pages and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec


def installed(module: str) -> bool:
    """Return whether a module of the extra can be imported.

    Parameters
    ----------
    module : str
        Name to import it by.

    Returns
    -------
    bool
        Nothing is imported to find out.

    Examples
    --------
    >>> from llm_power.extra import installed
    >>> installed("click")
    True
    """
    return find_spec(module) is not None


def left_out(needs: Mapping[str, str]) -> str:
    """Return one line that says which files are left out and how to get them.

    Parameters
    ----------
    needs : mapping of str to str
        Files, and the module that each is made with.

    Returns
    -------
    str
        Empty if all of the modules are installed.

    Examples
    --------
    >>> from llm_power.extra import left_out
    >>> left_out({"board.md": "click"})
    ''
    >>> left_out({"board.md": "no_such_module"})
    "left out: board.md, for want of no_such_module. Remedy: in the clone, pip install '.[report]'."
    """
    absent = {files: module for files, module in needs.items() if not installed(module)}
    if not absent:
        return ""
    return (
        f"left out: {', '.join(absent)}, for want of {' and '.join(absent.values())}. "
        "Remedy: in the clone, pip install '.[report]'."
    )
