"""A release gate: a candidate model against the one that it would replace."""
