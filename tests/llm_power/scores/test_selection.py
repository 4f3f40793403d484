"""Ranking, selection and the three policies for missing scores."""

from __future__ import annotations

import numpy as np
import pytest

from llm_power._errors import InvalidArgument, ScoreError
from llm_power._scores.selection import (
    NO_SCORE,
    apply_missing_policy,
    prepare_task,
    ranked,
    select_models,
)
from llm_power._scores.store import TaskScores

NAN = np.nan


@pytest.fixture
def task() -> TaskScores:
    """Means: zeta 2/3 and beta 2/3 (tied), low 1/4, half 1/2 over two scored items."""
    return TaskScores(
        task="demo",
        kind="binary",
        item_ids=("i1", "i2", "i3", "i4"),
        models=("low", "zeta", "half", "beta"),
        values=np.array(
            [
                [0, 1, NAN, 1],
                [1, 1, 1, 0],
                [0, NAN, 0, 1],
                [0, 0, NAN, NAN],
            ]
        ),
        clusters={"subject": ("a", "b", "a", "c")},
    )


def test_rank_by_mean_over_own_items_then_name(task: TaskScores) -> None:
    assert ranked(task).models == ("beta", "zeta", "half", "low")


def test_select_keeps_items_and_takes_the_order_given(task: TaskScores) -> None:
    chosen = select_models(task, ("zeta", "low"))
    assert chosen.models == ("zeta", "low")
    assert chosen.item_ids == task.item_ids
    np.testing.assert_array_equal(chosen.values, task.values[:, [1, 0]])


def test_select_unknown_model_suggests(task: TaskScores) -> None:
    with pytest.raises(ScoreError, match="model 'bet': no such model .*did you mean 'beta'"):
        select_models(task, ("bet", "low"))
    with pytest.raises(ScoreError, match="there are no models"):
        select_models(task, ())
    with pytest.raises(ScoreError, match="model 'low': two columns"):
        select_models(task, ("low", "low"))


def test_error_names_model_count_item_and_remedy(task: TaskScores) -> None:
    with pytest.raises(
        ScoreError,
        match=r"model 'zeta', item 'i3': 1 of 4 items have no score .*pairwise .*"
        r"or drop_items",
    ):
        apply_missing_policy(task, "error")


def test_error_passes_complete_scores(task: TaskScores) -> None:
    values = np.nan_to_num(task.values)
    complete = TaskScores("t", "binary", task.item_ids, task.models, values)
    assert apply_missing_policy(complete) is complete
    assert apply_missing_policy(complete, "drop_items") is complete


def test_pairwise_keeps_all_and_records_what_is_missing(task: TaskScores) -> None:
    assert apply_missing_policy(task, "pairwise") is task
    lacking = {"zeta": 1, "half": 2, "beta": 1}
    assert prepare_task(task, missing="pairwise").provenance.tolerated == {NO_SCORE: lacking}


def test_drop_items_counts_and_keeps_clusters_in_line(task: TaskScores) -> None:
    two = select_models(task, ("low", "zeta"))
    kept = apply_missing_policy(two, "drop_items")
    assert kept.item_ids == ("i1", "i2", "i4")
    assert kept.clusters == {"subject": ("a", "b", "c")}
    assert kept.scored.all()
    fault = f"{NO_SCORE} (1 of 4 items dropped for all models)"
    assert prepare_task(two, missing="drop_items").provenance.tolerated == {fault: {"zeta": 1}}


def test_drop_items_that_leaves_nothing(task: TaskScores) -> None:
    disjoint = TaskScores(
        "t",
        "binary",
        task.item_ids,
        ("a", "b"),
        np.array([[1, NAN], [0, NAN], [NAN, 1], [NAN, 0]]),
    )
    with pytest.raises(ScoreError, match="no item of task 't' has a score of every model"):
        apply_missing_policy(disjoint, "drop_items")


def test_drop_items_that_leaves_a_constant_model(task: TaskScores) -> None:
    settled = apply_missing_policy(task, "drop_items")
    assert settled.values[:, settled.models.index("low")].tolist() == [1.0]


def test_unknown_policy(task: TaskScores) -> None:
    with pytest.raises(InvalidArgument, match="missing must be one of .* got 'ignore'"):
        apply_missing_policy(task, "ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize(("models", "remedy"), [(2, "choose 2."), (3, "a number from 2 to 3.")])
def test_the_best_one_is_refused_with_the_numbers_that_can_be_taken(
    models: int, remedy: str
) -> None:
    values = np.tile(np.eye(4)[:, :models], (2, 1))
    items, names = tuple("abcdefgh"), tuple("xyz"[:models])
    with pytest.raises(ScoreError, match=remedy):
        prepare_task(TaskScores("exam", "binary", items, names, values), only_best=1)
