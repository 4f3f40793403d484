"""Ranges of counts and conflicts of printed numbers, against every choice of tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from replication.contradictions import (
    CountRow,
    _refuted_by_multipliers,
    _refuted_by_sums,
    count_ranges,
    irreducible_conflict,
    quantile_rows,
)


def systems(seed: int) -> tuple[list[CountRow], dict[int, np.ndarray], list[int]]:
    """Rows about some of four pairs with two to five tables each."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, 4).tolist()

    def has() -> dict[int, np.ndarray]:
        return {i: rng.random(n) < 0.5 for i, n in enumerate(sizes) if i == 0 or rng.random() < 0.8}

    rows = []
    for member in "abcde":
        least = int(rng.integers(0, 4))
        rows.append(CountRow(member, has(), least, least + int(rng.integers(0, 2))))
    return rows, has(), sizes


def counted(row: CountRow, choice: Sequence[int]) -> int:
    return sum(bool(row.has[i][x]) for i, x in enumerate(choice) if i in row.has)


def satisfying(rows: Sequence[CountRow], sizes: Sequence[int]) -> list[tuple[int, ...]]:
    return [
        choice
        for choice in product(*map(range, sizes))
        if all(row.least <= counted(row, choice) <= row.most for row in rows)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_a_range_is_that_of_all_choices(seed: int) -> None:
    rows, asked, sizes = systems(seed)
    ranges, conflicts = count_ranges(rows, [(asked, ()), (asked, ("a", "b"))])
    aside = {member for conflict in conflicts for member in conflict.members}
    for (least, most), without in zip(ranges, ((), ("a", "b")), strict=True):
        left = [row for row in rows if row.member not in {*aside, *without}]
        found = [counted(CountRow("", asked), one) for one in satisfying(left, sizes)]
        assert (least, most) == (min(found), max(found))
    assert bool(conflicts) == (not satisfying(rows, sizes))


def test_a_conflict_needs_each_of_its_members_and_is_proved_without_a_solver() -> None:
    found = 0
    for seed in range(40):
        rows, _, sizes = systems(seed)
        if satisfying(rows, sizes):
            assert not _refuted_by_multipliers(rows)
            assert not _refuted_by_sums(rows)
            continue
        found += 1
        conflict = irreducible_conflict(rows)
        assert conflict.is_proved
        inside = [row for row in rows if row.member in conflict.members]
        assert not satisfying(inside, sizes)
        for member in conflict.members:
            assert satisfying([row for row in inside if row.member != member], sizes)
    assert found > 10


def test_sums_refute_what_fractions_of_tables_would_satisfy() -> None:
    """Two pairs whose tables have both properties or none: of one of them, one pair cannot be."""
    both = {0: np.array([True, False]), 1: np.array([True, False])}
    other = {0: np.array([True, False]), 1: np.array([False, True])}
    rows = [CountRow("both", both, 1, 1), CountRow("other", other, 1, 1)]
    assert not _refuted_by_multipliers(rows)
    assert _refuted_by_sums(rows)
    assert irreducible_conflict(rows).is_proved


def test_sums_of_too_many_tables_refute_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        CountRow(name, {0: np.array([True])}, least, least) for name, least in (("a", 1), ("b", 0))
    ]
    assert _refuted_by_sums(rows)
    monkeypatch.setattr("replication.contradictions._MOST_SUMS", 3)
    assert not _refuted_by_sums(rows)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_no_values_with_a_printed_quantile_are_excluded(share: float) -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 5, 8):
        for _ in range(50):
            values = rng.random(size)
            printed = round(float(np.quantile(values, share)), 1)
            low, high = printed - 0.05, printed + 0.05
            tables = {i: np.array([x]) for i, x in enumerate(values)}
            for row in quantile_rows("quantile", tables, share, low, high):
                assert row.least <= counted(row, [0] * size) <= row.most


def test_a_quantile_that_values_do_not_have_excludes_them() -> None:
    tables = {i: np.array([x]) for i, x in enumerate([0.1, 0.2, 0.3])}
    rows = list(quantile_rows("median", tables, 0.5, 0.25, 0.35))
    assert irreducible_conflict(rows).members == ("median",)
