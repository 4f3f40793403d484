"""docs/scaling.md says what the cost model makes of what was measured."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from needed import ROOT


@pytest.fixture
def board_cost(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return import_module("board_cost")


def test_the_page_has_what_was_measured_last_and_what_follows(board_cost: Any) -> None:
    text = board_cost.PAGE.read_text(encoding="utf-8")
    assert (
        f"<!-- measured by {board_cost.MADE_BY} -->\n\n{board_cost.page(*board_cost.load())}"
        in text
    )


def test_a_fit_finds_the_costs_that_boards_were_made_of(board_cost: Any) -> None:
    boards = [
        board_cost.BoardRow(
            models,
            items,
            read=(2e-4 + 3e-8 * items) * models,
            counts=(2.4e-11 * items + 1e-7) * size.pairs,
            p_values=(2.4e-11 * items + 1e-6) * size.pairs,
            columns=(2.4e-11 * items + 3e-6) * size.pairs,
            scores_memory=24.0 * models * items,
            memory=24.0 * models * items + 2e8,
            disk=150 * size.pairs,
        )
        for models in (500, 2_000)
        for items in (1_000, 12_000)
        for size in [board_cost.Size(models, items)]
    ]
    families = [board_cost.FamilyRow(10**6, 0.5, 64e6, 30 * 10**6)]
    cost = board_cost.Cost.fitted(boards, families)
    large = board_cost.RECKONED[-1]
    assert large.pairs == 4_999_950_000
    assert cost.reading(large) == pytest.approx(1e5 * 2e-4 + 1e9 * 3e-8)
    assert cost.counting(large) == pytest.approx(2 * 1e4 * large.pairs * 2.4e-11)
    assert cost.others(large) == pytest.approx(4e-6 * large.pairs)
    # 100 s of reading by one core, and 22,399.776 s by 16 nodes of 32.
    assert cost.on_nodes(large) == pytest.approx(100 + 22_399.776 / 512)
    assert cost.job_memory(large) == pytest.approx(24e9 + 2e8)
    assert cost.family(10**12) == pytest.approx(2 * 0.5 * 10**6)
    assert (cost.family_bytes, cost.pair_disk, cost.family_disk) == (64, 150, 30)
