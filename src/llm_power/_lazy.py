"""Names that a package imports on first use, listed once: in its stub, as type checkers read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

_IMPORTED = re.compile(r"^from (\S+) import \(?\s*(\w+) as", re.MULTILINE)


def attached(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package by the stub beside it."""
    # SPEC 1 of scientific Python. Who imports one name does not wait for tables, plots and readers.
    with open(f"{file}i", encoding="utf-8") as stub:
        homes = {name: home for home, name in _IMPORTED.findall(stub.read())}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return load, lambda: sorted(homes), sorted(homes)
