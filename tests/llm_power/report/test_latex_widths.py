"""Widths of tables on a page of LaTeX."""

from __future__ import annotations

import pytest

from llm_power._report._latex import header_lines, latex_environment


# A column of two is 46 digits wide; 2.8, 1.9 or 1.4 separate its columns, the last in one column.
@pytest.mark.parametrize(
    ("widths", "fits"),
    [
        ([20, 23], ("table", 6)),
        ([20, 24], ("table", 4)),
        ([20, 25], ("table*", 6)),
        ([37, 40], ("table*", 6)),
        ([37, 41], ("table*", 4)),
        ([20, 20, 37], ("table*", 3)),
        ([20, 20, 38], ("table*", 0)),
    ],
)
def test_the_widest_separation_that_fits(widths: list[int], fits: tuple[str, int]) -> None:
    assert latex_environment(widths) == fits


def test_a_header_of_eight_letters_is_one_line() -> None:
    assert header_lines("at alpha", 3) == ["at alpha"]
    assert header_lines("at alpha 2", 3) == ["at alpha", "2"]


def test_a_long_header_is_two_lines() -> None:
    assert header_lines("mean number of new items", 3) == ["mean number of", "new items"]
