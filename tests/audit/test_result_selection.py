"""Cells out of result files, what they rest on, and every way in which that can fail."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from registers import check, write_results

from llm_power._errors import LLMPowerError
from llm_power_audit._errors import AuditError
from llm_power_audit.claims import Check, Evidence, Role
from llm_power_audit.selection import ResultFolder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_results(tmp_path)


def make(**fields: Any) -> Check:
    return Check(**check(**fields))


def refuse(folder: Path, check: Check, *, role: Role | None = None, as_text: bool = False) -> str:
    with pytest.raises(AuditError) as caught:
        ResultFolder(folder).find(check, role, as_text=as_text)
    assert isinstance(caught.value, LLMPowerError)
    message = str(caught.value)
    assert "Remedy: " in message
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({}, 0.045),
        ({"rows": {"pair": "a vs b"}}, 0.045),
        ({"rows": {"rank": "1"}}, 0.045),
        ({"rows": {"rank": "10"}, "column": "n_star"}, 4080.5),
        ({"rows": {"rank": "2.0"}}, 0.134),
        ({"rows": {"resolved": True}}, 0.045),
        ({"rows": {"resolved": "true"}}, 0.045),
        ({"rows": {"pair": "b vs c"}, "column": "n_star"}, float("inf")),
        ({"column": "resolved"}, 1.0),
        ({"rows": {"rank": {"above": 1, "below": 10}}}, 0.134),
        ({"rows": {"rank": {"at_least": 2}, "p": {"at_most": 1}}}, 0.134),
        ({"rows": {"rank": {"one_of": [2, 10], "below": 10}}}, 0.134),
        ({"rows": {"pair": {"one_of": ["b vs c", "c vs d"]}, "rank": 2}}, 0.134),
        # In decimal: 0.045 * 0.01 is 0.00045, and in binary a little less.
        ({"scale": 0.01}, 0.00045),
        ({"rows": {}, "aggregate": "count", "column": None}, 3.0),
        ({"rows": {"word": "FFFF"}, "aggregate": "count", "column": None}, 2.0),
        ({"rows": {"word": "RFFF", "rank": 2}, "aggregate": "count", "column": None}, 0.0),
        ({"rows": {"rank": {"above": 10}}, "aggregate": "count", "column": None}, 0.0),
        # An empty cell is not at most anything.
        ({"rows": {"p": {"at_most": 1}}, "aggregate": "count", "column": None}, 2.0),
        ({"rows": {}, "aggregate": "min", "column": "rank"}, 1.0),
        ({"rows": {}, "aggregate": "max", "column": "n_star"}, float("inf")),
        ({"rows": {}, "aggregate": "median", "column": "rank"}, 2.0),
        ({"rows": {}, "aggregate": "mean", "column": "rank"}, 13 / 3),
        ({"rows": {}, "aggregate": "sum", "column": "rank"}, 13.0),
        ({"rows": {}, "aggregate": "sum", "column": "resolved"}, 1.0),
    ],
)
def test_values(folder: Path, fields: dict[str, Any], value: float) -> None:
    assert ResultFolder(folder).find(make(**fields)).value == value


def test_a_literal_match_goes_before_a_numeric_one(folder: Path) -> None:
    (folder / "names.csv").write_text("model,p\n007,1\n7,2\n1e3,3\n1000,4\nTrue,5\n")
    results = ResultFolder(folder)
    for name, value in (("007", 1), ("7", 2), ("1e3", 3), ("1000", 4), ("True", 5)):
        found = results.find(make(result="names.csv", rows={"model": name}))
        assert found.value == value
    assert "2 rows" in refuse(folder, make(result="names.csv", rows={"model": 7}))
    assert "no cell" in refuse(folder, make(result="names.csv", rows={"model": 1}))


def test_a_column_of_true_alone_has_no_false_rows(folder: Path) -> None:
    (folder / "resolved.csv").write_text("pair,resolved\na,True\nb,True\n")
    results = ResultFolder(folder)
    for value in (False, "false"):
        check = make(result="resolved.csv", rows={"resolved": value}, aggregate="count")
        assert results.find(check).value == 0


def test_words_are_the_cell_itself(folder: Path) -> None:
    results = ResultFolder(folder)
    assert results.find(make(column="word"), as_text=True).value == "RFFF"
    assert results.find(make(column="resolved"), as_text=True).value == "True"
    assert results.find(make(), as_text=True).value == "0.045"


def test_standard_errors(folder: Path) -> None:
    results = ResultFolder(folder)
    assert results.find(make()).standard_error == 0.0
    assert results.find(make(standard_error="se", scale=-100)).standard_error == 1.0
    assert results.find(make(standard_error=0.25, scale=2)).standard_error == 0.5
    # A number that was not simulated beside others that were.
    assert results.find(make(rows={"rank": 2}, standard_error="se")).standard_error == 0.0
    assert (
        results.find(
            make(rows={}, aggregate="max", column="rank", standard_error=0.5)
        ).standard_error
        == 0.5
    )


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({"result": "tables/none.csv"}, ["tables/none.csv is not in results/", "finish the run"]),
        ({"result": "pairs.parquet"}, ["no CSV"]),
        ({"result": "witness"}, ["no CSV"]),
        ({"column": "n_stars"}, ["no column 'n_stars'", "did you mean 'n_star'"]),
        ({"column": "zzz"}, ["no column 'zzz'", "name one of pair, rank, p, n_star"]),
        ({"rows": {"pairs": "x"}}, ["no column 'pairs'", "did you mean 'pair'"]),
        (
            {"rows": {"pair": "a vs b", "rank": 2}},
            ["no row", "{pair: 'a vs b', rank: 2}", "rows in all: 3; pair alone: 1, rank alone: 1"],
        ),
        ({"rows": {"word": "FFFF"}}, ["2 rows of pairs.csv match {word: 'FFFF'}", "`aggregate`"]),
        ({"rows": {"rank": 10}}, ["the cell of p in pairs.csv is empty"]),
        ({"rows": {}, "aggregate": "max"}, ["the cell of p in pairs.csv is empty"]),
        ({"rows": {"rank": {"above": 99}}, "aggregate": "max"}, ["no row"]),
        ({"rows": {"rank": 99}}, ["no cell of rank in pairs.csv is 99", "it has 1, 2, 10"]),
        # Counted, a value that is nowhere would be a claim of none that holds.
        (
            {"rows": {"word": "FFFR"}, "aggregate": "count", "column": None},
            ["no cell of word in pairs.csv is 'FFFR'", "did you mean 'RFFF' or 'FFFF'"],
        ),
        (
            {"rows": {"pair": {"one_of": ["b vs c", "b vs d"]}}, "aggregate": "count"},
            ["no cell of pair in pairs.csv is 'b vs d'", "did you mean"],
        ),
        ({"rows": {"word": False}, "aggregate": "count"}, ["no cell of word", "is False"]),
        ({"column": "word"}, ["holds no number: 'RFFF'", "state a text"]),
        ({"rows": {"word": {"above": 1}}}, ["'RFFF' in column word cannot be compared with 1"]),
        ({"standard_error": "ses"}, ["no column 'ses'"]),
        ({"rows": {"rank": 10}, "column": "n_star", "standard_error": "se"}, ["not negative"]),
        (
            {"rows": {"rank": 2}, "standard_error": "se", "evidence": "simulated"},
            ["the cell of se in pairs.csv is empty"],
        ),
        (
            {"rows": {}, "aggregate": "max", "column": "rank", "standard_error": "se"},
            ["no standard error of its own"],
        ),
        ({"evidence": None}, ["nothing says what pairs.csv rests on", "assert it"]),
    ],
)
def test_a_check_that_cannot_be_made(
    folder: Path, fields: dict[str, Any], parts: list[str]
) -> None:
    message = refuse(folder, make(**fields))
    for part in parts:
        assert part in message


def test_a_number_of_rows_is_no_word(folder: Path) -> None:
    count = make(rows={}, aggregate="count", column=None)
    assert "cannot be held against a word" in refuse(folder, count, as_text=True)


@pytest.mark.parametrize(
    "name",
    [
        "../secret.csv",
        "witness/../../secret.csv",
        "/etc/passwd",
        "link.csv",
        "linked/secret.csv",
        "..\\secret.csv",
        "pairs.csv\x00",
        "a\nb.csv",
    ],
)
def test_no_path_leads_out_of_the_folder(folder: Path, tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("p\n1\n")
    (folder / "link.csv").symlink_to(secret)
    (folder / "linked").symlink_to(tmp_path)
    assert "leads out of the folder " in refuse(folder, make(result=name, rows={}))


def test_metadata_may_not_be_a_link_out_either(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text('{"dc:source": ["raw"]}')
    (folder / "pairs.csv-metadata.json").symlink_to(outside)
    assert "leads out" in refuse(folder, make(evidence=None))


def test_links_within_the_folder_are_followed(folder: Path) -> None:
    (folder / "again.csv").symlink_to(folder / "pairs.csv")
    assert ResultFolder(folder).find(make(result="again.csv")).value == 0.045


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "no row"),
        (b"rank,p\n1\n", "is no table"),
        (b"rank,p,p\n1,2,3\n", "is no table"),
        (b'rank,p\n1,"2\n', "cannot be read"),
        (b"rank,p\n1,\xff\n", "cannot be read"),
    ],
)
def test_a_file_that_is_no_table(folder: Path, content: bytes, part: str) -> None:
    (folder / "bad.csv").write_bytes(content)
    rows = {"rank": 1} if part != "no row" else {}
    assert part in refuse(folder, make(result="bad.csv", rows=rows))


def test_there_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="no such folder of results"):
        ResultFolder(tmp_path / "nowhere")


# --- Evidence ---


@pytest.mark.parametrize(
    ("result", "asserted", "expected"),
    [
        ("published.csv", None, "counts"),
        ("published.csv", "derived", "derived"),  # closed forms of nothing but formulas
        ("published.csv", "simulated", "simulated"),
        ("simulated.csv", None, "simulated"),
        ("simulated.csv", "witness_fitted", "witness_fitted"),
        ("raw.csv", None, "raw"),
        ("raw.csv", "counts", "counts"),
        ("none.csv", "counts", "counts"),
        ("pairs.csv", "raw", "raw"),
    ],
)
def test_evidence_of_a_file(
    folder: Path, result: str, asserted: Evidence | None, expected: Evidence
) -> None:
    found = ResultFolder(folder).find(make(result=result, evidence=asserted))
    assert found.evidence == expected


@pytest.mark.parametrize(
    ("result", "asserted"),
    [
        ("published.csv", "raw"),
        ("simulated.csv", "counts"),
        ("simulated.csv", "derived"),
        ("witness.csv", "witness_held_out"),
        ("witness.csv", "counts"),
    ],
)
def test_no_evidence_is_stronger_than_found(folder: Path, result: str, asserted: Evidence) -> None:
    check = make(result=result, evidence=asserted)
    assert f"{asserted} is asserted, but {result} is" in refuse(folder, check, role="input")


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("input", "witness_fitted"),
        ("target", "witness_fitted"),
        ("held_out", "witness_held_out"),
    ],
)
def test_evidence_of_a_witness(folder: Path, role: Role, expected: str) -> None:
    check = make(result="witness.csv", evidence=None)
    assert ResultFolder(folder).find(check, role).evidence == expected


def test_a_witness_without_a_role_is_refused(folder: Path) -> None:
    message = refuse(folder, make(result="witness.csv", evidence=None))
    assert "nothing says what it did with the number" in message
    assert "`role_of`" in message


def test_a_row_goes_before_the_metadata(folder: Path) -> None:
    """Column evidence, then column role, then the file's provenance."""
    text = "rank,p,evidence,role\n1,2,counts,input\n2,3,witness_fitted,held_out\n3,4,rumor,input\n"
    (folder / "raw.csv").write_text(text)
    find = ResultFolder(folder).find
    assert find(make(result="raw.csv", evidence=None)).evidence == "counts"
    assert find(make(result="raw.csv", evidence=None, rows={"rank": 2})).evidence == (
        "witness_fitted"
    )
    # The weakest of the rows that a number is made of.
    both = make(result="raw.csv", evidence=None, rows={"rank": {"below": 3}}, aggregate="max")
    assert find(both).evidence == "witness_fitted"
    unknown = make(result="raw.csv", evidence=None, rows={"rank": 3})
    assert "unknown class of evidence 'rumor'" in refuse(folder, unknown)
    assert "derived is asserted" in refuse(folder, make(result="raw.csv", evidence="derived"))

    (folder / "raw.csv").write_text(text.replace("evidence", "other"))
    find = ResultFolder(folder).find
    for rank, expected in ((1, "witness_fitted"), (2, "witness_held_out")):
        check = make(result="raw.csv", evidence=None, rows={"rank": rank})
        assert find(check).evidence == expected


def test_a_column_of_other_roles_says_nothing(folder: Path) -> None:
    (folder / "raw.csv").write_text("rank,p,role\n1,2,assistant\n")
    assert ResultFolder(folder).find(make(result="raw.csv", evidence=None)).evidence == "raw"


def test_metadata_that_say_nothing(folder: Path) -> None:
    assert "nothing says what none.csv" in refuse(folder, make(result="none.csv", evidence=None))
    assert "known kinds of source, got ['hearsay']" in refuse(folder, make(result="odd.csv"))
    unusable = [
        '{"dc:source": 1}',
        '{"dc:source": []}',
        '{"dc:source": [{}]}',
        '{"dc:source": "raw"}',
    ]
    # A line for readers alone is of an earlier version: what it rests on is not told by its words.
    for text in ("{", "[]", *unusable, '{"dc:provenance": "raw (x)"}', "[" * 100_000):
        (folder / "odd.csv-metadata.json").write_text(text)
        assert "no usable metadata" in refuse(folder, make(result="odd.csv"))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"rows": {"row": 1}, "column": "value"}, (0.45, 0.4471, 0.4532)),
        ({"rows": {"row": 1}, "column": "value", "scale": -100}, (-45.0, -45.32, -44.71)),
        ({"rows": {"row": 2}, "column": "value"}, (0.5, math.nan, math.nan)),
        ({"rows": {"row": 2}, "column": "p"}, (0.3, 0.25, 0.35)),
        ({"rows": {}, "column": "p", "aggregate": "max"}, (0.4, 0.4, math.inf)),
        ({"rows": {}, "column": "p", "aggregate": "min"}, (0.2, 0.1, 0.35)),
        ({"rows": {}, "column": "value", "aggregate": "median"}, (0.5, 0.5, 0.5)),
        ({"rows": {}, "column": None, "aggregate": "count"}, (3.0, math.nan, math.nan)),
    ],
)
def test_the_ends_of_a_set_stand_beside_its_column(
    folder: Path, fields: dict[str, Any], expected: tuple[float, float, float]
) -> None:
    found = ResultFolder(folder).find(make(result="sets.csv", evidence=None, **fields))
    value, lower, upper = expected
    if lower == upper:
        lower = upper = math.nan  # a value alone
    assert (found.value, found.lower, found.upper) == pytest.approx(
        (value, lower, upper), rel=1e-12, nan_ok=True
    )


def test_a_value_outside_its_own_set_is_refused(folder: Path) -> None:
    with pytest.raises(AuditError, match="1.0 in sets.csv is not from 2.0 to 3.0"):
        ResultFolder(folder).find(
            make(result="sets.csv", rows={"row": 1}, column="wrong", evidence=None)
        )
