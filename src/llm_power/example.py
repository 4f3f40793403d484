"""Small leaderboards to try things on: one made up, the same everywhere, and one real."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np

from llm_power.result_set import write_together
from llm_power.scores.store import TaskScores

# Of the MMLU-Pro authors' outputs; the notice says which part, and under which licence.
_BOARD: Final = ("mmlu_pro.csv", "mmlu_pro.NOTICE.txt", "mmlu_pro.LICENSE.txt")
_ABILITIES: Final = {"heron": 0.66, "osprey": 0.64, "kite": 0.58, "wren": 0.45}
_SUBJECTS: Final = ("algebra", "botany", "chess", "drama")
_GOLDEN: Final = (5**0.5 - 1) / 2


def example_task(task: str = "exam") -> TaskScores:
    """Return 400 items in four subjects, answered by four models.

    Parameters
    ----------
    task : str
        Name of the task.

    Returns
    -------
    TaskScores
        Binary scores without gaps. They are made up by a formula: no generator is drawn from.

    Examples
    --------
    >>> from llm_power.example import example_task
    >>> task = example_task()
    >>> task.models, task.n_items, sorted(task.clusters)
    (('heron', 'osprey', 'kite', 'wren'), 400, ['subject'])
    """
    item = np.arange(400)
    # Multiples of an irrational number modulo 1 are spread evenly.
    difficulty = item * _GOLDEN % 1
    luck = np.outer(item, np.sqrt([2, 3, 5, 7])) % 1
    solved = 0.7 * difficulty[:, np.newaxis] + 0.3 * luck < [*_ABILITIES.values()]
    return TaskScores(
        task=task,
        kind="binary",
        item_ids=tuple(f"{task}-{i:03d}" for i in item),
        models=tuple(_ABILITIES),
        values=solved.astype(float),
        clusters={"subject": tuple(_SUBJECTS[i % 4] for i in item)},
    )


def write_example_board(folder: str | Path) -> Path:
    """Write a small real board: six models on 602 items of MMLU-Pro, with their categories.

    Parameters
    ----------
    folder : path-like
        Made if it is not there. Gets mmlu_pro.csv, and its notice and licence.

    Returns
    -------
    Path
        The file of scores.

    Examples
    --------
    >>> from llm_power import ReadOptions, read_scores
    >>> from llm_power.example import write_example_board
    >>> path = write_example_board("board")
    >>> task = read_scores(path, ReadOptions(clusters=("category",)))
    >>> task.n_models, task.n_items
    (6, 602)
    """
    shipped = files("llm_power") / "example_board"

    def write(made: Path) -> None:
        for name in _BOARD:
            (made / name).write_bytes((shipped / name).read_bytes())

    write_together(Path(folder), write)
    return Path(folder, _BOARD[0])
