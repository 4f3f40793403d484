"""The results and the register that the examples of this package audit."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from llm_power._board.resolve import resolve_board
from llm_power._example import example_task

_CLAIMS: Final = """\
title: The example board
claims:
  - id: leader/resolved
    section: front page
    place: first line
    claim: heron beats osprey, and the items resolve it
    quantity: q = N/N* of heron and osprey
    printed: beats
    states: {at_least: 1}
    checks:
      - {result: pairs.csv, rows: {model_a: heron, model_b: osprey}, column: q, evidence: raw}
  - id: pairs
    section: front page
    place: second line
    claim: number of adjacent pairs
    quantity: pairs
    printed: "3"
    checks:
      - {result: pairs.csv, rows: {}, aggregate: count, evidence: raw}
"""


def write_example(folder: str | Path) -> None:
    """Write pairs.csv and claims.yaml, of whose two claims the first is contradicted."""
    board = resolve_board([example_task()])
    board.verdicts.to_csv(Path(folder, "pairs.csv"), index=False)
    Path(folder, "claims.yaml").write_text(_CLAIMS, encoding="utf-8")
