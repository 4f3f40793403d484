"""The page of a board among the results of a run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from llm_power._board.page_data import PageData
from llm_power._report.board_page import render_board_page


def write_page(output: Any, data: PageData, summary: Mapping[str, Any]) -> None:
    """Write a board's page, which leads back to the index of the run, and its facts."""
    page = render_board_page(data, index="../../index.html")
    Path(output.page).write_text(page, encoding="utf-8")
    facts = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
    Path(output.summary).write_text(facts + "\n", encoding="utf-8")
