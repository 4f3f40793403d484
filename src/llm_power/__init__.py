"""Resolution diagnostics for paired LLM evaluation.

Whether a displayed gap between two models that answered the same items could have been
seen: required items N*, resolution ratio q = N/N*, minimum detectable effect; then
multiplicity, subject clusters and anytime-valid monitoring. The names of the paper's
Appendix J are importable from here; each idea has its module in `llm_power.statistics`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llm_power.api import (
        bootstrap_power,
        cohens_h,
        paired_bootstrap_delta,
        parametric_required_n_paired,
        parametric_required_n_paired_binary,
        parametric_required_n_proportions,
        required_n_mcnemar,
    )
    from llm_power.errors import InvalidArgument, LLMPowerError, ScoreError

__all__ = [
    "InvalidArgument",
    "LLMPowerError",
    "ScoreError",
    "bootstrap_power",
    "cohens_h",
    "paired_bootstrap_delta",
    "parametric_required_n_paired",
    "parametric_required_n_paired_binary",
    "parametric_required_n_proportions",
    "required_n_mcnemar",
]

_ERRORS = {"InvalidArgument", "LLMPowerError", "ScoreError"}


def __getattr__(name: str) -> Any:
    # On first use: a job of the workflow that only draws or reads should not load the statistics.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'errors' if name in _ERRORS else 'api'}"), name)
