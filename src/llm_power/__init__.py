"""Resolution diagnostics for paired LLM evaluation."""
