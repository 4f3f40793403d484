"""Print which of the numbers in a paper's text the claims of its register cover."""

from __future__ import annotations

import argparse
from pathlib import Path

from llm_power_audit.coverage import cover, load_spans
from llm_power_audit.register import load_register


def main() -> None:
    """Hold the spans of a paper against its text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path, help="the paper's text, in the edition of the spans")
    parser.add_argument("--paper", type=Path, default=Path("data/kotawala2026"))
    given = parser.parse_args()
    register = load_register(given.paper / "claims.yaml")
    spans = load_spans(given.paper / "spans.csv", given.paper / "excused.csv")
    text = given.text.read_text(encoding="utf-8")
    coverage = cover(text, spans, {claim.id: claim for claim in register.claims})
    print(coverage.text())
    for token in coverage.uncovered:
        print(f"line {token.line}, offset {token.start}: {token.text}")


if __name__ == "__main__":
    main()
