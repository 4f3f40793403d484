"""What all pairs of a board show, as text, tables and data of the page."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from boards import example, streamed_example

from board_examples import screen
from llm_power._board.landscape import Landscape, describe_landscape
from llm_power._board.operating_point import OperatingPoint
from llm_power._board.page_data import page_data
from llm_power._errors import InvalidArgument
from llm_power._provenance import Provenance
from llm_power._report import board_tables
from llm_power._report.landscape import landscape_sentences, landscape_tables
from llm_power._report.tables import to_markdown
from llm_power._scores.store import TaskScores

POINT = OperatingPoint()


def described(pairs: pd.DataFrame) -> dict[str, Any]:
    seen = Landscape("exam", int(pairs["rank_b"].max()))
    seen.add(pairs)
    return describe_landscape(seen)


def pairs_of(verdicts: dict[tuple[int, int], str]) -> pd.DataFrame:
    rows = [(*ranks, verdict, 0.02 * (ranks[1] - ranks[0])) for ranks, verdict in verdicts.items()]
    table = pd.DataFrame(rows, columns=["rank_a", "rank_b", "verdict", "gap"])
    return table.assign(n_items=100, p_a=0.6, p_b=0.6, items_needed=500.0)


def test_a_board_of_many_models_says_what_its_pairs_show_and_one_of_few_does_not() -> None:
    many, few = example("many"), example("usual")
    (told,) = many.summary["landscape"]
    assert told["n_pairs"] == len(many.board.verdicts) == 62 * 61 // 2
    assert told["verdicts"] == many.summary["verdicts"]
    sentences = landscape_sentences(told, POINT)
    assert len(sentences) == 4
    assert all(sentence in screen(many.board) for sentence in sentences)
    assert few.summary["landscape"] == []
    assert "Decided:" not in screen(few.board)


def test_a_sentence_names_at_most_five_distances_with_the_first_and_the_last() -> None:
    (told,) = example("many").summary["landscape"]
    rows = told["by_distance"]
    assert len(rows) > 5
    (sentence,) = [s for s in landscape_sentences(told, POINT) if "by distance" in s]
    first, *_, last = rows
    assert f" at {first['from_distance']}," in sentence
    assert f" at {last['from_distance']} to {last['to_distance']}." in sentence
    assert sentence.count("%") in (4, 5)


def test_the_page_has_the_landscape_of_its_task_and_no_more_tiers_than_it_can_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many, few = example("many"), example("usual")
    (told,) = many.summary["landscape"]
    assert many.data["tasks"][0]["landscape"] == told
    assert few.data["tasks"][0]["landscape"] is None
    monkeypatch.setattr("llm_power._board.page_data.MOST_TIERS", 1)
    (task,) = page_data(many.board.verdicts, many.summary, title="many")["tasks"]
    assert task["landscape"] == told | {"tiers": told["tiers"][:1]}


def test_tables_show_each_task() -> None:
    (told,) = example("many").summary["landscape"]
    sources = [Provenance.published("Table 1")]
    tables = landscape_tables(
        [told, told | {"task": "quiz"}], sources, title="Two tasks", point=POINT
    )
    for name, table in tables.items():
        shown = to_markdown(table)
        assert all(f"| {task} " in shown for task in ("exam", "quiz")), name
        assert "| nan" not in shown


def test_shares_are_none_or_all_only_where_they_are() -> None:
    ranks = [(a, b) for a in range(1, 22) for b in range(a + 1, 22)]
    one = described(pairs_of(dict.fromkeys(ranks, "undetermined") | {(1, 21): "different"}))
    all_but_one = described(pairs_of(dict.fromkeys(ranks, "different") | {(1, 2): "undetermined"}))
    assert landscape_sentences(one, POINT)[-1].startswith("Decided: under 1% of the pairs;")
    assert landscape_sentences(all_but_one, POINT)[-1].startswith("Decided: over 99% of the pairs;")
    none = described(pairs_of(dict.fromkeys(ranks, "undetermined")))
    assert landscape_sentences(none, POINT)[1:2] == ["No two models are different."]


def test_a_landscape_that_lacks_pairs_is_not_described() -> None:
    with pytest.raises(InvalidArgument, match=r"2 of the 3 pairs of 3 models\. Remedy: add each"):
        described(pairs_of({(1, 2): "undetermined", (2, 3): "undetermined"}))


def test_long_tables_show_their_first_rows_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_tables, "_MOST_ROWS", 10)
    board = streamed_example().board
    task = TaskScores("exam", "binary", ("q",), ("m",), np.ones((1, 1)))
    tables = board_tables.board_tables(board, [task], title="Streamed")
    for name, rows in {"ladder": 61, "ranks": 62}.items():
        text = to_markdown(tables[name])
        assert len(tables[name].frame) == rows
        assert f"The first 10 of {rows} rows" in text
        assert sum(line.startswith("|") for line in text.splitlines()) < 2 * 10 + 5


def test_where_nothing_is_different_there_is_no_gap_to_name() -> None:
    pairs = pairs_of({(i, j): "undetermined" for i in range(1, 5) for j in range(i + 1, 5)})
    sources = [Provenance.published("Table 1")]
    tables = landscape_tables([described(pairs)], sources, title="Open", point=POINT)
    assert "–" in to_markdown(tables["by_accuracy"])
