"""Registers: what they say, and one line for each thing that can be wrong with one."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from registers import check, claim, write_register

from llm_power import _documents as documents
from llm_power._errors import LLMPowerError
from llm_power_audit import _document, _references, register
from llm_power_audit._errors import AuditError
from llm_power_audit.claims import Check
from llm_power_audit.printed import Printed
from llm_power_audit.register import PrintedCells, load_register, load_statements

SUBJECTS = {
    "pairs": [
        {"model_a": "a", "model_b": "b", "rank": 1},
        {"model_a": "{c}|<b>", "model_b": "d", "rank": 2},
    ]
}


def test_a_minimal_claim_and_its_defaults(tmp_path: Path) -> None:
    (loaded,) = load_register(write_register(tmp_path, claim())).claims
    assert (loaded.id, loaded.kind, loaded.exhibit, loaded.exhaustive) == (
        "x",
        "claim",
        None,
        False,
    )
    assert loaded.statement == Printed("=", 0.045, 0.0005, text="0.045")
    assert math.isnan(loaded.printed_standard_error)
    assert loaded.checks == (
        Check(result="pairs.csv", rows={"rank": 1}, column="p", evidence="counts"),
    )
    texts = (loaded.test, loaded.derivation, loaded.consequence, loaded.needs, loaded.note)
    assert set(texts) == {""}


def test_statements_of_some_claims_need_no_others(tmp_path: Path) -> None:
    rows = {"rows": [{"model": "a"}, {"model": "b"}]}
    entries = [claim(), claim("of/*/p", over="rows", printed=["0.1", "7%"]), claim("same")]
    whole = load_register(write_register(tmp_path, *entries, subjects=rows))
    expected = {one.id: one.statement for one in whole.claims}
    path = write_register(tmp_path, *entries[:2], claim("same", section=None), subjects=rows)
    found = load_statements(path, ["x", "of/2/p", "nowhere"])
    assert found == {name: expected[name] for name in ("x", "of/1/p", "of/2/p")}
    with pytest.raises(AuditError, match="claim 'same'.*section"):
        load_statements(path, ["same"])


def test_a_statement_that_repeats_another_is_that_one(tmp_path: Path) -> None:
    path = write_register(tmp_path, claim(), claim("again", printed=None, printed_of="x"))
    assert load_statements(path, ["again"])["again"] == Printed("=", 0.045, 0.0005, text="0.045")


def test_an_entry_is_repeated_over_its_subjects(tmp_path: Path) -> None:
    path = write_register(
        tmp_path,
        claim("given", printed="7"),
        claim(
            "pairs/*/p",
            over="pairs",
            printed=["0.1", "<10^-15"],
            printed_standard_error=[0.5, None],
            claim="{model_a} against {model_b}, row {n} {{sic}}",
            follows_from=["given"],
            derivation="{model_a}: {{x}} {value}",
            checks=[check(rows={"pair": "{model_a} vs {model_b}", "rank": "{rank}"})],
        ),
        subjects=SUBJECTS,
        title="T",
        source="S",
        exhibits={"t": {"title": "Table", "file": "t.md"}},
    )
    register = load_register(path)
    assert (register.title, register.source, register.exhibits["t"].file) == ("T", "S", "t.md")
    _, first, second = register.claims
    assert [first.id, second.id] == ["pairs/1/p", "pairs/2/p"]
    assert second.claim == "{c}|<b> against d, row 2 {sic}"
    assert second.checks[0].rows == {"pair": "{c}|<b> vs d", "rank": "2"}
    assert (first.statement.value, first.printed_standard_error) == (0.1, 0.5)
    assert second.statement == Printed("<", 1e-15, text="<10^-15")
    assert math.isnan(second.printed_standard_error)


@pytest.mark.parametrize(
    ("printed", "states", "statement"),
    [
        ("−0.0003", None, Printed("=", -0.0003, 0.00005, text="−0.0003")),
        ("28%", None, Printed("=", 0.28, 0.005, text="28%")),
        ("≈2.1", None, Printed("≈", 2.1, 0.05, text="≈2.1")),
        ("≥10^7", None, Printed(">=", 1e7, text="≥10^7")),
        ("11/40", None, Printed("=", 11.0)),
        ("3 (100%)", None, Printed("=", 3.0)),
        ("three", {"value": 3}, Printed("=", 3.0)),
        ("a third", {"value": 0.333, "half_unit": 0.0005}, Printed("=", 0.333, 0.0005)),
        ("at most", {"at_most": 0.0008}, Printed("<=", 0.0008)),
        ("no less", {"at_least": 5, "half_unit": 0.5}, Printed(">=", 5.0, 0.5)),
        ("under", {"below": 1}, Printed("<", 1.0)),
        ("over", {"above": 1}, Printed(">", 1.0)),
        ("97–100%", {"between": [0.97, 1], "half_unit": 0.005}, None),
        ("FFFF", {"text": "FFFF"}, Printed("text", text="FFFF")),
        ("∞", {"value": math.inf}, Printed("=", math.inf)),
    ],
)
def test_what_a_printed_text_states(
    tmp_path: Path, printed: str, states: dict[str, Any] | None, statement: Printed | None
) -> None:
    path = write_register(tmp_path, claim(printed=printed, states=states))
    stated = load_register(path).claims[0].statement
    if statement is None:
        assert (stated.relation, stated.value, stated.upper, stated.half_unit) == (
            "between",
            0.97,
            1.0,
            0.005,
        )
    else:
        assert repr(stated) == repr(statement)


def refuse(path: Path) -> str:
    """Load a register that must be refused, and return the message: one line with a remedy."""
    with pytest.raises(AuditError) as caught:
        load_register(path)
    message = str(caught.value)
    assert isinstance(caught.value, LLMPowerError)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert "Remedy: " in message
    return message


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"printed": 0.045}, ["claim 'x'", "field printed", "0.045 is not of type", "in quotes"]),
        ({"extra": 1}, ["claim 'x'", "'extra' was unexpected"]),
        ({"section": None}, ["claim 'x'", "'section' is a required property"]),
        ({"printed": "three"}, ["claim 'x', field printed", "'three'", "`states`"]),
        ({"printed": "9", "states": {"value": 9, "at_most": 9}}, ["field states", "exactly one"]),
        ({"printed": "9", "states": {"half_unit": 1}}, ["field states", "exactly one"]),
        ({"states": {"between": [2, 1]}}, ["field states/between", "range"]),
        ({"states": {"value": math.nan}}, ["field states/value", "nan is not"]),
        ({"states": {"value": 1, "half_unit": math.inf}}, ["states/half_unit", "finite"]),
        ({"printed_standard_error": math.inf}, ["printed_standard_error", "finite"]),
        ({"printed": ["0.1", "0.2"]}, ["field printed", "2 entries for 1 subjects"]),
        ({"over": "pairs"}, ["field over", "no list of subjects 'pairs'", "none"]),
        ({"claim": "of {model_a}"}, ["field claim", "{model_a}", "double the brace"]),
        ({"claim": "a { b"}, ["field claim", "single brace"]),
        ({"claim": "it is {value}"}, ["field claim", "{value}"]),
        ({"derivation": "{values}"}, ["field derivation", "{values}", "{discrepancy}"]),
        ({"follows_from": ["y"]}, ["field follows_from", "no claim 'y'"]),
        ({"checks": [{"claim": "y"}]}, ["field checks/0/claim", "no claim 'y'"]),
        ({"checks": [{"claim": "x"}]}, ["checked by one another", "x -> x"]),
        ({"checks": None}, ["field checks", "`needs`"]),
        ({"checks": []}, ["field checks", "`needs`"]),
        ({"checks": [{}]}, ["field checks/0", "either a `result` or a `claim`"]),
        ({"checks": [check(claim="x")]}, ["field checks/0", "either a `result` or a `claim`"]),
        ({"checks": [{"claim": "x", "column": "p"}]}, ["column cannot stand beside"]),
        ({"checks": [check(column=None)]}, ["field checks/0", "needs a `column`"]),
        ({"checks": [check(aggregate="count")]}, ["field checks/0", "count of rows has none"]),
        ({"checks": [check(aggregate="mode")]}, ["checks/0/aggregate", "count, min, max"]),
        ({"checks": [check(evidence="hearsay")]}, ["checks/0/evidence", "witness_held_out"]),
        ({"checks": [check(evidence="none")]}, ["checks/0/evidence", "'none'"]),
        ({"checks": [check(standard_error=-1)]}, ["checks/0/standard_error", "not negative"]),
        ({"checks": [check(standard_error=math.inf)]}, ["checks/0/standard_error", "finite"]),
        ({"checks": [check(scale=0)]}, ["checks/0/scale", "other than 0"]),
        ({"checks": [check(rows={"p": {"over": 1}})]}, ["checks/0/rows/p", "at_most"]),
        ({"checks": [check(role_of="icc")]}, ["checks/0/role_of", "there is no claim 'icc'"]),
        ({"measures": {"role": "fitted"}}, ["field measures/role", "input, target or held_out"]),
        ({"measures": {"role": ["input", "target"]}}, ["field measures/role", "2 entries for 1"]),
        ({"checks": [check(reading="one")]}, ["field undefined", "what the source leaves open"]),
        (
            {"checks": [check(reading="one"), check()], "undefined": "which"},
            ["field checks", "some have none"],
        ),
        ({"id": "a b"}, ["claim 'a b'", "field id"]),
        ({"id": "a/*"}, ["claim 'a/*'", "field id", "`over`"]),
    ],
)
def test_a_faulty_claim_is_one_line(
    tmp_path: Path, fields: dict[str, Any], expected: list[str]
) -> None:
    message = refuse(write_register(tmp_path, claim(**fields)))
    for part in expected:
        assert part in message


def test_faults_between_claims(tmp_path: Path) -> None:
    assert "the id occurs twice" in refuse(write_register(tmp_path, claim(), claim()))
    cycle = [claim(a, checks=[{"claim": b}]) for a, b in ("xy", "yz", "zx")]
    assert "x -> y -> z -> x" in refuse(write_register(tmp_path, *cycle))
    path = write_register(tmp_path, claim(exhibit="t"), exhibits={})
    assert "there is no exhibit 't'" in refuse(path)
    path = write_register(tmp_path, claim(over="pairs"), subjects=SUBJECTS)
    assert "claim 'x', field id: `over` needs a `*`" in refuse(path)
    path = write_register(tmp_path, claim("x/*", over="pairs", printed=["1"]), subjects=SUBJECTS)
    assert "claim 'x/*', field printed: the list has 1 entries for 2 subjects" in refuse(path)
    path = write_register(tmp_path, claim(), subjects={"pairs": [{"n": 1}]})
    assert "field subjects/pairs/0" in refuse(path)


def test_a_repeated_number_is_written_once(tmp_path: Path) -> None:
    again = claim("y", printed=None, printed_of="x", checks=[{"claim": "z"}])
    path = write_register(tmp_path, claim(printed_standard_error=0.01), claim("z"), again)
    first, _, second = load_register(path).claims
    assert second.printed == first.printed == "0.045"
    assert second.statement == first.statement
    assert second.printed_standard_error == 0.01
    assert second.follows_from == ("x",)


@pytest.mark.parametrize(
    "fields",
    [{"printed_of": "y"}, {"printed_of": "nobody"}, {"printed": "1", "printed_of": "x"}, {}],
)
def test_a_number_is_printed_or_repeated(tmp_path: Path, fields: dict[str, str]) -> None:
    path = write_register(tmp_path, claim(), claim("y", **{"printed": None, **fields}))
    with pytest.raises(AuditError, match="claim 'y', field printed") as caught:
        load_register(path)
    assert "Remedy" in str(caught.value)


def test_a_claim_follows_from_a_whole_column(tmp_path: Path) -> None:
    cells = [claim(f"t/{row}/{column}") for row in (1, 2) for column in "bc"]
    found = load_register(write_register(tmp_path, *cells, claim("y", follows_from=["t/*/b"])))
    assert found.claims[-1].follows_from == ("t/1/b", "t/2/b")
    with pytest.raises(AuditError, match="no claim 't/\\*/d'"):
        load_register(write_register(tmp_path, *cells, claim("y", follows_from=["t/*/d"])))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("t/a*c/1", ("t/abc/1", "t/abbc/1")),
        ("t/*b*/1", ("t/abc/1", "t/abbc/1")),
        ("t/ab*b*/1", ()),
        ("t/*/*", ("t/abc/1", "t/abbc/1", "t/ac/1")),
        ("*/1", ()),
    ],
)
def test_a_star_stands_for_letters_of_one_part(
    tmp_path: Path, pattern: str, expected: tuple[str, ...]
) -> None:
    cells = [claim(f"t/{name}/1") for name in ("abc", "abbc", "ac")]
    path = write_register(tmp_path, *cells, claim("y", follows_from=[pattern]))
    if expected:
        assert load_register(path).claims[-1].follows_from == expected
    else:
        assert "there is no claim" in refuse(path)


@pytest.mark.parametrize("identifier", ["bare/1/p", "table/1", "table/p/1"])
def test_an_id_without_printed_number_names_a_cell_of_a_file(
    tmp_path: Path, identifier: str
) -> None:
    (tmp_path / "table.csv").write_text("row,p\n1,0.5\n", encoding="utf-8")
    printed = {"bare": {}, "table": {"printed": "table.csv"}}
    cells = PrintedCells(tmp_path, printed)
    with pytest.raises(AuditError, match="no cell of an exhibit with printed cells"):
        cells.find(identifier, identifier.partition("/")[0], {})
    assert cells.find("table/1/p", "table", {})[1] == "0.5"


def test_many_stars_take_no_longer(tmp_path: Path) -> None:
    # A regular expression tries each way to share the letters among the stars.
    follower = claim("y", follows_from=["*a" * 40 + "*b"])
    path = write_register(tmp_path, claim("a" * 400), follower)
    assert "there is no claim" in refuse(path)


def test_patterns_that_stand_for_too_many_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [claim(f"t/{i}") for i in range(4)]
    path = write_register(tmp_path, *cells, claim("y", follows_from=["t/*", "t/1*"]))
    monkeypatch.setattr(_references, "_MOST_REFERENCES", 9)
    assert "field follows_from: the patterns" in refuse(path)
    path = write_register(tmp_path, *cells, claim("y", follows_from=["t/*"] * 3))
    assert "field follows_from: the patterns" in refuse(path)


def test_a_long_line_of_checks_is_followed_once(tmp_path: Path) -> None:
    (last,) = load_register(write_register(tmp_path, claim("20000"))).claims
    line = [replace(last, id=str(i), checks=(Check(claim=str(i + 1)),)) for i in range(20_000)]
    started = process_time()
    _references.check_references([*line, last], None)
    assert process_time() - started < 5


def test_claims_are_counted_before_they_are_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_register(
        tmp_path,
        claim("x/*", over="all"),
        claim("y/*", over="all"),
        subjects={"all": [{} for _ in range(3)]},
    )
    assert len(load_register(path).claims) == 6
    monkeypatch.setattr(_document, "_MOST_CLAIMS", 5)
    monkeypatch.setattr(register, "for_each_subject", lambda *_: pytest.fail("it was repeated"))
    assert "claim 'y/*': there are more than 5 claims. Remedy" in refuse(path)


def pattern(*rows: Any, **shared: Any) -> dict[str, Any]:
    return claim(**{"id": None, "printed": None, "each": list(rows)} | shared)


def test_a_pattern_is_the_claims_of_its_rows(tmp_path: Path) -> None:
    rows = [
        {"id": "low", "end": "q1", "printed": "0.1", "rank": 2},
        {"id": "high", "end": "q3", "printed": "0.3", "rank": 3},
    ]
    shared = {
        "claim": "the {end}",
        "checks": [check(rows={"rank": "{rank}"}, column="p_{end}")],
        "derivation": "{value} of {end}, not of {{end}}",
    }
    entries = [claim("first"), pattern(*rows, **shared), claim("last")]
    written = [
        claim(
            name,
            claim=f"the {end}",
            printed=printed,
            checks=[check(rows={"rank": rank}, column=f"p_{end}")],
            derivation=f"{{value}} of {end}, not of {{{{end}}}}",
        )
        for name, end, printed, rank in (("low", "q1", "0.1", 2), ("high", "q3", "0.3", 3))
    ]
    expected = load_register(write_register(tmp_path, claim("first"), *written, claim("last")))
    path = write_register(tmp_path, *entries)
    assert load_register(path).claims == expected.claims
    assert load_statements(path, ["high"])["high"].value == 0.3


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], r"claim 'number 1', field each: \[\] should be non-empty"),
        (["a"], "claim 'number 1', field each/0: 'a' is not of type 'object'"),
        ([{"printed": "1"}], "claim 'number 1': 'id' is a required property"),
        ([{"id": "a", "printd": "1"}], "claim 'a', field each: 'printd' is neither a field nor"),
        ([{"id": "a", "end": ["b"]}], "claim 'a', field each: 'end' is neither a field nor"),
        ([{"id": "a", "printed": 1, "end": "b"}], "claim 'a', field printed: 1 is not of type"),
    ],
)
def test_a_faulty_pattern_is_one_line(tmp_path: Path, rows: list[Any], problem: str) -> None:
    entry = claim(id=None, printed=None, each=rows, test="the {end}")
    assert re.search(problem, refuse(write_register(tmp_path, entry)))


def test_a_pattern_is_measured_before_it_is_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [{"id": "a", "word": "b" * 1_000_000}, {"id": "b", "word": "b"}]
    path = write_register(tmp_path, pattern(*words, note="{word}" * 100_000))
    assert "the patterns come to more than" in refuse(path)
    rows = [{"id": name, "printed": "1"} for name in "abc"]
    path = write_register(tmp_path, pattern(*rows))
    assert len(load_register(path).claims) == 3
    monkeypatch.setattr(_document, "_MOST_CLAIMS", 2)
    assert "the patterns come to more than 2 claims" in refuse(path)


def test_texts_are_measured_before_they_are_filled_in(tmp_path: Path) -> None:
    # 2 MB that would come to 100 GB.
    long = claim("x/*", over="all", note="{a}" * 100_000)
    path = write_register(tmp_path, long, subjects={"all": [{"a": "b" * 1_000_000}, {"a": "b"}]})
    assert "claim 'x/*': the claims come to more than" in refuse(path)
    checks = claim("x/*", over="all", checks=[check() for _ in range(1_000)])
    path = write_register(tmp_path, checks, subjects={"all": [{} for _ in range(1_000)]})
    assert "claim 'x/*': the claims come to more than" in refuse(path)


def test_an_id_that_a_regular_expression_would_try_for_ever(tmp_path: Path) -> None:
    assert "field id" in refuse(write_register(tmp_path, claim("a" * 100_000 + " ")))
    assert "field id" in refuse(write_register(tmp_path, claim("a\n")))


def test_a_claim_without_an_id_is_counted(tmp_path: Path) -> None:
    message = refuse(write_register(tmp_path, claim(), claim(id=None)))
    assert "claim 'number 2': 'id' is a required property" in message


def test_checks_along_a_line_are_no_cycle(tmp_path: Path) -> None:
    line = [claim("z"), claim("y", checks=[{"claim": "z"}])]
    line.append(claim("x", checks=[{"claim": "y"}, {"claim": "z"}]))
    assert len(load_register(write_register(tmp_path, *line)).claims) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", "the file is empty"),
        (b"claims", "is not of type 'object'"),
        (b"claims: [}", "not usable YAML, line 1"),
        (b"claims: []\nclaims: []\n", "line 2: the key 'claims' occurs twice"),
        (b"? [a]\n: 1\n", "a key must be a plain text"),
        (b"title: \xff", "is not UTF-8"),
        (b"title: a\x00b", "not usable YAML"),
        (b"title: !!python/object/apply:os.system [id]\n", "not usable YAML, line 1"),
        (b"title: 2026-13-45\n", "not usable YAML"),
        (b"claims: [{id: 2026-05-28}]", "claim 'number 1'"),
        (b"a: &a [1]\nb: *a\n", "line 2 repeats another by an alias"),
        (b"a: &a\n  b: *a\n", "repeats another by an alias"),
        (b"a: &a {b: 1}\nc:\n  <<: *a\n", "repeats another by an alias"),
        (b"[" * 1_000_000, "line 1 is nested more than 50 levels deep"),
        (b"[" + b"0," * 1_000_000 + b"]", "more than 1000000 entries"),
    ],
)
def test_a_file_that_is_no_register(tmp_path: Path, text: bytes, expected: str) -> None:
    path = tmp_path / "claims.yaml"
    path.write_bytes(text)
    assert expected in refuse(path)


def test_a_bomb_of_aliases_is_refused_at_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)]
    path = tmp_path / "claims.yaml"
    path.write_text("\n".join(lines))
    assert "repeats another by an alias" in refuse(path)


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cannot be read: No such file" in refuse(tmp_path / "no.yaml")
    assert "cannot be read: Is a directory" in refuse(tmp_path)
    path = write_register(tmp_path, claim())
    monkeypatch.setattr(documents, "_MOST_BYTES", path.stat().st_size)
    assert load_register(path).claims
    monkeypatch.setattr(documents, "_MOST_BYTES", path.stat().st_size - 1)
    assert "the file is larger than" in refuse(path)


def test_the_schema_is_shipped_valid_and_described() -> None:
    text = (files("llm_power_audit") / "register.schema.yaml").read_text(encoding="utf-8")
    schema = yaml.safe_load(text)
    Draft202012Validator.check_schema(schema)

    def undescribed(node: Any) -> list[Any]:
        if not isinstance(node, dict):
            return []
        own = [node] if "type" in node and "description" not in node and "$ref" not in node else []
        return own + [found for part in node.values() for found in undescribed(part)]

    assert undescribed(schema) == []


CELLS = """\
pair,b,share,icc,word
a vs b,98,3 (75%),"0.1 [0.0, 0.2]",FFFF
b vs c,1,4 (80%),x,RFFF
"""


def with_cells(folder: Path, *claims: dict[str, Any]) -> Path:
    """Write a register whose exhibit `t` has printed cells."""
    (folder / "t.csv").write_text(CELLS, encoding="utf-8")
    exhibits = {"t": {"title": "Table", "file": "t.md", "printed": "t.csv"}}
    return write_register(folder, *claims, exhibits=exhibits)


@pytest.mark.parametrize(
    ("identifier", "cell", "printed", "statement"),
    [
        ("t/1/b", None, "98", Printed("=", 98.0, 0.5, text="98")),
        ("t/2/share/count", None, "4 (80%)", Printed("=", 4.0)),
        ("t/2/share/share", None, "80%", Printed("=", 0.8, 0.005, text="80%")),
        ("t/1/icc/upper", None, "0.2", Printed("=", 0.2, 0.05, text="0.2")),
        ("t/1/word", {"part": "text"}, "FFFF", Printed("text", text="FFFF")),
        ("x", {"row": 2, "column": "b"}, "1", Printed("=", 1.0, 0.5, text="1")),
    ],
)
def test_a_claim_on_a_cell_prints_what_the_cell_prints(
    tmp_path: Path, identifier: str, cell: dict[str, Any] | None, printed: str, statement: Printed
) -> None:
    exhibit = "t" if identifier == "x" else None
    entry = claim(identifier, printed=None, cell=cell, exhibit=exhibit)
    (found,) = load_register(with_cells(tmp_path, entry)).claims
    assert (found.exhibit, found.printed, found.statement) == ("t", printed, statement)


def test_repeated_entries_name_a_cell_each(tmp_path: Path) -> None:
    entry = claim("t/*/b", printed=None, over="rows", measures={"role": ["input", "held_out"]})
    path = with_cells(tmp_path, entry)
    path.write_text(path.read_text() + "subjects: {rows: [{a: 1}, {a: 2}]}\n")
    found = load_register(path).claims
    assert [(c.id, c.printed, c.role) for c in found] == [
        ("t/1/b", "98", "input"),
        ("t/2/b", "1", "held_out"),
    ]


@pytest.mark.parametrize(
    ("identifier", "fields", "words"),
    [
        ("t/3/b", {}, ["cell/row", "2 rows"]),
        ("t/1/wird", {}, ["cell/column", "did you mean 'word'"]),
        ("t/2/icc/lower", {}, ["cell/part", "not a printed interval"]),
        ("t/1/word", {}, ["field printed", "say in `states`"]),
        ("x", {}, ["no cell of an exhibit", "`printed_of`"]),
        ("t/1/b", {"printed": "98", "cell": {"row": 1}}, ["give one of them"]),
    ],
)
def test_a_cell_that_is_not_there_is_refused(
    tmp_path: Path, identifier: str, fields: dict[str, Any], words: list[str]
) -> None:
    message = refuse(with_cells(tmp_path, claim(identifier, **({"printed": None} | fields))))
    assert all(word in message for word in words), message


def test_printed_cells_lie_beside_the_register(tmp_path: Path) -> None:
    path = with_cells(tmp_path, claim("t/1/b", printed=None))
    path.write_text(path.read_text().replace("printed: t.csv", "printed: ../t.csv"))
    assert "leads out of the folder" in refuse(path)
