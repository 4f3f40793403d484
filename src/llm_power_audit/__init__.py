"""Audit of a paper's printed numbers: each claim of a register against the results of a run.

`load_register` reads the claims, `audit` judges them. The command ``llm-power audit`` does both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_power._lazy import on_first_use

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


# The command line imports this package for every help text.
__getattr__ = on_first_use(__name__, _HOMES)


def __dir__() -> list[str]:
    return [*__all__]
