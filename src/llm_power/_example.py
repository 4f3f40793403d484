"""Small leaderboards to try things on: one made up, the same everywhere, and one real."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np

from llm_power._files import write_together
from llm_power._scores.store import TaskScores

# Of the MMLU-Pro authors' outputs; the notice says which part, and under which licence.
_BOARD: Final = ("mmlu_pro.csv", "mmlu_pro.NOTICE.txt", "mmlu_pro.LICENSE.txt")
_ABILITIES: Final = {"heron": 0.66, "osprey": 0.64, "kite": 0.58, "wren": 0.45}
_SUBJECTS: Final = ("algebra", "botany", "chess", "drama")
_GOLDEN: Final = (5**0.5 - 1) / 2


def example_task(task: str = "exam") -> TaskScores:
    """Return 400 items in four subjects, answered by four models.

    Parameters
    ----------
    task : str, default "exam"
        Name of the task.

    Returns
    -------
    TaskScores
        0/1 scores without gaps, the same every time: a formula makes them, no generator.

    Examples
    --------
    >>> from llm_power import example_task
    >>> example_task().values.mean(axis=0).tolist()
    [0.7275, 0.7025, 0.625, 0.405]
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
    folder : path
        Folder to make; it must not hold other files.

    Returns
    -------
    Path
        The table of scores in it.

    Raises
    ------
    LLMPowerError
        If the folder holds other files.

    Examples
    --------
    >>> from llm_power import write_example_board
    >>> write_example_board("board").name
    'mmlu_pro.csv'
    """
    shipped = files("llm_power") / "example_board"

    def write(made: Path) -> None:
        for name in _BOARD:
            (made / name).write_bytes((shipped / name).read_bytes())

    write_together(Path(folder), write)
    return Path(folder, _BOARD[0])
