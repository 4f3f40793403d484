"""Per-item scores: one canonical form, the readers that make it, and the checks they share."""
