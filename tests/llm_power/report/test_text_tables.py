"""Cells of text, tables of cells, and the picture of power, by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from llm_power._board.measure import confidence, p_value, percent, percent_interval
from llm_power._errors import first_names
from llm_power._report.figures import draw_power
from llm_power._report.tables import as_digits_of
from llm_power._report.text_tables import markdown_table, plain_table


def test_numbers_stand_right_and_texts_left() -> None:
    rows = [["model", "score"], ["heron", "0.7"], ["wren", "12.5%"]]
    assert plain_table(rows).split("\n") == [
        "model  score",
        "-----  -----",
        "heron    0.7",
        "wren   12.5%",
    ]
    assert markdown_table([["model", "score"], ["a|b", "< 0.7"]]).split("\n") == [
        "| model | score |",
        "|---|--:|",
        r"| a\|b | < 0.7 |",
    ]


@pytest.mark.parametrize("share", [None, float("nan")])
def test_what_is_missing_is_unknown(share: float | None) -> None:
    assert percent(share) == p_value(None) == "unknown"
    assert percent_interval(share, 0.5) == percent_interval(0.5, share) == "unknown"


def test_shares_are_shown_in_percent() -> None:
    assert (percent(0.125), percent_interval(-0.0125, 0.5)) == ("12.5", "-1.2 to 50.0")
    assert (p_value(0.0123), p_value(9e-5)) == ("0.012", "< 0.0001")
    levels = {0.05: "95%", 0.001: "99.9%", 1 / 3: "66.6667%", 1e-7: "99.99999%", 0.9: "10%"}
    assert {alpha: confidence(alpha) for alpha in levels} == levels
    assert confidence(1 - 0.9999999) == "99.99999%"


def test_a_long_list_is_cut_with_the_number_of_the_others() -> None:
    names = [f"m{k}" for k in range(7)]
    assert first_names(names) == "m0, m1, m2, m3, m4 and 2 more"
    assert first_names(names[:5]) == "m0, m1, m2, m3, m4"


def test_a_number_has_the_digits_of_the_printed_one_beside_it() -> None:
    assert as_digits_of("0.012")(0.0123) == "0.012"
    assert as_digits_of("31.4M")(31_428_472) == "31.4M"
    assert as_digits_of("2")("many") == "many"


def test_power_is_drawn_with_a_line_a_size_and_a_panel_a_base() -> None:
    table = pd.DataFrame({"gap": [0.0, 0.1], "dataset_size": 50, "power": [0.05, 0.6]})
    table = table.assign(power_low=table["power"] - 0.03, power_high=table["power"] + 0.03)
    whole = draw_power(table, gap_label="Gap")
    assert [line.get_label() for line in whole.axes[0].lines[1:]] == ["50"]
    apart = draw_power(table.assign(acc_a=[0.5, 0.7]), gap_label="Gap")
    assert [ax.get_title() for ax in apart.axes] == ["base accuracy 0.5", "base accuracy 0.7"]


def test_wide_letters_and_marks_take_the_cells_that_a_terminal_gives_them() -> None:
    wide, marked = "\u6a21\u578b", "e\u0301"
    rows = [["model", "n"], [wide, "1"], [marked, "2"]]
    assert plain_table(rows).split("\n") == [
        "model  n",
        "-----  -",
        f"{wide}   1",
        f"{marked}      2",
    ]
