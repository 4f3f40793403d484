"""Tables of counts, of which the rows are those of the paper's Table 6, to three digits."""

from __future__ import annotations

from pathlib import Path

import pytest

from llm_power import resolve_board
from llm_power._errors import ScoreError
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores, read_tasks, recognize
from llm_power._scores.selection import prepare_task

HEADER = "task,model_a,model_b,n,b,c,p_a,p_b\n"
ROWS = "hs,mistral,gemma,10042,295,249,.825,.820\nwg,gemma,llama,1267,60,60,.7845,.7845\n"


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "counts.csv"
    path.write_text(text)
    return path


def test_a_table_of_counts_is_a_board(tmp_path: Path) -> None:
    path = table(tmp_path, HEADER + ROWS)
    assert recognize([path], ReadOptions()) == "counts"
    tasks = read_tasks(path)
    assert [task.task for task in tasks] == ["hs: mistral vs gemma", "wg: gemma vs llama"]
    board = resolve_board([prepare_task(task) for task in tasks])
    assert board.verdicts[["b", "c", "n_items"]].to_numpy().tolist() == [
        [295, 249, 10042],
        [60, 60, 1267],
    ]
    assert round(float(board.verdicts["n_star"].iloc[0]), 1) == 20255.5
    assert read_tasks(path, ReadOptions(task="wg"))[0].mean_scores.round(3).tolist() == [0.785] * 2
    with pytest.raises(ScoreError, match="several tasks: .hs: .*Remedy: choose one .task., or"):
        read_scores(path)


def test_a_pair_is_chosen_by_any_name_of_its_task(tmp_path: Path) -> None:
    path = table(tmp_path, HEADER + ROWS)
    for name in ("wg", "wg: gemma vs llama"):
        assert read_scores(path, ReadOptions(task=name)).models == ("gemma", "llama")
    with pytest.raises(ScoreError, match="there is no task 'exam'; the tasks are 'hs', 'wg', "):
        read_scores(path, ReadOptions(task="exam"))


def test_the_other_cells_instead_of_accuracies(tmp_path: Path) -> None:
    text = "model_a,model_b,n11,b,c,n00\nheron,wren,7987,295,249,1511\n"
    (pair,) = read_tasks(table(tmp_path, text))
    assert (pair.n_items, float(pair.values[:, 0].sum())) == (10042, 8282)


BAD = {
    "other accuracies": (HEADER + "t,a,b,1000,60,40,.70,.75\n", "differ by -50.0 items, and b - c"),
    "in percent": (HEADER + "t,a,b,1000,60,40,70,68\n", "percent are declared"),
    "no count": (HEADER + "t,a,b,1000,60.5,40,.7,.68\n", "b of 'a vs b' is 60.5, which is no"),
    "no accuracy": (HEADER + "t,a,b,1000,60,40,.7,\n", "p_b of 'a vs b' is missing"),
    "no room": (HEADER + "t,a,b,90,60,40,.7,.478\n", "100 are discordant, which leaves no room"),
    "nothing else": ("model_a,model_b,n,b,c\na,b,9,1,2\n", "there is no column 'p_a'"),
}


@pytest.mark.parametrize("name", BAD)
def test_counts_that_contradict_themselves(tmp_path: Path, name: str) -> None:
    text, message = BAD[name]
    with pytest.raises(ScoreError, match=message):
        read_tasks(table(tmp_path, text))


def test_accuracies_in_percent(tmp_path: Path) -> None:
    path = table(tmp_path, HEADER + "t,a,b,1000,60,40,70,68\n")
    (pair,) = read_tasks(path, ReadOptions(percent=True))
    assert pair.mean_scores.tolist() == [0.7, 0.68]
