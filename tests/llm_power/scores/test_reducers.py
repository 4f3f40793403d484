"""Reducers of epochs by hand: what is drawn of few attempts."""

from __future__ import annotations

import math

import pytest

from llm_power._scores._items import reduced


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
