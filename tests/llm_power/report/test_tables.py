"""Tables are readable, exact, reproducible, and safe against any model name."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from llm_power._errors import InvalidArgument
from llm_power._provenance import WITNESS_NOTE, Provenance
from llm_power._report.tables import (
    MARKS,
    Column,
    Table,
    as_fixed,
    as_integer,
    as_p_value,
    as_printed,
    as_text,
    to_markdown,
    write_described_csv,
)
from llm_power._report.text_tables import escape_markdown
from table_examples import HOSTILE, compared_table, hostile_table, table_of_a_total


def test_markdown_has_one_line_a_row_and_only_our_own_pipes() -> None:
    lines = to_markdown(hostile_table()).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == len(HOSTILE) + 2
    assert all(row.replace("\\|", "").count("|") == 3 for row in rows)
    assert "**Table 7.** " in lines[0]
    assert lines[-1] == "*Provenance:* from published numbers (Table 7)"
    text = "\n".join(rows)
    assert "<script>" not in text
    assert "\u202e" not in text


def test_a_csv_is_described_with_the_spelling_of_its_infinity(tmp_path: Path) -> None:
    """A double of CSVW is one of XML Schema, which has INF and no inf."""
    numbers = [np.inf, -np.inf, np.nan, -1.5, 2.0, 1e-300, -1.25e22]
    frame = pd.DataFrame({"n_star": numbers, "gap": np.nan_to_num(numbers)})
    path = tmp_path / "pairs.csv"
    sources = [Provenance.published("Table 7")]
    write_described_csv(frame, path, title="", provenance=sources)
    assert path.read_text() == frame.to_csv(index=False)
    described = json.loads((tmp_path / "pairs.csv-metadata.json").read_text())
    n_star, gap = (column["datatype"] for column in described["tableSchema"]["columns"])
    assert (n_star["base"], gap) == ("string", "double")
    with path.open(newline="") as file:
        cells = [row["n_star"] for row in csv.DictReader(file)]
    # An empty cell is null, whatever the datatype.
    assert all(re.fullmatch(n_star["format"], cell) for cell in cells if cell)
    assert not re.fullmatch(n_star["format"], "none")


def test_escape_markdown() -> None:
    assert escape_markdown("a|*_`[x](y)<b>&amp;$\\") == (
        r"a\|\*\_\`[x\](y)&lt;b>&amp;amp;\$" + "\\\\"
    )
    plain = "N* of a_b is <10 [1.00, 1.93] (q ≥ 1) & so on"
    assert escape_markdown(plain) == plain


@given(st.text())
def test_an_escape_never_breaks_a_line(text: str) -> None:
    assert len(escape_markdown(text).splitlines()) <= 1


def test_formatters() -> None:
    assert [as_integer(x) for x in (2396624.03, np.inf, np.nan)] == ["2,396,624", "∞", "–"]
    assert [as_fixed(2)(x) for x in (-0.004, -1.5, 0.125)] == ["0.00", "−1.50", "0.12"]
    assert [as_p_value(x) for x in (0.0486, 9.86e-14, 1.0, 0.0072414, 0.0)] == [
        "0.049", "9.9×10⁻¹⁴", "1.000", "7.2×10⁻³", "0.000",
    ]  # fmt: skip
    assert [as_text(x) for x in (True, np.bool_(False), None, "x")] == ["yes", "no", "–", "x"]
    assert as_printed("<10^-15") == "<10⁻¹⁵"


def test_bad_specification_is_refused() -> None:
    frame, source = pd.DataFrame({"a": [1]}), [Provenance.published("Table 1")]
    with pytest.raises(InvalidArgument, match="'b'"):
        Table(frame, [Column("b", "b")], "c", source)
    with pytest.raises(InvalidArgument, match="at least one Column"):
        Table(frame, [], "c", source)
    with pytest.raises(InvalidArgument, match="at least one Provenance"):
        Table(frame, [Column("a", "a")], "c", [])


def test_a_printed_value_stands_only_below_another_one() -> None:
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in to_markdown(compared_table()).splitlines()
        if line.startswith("| ")
    ]
    assert [row[2:] for row in rows[1:]] == [
        ["**0.50**", "20,255"], ["", "≠ 20,254"], ["0.75", "5.0×10⁻²⁸"], ["≈ 0.74", ""],
    ]  # fmt: skip
    assert [row[0] for row in rows[1:3]] == ["heron", "wren"]


def test_markdown_is_aligned_where_a_terminal_shows_it() -> None:
    """A hat takes no column of a terminal, a Chinese letter two."""
    frame = pd.DataFrame({"rho": [0.5], "model": ["中文"]})
    columns = [Column("rho", "ρ̂ and p̂_A", as_fixed(2), "right"), Column("model", "Model")]
    text = to_markdown(Table(frame, columns, "c", [Provenance.published("Table 1")]))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({wcswidth(line) for line in lines}) == 1
    assert all(wcswidth(line) <= 120 for line in to_markdown(compared_table()).splitlines())


def test_marks_are_explained_where_they_stand() -> None:
    differs = "marks a printed value that differs from the recomputed one above it"
    assert differs in to_markdown(compared_table())
    same = replace(compared_table(), columns=[Column("q", "q", printed=True)])
    agreeing = replace(same, shown=same.frame.iloc[:1])
    assert "*Note.* All recomputed cells are as printed" in to_markdown(agreeing)
    assert "the recomputed one" not in to_markdown(same)


@pytest.mark.parametrize(
    ("agrees", "chance", "mark"),
    [(True, False, "≈"), (True, True, "∼"), (False, True, "≠"), (None, True, "?")],
)
def test_each_way_to_differ_has_a_mark_of_its_own(
    agrees: bool | None, chance: bool, mark: str
) -> None:
    frame = pd.DataFrame({"q": [0.75], "q_printed": ["0.74"], "q_agrees": [agrees]})
    column = Column("q", "q", printed=True, chance=chance)
    text = to_markdown(Table(frame, [column], "c", [Provenance.published("Table 1")]))
    assert f"{mark} 0.74" in text
    assert MARKS[mark] in " ".join(text.split())
    assert sum(words in " ".join(text.split()) for words in MARKS.values()) == 1


def test_a_finding_stands_before_the_caption() -> None:
    table = replace(hostile_table(), finding="5% of them rise.")
    assert to_markdown(table).startswith("**Table 7.** 5% of them rise. Required N* of 100%")


def test_what_a_witness_was_fitted_to_is_disclosed_before_what_agrees() -> None:
    frame = pd.DataFrame({"q": [0.5], "q_printed": ["0.5"], "q_agrees": [True]})
    free, given = (Column("q", name, printed=True, given=name == "s") for name in ("q", "s"))
    witness, published = Provenance.witness("Table 1"), Provenance.published("Table 1")
    fitted = "; columns with fitted cells: s."
    said = "All recomputed cells are as printed, to the last digit"
    for columns, source, note in (
        ([free, given], witness, f"{WITNESS_NOTE} {said}{fitted}"),
        ([given], witness, f"{WITNESS_NOTE} {said}{fitted}"),
        ([free], witness, f"{WITNESS_NOTE} No cell here was fitted. {said}."),
        ([free, given], published, f"{said}."),
        ([free], published, f"{said}."),
    ):
        text = " ".join(to_markdown(Table(frame, columns, "c", [source])).split())
        assert f"*Note.* {note} *Provenance:*" in text


def test_points_stand_below_each_other() -> None:
    rows = [line.split("|")[2:4] for line in to_markdown(table_of_a_total()).splitlines()[4:7]]
    assert [[cell[:-1].lstrip(" ") for cell in row] for row in rows] == [
        ["**4.2**\u2007", "3 (100%)"],
        ["0.75", "0 (0%)\u2007\u2008"],
        ["1,892\u2008\u2007\u2007", "11 (28%)\u2008"],
    ]
