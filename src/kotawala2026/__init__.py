"""Kotawala (2026), "Resolution Diagnostics for Paired LLM Evaluation": what is this paper's own."""
