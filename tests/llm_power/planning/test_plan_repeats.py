"""Plans for means of repeats: Miller's printed numbers, R, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from llm_power._errors import InvalidArgument
from llm_power._planning.answer import plan_repeats
from llm_power._planning.question import Question


def test_millers_section_5_in_items() -> None:
    """N = 969 for a gap of 3 points, variance 1/9 between items, nothing within them."""
    plan = plan_repeats(1 / 9, 0.0, gap=0.03)
    assert round(plan.n_star) == 969
    assert plan.items == 971  # R 4.2.2: power.t.test(delta=.03, sd=1/3, power=.8, type="paired")


@pytest.mark.parametrize(("repeats", "printed"), [(1, 0.132), (10, 0.075)])
def test_millers_section_5_in_gaps(repeats: int, printed: float) -> None:
    """198 items; printed cut off, by the normal law. Student's t takes a little more."""
    plan = plan_repeats(1 / 9, 1 / 6, n_items=198, repeats_a=repeats)
    assert printed < plan.gap < printed + 0.0015
    assert dict(plan.gaps)[repeats] == plan.gap
    assert plan.items == pytest.approx(198, abs=1)


def test_a_family_takes_its_level() -> None:
    one, many = (plan_repeats(0.1, 0.1, gap=0.05, question=Question(comparisons=k)) for k in (1, 9))
    same = plan_repeats(0.1, 0.1, gap=0.05, question=Question(alpha=0.05 / 9))
    assert one.items < many.items == same.items


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "give gap or n_items"),
        ({"gap": 0.1, "n_items": 10}, "give gap or n_items"),
        ({"gap": 0.1, "repeats_a": 0}, "repeats_a must be at least 1"),
        ({"gap": 0.1, "question": Question(margin=0.1)}, "not for repeats"),
        ({"gap": 0.1, "within_a": -1.0}, "must not be negative"),
        ({"gap": 0.1, "between": 0.0, "within_a": 0.0}, "must not all be 0"),
        ({"n_items": 1}, "n_items must be at least 2"),
        ({"gap": 1e-20}, r"farther from it: 1e-20 takes more than 1e\+30 units"),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        plan_repeats(**{"between": 0.1, "within_a": 0.1, **settings})
