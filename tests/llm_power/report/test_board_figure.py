"""The figure of a board: named pairs, hostile names, equal scores, and the same bytes each time."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from boards import HOSTILE, Name, example, streamed_example
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from llm_power._board.page_data import page_data
from llm_power._board.resolve import resolve_board
from llm_power._board.summary import describe_board
from llm_power._provenance import Provenance
from llm_power._report import board_figure
from llm_power._report.board_figure import draw_board
from llm_power._report.figures import house_style, save_figure
from llm_power._scores.store import TaskScores

SOURCE = Provenance.raw(repo=HOSTILE[0], revision="1", sha256="0" * 64)


def test_drawn_twice_is_the_same(tmp_path: Path) -> None:
    drawn, made = example("two"), []
    for name in ("first", "second"):
        with house_style():
            figure = draw_board(drawn.board.verdicts, drawn.data)
            made.append(save_figure(figure, tmp_path / name, [SOURCE], title=HOSTILE[1]))
    for first, second in zip(*made, strict=True):
        assert first.read_bytes() == second.read_bytes()
    assert "<script>" not in made[0][2].read_text()


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize("name", ["usual", "hostile", "many"])
def test_every_board_is_drawn_and_its_pairs_are_named(name: Name, tmp_path: Path) -> None:
    drawn = example(name)
    with house_style():
        figure = draw_board(drawn.board.verdicts, drawn.data)
        figure.savefig(tmp_path / "board.png")
    assert len(figure.axes) == 3 * len(drawn.summary["scores"]) + 1
    assert "pale where undetermined" in figure.axes[-1].get_xlabel()
    # Next to the ranking the ranks have their names; where only some stand, the axis says it.
    assert figure.axes[1].get_xlabel() == ("rank" if name == "many" else "")
    first = drawn.board.verdicts.iloc[0]
    label = figure.axes[2].get_yticklabels()[0].get_text()
    for model in (first["model_a"], first["model_b"]):
        assert model.rpartition("/")[2][:8].replace("$", r"\$") in label


def test_names_are_short_and_no_two_of_them_alike() -> None:
    names = [
        "one/plain",
        "one/shared",
        "two/shared",
        *(f"abacusai/Llama-3-Giraffe-70B-Instruct-v{k}" for k in (1, 2)),
        *(f"{'m' * 40}-{k}-{'n' * 40}" for k in range(3)),
    ]
    short = board_figure._short_names(names)
    assert list(short.values())[:3] == ["plain", "one/shared", "two/shared"]
    assert short[names[3]] == "Llama-3-Gira…Instruct-v1"
    assert len(set(short.values())) == len(names)


def test_numbers_have_a_leading_zero_and_none_is_nothing() -> None:
    assert [board_figure._number(q) for q in (0.001, 0.02, 0.4, 54.2)] == [
        "<0.01",
        "0.02",
        "0.4",
        "54",
    ]


def test_adjacent_ranks_have_points_by_rank_and_say_so() -> None:
    task = TaskScores(
        "exam",
        "binary",
        tuple(map(str, range(60))),
        tuple(f"m{k}" for k in range(30)),
        np.random.default_rng(1).integers(0, 2, (60, 30)).astype(float),
    )
    board = resolve_board([task])
    data = page_data(board.verdicts, describe_board(board, [task], missing="error"), title="Mine")
    with house_style():
        figure = draw_board(board.verdicts, data)
    assert board_figure._title(data) == "Mine, adjacent ranks"
    pairs = figure.axes[1]
    drawn = np.concatenate([line.get_ydata() for line in pairs.lines[:3]])
    assert sorted(drawn) == [*range(29)]
    assert pairs.get_xlabel() == "all 29 pairs, by rank"
    (legend,) = figure.legends
    assert "Verdicts: adjusted for all 29 pairs." in legend.get_title().get_text()


def test_of_more_pairs_than_are_held_the_verdicts_stand_by_distance() -> None:
    drawn = streamed_example()
    with house_style():
        figure = draw_board(drawn.board.verdicts, drawn.data)
    bars = figure.axes[1]
    assert bars.get_title(loc="left") == "all pairs, by ranks apart"
    widths = np.array(
        [bar.get_width() for bar in bars.patches if isinstance(bar, Rectangle)]
    ).reshape(3, -1)
    told = drawn.summary["landscape"][0]["by_distance"]
    np.testing.assert_allclose(widths[0], [100 * x["different"] / x["pairs"] for x in told])
    np.testing.assert_allclose(widths.sum(axis=0), 100)
    (legend,) = figure.legends
    counts = drawn.summary["verdicts"]
    texts = [text.get_text() for text in legend.get_texts()]
    assert f"undetermined ({counts['undetermined']:,} pairs)" in texts


def test_of_very_many_models_the_best_are_on_the_map(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_figure, "_MOST_IN_MAP", 30)
    drawn = example("many")
    with house_style():
        figure = draw_board(drawn.board.verdicts, drawn.data)
    assert figure.axes[1].get_title(loc="left") == "pairs of the best 30 models"


def test_models_that_agree_on_every_item_are_drawn(tmp_path: Path) -> None:
    column = np.array([1.0, 0, 1, 0, 1])
    scores = np.column_stack([column, column, column])
    task = TaskScores("exam", "binary", tuple("abcde"), ("x", "y", "z"), scores)
    board = resolve_board([task], family="all")
    data = page_data(board.verdicts, describe_board(board, [task], missing="error"), title="ties")
    with house_style():
        figure = draw_board(board.verdicts, data)
        paths = save_figure(figure, tmp_path / "ties", [SOURCE], title="ties")
    assert all(path.is_file() for path in paths)


@pytest.mark.parametrize("name", ["usual", "tasks"])
def test_titles_mark_and_legend_do_not_collide(name: Name, tmp_path: Path) -> None:
    drawn = example(name)
    title = "WWW, top ten of the MMM LEADERBOARD v2 " * 4
    with house_style():
        figure = draw_board(drawn.board.verdicts, drawn.data)
        stand_in = Provenance.stand_in(endpoint="x", revision="1", sha256="0")
        save_figure(figure, tmp_path / "board", [stand_in], title=title, heading=True)
        figure.draw_without_rendering()
    titles = [title for ax in figure.axes for title in ax.get_children() if isinstance(title, Text)]
    words = [text for text in [*titles, *figure.texts] if text.get_text()]
    boxes = [artist.get_window_extent() for artist in [*words, *figure.legends]]
    assert {"STAND-IN OR MIRROR", "all pairs"} & {text.get_text() for text in words}
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)


def test_no_title_runs_off_the_page_beside_long_names() -> None:
    rng = np.random.default_rng(1)
    task = TaskScores(
        "exam",
        "binary",
        tuple(map(str, range(40))),
        tuple(f"Mixture-of-Merges-MoE-4x7b-Instruct-v{k}" for k in range(10, 30)),
        rng.integers(0, 2, (40, 20)).astype(float),
    )
    board = resolve_board([task], family="all")
    data = page_data(board.verdicts, describe_board(board, [task], missing="error"), title="Long")
    with house_style():
        figure = draw_board(board.verdicts, data)
        figure.set_layout_engine("constrained")
        figure.draw_without_rendering()
    words = [text for ax in figure.axes for text in ax.get_children() if isinstance(text, Text)]
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in words)


def test_tasks_are_facets_of_two_columns_that_share_their_axes() -> None:
    drawn = example("tasks")
    with house_style():
        figure = draw_board(drawn.board.verdicts, drawn.data)
    first, _, ladder, second, _, other_ladder = figure.axes
    assert first.get_xlim() == second.get_xlim()
    assert ladder.get_xlim() == other_ladder.get_xlim()
    figure.draw_without_rendering()
    assert first.get_position().y0 == pytest.approx(second.get_position().y0)
