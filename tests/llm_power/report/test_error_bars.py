"""The tables of a report: numbers of the library, as Markdown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from llm_power import Declared, TaskScores, prepare_task, resolve_board
from llm_power._choices import Kind
from llm_power._example import example_task
from llm_power._report.board_tables import error_bars
from llm_power._statistics.standard_errors import score_errors


def rows_of(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]


def test_clustered_board_has_both_errors_and_pairs_by_clusters() -> None:
    task = example_task()
    text = error_bars(resolve_board([task], cluster="subject"), [task])
    header, first, *_ = rows_of(text)
    labels = np.asarray(task.clusters["subject"])
    plain, clustered = score_errors(task.values), score_errors(task.values, labels)
    assert header[2:6] == ["clusters", "score", "SE", "clustered SE"]
    assert first[:4] == ["heron", "400", "4", "72.8"]
    errors = (plain.standard_error[0], clustered.standard_error[0])
    assert first[4:6] == [f"{100 * error:.2f}" for error in errors]
    pair = next(row for row in rows_of(text) if row[:2] == ["kite", "wren"])
    gap = task.values[:, 2] - task.values[:, 3]
    found = score_errors(gap, labels)
    assert pair[4] == f"{100 * found.standard_error:.2f}"
    assert pair[5] == f"{100 * found.low:.1f} to {100 * found.high:.1f}"
    assert pair[6] == f"{np.asarray(np.corrcoef(task.values[:, 2:].T))[0, 1]:.2f}"
    assert "clustered SE: CR2 over subject" in text


def test_clusters_that_agree_by_chance_narrow_nothing() -> None:
    """Four subjects with nearly the same gap: the interval is that of the items."""
    task = example_task()
    board = resolve_board([task], cluster="subject")
    pair = next(row for row in rows_of(error_bars(board, [task])) if row[1] == "osprey")
    assert float(pair[4]) < float(pair[3])
    assert pair[5] == "-1.9 to 6.9"


def test_clusters_that_are_all_there_are_widen_nothing() -> None:
    task = example_task()
    board = resolve_board([task], cluster="subject", declared=Declared(clusters="fixed"))
    assert error_bars(board, [task]) == error_bars(resolve_board([task]), [task])


def test_names_are_literal_and_what_is_not_known_is_said() -> None:
    scores = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    task = TaskScores("a_b", "binary", ("q1", "q2", "q3"), ("c|d", "e"), scores)
    text = error_bars(resolve_board([task]), [task])
    assert text.startswith("**a_b**")
    assert r"| c\|d | 3 | 100.0 | 0.00 | unknown |" in text


@pytest.mark.parametrize(("kind", "last"), [("graded", "100.0"), ("real", "1.27")])
def test_an_interval_ends_where_its_scores_do(kind: Kind, last: str) -> None:
    """No score from 0 to 1 is beyond 100 points; one without ends goes where its errors do."""
    scores = np.array([[1.0, 0.0], [1.0, 0.5], [0.5, 0.0], [1.0, 0.0]])
    task = TaskScores("exam", kind, tuple("pqrs"), ("a", "b"), scores)
    first, second, *_ = rows_of(error_bars(resolve_board([task]), [task]))[1:]
    assert first[-1].endswith(f"to {last}")
    assert second[-1].startswith("0.0 to") == (kind == "graded")


def test_what_the_board_does_otherwise_is_said() -> None:
    task = example_task()
    values = task.values.copy()
    values[:40, 0] = np.nan
    partial = prepare_task(replace(task, values=values), missing="pairwise")
    board = resolve_board([partial], cluster="subject")
    assert "over those that both have." in error_bars(board, [partial])
    board = resolve_board([partial], cluster="subject", declared=Declared(weighted=True))
    assert "not weighted as the board's gaps are." in error_bars(board, [partial])
    assert "both have" not in error_bars(resolve_board([task]), [task])
    assert "by its own tests, for all pairs at once" in error_bars(resolve_board([task]), [task])


def test_long_tables_end() -> None:
    rng = np.random.default_rng(0)
    scores = (rng.random((5, 502)) < 0.5).astype(float)
    scores[0] = np.arange(502) % 2
    models = tuple(f"m{i:03}" for i in range(502))
    task = TaskScores("exam", "binary", tuple("pqrst"), models, scores)
    board = resolve_board([replace(task, models=models[:3], values=scores[:, :3])])
    assert "... and 2 more" in error_bars(board, [task])
