"""Resolution diagnostics for paired LLM evaluation.

Whether a displayed gap between two models that answered the same items could have been
seen: required items N*, resolution ratio q = N/N*, minimum detectable effect; then
multiplicity, subject clusters and anytime-valid monitoring.

What users call is importable from here, and from `llm_power.simulation`; the rest of the library
is private.
"""

from __future__ import annotations

from llm_power._lazy import attached

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = attached(__name__, __file__)
