"""The page of a board: one HTML file that opens without a network and draws itself."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from llm_power._board.have_need import items_needed
from llm_power._board.measure import (
    Measure,
    confidence,
    gap_interval,
    gap_interval_name,
    p_name,
    p_value,
    percent,
    percent_interval,
)
from llm_power._board.page_data import AVERAGE, CODED, PageData
from llm_power._choices import TEST_NAMES
from llm_power._report.board_answer import rank_set
from llm_power._report.page import page_environment, page_parts, visible

_PACKAGE = "llm_power._report"
# Rows of the tables for browsers without scripts, over all tasks.
_MOST_ROWS: Final = 900
# Characters of data beyond which they are deflated; below, they can be read in the page.
_LONGEST: Final = 500_000
# What could end the block of data, or begin a comment in it.
_ESCAPED = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def render_board_page(data: PageData, index: str = "") -> str:
    """Return the HTML page of a board, which leads back to the address of an index.

    Style and script are inline and named by their hashes in the page's Content-Security-Policy;
    names stand in a block of data that cannot run.
    """
    tests = sorted({test for task in data["tasks"] for test in task["tests"]})
    names = {test: TEST_NAMES[test] for test in tests}
    shown = {**data, "title": visible(data["title"]), "test_names": names}
    text = json.dumps(shown, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = len(text) > _LONGEST
    return page_environment(_PACKAGE).get_template("board.html.j2").render(
        board=data,
        index=index,
        tables=[_tables(task, data) for task in data["tasks"]],
        **page_parts(_PACKAGE, "board.css", "board.js"),
        kind="text/plain" if packed else "application/json",
        data=Markup(_deflated(text) if packed else text.translate(_ESCAPED)),
    )  # fmt: skip


def _deflated(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _tables(task: PageData, data: PageData) -> dict[str, Any]:
    """Return the ranking and pairs of a task as cells, for browsers without scripts."""
    most = max(1, _MOST_ROWS // len(data["tasks"]) // 2)
    rows, words = _rows(task), (task["kind"] != AVERAGE and data["shown"]) or "pairs"
    ends = f"{confidence(data['alpha'])} interval"
    measure = Measure(**data["measure"])
    ranking = [
        [
            str(rank),
            rank_set(model["low"], model["high"]),
            model["name"],
            percent(model["score"], measure),
            percent_interval(model["score_low"], model["score_high"], measure),
        ]
        for rank, model in enumerate(task["models"], start=1)
    ]
    header = ["rank", "possible", "model", measure.named("score", "%"), ends]
    pairs_header = [
        *("A", "B", "verdict"),
        measure.named("gap", "points"),
        gap_interval_name(data["alpha"], task["family_pairs"], data["control"]),
        p_name(task["family_pairs"], data["control"]),
        *("items", f"new items to decide it, chance 0.5 to {data['power']:g}"),
    ]
    pairs = [_cells(row, task, measure) for row in rows[:most]]
    tables = [
        _table(f"Ranking of {len(ranking):,} models", header, ranking[:most], len(ranking)),
        _table(f"{len(rows):,} {words}", pairs_header, pairs, len(rows)),
    ]
    return {"name": task["task"], "tables": tables}


def _table(
    caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], whole: int
) -> dict[str, Any]:
    more = f", the first {len(rows):,}" if whole > len(rows) else ""
    return {"caption": caption + more, "header": header, "rows": rows}


def _rows(task: PageData) -> list[dict[str, Any]]:
    pairs = task["pairs"]
    count = max(len(cells) if isinstance(cells, list) else 1 for cells in pairs.values())
    columns = {
        name: cells if isinstance(cells, list) else [cells] * count for name, cells in pairs.items()
    }
    return [{name: cells[k] for name, cells in columns.items()} for k in range(count)]


def _cells(row: Mapping[str, Any], task: PageData, measure: Measure) -> list[str]:
    few, many = (math.inf if row.get(end) is None else row[end] for end in ("even", "need"))
    gap = _gap(row)
    return [
        *(task["models"][row[side] - 1]["name"] for side in ("i", "j")),
        CODED[row["verdict"]],
        percent(gap, measure),
        gap_interval(row.get("lo"), row.get("hi"), measure),
        p_value(row.get("pf")),
        f"{row['n']:,}",
        items_needed(row["n"], gap or 0.0, few, many),
    ]


def _gap(row: Mapping[str, Any]) -> float | None:
    if not row["n"]:
        return None
    known = row.get("gap", row.get("delta"))
    return float((row["b"] - row["c"]) / row["n"] if known is None else known)
