"""What repeats are worth on a board: against the raw repeats, by hand, and in the files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from llm_power._board.operating_point import OperatingPoint
from llm_power._board.repeats import REPEAT_COLUMNS, describe_repeats
from llm_power._board.resolve import BoardVerdicts, resolve_board
from llm_power._board.summary import describe_board
from llm_power._report import board_files
from llm_power._report.board_answer import board_sentences
from llm_power._report.board_files import write_board
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import Repeats, TaskScores, read_task, write_task
from llm_power._statistics.arrays import FloatArray
from llm_power._statistics.inversion import required_n
from llm_power._statistics.repeats import items_or_repeats
from repeated_answers import variances_of_answers

NAN = np.nan
MODELS = ("heron", "kite", "wren")


def drawn(*, n_items: int = 400, n_repeats: int = 4, lacking: int = 0) -> FloatArray:
    """0/1 answers by item, model and repeat, NaN where one of these is lacking."""
    rng = np.random.default_rng(5)
    mean = (rng.beta(2, 2, (n_items, 1, 1)) + rng.beta(2, 2, (n_items, 3, 1))) / 2
    mean += np.reshape([0.06, 0.03, 0], (3, 1))
    answers = (rng.random((n_items, 3, n_repeats)) < mean).astype(float)
    answers.reshape(-1)[rng.choice(answers.size, lacking, replace=False)] = NAN
    return answers


def task_of(answers: FloatArray) -> TaskScores:
    items = tuple(f"q{i}" for i in range(len(answers)))
    repeats = Repeats.of_answers(answers)
    return TaskScores("exam", "graded", items, MODELS, answers.mean(axis=2), repeats=repeats)


def table_of(board: BoardVerdicts) -> pd.DataFrame:
    assert board.repeats is not None
    return board.repeats


@pytest.mark.parametrize("lacking", [0, 100])
def test_the_numbers_are_those_of_the_raw_repeats(tmp_path: Path, lacking: int) -> None:
    """Read from a long table, written and read again, ranked, with missing scores."""
    answers = drawn(lacking=lacking)
    rows = [
        (i, MODELS[j], k, score)
        for (i, j, k), score in np.ndenumerate(answers)
        if not np.isnan(score)
    ]
    table = pd.DataFrame(rows, columns=["item", "model", "run", "score"])
    table.to_csv(tmp_path / "exam.csv", index=False)
    read = read_scores(tmp_path / "exam.csv", ReadOptions(repeat_column="run"))
    write_task(read, tmp_path / "exam.parquet")
    task = prepare_task(read_task(tmp_path / "exam.parquet"), missing="pairwise")
    found = table_of(resolve_board([task], family="all"))
    assert len(found) == 3
    answers[np.isnan(answers).any(axis=2)] = NAN
    for pair in found.to_dict(orient="records"):
        a, b = (answers[:, MODELS.index(name)] for name in (pair["model_a"], pair["model_b"]))
        raw = variances_of_answers(a, b)
        for name in ("delta", "between", "within_a", "within_b"):
            np.testing.assert_allclose(pair[name], getattr(raw, name), atol=1e-15)
        assert (pair["n_items"], pair["repeats"]) == (raw.n_items, 4)
        # Between items and within add up to the variance of the items' differences.
        variance = (pair["n_items"] * raw.standard_error**2).item()
        assert pair["between"] > 0
        np.testing.assert_allclose(
            pair["n_star_repeats"], required_n(pair["delta"], np.sqrt(variance)), rtol=1e-12
        )
        way = items_or_repeats(
            raw.delta, raw.between, raw.within_a + raw.within_b, n_items=raw.n_items, repeats=4
        )
        assert pair["cheaper"] == way.cheaper.item()
        assert pair["n_star_limit"] < pair["n_star_repeats"] < pair["n_star_one"]


def test_numbers_by_hand() -> None:
    """Item means differ by 1/2, -1/2, 0 and 1/2; three of eight items' answers have variance 1/2.

    The variance of the differences is 11/48 of which (1/8 + 1/4)/2 is within.
    """
    heron = [[1, 1], [0, 1], [1, 1], [1, 1]]
    wren = [[1, 0], [1, 1], [1, 1], [0, 1]]
    answers = np.array([[a, b, [0, 0]] for a, b in zip(heron, wren, strict=True)], dtype=float)
    point = OperatingPoint(alpha=0.05, power=0.5)
    found = table_of(resolve_board([prepare_task(task_of(answers))], family="all", point=point))
    row = found.iloc[0]
    assert (row["model_a"], row["model_b"], row["n_items"], row["repeats"]) == (
        *("heron", "kite", 4),
        2,
    )
    assert (row["delta"], row["within_a"], row["within_b"]) == (0.125, 0.125, 0.25)
    assert row["between"] == pytest.approx(11 / 48 - 3 / 16)
    unit = 1.959963984540054**2 / 0.125**2
    assert row["n_star_repeats"] == pytest.approx(unit * 11 / 48)
    assert row["n_star_one"] == pytest.approx(unit * (1 / 24 + 3 / 8))
    assert row["n_star_limit"] == pytest.approx(unit / 24)
    # 57 items at two answers of both models; no number of repeats of four items.
    assert (row["answers_by_items"], row["cheaper"]) == (4 * (57 - 4), "items")
    assert np.isinf([row["repeats_needed"], row["answers_by_repeats"], row["item_cost_even"]]).all()


def test_repeats_are_the_cheaper_way_from_the_stated_cost_of_an_item_on() -> None:
    found = table_of(resolve_board([prepare_task(task_of(drawn()))], family="all"))
    row = found[np.isfinite(found["item_cost_even"])].iloc[0]
    assert row["item_cost_even"] > 0
    ways = items_or_repeats(
        row["delta"],
        row["between"],
        row["within_a"] + row["within_b"],
        n_items=row["n_items"],
        repeats=row["repeats"],
        item_cost=row["item_cost_even"] * np.array([0.999, 1.001]),
    )
    assert ways.cheaper.tolist() == ["items", "repeats"]


def test_unequal_numbers_count_by_their_harmonic_mean() -> None:
    number = np.array([[2, 2, 2], [6, 6, 6], [2, 2, 2], [6, 6, 6]])
    values = np.array([[0.5, 0, 0.5], [0.5, 0.5, 0], [1, 0.5, 0], [0.5, 0.5, 0.5]])
    task = TaskScores(
        *("exam", "graded", tuple("pqrs"), MODELS, values),
        repeats=Repeats(number, np.full((4, 3), 0.25)),
    )
    assert table_of(resolve_board([prepare_task(task)]))["repeats"].tolist() == [3.0, 3.0]


def test_what_items_do_not_say_is_null() -> None:
    """A pair without two items in common, and no error."""
    answers = drawn(n_items=4)
    answers[:3, 0] = NAN
    answers[3, 1:] = NAN
    task = prepare_task(task_of(answers), missing="pairwise")
    board = resolve_board([task], family="all")
    unknown = table_of(board)["cheaper"].isna()
    assert unknown.sum() == 2
    assert table_of(board).loc[unknown, [*REPEAT_COLUMNS][12:]].isna().all(axis=None)
    (described,) = describe_repeats(table_of(board))
    assert sum(described["cheaper"].values()) == 1


def test_files_and_sentence_are_there_with_repeats_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_files, "installed", lambda _: False)  # nothing is drawn
    with_repeats = prepare_task(task_of(drawn()))
    without = TaskScores("exam", "graded", with_repeats.item_ids, MODELS, with_repeats.values)
    for tasks in ([with_repeats], [without]):
        board = resolve_board(tasks, family="all")
        summary = describe_board(board, tasks, missing="error")
        write_board(tmp_path, board, tasks, summary)
        names = {path.name for path in tmp_path.glob("repeats.*")}
        told = [text for text in board_sentences(board) if text.startswith("Repeats: ")]
        if tasks == [without]:
            assert (names, told, summary["repeats"]) == (set(), [], [])
            continue
        assert names == {"repeats.csv", "repeats.csv-metadata.json", "repeats.parquet"}
        assert told == [
            "Repeats: at 4 answers an item, 72% of the variance of a difference is the luck of "
            "single answers (median); new items take fewer answers than repeats for 1, the data at "
            "hand suffice for 2 of 3 pairs."
        ]
        (described,) = summary["repeats"]
        assert (described["n_pairs"], sum(described["cheaper"].values())) == (3, 3)
        metadata = json.loads((tmp_path / "repeats.csv-metadata.json").read_text())
        columns = metadata["tableSchema"]["columns"]
        assert {one["titles"]: one["dc:description"] for one in columns} == REPEAT_COLUMNS
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "repeats.csv"), table_of(board))
