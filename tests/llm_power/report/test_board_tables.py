"""What the tables of a board say where a number has no room."""

from __future__ import annotations

from dataclasses import replace

from llm_power import resolve_board
from llm_power._example import example_task
from llm_power._report.board_tables import board_tables
from llm_power._report.tables import to_markdown


def test_small_ratios_are_not_nothing_and_gaps_have_both_ends() -> None:
    tasks = [example_task()]
    board = resolve_board(tasks)
    n_items = board.verdicts["n_items"]
    verdicts = board.verdicts.assign(n_star=1e-3 * n_items, q=1e-3, resolved=True)
    tables = board_tables(replace(board, verdicts=verdicts), tasks, title="Example")
    assert "<0.01" in to_markdown(tables["ladder"])
    shown = to_markdown(tables["gaps"])
    assert "<0.01" in shown
    assert "0.00" not in shown
    assert "≤1 pp" in shown
    assert "1–2 pp" in shown
    assert ">15 pp" in shown
    assert "each pair is compared on all of them" in " ".join(shown.split())
