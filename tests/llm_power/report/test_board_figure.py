"""The picture of a board: have and need by name, hostile names, ties, the same bytes each time."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from boards import HOSTILE, Drawn, Name, example, streamed_example
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from PIL import Image

from llm_power._board.have_need import HaveNeed, items_ticks, short_names
from llm_power._board.page_data import page_data
from llm_power._board.resolve import resolve_board
from llm_power._board.summary import describe_board
from llm_power._provenance import Provenance
from llm_power._report import board_figure
from llm_power._report.board_figure import boards_of, draw_board, save_board_figure, save_card
from llm_power._report.figures import house_style, missing_glyphs, save_figure
from llm_power._scores.store import TaskScores
from looked_at import check_looks, drawn_as_locked

SOURCE = Provenance.raw(repo=HOSTILE[0], revision="1", sha256="0" * 64)


def drawn_board(drawn: Drawn) -> tuple[Figure, list[HaveNeed]]:
    boards = boards_of(drawn.board.verdicts, drawn.data)
    with house_style():
        return draw_board(boards, power=drawn.data["power"]), boards


def board_of(values: np.ndarray, names: list[str]) -> Drawn:
    items = tuple(map(str, range(len(values))))
    task = TaskScores("exam", "binary", items, tuple(names), values.astype(float))
    board = resolve_board([task])
    summary = describe_board(board, [task], missing="error")
    return Drawn(board, summary, page_data(board.verdicts, summary, title="Mine"))


@pytest.mark.filterwarnings("error:Glyph")
def test_drawn_twice_is_the_same_and_stands_under_its_finding(tmp_path: Path) -> None:
    drawn = example("two")
    made = [
        save_board_figure(drawn.board.verdicts, drawn.data, tmp_path / name, [SOURCE])
        for name in ("first", "second")
    ]
    for first, second in zip(*made, strict=True):
        assert first.read_bytes() == second.read_bytes()
    (svg,) = [path.read_text() for path in made[0] if path.suffix == ".svg"]
    assert "<script>" not in svg
    assert boards_of(drawn.board.verdicts, drawn.data)[0].finding in svg


@pytest.mark.filterwarnings("error:Glyph")
@pytest.mark.parametrize("name", ["usual", "hostile", "many", "two", "edges"])
def test_a_card_has_the_size_that_links_show(name: Name, tmp_path: Path) -> None:
    drawn = example(name)
    save_card(drawn.board.verdicts, drawn.data, tmp_path / "card.png")
    with Image.open(tmp_path / "card.png") as card:
        assert card.size == (1200, 630)


@drawn_as_locked
@pytest.mark.parametrize("name", ["usual", "many", "two", "tasks", "edges"])
def test_a_picture_is_the_one_that_was_looked_at(name: Name, tmp_path: Path) -> None:
    drawn = example(name)
    made = save_board_figure(drawn.board.verdicts, drawn.data, tmp_path / "board", [SOURCE])
    (svg,) = (path for path in made if path.suffix == ".svg")
    check_looks(f"board/{name}", svg)


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize("name", ["usual", "hostile", "many", "tasks", "edges"])
def test_each_rung_has_its_items_its_verdict_and_both_names(name: Name) -> None:
    drawn = example(name)
    figure, boards = drawn_board(drawn)
    assert len(figure.axes) == len(boards)
    for ax, board in zip(figure.axes, boards, strict=True):
        shown = board.rungs[: board_figure.MOST_ROWS - 1]
        words = [text.get_text() for text in ax.texts]
        assert f"{board.items:,} items at hand" in words
        assert [text for text in words if text in {rung.needed for rung in shown}] == [
            rung.needed for rung in shown
        ]
        labels = [label.get_text() for label in ax.get_yticklabels()]
        for rung in shown:
            assert rung.model_b.rpartition("/")[2][:8].replace("$", r"\$") in labels[rung.rank]
        more = len(board.rungs) >= board_figure.MOST_ROWS
        assert labels[-1].startswith("the best 20 of 62 models") == more
        # A mark a rung with a number, at the number, or at the end of the axis.
        marks = {
            round(float(line.get_ydata()[0]) + 0.5): float(line.get_xdata()[0])  # type: ignore[index, arg-type]
            for line in ax.lines
            if line.get_marker() not in ("None", None)
        }
        known = {rung.rank: rung.many for rung in shown if np.isfinite(rung.few)}
        assert marks == pytest.approx({k: min(n, ax.get_xlim()[1]) for k, n in known.items()})
    (legend,) = figure.legends
    counts = [text.get_text() for text in legend.get_texts()]
    verdicts = [rung.verdict for board in boards for rung in board.rungs]
    assert {*counts} == {f"{name} ({verdicts.count(name):,})" for name in verdicts}


@given(low=st.floats(1, 1e9), times=st.floats(4, 1e10), most=st.integers(2, 6))
def test_an_axis_of_items_has_two_ticks_at_least(low: float, times: float, most: int) -> None:
    ticks = items_ticks(low, low * times, most)
    assert 2 <= len(ticks) <= most
    assert all(low <= items <= low * times for items in ticks)
    assert all(len(f"{items:e}".partition("e")[0].strip("0")) == 2 for items in ticks)


@pytest.mark.parametrize("name", ["usual", "two"])
def test_a_picture_of_less_than_two_decades_has_two_ticks(name: Name) -> None:
    figure, _ = drawn_board(example(name))
    low, high = figure.axes[0].get_xlim()
    assert sum(low <= items <= high for items in figure.axes[0].get_xticks()) >= 2


def test_hebrew_is_drawn_and_its_rank_stays_to_the_right() -> None:
    assert missing_glyphs(["שלום", "Ж", "日本"]) == "日本"
    figure, _ = drawn_board(example("hostile"))
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    # The second mark of direction ends the name: without it the number would join it.
    assert "\u200eשלום עולם\u200e  3" in labels


def test_a_streamed_board_is_drawn_from_its_adjacent_pairs() -> None:
    _, (board,) = drawn_board(streamed_example())
    assert [rung.rank for rung in board.rungs] == [*range(1, 62)]


def test_models_that_agree_on_every_item_are_drawn(tmp_path: Path) -> None:
    drawn = board_of(np.tile([[1], [0], [1], [0], [1]], 3), ["x", "y", "z"])
    paths = save_board_figure(drawn.board.verdicts, drawn.data, tmp_path / "ties", [SOURCE])
    assert all(path.is_file() for path in paths)
    _, (board,) = drawn_board(drawn)
    assert [rung.needed for rung in board.rungs] == ["no gap so far"] * 2


def test_the_picture_of_several_tasks_says_what_each_shows(tmp_path: Path) -> None:
    drawn = example("tasks")
    paths = save_board_figure(
        drawn.board.verdicts, drawn.data, tmp_path / "board", [SOURCE], formats=["png"]
    )
    with Image.open(paths[0]) as picture:
        text = picture.info["Finding"]
    _, boards = drawn_board(drawn)
    assert len(boards) > 1
    assert text == ". ".join(f"{board.task}: {board.finding}" for board in boards)


def test_a_name_that_fits_is_not_cut() -> None:
    name = "a-name-of-24-characters-"
    figure, _ = drawn_board(board_of(np.eye(4)[:, :3], [name, "y", "z"]))
    assert name in "\n".join(label.get_text() for label in figure.axes[0].get_yticklabels())


def test_names_are_short_and_no_two_of_them_alike() -> None:
    names = [
        "one/plain",
        "one/shared",
        "two/shared",
        *(f"abacusai/Llama-3-Giraffe-70B-Instruct-v{k}" for k in (1, 2)),
        *(f"{'m' * 40}-{k}-{'n' * 40}" for k in range(3)),
    ]
    short = short_names(names, names, 24)
    assert list(short.values())[:3] == ["plain", "one/shared", "two/shared"]
    assert short[names[3]] == "Llama-3-Gira…Instruct-v1"
    assert len(set(short.values())) == len(names)


@pytest.mark.parametrize("name", ["usual", "tasks"])
def test_titles_and_mark_do_not_collide_nor_run_off_the_page(name: Name, tmp_path: Path) -> None:
    figure, _ = drawn_board(example(name))
    title = "WWW, top ten of the MMM LEADERBOARD v2 " * 4
    with house_style():
        stand_in = Provenance.stand_in(endpoint="x", revision="1", sha256="0")
        save_figure(figure, tmp_path / "board", [stand_in], title=title, heading=True)
        figure.draw_without_rendering()
    boxes = [part.get_tightbbox() for part in [*figure.axes, *figure.texts]]
    assert all(box and box.x0 >= 0 and box.x1 <= figure.bbox.x1 for box in boxes)
    heads = [text.get_window_extent() for text in figure.texts]
    heads += [ax.texts[-1].get_window_extent() for ax in figure.axes]
    for one, other in combinations([*heads, *(x.get_window_extent() for x in figure.legends)], 2):
        assert not one.overlaps(other)


def test_no_name_of_sixty_characters_runs_off_the_page() -> None:
    names = [f"Mixture-of-Merges-MoE-4x7b-Instruct-{'x' * 22}-{k}" for k in range(10, 30)]
    figure, _ = drawn_board(board_of(np.random.default_rng(1).integers(0, 2, (40, 20)), names))
    with house_style():
        figure.set_layout_engine("constrained")
        figure.draw_without_rendering()
    boxes = [ax.get_tightbbox() for ax in figure.axes]
    assert all(box and box.x0 >= 0 and box.x1 <= figure.bbox.x1 for box in boxes)
