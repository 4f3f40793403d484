"""LaTeX of a table is safe against any name, fits the page and compiles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex_documents import complaints
from llm_power._provenance import Provenance
from llm_power._report.tables import Column, Table
from replication.latex import header_lines, latex_environment, to_latex
from replication.latex_text import escape_latex, typeset_latex
from table_examples import HOSTILE, compared_table, hostile_table, table_of_a_total


def test_latex_source_is_ascii_and_balanced() -> None:
    source = to_latex(hostile_table())
    assert source.isascii()
    assert source.count(r" \\" + "\n") == len(HOSTILE) + 1
    assert "\\input" not in source
    assert r"\raggedright\emph{Provenance:} from published numbers (Table 7)" in source
    assert r"$\hat{\rho}$ $\ge$ 0" in source
    # A name may break after its point, a number not.
    assert r"55.8\%, by llm.\allowbreak{}cost" in source


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a_b&c%d$e#f", r"a\_b\&c\%d\$e\#f"),
        ("\\", r"\textbackslash{}"),
        ("x--y---z", "x-{}-y-{}-{}-z"),
        ("[2pt]", "{[}2pt{]}"),
        ("e\u0301", r"\'{e}"),
        ("中", "{[}U+4E2D{]}"),
        ("9.9×10⁻¹⁴", r"9.9$\times$10$^{-14}$"),
        ("ρ̂²", r"$\hat{\rho}$$^{2}$"),
        ("Δμ", r"$\Delta$$\mu$"),
        ("a\r\n\tb", "a b"),
    ],
)
def test_escape_latex(text: str, latex: str) -> None:
    assert escape_latex(text) == latex


@pytest.mark.parametrize("option", ["onecolumn", "twocolumn"])
def test_latex_compiles_with_the_packages_that_it_names(tmp_path: Path, option: str) -> None:
    tables = {"hostile": to_latex(hostile_table()), "compared": to_latex(compared_table())}
    assert complaints(tables, tmp_path, option) == []


def test_a_latex_table_ends_with_the_page_and_says_so() -> None:
    frame = pd.DataFrame({"rank": range(100)})
    table = Table(frame, [Column("rank", "Rank")], "c", [Provenance.published("Table 1")])
    text = to_latex(table)
    assert "The first 45 of 100 rows; all are in the CSV." in text
    assert text.count(r" \\" + "\n") == 46


def test_a_factor_before_a_symbol_is_of_one_face_with_it() -> None:
    assert typeset_latex("2K/h²") == "2$K$/$h$$^{2}$"
    assert typeset_latex("gemma-7b") == "gemma-7b"


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


@given(st.text())
def test_escaped_latex_is_one_line_and_balanced(text: str) -> None:
    latex = escape_latex(text)
    assert latex.isascii()
    assert len(latex.splitlines()) <= 1
    bare = latex.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert latex.replace(r"\$", "").count("$") % 2 == 0


def test_a_finding_and_marks_are_in_latex_too() -> None:
    table = replace(hostile_table(), finding="5% of them rise.")
    assert r"5\% of them rise. Required" in to_latex(table)
    differs = "marks a printed value that differs from the recomputed one above it"
    assert differs in to_latex(compared_table())


def test_points_stand_below_each_other_and_a_total_below_a_rule() -> None:
    first, last = to_latex(table_of_a_total()).split(r"\midrule")[1:]
    assert r"\textbf{4.2\phantom{0}} & 3 (100\%)" in first
    assert last.lstrip().startswith(r"all & 1,892\phantom{.}\phantom{0}\phantom{0}")
    without = to_latex(replace(table_of_a_total(), total=False))
    assert without.count(r"\midrule") == 1
