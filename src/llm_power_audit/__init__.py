"""Audit of a paper's printed numbers: each claim of a register against the results of a run.

`load_register` reads the claims, `audit` judges them. The command ``llm-power audit`` does both.
"""

from __future__ import annotations

from llm_power._lazy import attached

__getattr__, __dir__, __all__ = attached(__name__, __file__)
