"""Files of scores that are read: a table of an answer a line, and the logs of a harness."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.csv
from drawn import Size, draw_scores
from ours import Call

from llm_power._scores.readers import read_tasks
from llm_power._statistics.arrays import IntArray

# Characters of a record's prompt.
_PROMPT = 1_800


def long_csv(size: Size) -> Call:
    """Read a table of model, item and score."""
    folder, scores = TemporaryDirectory(), draw_scores(size).T.astype(np.int8)
    path, (n_models, n_items) = Path(folder.name, "long.csv"), scores.shape
    columns = {
        "model": _names("m", np.repeat(np.arange(n_models), n_items)),
        "item_id": _names("q", np.tile(np.arange(n_items), n_models)),
        "score": scores.ravel(),
    }
    with path.open("wb") as file:
        file.write(b"model,item_id,score\n")
        plain = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        pyarrow.csv.write_csv(pa.table(columns), file, plain)
    pa.default_memory_pool().release_unused()
    return _reading(folder, path)


def lm_eval_lines(size: Size) -> Call:
    """Read the samples that lm-evaluation-harness logs, a file a model."""
    folder = TemporaryDirectory()
    _write_lines(Path(folder.name), size)
    return _reading(folder, Path(folder.name))


def standard_parser(size: Size) -> Call:
    """Parse the same lines by the standard library."""
    folder = TemporaryDirectory()
    paths = _write_lines(Path(folder.name), size)

    def call() -> dict[str, np.ndarray]:
        assert folder
        for path in paths:
            with path.open("rb") as lines:
                for line in lines:
                    json.loads(line)
        return {}

    return call


def _names(letter: str, numbers: IntArray) -> pa.Array:
    words = pa.array([f"{letter}{k}" for k in range(int(numbers.max()) + 1)])
    return words.take(pa.array(numbers))


def _reading(folder: TemporaryDirectory[str], path: Path) -> Call:
    def call() -> dict[str, np.ndarray]:
        assert folder  # Goes with what is timed.
        (task,) = read_tasks(path)
        return {"score": task.mean_scores}

    return call


def _write_lines(folder: Path, size: Size) -> list[Path]:
    paths = []
    for model, scores in enumerate(draw_scores(size).T):
        path = folder / f"m{model}" / "samples_demo_2024-06-16T16-57-41.377142.jsonl"
        path.parent.mkdir()
        with path.open("w", encoding="utf-8") as file:
            for item, score in enumerate(scores.tolist()):
                prompt = f"Question {item}: {'why ' * (_PROMPT // 4)}"
                record = {
                    "doc_id": item,
                    "doc": {"question_id": item, "category": "law"},
                    "target": "A",
                    "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": " A"}},
                    "resps": [[["-0.5", "False"]]],
                    "filtered_resps": [["-0.5", "False"]],
                    "filter": "none",
                    "metrics": ["acc"],
                    "doc_hash": f"{item:064x}",
                    "acc": score,
                }
                file.write(json.dumps(record) + "\n")
        paths.append(path)
    return paths
