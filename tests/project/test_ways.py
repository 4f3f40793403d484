"""The ways of a score and of a printed number that the page on adding draws are the code's."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType

import pytest

from llm_power._cli import main
from llm_power_audit.evaluate import audit
from llm_power_audit.register import load_register
from needed import ROOT

# What has the score, or what is known of it, in one form or another; whoever calls them the first
# time passes it on.
HOLD_SCORE = {
    *("Table.scores", "TaskScores.__post_init__", "prepare_task", "TaskEvidence.of"),
    *("binary_verdicts", "board_answer", "as_text"),
}
# By imports, from below.
ROOMS = ("_statistics", "_scores", "_board", "_report", "_door", "_commands", "_cli")
# What has the number in one form or another; whoever calls them passes it on.
HOLD_NUMBER = {"csv_rows", "parse_printed", "_number", "agrees", "_judge"}
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


def drawn(number: int) -> list[str]:
    """The calls of a table in docs/adding.md, each after its module."""
    page = (ROOT / "docs" / "adding.md").read_text("utf-8").split("| module | calls |")[number]
    rows = page.partition("\n\n")[0].splitlines()[2:]
    cells = [re.findall(r"`([^`]+)`", "|".join(row.split("|")[1:3])) for row in rows]
    return [f"{module}.{call}" for module, *calls in cells for call in calls]


@contextmanager
def traced(package: str, holds: Callable[[str], bool]) -> Iterator[Collection[str]]:
    """Note the calls of a package that lead to each that holds what is traced."""
    folder = ROOT / "src" / package
    stack: list[str] = []
    way: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(f"{folder}/") or code.co_name.startswith("<"):
            return
        if event == "call":
            module = Path(code.co_filename).relative_to(folder).with_suffix("").as_posix()
            call = code.co_qualname.rpartition("<locals>.")[2]
            stack.append(f"{module}.{call}")
            if holds(call):
                way.update(dict.fromkeys(stack))
        elif event == "return":
            stack.pop()

    sys.setprofile(note)
    try:
        yield way.keys()
    finally:
        sys.setprofile(None)


def climbs(way: Collection[str], layers: tuple[str, ...]) -> list[str]:
    """The layer of each call that is above the call before it."""
    passed = [name.partition(".")[0].split("/")[0] for name in way]
    return [b for a, b in pairwise(passed) if layers.index(a) < layers.index(b)]


def modules_of(way: Collection[str]) -> set[str]:
    return {name.partition(".")[0] for name in way}


def test_a_score_takes_the_way_that_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("item_id,heron,wren\nq1,1,0\nq2,1,1\n", encoding="utf-8")
    left = set(HOLD_SCORE)

    def holds(call: str) -> bool:
        is_first = call in left
        left.discard(call)
        return is_first

    with pytest.raises(SystemExit) as stop, traced("llm_power", holds) as way:
        main(["resolve", str(path)])
    assert stop.value.code == 0
    assert list(way) == drawn(1)
    assert (len(way), len(modules_of(way))) == (30, 19)
    # It climbs twice: to the board, and to the answer.
    assert climbs(way, ROOMS) == ["_board", "_report"]


def test_a_printed_number_takes_the_way_that_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "printed").mkdir()
    (tmp_path / "claims.yaml").write_text(REGISTER, encoding="utf-8")
    for name, number in (("printed/table_03.csv", '"1,193"'), ("table_03.csv", "1192.7")):
        (tmp_path / name).write_text(f"pair,n_star\nheron-kite,{number}\n", encoding="utf-8")
    with traced("llm_power_audit", HOLD_NUMBER.__contains__) as way:
        judged = audit(load_register(tmp_path / "claims.yaml"), tmp_path).judged
    assert judged[0].verdict == "holds"
    assert list(way) == drawn(2)
    assert (len(way), len(modules_of(way))) == (20, 6)
    # It climbs twice: with the printed number, and with both numbers.
    assert climbs(way, LAYERS) == ["evaluate", "evaluate"]
