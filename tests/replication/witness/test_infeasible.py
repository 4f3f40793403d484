"""Smallest infeasible subsets and corrections against enumeration of subsets and of counts."""

from __future__ import annotations

from itertools import combinations, product
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_power._errors import InvalidArgument
from llm_power_audit.printed import (
    parse_printed,
)
from replication.constraints import Constraint
from replication.contradictions import (
    LinearRow,
    contradictions_frame,
    find_contradiction,
    is_feasible,
    linear_row,
    minimum_correction,
    smallest_infeasible_subset,
)

TOTAL = 4
# All tables of three cells that hold four items.
TABLES = np.array([x for x in product(range(TOTAL + 1), repeat=3) if sum(x) == TOTAL])


def row(
    coefficients: list[int],
    lower: float,
    upper: float,
    role: Literal["input", "target", "held_out"] = "input",
    name: str = "x",
) -> LinearRow:
    constraint = Constraint(
        id=name, panel="general", quantity="count", subject=("a", name), role=role,
        where="Table 0", printed=parse_printed("1"),
    )  # fmt: skip
    return linear_row(np.array(coefficients, dtype=float), lower, upper, constraint)


def holds(rows: list[LinearRow]) -> bool:
    met = np.ones(len(TABLES), dtype=bool)
    for r in rows:
        sums = TABLES @ r.coefficients
        met &= (sums >= r.lower) & (sums <= r.upper)
    return bool(met.any())


rows_of_three = st.lists(
    st.tuples(
        st.lists(st.integers(-1, 1), min_size=3, max_size=3).filter(any), st.integers(-3, 5)
    ).map(lambda drawn: row(drawn[0], drawn[1], drawn[1] + 1, name=str(drawn))),
    min_size=2,
    max_size=6,
)


@settings(max_examples=25)
@given(rows_of_three)
def test_smallest_subset_and_correction_are_those_of_enumeration(rows: list[LinearRow]) -> None:
    feasible = holds(rows)
    assert is_feasible(rows, TOTAL) == feasible
    subset = smallest_infeasible_subset(rows, TOTAL)
    correction = minimum_correction(rows, TOTAL)
    if feasible:
        assert subset == correction == ()
        return
    sizes = range(1, len(rows) + 1)
    smallest = next(k for k in sizes if any(not holds(list(c)) for c in combinations(rows, k)))
    assert len(subset) == smallest
    assert not holds(list(subset))
    fewest = next(
        k
        for k in sizes
        if any(holds([r for r in rows if r not in c]) for c in combinations(rows, k))
    )
    assert len(correction) == fewest
    assert holds([r for r in rows if r not in correction])


def test_a_number_out_of_line_with_several_is_the_correction() -> None:
    """X = 1, y = 1, x + y = 2 agree with z = 2; x + y = 3 with none of them."""
    rows = [
        row([1, 0, 0], 1, 1, name="x"),
        row([0, 1, 0], 1, 1, name="y"),
        row([0, 0, 1], 2, 2, name="z"),
        row([1, 1, 0], 3, 3, name="wrong"),
    ]
    found = find_contradiction("cells", rows, TOTAL)
    assert found is not None
    assert [r.constraint.id for r in found.correction] == ["wrong"]
    # With the total, z = 2 alone contradicts x + y = 3.
    assert [r.constraint.id for r in found.smallest] == ["z", "wrong"]


def test_between_equal_corrections_the_held_out_number_is_dropped() -> None:
    roles: tuple[Literal["input", "target", "held_out"], ...] = ("input", "held_out", "target")
    rows = [row([1, 0, 0], k, k, role, role) for k, role in enumerate(roles[:2])]
    assert [r.constraint.id for r in minimum_correction(rows, TOTAL)] == ["held_out"]
    assert [r.constraint.id for r in minimum_correction(rows[::-1], TOTAL)] == ["held_out"]


def test_a_number_that_no_whole_count_prints_contradicts_alone() -> None:
    rows = [row([1, 0, 0], 1.2, 1.8, name="between"), row([0, 1, 0], 1, 1)]
    found = find_contradiction("cells", rows, TOTAL)
    assert found is not None
    assert [r.constraint.id for r in found.smallest] == ["between"]
    assert [r.constraint.id for r in found.correction] == ["between"]
    assert contradictions_frame([found])["admits"].tolist() == ["no whole number"] * 2


def test_bounds_are_tightened_to_whole_numbers() -> None:
    tight = row([1, 1, 0], 0.9999999999, 2.3)
    assert (tight.lower, tight.upper) == (1, 2)
    assert row([1, 0, 0], -np.inf, 2).lower == -np.inf


def test_frame_names_the_numbers_and_where_they_are_printed() -> None:
    rows = [row([1, 0, 0], 1, 1, "input", "p"), row([1, 0, 0], 2, 3, "target", "q")]
    found = find_contradiction("HS", rows, TOTAL)
    assert found is not None
    frame = contradictions_frame([found])
    assert frame["set"].tolist() == ["smallest infeasible subset"] * 2 + ["minimum correction"]
    named = frame[["system", "id", "subject", "where", "printed", "role", "admits"]]
    expected = ["HS", "q", "a, q", "Table 0", "1", "target", "2 to 3"]
    assert named.iloc[2].to_list() == expected


def test_no_contradiction_gives_the_header_alone() -> None:
    assert find_contradiction("cells", [row([1, 0, 0], 1, 2)], TOTAL) is None
    assert contradictions_frame([]).empty
    assert "where" in contradictions_frame([]).columns
    assert is_feasible([], TOTAL)


def test_coefficients_are_whole() -> None:
    with pytest.raises(InvalidArgument, match="coefficients must be whole"):
        linear_row(np.array([0.5]), 0, 1, row([1, 0, 0], 0, 1).constraint)
