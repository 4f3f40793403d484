"""Audit of a paper's printed numbers: each claim of a register against the results of a run.

`load_register` reads the claims, `audit` judges them. The command ``llm-power audit`` does both.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llm_power_audit._errors import AuditError
    from llm_power_audit.claims import Register
    from llm_power_audit.evaluate import Audit, audit
    from llm_power_audit.register import load_register

_HOMES = {
    "Audit": "evaluate",
    "AuditError": "_errors",
    "Register": "claims",
    "audit": "evaluate",
    "load_register": "register",
}
__all__ = ["Audit", "AuditError", "Register", "audit", "load_register"]


def __getattr__(name: str) -> Any:
    # On first use: the command line imports this package for every help text.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__]
