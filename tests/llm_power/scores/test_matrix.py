"""The reader of response matrices: a row a model, a column an item."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from llm_power import ReadOptions, read_scores
from llm_power._errors import ScoreError

HERON_FIRST = "model,2,10\nheron,1,0\nwren,0,1\n"


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_files_of_other_items_and_of_other_models_are_one_task(tmp_path: Path) -> None:
    files = [
        written(tmp_path / "a.csv", HERON_FIRST),
        written(tmp_path / "b.csv", "model,run,1\nwren,x,1\nheron,y,\n"),
        written(tmp_path / "c.csv", "model,10,2\nkite,1,1\n"),
    ]
    task = read_scores(files, ReadOptions(task="exam"), reader="matrix")
    assert (task.item_ids, task.models) == (("1", "2", "10"), ("heron", "wren", "kite"))
    expected = [[np.nan, 1, np.nan], [1, 0, 1], [0, 1, 1]]
    np.testing.assert_array_equal(task.values, expected)
    assert len(task.provenance.files) == 3


def test_table_of_r_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "m.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("m/scores.csv", '"X","X7","X9"\n"org/heron",0.25,1\n"wren",NA,0.5\n')
        archive.writestr("__MACOSX/m/._scores.csv", b"\0")
    task = read_scores(path, ReadOptions(kind="graded", exclude=["wren"]), reader="matrix")
    assert (task.item_ids, task.models) == (("7", "9"), ("org/heron",))
    np.testing.assert_array_equal(task.values, [[0.25], [1]])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HERON_FIRST + "heron,1,1\n", "item '2': two rows of the matrix have a score for it"),
        (HERON_FIRST + "kite,1,yes\n", "item '10': its score is 'yes', which is no number"),
        (HERON_FIRST + "kite,1\n", "its row has 1 scores for 2 items"),
        (HERON_FIRST + "kite,1,0.5\n", "0.5"),
        ("<html>Please log in</html>", "its header is not one of labels"),
    ],
)
def test_file_that_is_no_matrix_is_refused_in_one_line(
    text: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(ScoreError) as caught:
        read_scores(written(tmp_path / "m.csv", text), reader="matrix")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)
