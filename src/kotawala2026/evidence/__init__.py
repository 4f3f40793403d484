"""What follows from the printed numbers alone, and what from mathematics alone.

Each module holds one idea and a public function from `PublishedNumbers` to rows; `printed` lists
them all.
"""

from kotawala2026.evidence.printed import printed_evidence

__all__ = ["printed_evidence"]
