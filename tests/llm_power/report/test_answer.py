"""One answer in four forms: the same words, hostile ones as text, and every number for programs."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from boards import example, streamed_example

from command_line import Refusal, run
from llm_power._board.have_need import HaveNeed, Rung, have_need
from llm_power._report.answer import (
    Answer,
    Items,
    Notes,
    Reply,
    Table,
    as_html,
    as_json,
    as_markdown,
    as_text,
)
from llm_power._report.board_answer import board_answer, drawn_items

HOSTILE = '<script>alert("a|b")</script>'
ANSWER = Answer(
    "Plan 1,069 items: enough.",
    {
        "items": 1069.0,
        "most": float("inf"),
        "least": float("nan"),
        "low": -float("inf"),
        "inner": {"ways": (1, 2)},
    },
    ("Assumed: a gap of 5 points.",),
    (Items("broke", (HOSTILE,)),),
    (Table([["test", "items"], [HOSTILE, "1,069"]]), Notes(("N* is less.", "It has power 0.78."))),
)
COMMANDS = {
    "plan": ("plan", "--gap", "0.02", "--discordance", "0.1"),
    "pair": ("pair", "--b", "295", "--c", "249", "--n", "10042"),
    "compare": ("compare",),
}


def words(text: str) -> list[str]:
    return re.findall(r"[\w.,]+", text)


@pytest.mark.parametrize("form", [as_text, as_markdown, as_html])
def test_every_form_has_every_word(form: Callable[[Answer], str]) -> None:
    text = form(ANSWER)
    shown = html.unescape(re.sub(r"<[^>]*>|\\", " ", text) if form is as_html else text)
    for sentence in (ANSWER.headline, *ANSWER.about, "N* is less.", "It has power 0.78."):
        assert set(words(sentence)) <= set(words(shown))
    assert "1,069" in shown


def test_a_notebook_shows_the_page_of_the_answer() -> None:
    shown = Reply(ANSWER)._repr_html_()
    assert shown is not None
    assert html.escape(as_html(ANSWER), quote=True) in shown


@pytest.mark.parametrize("form", [as_markdown, as_html])
def test_names_are_text(form: Callable[[Answer], str]) -> None:
    assert "<script>" not in form(ANSWER)


def test_programs_get_every_value() -> None:
    assert json.loads(as_json(ANSWER)) == {
        "headline": ANSWER.headline,
        "items": 1069.0,
        "most": "inf",
        "least": None,
        "low": "-inf",
        "inner": {"ways": [1, 2]},
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_a_report_is_what_the_format_prints(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*COMMANDS[command]]
    if command == "compare":
        for name in ("old", "new"):
            scores = tmp_path / f"{name}.csv"
            scores.write_text(f"item,{name}\na,1\nb,0\nc,1\n", encoding="utf-8")
            arguments.append(str(scores))
    for form, end in (("table", "txt"), ("markdown", "md"), ("json", "json")):
        report = tmp_path / f"answer.{end}"
        assert run(*arguments, "--format", form, "--report", report) == 0
        assert report.read_text(encoding="utf-8") == capsys.readouterr().out
    page = tmp_path / "answer.html"
    assert run(*arguments, "--report", page) == 0
    assert "default-src 'none'" in page.read_text(encoding="utf-8").replace("&#39;", "'")


def test_a_report_of_another_kind_is_refused(refusal: Refusal) -> None:
    error = refusal(*COMMANDS["plan"], "--report", "answer.docx")
    assert "--report must be a file that ends in .txt, .md, .json, .html" in error


def test_have_and_need_in_characters_keeps_to_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    board = example("tasks").board
    answer, exam = board_answer(board), board.verdicts[board.verdicts["task"] == "exam"]
    for columns in (120, 100, 70, 36):
        monkeypatch.setenv("COLUMNS", str(columns))
        text = as_text(answer)
        assert have_need(exam, "exam", 80).finding in text.replace("\n", " ")
        found = re.search(r"(?ms)^ *80 items at hand$.*?at the\s+mark 0.8", text)
        assert bool(found) == (columns >= 70)
        if found is not None:
            *rows, ticks = found[0].partition("\no ")[0].splitlines()
            assert all(len(line) <= columns for line in [*rows, ticks])
            assert rows[1].startswith("1-2 a  b ") == (columns >= 100)
            assert re.fullmatch(r" +\+100 +\+1,000 +new items", ticks)
    shown = as_markdown(answer)
    for rung in have_need(exam, "exam", 80).rungs:
        assert re.search(rf"(?m)^{rung.rank}-{rung.rank + 1} .*{rung.needed}$", shown)
    assert "80 items at hand" in as_html(answer)


def test_the_rows_of_the_picture_name_their_models_without_running_off_the_screen() -> None:
    names = ["org/" + "m" * 60, "org/a\nb", *(f"org/family-{'x' * 30}-{k}" for k in range(3))]
    rungs = [
        Rung(rank, *pair, "different", 0.1, 500, 90.0, 10.0**rank)
        for rank, pair in enumerate(pairwise(names), 1)
    ]
    _, *rows = drawn_items(HaveNeed("exam", 500, rungs), 0.8, 80)[: len(rungs) + 1]
    assert all(len(row) <= 80 for row in rows)
    assert "mm…mm" in rows[0]
    assert all(row.startswith(f"{rank}-{rank + 1} ") for rank, row in enumerate(rows, 1))
    assert "a b" in rows[0]
    # Of ranks whose pair was not kept no name slips to another row.
    _, first, last = drawn_items(HaveNeed("exam", 500, [rungs[0], rungs[-1]]), 0.8, 80)[:3]
    assert (first[:3], last[:3]) == ("1-2", "4-5")
    assert "a b" in first
    assert "-1 " in last
    assert "-2 " in last


def test_the_headline_of_a_streamed_board_counts_all_pairs() -> None:
    board = streamed_example().board
    different = board.verdict_counts["different"]
    assert f"{different:,} of 1,891 pairs are different" in board_answer(board).headline
