"""Tables are readable, exact, reproducible, and safe against any model name."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from latex_documents import complaints
from llm_power._errors import InvalidArgument
from llm_power._provenance import WITNESS_NOTE, Provenance
from llm_power._report._escape import escape_latex, escape_markdown, typeset_latex
from llm_power._report.tables import (
    MARKS,
    Column,
    Table,
    as_fixed,
    as_integer,
    as_p_value,
    as_printed,
    as_text,
    to_csv,
    to_latex,
    to_markdown,
    write_table,
)

HOSTILE = [
    "a|b", "*bold*", "_under_", "<script>alert(1)</script>", "R&D", "100%", "$x^2$", "#1",
    "back\\slash", "two\nlines", "[1cm]", "*star", "{brace}", "~tilde", "^hat", "`tick`",
    'quo"te', "--dash", "''", "\\\\", "\\input{/etc/passwd}", "&amp;", "中文", "🤗", "é", "ß",
    "=1+1", "\u202eoverride", "\x00\x1b[0m", "",
]  # fmt: skip


def hostile_table() -> Table:
    frame = pd.DataFrame({"model": HOSTILE, "n_star": np.linspace(0.1, 1e7, len(HOSTILE))})
    return Table(
        frame=frame,
        columns=[
            Column("model", "model_name & co", as_text),
            Column("n_star", "N*", as_integer, "right", r"$N^{*}$"),
        ],
        caption="Required N* of 100% hostile_names, ρ̂ ≥ 0",
        provenance=[Provenance.published("Table 7")],
        notes=["Cost: $5 & 55.8%, by llm.cost."],
        number="7",
    )


def test_csv_keeps_every_digit_and_every_character() -> None:
    table = hostile_table()
    # Not by pandas, whose version 2 ends a text at a NUL.
    header, *rows = csv.reader(io.StringIO(to_csv(table), newline=""))
    back = pd.DataFrame(rows, columns=header).astype(table.frame.dtypes.to_dict())
    pd.testing.assert_frame_equal(back, table.frame, check_exact=True)


def test_csv_spells_infinity_and_leaves_a_missing_value_empty() -> None:
    frame = pd.DataFrame({"x": [np.inf, -np.inf, np.nan, 1 / 3], "flag": [True, False, True, True]})
    table = Table(frame, [Column("x", "x")], "c", [Provenance.published("Table 1")])
    assert to_csv(table) == ("x,flag\nINF,True\n-INF,False\n,True\n0.3333333333333333,True\n")
    assert float("INF") == np.inf


def test_csv_metadata_names_the_file_the_types_and_the_source(tmp_path: Path) -> None:
    _, metadata, *_ = write_table(hostile_table(), tmp_path / "table_07")
    description = json.loads(metadata.read_text(encoding="utf-8"))
    assert description["url"] == "table_07.csv"
    assert description["dc:provenance"] == "from published numbers (Table 7)"
    assert description["dc:source"] == ["published"]
    assert description["tableSchema"]["columns"] == [
        {"titles": "model", "datatype": "string"},
        {"titles": "n_star", "datatype": "double"},
    ]


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


def test_escape_markdown() -> None:
    assert escape_markdown("a|*_`[x](y)<b>&amp;$\\") == (
        r"a\|\*\_\`[x\](y)&lt;b>&amp;amp;\$" + "\\\\"
    )
    plain = "N* of a_b is <10 [1.00, 1.93] (q ≥ 1) & so on"
    assert escape_markdown(plain) == plain


@given(st.text())
def test_escapes_never_break_a_line_and_latex_is_always_balanced(text: str) -> None:
    assert len(escape_markdown(text).splitlines()) <= 1
    latex = escape_latex(text)
    assert latex.isascii()
    assert len(latex.splitlines()) <= 1
    bare = latex.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert latex.replace(r"\$", "").count("$") % 2 == 0


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


def test_written_files_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    first = write_table(hostile_table(), tmp_path / "v1.0")
    assert [path.name for path in first] == [
        "v1.0.csv", "v1.0.csv-metadata.json", "v1.0.md", "v1.0.tex",
    ]  # fmt: skip
    before = [path.read_bytes() for path in first]
    assert [path.read_bytes() for path in write_table(hostile_table(), tmp_path / "v1.0")] == before
    assert not any(b"\r" in content for content in before)


@pytest.mark.parametrize("option", ["onecolumn", "twocolumn"])
def test_latex_compiles_with_the_packages_that_it_names(tmp_path: Path, option: str) -> None:
    tables = {"hostile": to_latex(hostile_table()), "compared": to_latex(compared_table())}
    assert complaints(tables, tmp_path, option) == []


def compared_table() -> Table:
    """Two rows beside printed cells: the same, another one, a bound, and one of chance."""
    frame = pd.DataFrame(
        {
            "models": [("heron", "wren"), ("a_long_name/of-a-model", "b" * 20)],
            "why": ["a sentence that is longer than the line of an article " * 2, "-"],
            "q": [0.496, 0.7512],
            "q_printed": ["0.50", "0.74"],
            "q_agrees": [True, True],
            "n": [20_255.2, 5e-28],
            "n_printed": ["20,254", "<10^-15"],
            "n_agrees": [False, True],
            "strong": [True, False],
        }
    )
    columns = [
        Column("models", "Models"),
        Column("why", "Why p_A < N*", symbols=True),
        Column("q", "q", align="right", printed=True, bold="strong"),
        Column("n", "N*", align="right", printed=True),
    ]
    return Table(frame, columns, "Compared.", [Provenance.published("Table 1")])


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
    for text in (to_markdown(compared_table()), to_latex(compared_table())):
        assert "marks a printed value that differs from the recomputed one above it" in text
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


def test_a_finding_stands_before_the_caption(tmp_path: Path) -> None:
    table = replace(hostile_table(), finding="5% of them rise.")
    assert to_markdown(table).startswith("**Table 7.** 5% of them rise. Required N* of 100%")
    assert r"5\% of them rise. Required" in to_latex(table)
    _, metadata, *_ = write_table(table, tmp_path / "table_07")
    described = json.loads(metadata.read_text(encoding="utf-8"))["dc:description"]
    assert described.startswith("5% of them rise. Cost:")


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


def test_a_latex_table_ends_with_the_page_and_says_so() -> None:
    frame = pd.DataFrame({"rank": range(100)})
    table = Table(frame, [Column("rank", "Rank")], "c", [Provenance.published("Table 1")])
    text = to_latex(table)
    assert "The first 45 of 100 rows; all are in the CSV." in text
    assert text.count(r" \\" + "\n") == 46


def test_points_stand_below_each_other_and_a_total_below_a_rule() -> None:
    frame = pd.DataFrame(
        {
            "row": ["a", "b", "all"],
            "r": ["4.2", "0.75", "1,892"],
            "n": ["3 (100%)", "0 (0%)", "11 (28%)"],
            "is_bold": [True, False, False],
        }
    )
    columns = [
        Column("row", "Row"),
        Column("r", "r", align="decimal", bold="is_bold"),
        Column("n", "n", align="decimal"),
    ]
    table = Table(frame, columns, "c", [Provenance.published("Table 3")], total=True)
    rows = [line.split("|")[2:4] for line in to_markdown(table).splitlines()[4:7]]
    assert [[cell[:-1].lstrip(" ") for cell in row] for row in rows] == [
        ["**4.2**\u2007", "3 (100%)"],
        ["0.75", "0 (0%)\u2007\u2008"],
        ["1,892\u2008\u2007\u2007", "11 (28%)\u2008"],
    ]
    first, last = to_latex(table).split(r"\midrule")[1:]
    assert r"\textbf{4.2\phantom{0}} & 3 (100\%)" in first
    assert last.lstrip().startswith(r"all & 1,892\phantom{.}\phantom{0}\phantom{0}")
    without = to_latex(Table(frame, columns, "c", [Provenance.published("Table 3")]))
    assert without.count(r"\midrule") == 1


def test_a_factor_before_a_symbol_is_of_one_face_with_it() -> None:
    assert typeset_latex("2K/h²") == "2$K$/$h$$^{2}$"
    assert typeset_latex("gemma-7b") == "gemma-7b"
