"""Resolution diagnostics for paired LLM evaluation.

Whether a displayed gap between two models that answered the same items could have been
seen: required items N*, resolution ratio q = N/N*, minimum detectable effect; then
multiplicity, subject clusters and anytime-valid monitoring.

What users call is importable from here, and from `llm_power.simulation`; the rest of the library
is private.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# The stub, which type checkers read, has each name once, with its module.
_IN_STUB = re.compile(r"^from (\S+) import \(?\s*(\w+) as", re.MULTILINE)
with open(f"{__file__}i", encoding="utf-8") as _stub:
    _HOMES = dict(sorted((name, home) for home, name in _IN_STUB.findall(_stub.read())))
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    # On first use: who imports one name should not wait for tables, plots and readers.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__]
