"""Table 1: sizes that displayed scores can, and cannot, be counts of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from llm_power._errors import ScoreError
from llm_power_audit.printed import parse_printed
from skpower2025.comparisons import DATASETS, MUSR, Dataset, are_counts, read_board
from skpower2025.exhibits.table_01 import table_01

# Table 1 of the paper.
PRINTED = {"IFEval": "541", "BBH": "6511", "Math Lvl 5": "2648", "MMLU-PRO": "9497", "GPQA": "1252"}


def drawn(parts: tuple[int, ...], rng: np.random.Generator, n: int = 400) -> np.ndarray:
    """Return means of accuracies over parts of these sizes."""
    return np.asarray(np.mean([rng.integers(0, size + 1, n) / size for size in parts], axis=0))


def test_the_parts_of_a_dataset_are_its_items() -> None:
    sizes = {dataset.name: dataset for dataset in (*DATASETS, MUSR)}
    assert all(sum(one.parts) == one.items for one in sizes.values() if one.name != "IFEval")
    # 541 prompts hold 834 instructions, and the board shows the mean of both strict accuracies.
    assert sizes["IFEval"].parts == (541, 834)
    assert len(sizes["BBH"].parts) == 24


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda one: one.name)
def test_scores_of_a_dataset_are_counts_of_its_items_and_of_no_others(dataset: Dataset) -> None:
    scores = drawn(dataset.parts, np.random.default_rng(2))
    assert dataset.counts_of(scores).all()
    unit = 1 / (len(dataset.parts) * np.lcm.reduce(dataset.parts))
    assert not dataset.counts_of(scores + unit / 4).any()
    assert not are_counts(scores[scores % 1 > 0], 7919).any()


def test_a_size_is_shown_wrong_where_the_scores_contradict_it() -> None:
    rng = np.random.default_rng(3)
    board = pd.DataFrame({one.column: drawn(one.parts, rng) for one in (*DATASETS, MUSR)})
    printed = {name: parse_printed(size) for name, size in PRINTED.items()}
    frame = table_01(board, printed).set_index("dataset")
    # Twice the size: all are counts of it, none is odd.
    assert frame.loc["Math Lvl 5", "counts_of_printed"] == 400
    assert frame.loc["Math Lvl 5", "odd_of_printed"] == 0
    assert frame.loc["Math Lvl 5", "items_shown"] == 1324
    assert frame["items_shown"].tolist() == [541, 5761, 1324, 12032, 1192, 756]
    true = {one.name: parse_printed(str(one.items)) for one in DATASETS}
    assert (table_01(board, true)["counts_of_printed"].dropna() == 400).all()
    # Were MATH of 2,648 items, the printed size would stand.
    board["math"] = drawn((2648,), rng)
    assert table_01(board, printed).set_index("dataset").loc["Math Lvl 5", "items_shown"] == 2648


def test_the_displayed_scores_contradict_four_sizes(data_root: Path) -> None:
    board = read_board(data_root / "oll_v2_board.csv")
    printed = {name: parse_printed(size) for name, size in PRINTED.items()}
    frame = table_01(board, printed).set_index("dataset")
    assert frame["counts_of_items"].tolist() == [4573, 4575, 4571, 4572, 4572, 4576]
    assert frame["counts_of_printed"].dropna().tolist() == [4573, 0, 4571, 0, 23]
    assert frame.loc["Math Lvl 5", "odd_of_printed"] == 0
    assert frame["items_shown"].tolist() == [541, 5761, 1324, 12032, 1192, 756]
    assert board["group"].value_counts().to_dict() == {
        **{"medium": 2794, "large": 1420, "small": 352, "unknown": 10}
    }


def test_a_board_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "board.csv"
    columns = ["model", "params_billions", "submission_date"]
    scores = {one.column: [0.5, 0.5] for one in (*DATASETS, MUSR)}
    board = pd.DataFrame({name: ["7", "7"] for name in columns} | scores)
    board.to_csv(file, index=False)
    board.loc[1, "math"] = 63.4
    board.to_csv(file, index=False)
    with pytest.raises(ScoreError, match="scores must be in .0, 1., and math is not"):
        read_board(file)
    board.drop(columns="math").to_csv(file, index=False)
    with pytest.raises(ScoreError, match="cannot be read"):
        read_board(file)
