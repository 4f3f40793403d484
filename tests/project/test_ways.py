"""The way of a printed number that the page on adding draws is the one that the code takes."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path
from types import FrameType

from llm_power_audit.evaluate import audit
from llm_power_audit.register import load_register
from repository import ROOT

AUDIT = str(ROOT / "src" / "llm_power_audit")
# What has the number in one form or another; whoever calls them passes it on.
HOLD = ("csv_rows", "parse_printed", "_number", "agrees", "_judge")
# By imports, from below.
LAYERS = ("printed", "_csv", "agreement", "selection", "register", "evaluate")
REGISTER = """
exhibits:
  table_03: {title: Table 3, file: table_03.csv, printed: printed/table_03.csv}
claims:
  - id: table_03/1/n_star
    section: "2"
    place: Table 3
    claim: The items that the first pair requires
    quantity: N*
    checks:
      - {result: table_03.csv, rows: {pair: heron-kite}, column: n_star, evidence: counts}
"""


def drawn() -> list[str]:
    """The calls of the table in docs/adding.md, each after its module."""
    page = (ROOT / "docs" / "adding.md").read_text("utf-8").partition("| module | calls |")[2]
    rows = page.partition("\n\n")[0].splitlines()[2:]
    cells = [re.findall(r"`([^`]+)`", "|".join(row.split("|")[1:3])) for row in rows]
    return [f"{module}.{call}" for module, *calls in cells for call in calls]


def test_a_printed_number_takes_the_way_that_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "printed").mkdir()
    (tmp_path / "claims.yaml").write_text(REGISTER, encoding="utf-8")
    for name, number in (("printed/table_03.csv", '"1,193"'), ("table_03.csv", "1192.7")):
        (tmp_path / name).write_text(f"pair,n_star\nheron-kite,{number}\n", encoding="utf-8")
    stack: list[str] = []
    way: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(AUDIT) or code.co_name.startswith("<"):
            return
        if event == "call":
            stack.append(f"{Path(code.co_filename).stem}.{code.co_qualname}")
            if code.co_name in HOLD:
                way.update(dict.fromkeys(stack))
        elif event == "return":
            stack.pop()

    sys.setprofile(note)
    try:
        judged = audit(load_register(tmp_path / "claims.yaml"), tmp_path).judged
    finally:
        sys.setprofile(None)
    assert judged[0].verdict == "holds"
    assert list(way) == drawn()
    modules = [name.partition(".")[0] for name in way]
    assert (len(way), len({*modules})) == (20, 6)
    # It climbs twice: with the printed number, and with both numbers.
    climbs = [b for a, b in pairwise(modules) if LAYERS.index(a) < LAYERS.index(b)]
    assert climbs == ["evaluate", "evaluate"]
