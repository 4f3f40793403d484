"""The page of a board as a file: what it holds, its size, and that no name leaves its block."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, Final, get_args

import jsonschema
import numpy as np
import pandas as pd
import pytest
from boards import HOSTILE, Name, example

from llm_power._board.have_need import items_needed
from llm_power._board.page_data import Column, page_data
from llm_power._board.resolve import resolve_board
from llm_power._board.summary import describe_board
from llm_power._example import example_task
from llm_power._report import board_page
from llm_power._report.board_page import render_board_page
from llm_power._statistics.random_streams import named_rng

_NAMES: Final[tuple[Name, ...]] = get_args(Name)
NEEDED: Final = ("n_items", "gap", "items_even", "items_assured")
_NUMBER: Final = {"type": ["number", "null"]}
_CELLS: Final = {"anyOf": [_NUMBER, {"type": "array", "items": _NUMBER}]}
_REQUIRED: Final = {"i", "j", "n", "ps", "pf", "lo", "hi", "verdict"}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        **{
            name: {"type": "string"}
            for name in ("version", "title", "family", "compared", "confidence")
        },
        **{
            name: {"type": "string"}
            for name in ("clusters", "control", "discoveries", "missing", "measured")
        },
        **{name: {"type": ["string", "null"]} for name in ("cluster", "shown")},
        "alpha": {"type": "number"},
        "power": {"type": "number"},
        "margin": _NUMBER,
        "weights": {"type": "object"},
        "test_names": {"type": "object"},
        "measure": {"type": "object"},
        "warnings": {"type": "array", "items": {"type": "string"}},
        "tasks": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": [
                    "task",
                    "items",
                    "coverage",
                    "sha256",
                    "files",
                    "tolerated",
                    "tests",
                    "family_pairs",
                    "result",
                    "source",
                ],
                "properties": {
                    "kind": {"enum": ["binary", "graded", "average"]},
                    "models": {
                        "type": "array",
                        "minItems": 2,
                        "items": {
                            "type": "object",
                            "required": [
                                *("name", "score", "score_low", "score_high", "low", "high")
                            ],
                            "properties": {"score": {"minimum": 0, "maximum": 1}},
                        },
                    },
                    "pairs": {
                        "type": "object",
                        "required": sorted(_REQUIRED),
                        "additionalProperties": _CELLS,
                    },
                },
            },
        },
    },
}
SCHEMA["required"] = list(SCHEMA["properties"])


def block(page: str) -> dict[str, Any]:
    """Return what stands in the page's block of data."""
    found = re.search(r'<script type="application/json" id="board">(.*?)</script>', page, re.DOTALL)
    assert found
    read: dict[str, Any] = json.loads(found[1])
    return read


@pytest.mark.parametrize("name", _NAMES)
def test_the_block_of_data_has_its_schema(name: Name) -> None:
    drawn = example(name)
    read = block(render_board_page(drawn.data))
    jsonschema.validate(read, SCHEMA)
    names = read.pop("test_names")
    assert set(names) == {test for task in read["tasks"] for test in task["tests"]}
    assert read == json.loads(json.dumps(drawn.data))
    for task in read["tasks"]:
        lengths = {len(cells) for cells in task["pairs"].values() if isinstance(cells, list)}
        rows = drawn.board.verdicts["task"] == task["task"]
        average = drawn.board.average
        of_average = 0 if average is None else len(average.verdicts)
        assert lengths <= {of_average if task["kind"] == "average" else int(rows.sum())}


def test_columns_are_those_of_the_verdict_table() -> None:
    drawn = example("usual")
    pairs, table = drawn.data["tasks"][0]["pairs"], drawn.board.verdicts

    def cells(column: Column) -> list[Any]:
        return column if isinstance(column, list) else [column] * len(table)

    for short, name in (("n11", "n11"), ("b", "b"), ("c", "c"), ("n", "n_items"), ("i", "rank_a")):
        assert cells(pairs[short]) == table[name].tolist()
    np.testing.assert_allclose(cells(pairs["pf"]), table["p_family"], rtol=1e-3)
    np.testing.assert_allclose(cells(pairs["deff"]), table["design_effect"], rtol=1e-15)
    more = [np.inf if value is None else value for value in cells(pairs["more"])]
    assert more == table["more_items_needed"].tolist()


def test_no_name_leaves_the_block_of_data() -> None:
    page = render_board_page(example("hostile").data)
    outside = re.sub(r'(?s)<script type="application/json".*?</script>', "", page)
    for harm in HOSTILE[:2]:
        assert harm not in page
        assert "__pwned" not in outside.replace("&#39;", "'").split("<h1>")[0].split("<title>")[0]
    assert page.count("<script") == 2
    assert page.count("</script") == 2


def test_no_script_writes_markup_and_nothing_is_fetched() -> None:
    page = render_board_page(example("usual").data)
    for danger in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert danger not in page
    allowed = {"http://www.w3.org/2000/svg"}
    assert set(re.findall(r"https?://[^\"'\s)]+", page)) <= allowed
    assert re.search(r"Content-Security-Policy\" content=\"default-src &#39;none&#39;", page)
    assert "unsafe-inline" not in page


def test_sixty_models_take_little_room() -> None:
    assert len(render_board_page(example("many").data).encode()) < 400_000


def test_of_too_many_pairs_those_of_the_best_models_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = example("many")
    monkeypatch.setattr("llm_power._board.page_data.MOST_PAIRS", 100)
    data = page_data(drawn.board.verdicts, drawn.summary, title="many")
    (task,) = data["tasks"]
    assert (len(task["models"]), task["n_models"]) == (14, 62)
    assert isinstance(task["pairs"]["b"], list)
    assert len(task["pairs"]["b"]) == 14 * 13 // 2
    assert task["family_pairs"] == 62 * 61 // 2


def test_intervals_gaps_and_needs_are_the_boards_own() -> None:
    drawn = example("edges")
    (task,) = drawn.data["tasks"]
    ranks, table = drawn.board.ranks, drawn.board.verdicts
    models = pd.DataFrame(task["models"])
    for end in ("score_low", "score_high"):
        np.testing.assert_allclose(models[end], ranks[end], rtol=1e-3)
    assert not np.allclose(table["gap"], table["delta"], equal_nan=True)
    pairs = pd.DataFrame(task["pairs"]).astype(float)
    np.testing.assert_allclose(pairs["gap"], table["gap"], rtol=1e-5)
    np.testing.assert_array_equal(
        pairs["need"].fillna(np.inf), table["items_assured"].fillna(np.inf)
    )
    assert "gap" not in example("usual").data["tasks"][0]["pairs"]


@pytest.mark.parametrize("name", _NAMES)
def test_tables_without_scripts_are_those_of_the_board(name: Name) -> None:
    drawn = example(name)
    (plain,) = re.findall(r"(?s)<noscript>(.*?)</noscript>", render_board_page(drawn.data))
    for bad in ("NaN", "None", "nan", "inf<", "null"):
        assert f">{bad}<" not in plain
    if name not in ("many", "tasks", "hostile"):
        assert plain.count("<bdi>different<") == drawn.summary["verdicts"]["different"]
        table = drawn.board.verdicts
        for needed in map(items_needed, *(table[one] for one in NEEDED)):
            assert f"<bdi>{needed}</bdi>" in plain
    assert plain.count("Ranking of") == len(drawn.data["tasks"])
    assert "<script" not in plain


@pytest.mark.parametrize("name", ["usual", "tasks"])
def test_tables_without_scripts_share_their_rows(
    name: Name, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = example(name).data
    tables = 2 * len(data["tasks"])
    monkeypatch.setattr(board_page, "_MOST_ROWS", tables)
    (plain,) = re.findall(r"(?s)<noscript>(.*?)</noscript>", render_board_page(data))
    assert plain.count("<table") == tables
    assert plain.count("<tr") == tables * 2


def test_what_the_page_shows_is_rounded_once() -> None:
    """0.206549 is 20.7 points; from the 0.2065 that four digits leave it would be 20.6."""
    board = resolve_board([example_task()], family="all")
    ends = named_rng(0, "rounded once").random(len(board.ranks)).round(7)
    ends[0] = 0.206549
    ranks = board.ranks.assign(score_low=ends)
    summary = describe_board(replace(board, ranks=ranks), [example_task()], missing="error")
    data = page_data(board.verdicts, summary, title="rounded")
    kept = [row["score_low"] or 0.0 for row in data["tasks"][0]["models"]]
    assert [f"{100 * x:.1f}" for x in kept] == [f"{100 * x:.1f}" for x in ends]
    assert max(len(str(x)) for x in kept) <= len("0.01234")
