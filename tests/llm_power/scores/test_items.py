"""Items that several logs share, and the one score of their repeats."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._errors import ScoreError
from llm_power._scores._items import Items, in_order, over_repeats, reduced
from llm_power._scores._source import LogFile


def test_a_mean_needs_every_repeat() -> None:
    scores = {
        "all": {1: 1.0, 2: 0.0, 3: 0.5},
        "one absent": {1: 1.0, 3: 1.0},
        "one missing": {1: 1.0, 2: math.nan, 3: 1.0},
        "none": {},
    }
    means = over_repeats(fmean, scores, [1, 2, 3])
    assert means.pop("all") == 0.5
    assert list(means) == ["one absent", "one missing", "none"]
    assert all(map(math.isnan, means.values()))


def test_a_mean_of_repeats_does_not_depend_on_their_order() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in floating point."""
    forth, back = ({k: 0.1 * k for k in order} for order in ((1, 2, 3), (3, 2, 1)))
    means = over_repeats(fmean, {"a": forth}, [1, 2, 3])
    assert means == over_repeats(fmean, {"a": back}, [3, 2, 1])


@given(st.sets(st.integers(0, 10**20) | st.text("ab1", min_size=1, max_size=3)))
def test_one_order_of_ids_whatever_that_of_the_logs(ids: set[int | str]) -> None:
    names = {str(name) for name in ids}
    ordered = in_order(names)
    assert ordered == in_order(sorted(names, reverse=True))
    numbers = [name for name in ordered if name.isdecimal()]
    assert ordered[: len(numbers)] == numbers
    assert [*map(int, numbers)] == sorted(map(int, numbers))


@pytest.fixture
def items() -> Items:
    made = Items(["topic"])
    made.admit("7", {"question": "Why?"}, {"topic": "x"}, LogFile("a", Path("first")))
    return made


@pytest.mark.parametrize(
    ("content", "labelled", "message"),
    [
        ({"question": "Who?"}, {"topic": "x"}, "another item than in first; what differs is 'que"),
        ({}, {"topic": "x"}, "another item than in first; what differs is 'question'"),
        ({"question": "Why?"}, {"topic": "y"}, "its labels are 'y', in first 'x'"),
        ({"question": "Why?"}, {"level": 1}, "no text and no whole number as 'topic', only 'lev"),
        ({"question": "Why?"}, {"topic": None}, "no text and no whole number as 'topic', only"),
        ({"question": "Why?"}, None, "it has nothing to take 'topic' of. Remedy: name a field"),
    ],
)
def test_an_item_that_is_another(
    items: Items, content: dict[str, Any], labelled: object, message: str
) -> None:
    with pytest.raises(ScoreError, match=f"file 'second', model 'b', item '7': .*{message}"):
        items.admit("7", content, labelled, LogFile("b", Path("second")))


def test_a_content_too_deep_to_be_compared(items: Items) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ScoreError, match="item '8': .* nested too deeply. Remedy: leave the item"):
        items.admit("8", {"question": deep}, {"topic": "x"}, LogFile("b", Path("second")))


def test_labels_of_an_item_that_no_log_has(items: Items) -> None:
    assert items.columns(["7"]) == {"topic": ("x",)}
    with pytest.raises(ScoreError, match="item '8': no log has this item, to take 'topic' of"):
        items.columns(["7", "8"])


@pytest.mark.parametrize("name", ["pass_at", "pass_k"])
def test_more_attempts_than_there_are_cannot_be_drawn(name: str) -> None:
    assert math.isnan(reduced(f"{name}_3", [1.0, 0.0]))


@pytest.mark.parametrize(
    ("name", "scores", "score"),
    [
        ("pass_at_2", [1.0, 0.0], 1.0),
        ("pass_at_2", [0.0, 0.0], 0.0),
        ("pass_k_2", [1.0, 1.0], 1.0),
        ("pass_k_2", [1.0, 0.0], 0.0),
        ("pass_at_2", [1.0, 0.0, 0.0], 2 / 3),
        ("pass_k_2", [1.0, 1.0, 0.0], 1 / 3),
    ],
)
def test_attempts_are_drawn_without_replacement_all_of_them_where_no_more_are_left(
    name: str, scores: list[float], score: float
) -> None:
    assert reduced(name, scores) == pytest.approx(score)
