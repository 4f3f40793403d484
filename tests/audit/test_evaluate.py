"""Whole audits of small registers: which check decides, readings, texts, and order."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from registers import audited, check, claim, write_register, write_results

from llm_power_audit import audit_files
from llm_power_audit._errors import AuditError
from llm_power_audit.claims import EVIDENCE, VERDICTS
from llm_power_audit.evaluate import Judged, audit
from llm_power_audit.independence import IndependentTests, independent_tests
from llm_power_audit.register import load_register
from llm_power_audit.report import render_report


def only(folder: Path, **fields: Any) -> Judged:
    (judged,) = audited(folder, claim(**fields)).judged
    return judged


def test_one_check(tmp_path: Path) -> None:
    judged = only(tmp_path, printed="0.0450")
    assert (judged.verdict, judged.evidence) == ("holds", "counts")
    assert judged.deciding is judged.outcomes[0]
    outcome = judged.outcomes[0]
    assert (outcome.value, outcome.discrepancy, outcome.check.source) == (0.045, 0.0, "pairs.csv")
    assert math.isnan(outcome.z)
    assert judged.reason == "Printed is 0.0450, recomputed is 0.04500, a difference of 0.00000."


def test_the_strongest_evidence_decides_and_the_first_of_equals(tmp_path: Path) -> None:
    weak = check(column="n_star", evidence="simulated")
    strong, again = check(evidence="raw"), check(column="n_star", evidence="raw")
    judged = only(tmp_path, checks=[weak, strong, again])
    assert (judged.verdict, judged.evidence, judged.deciding) == (
        "holds",
        "raw",
        judged.outcomes[1],
    )
    assert [o.verdict for o in judged.outcomes] == ["contradicted", "holds", "contradicted"]


def test_agreement_of_two_printings_gives_way_to_evidence(tmp_path: Path) -> None:
    twice, of_set = (
        {"claim": "again"},
        check(result="sets.csv", rows={"row": 1}, column="value", evidence=None),
    )
    again = claim("again", printed="0.451", checks=[check()])
    judged, _ = audited(tmp_path, claim(printed="0.451", checks=[twice, of_set]), again).judged
    assert (judged.verdict, judged.evidence) == ("feasible", "counts")


def column(folder: Path, *printed: str) -> list[tuple[str, str]]:
    """Verdict and rounding of cells of one column, whose values are 10.2, 20.2, 30.2 and so on."""
    results = folder / "results"
    results.mkdir(exist_ok=True)
    values = "".join(f"{i},{10 * i + 0.2}\n" for i in range(1, len(printed) + 1))
    (results / "column.csv").write_text(f"row,value\n{values}")
    (folder / "printed.csv").write_text("\n".join(["row,n", *(f"r,{p}" for p in printed)]))
    cells = [
        claim(
            f"t/{i}/n",
            printed=None,
            checks=[check(result="column.csv", rows={"row": i}, column="value")],
        )
        for i in range(1, len(printed) + 1)
    ]
    exhibits = {"t": {"title": "T", "file": "t.md", "printed": "printed.csv"}}
    path = write_register(folder, *cells, exhibits=exhibits)
    found = audit(load_register(path), results).judged
    return [(j.verdict, j.deciding.rounding if j.deciding else "") for j in found]


def test_one_rule_of_rounding_holds_for_a_whole_column(tmp_path: Path) -> None:
    up = ("holds_rounded", "rounded up")
    assert column(tmp_path, "11", "21", "31") == [up] * 3
    # The neighbor of a value passes in no column.
    assert column(tmp_path, "11", "20", "31") == [up, ("contradicted", ""), up]
    assert column(tmp_path, "10", "20", "31") == [("holds", "")] * 2 + [("contradicted", "")]


def test_what_has_no_value_is_not_checkable_and_says_why(tmp_path: Path) -> None:
    judged = only(tmp_path, checks=[check(rows={"rank": 10})])
    assert (judged.verdict, judged.evidence) == ("not_checkable", "none")
    assert judged.reason == (
        "Printed numbers that contradict each other leave it undefined: "
        "the cell of p in pairs.csv is empty."
    )


@pytest.mark.parametrize(("other", "is_said"), [("stand_in", True), ("counts", False)])
def test_what_would_decide_and_has_no_value_is_said_where_nothing_decides(
    tmp_path: Path, other: str, is_said: bool
) -> None:
    checks = [check(result=f"{name}.csv", evidence=None) for name in ("items", "exhibit")]
    path = write_register(tmp_path, claim(checks=checks))
    results = write_results(tmp_path)
    (results / "items.csv").write_text("rank,p,method,evidence\n1,,wren has no row,none\n")
    (results / "exhibit.csv").write_text(f"rank,p,evidence\n1,0.045,{other}\n")
    (judged,) = audit(load_register(path), results).judged
    assert judged.verdict == ("not_checkable" if is_said else "holds")
    said = " Not computed: the cell of p in items.csv is empty: wren has no row."
    assert judged.reason.endswith(said) == is_said
    assert ("wren" in judged.reason) == is_said


def test_a_row_of_an_answer_that_no_row_has_is_undefined(tmp_path: Path) -> None:
    """With another printed number all pairs may be resolved; a wrong name is an error still."""
    results = write_results(tmp_path)
    (results / "flags.csv").write_text("pair,resolved,value\na,True,1\nb,True,2\n")

    def judged(**rows: object) -> str:
        asked = check(result="flags.csv", rows=rows, column="value")
        path = write_register(tmp_path, claim(checks=[asked]))
        (one,) = audit(load_register(path), results).judged
        return f"{one.verdict}: {one.reason}"

    assert judged(resolved=False).startswith("not_checkable: ")
    assert "no row of flags.csv matches {resolved: False}" in judged(resolved=False)
    with pytest.raises(AuditError, match="no cell of pair"):
        judged(pair="c", resolved=True)


def test_evidence_that_is_not_there_is_undefined(tmp_path: Path) -> None:
    results = write_results(tmp_path)
    evidence = results / "evidence.csv"
    wanted = check(result="evidence.csv", rows={"quantity": "n"}, column="value", evidence=None)
    path = write_register(tmp_path, claim(checks=[wanted]))
    head = "quantity,value,method,evidence\nm,1,,counts\n"
    evidence.write_text(head)
    (judged,) = audit(load_register(path), results).judged
    assert judged.verdict == "not_checkable"
    assert "it was not computed: no cell of quantity" in judged.reason
    evidence.write_text("quantity,value,evidence\nm,1,counts\n")
    with pytest.raises(AuditError, match="no cell of quantity"):
        audit(load_register(path), results)
    evidence.write_text(head + "undefined,,b + c is more than N,none\n")
    (judged,) = audit(load_register(path), results).judged
    assert judged.verdict == "not_checkable"
    assert "b + c is more than N" in judged.reason


def test_a_check_by_a_result_that_not_every_run_makes_is_left_out(tmp_path: Path) -> None:
    checks = [check(), check(result="sample.csv", evidence="raw")]
    path = write_register(tmp_path, claim(checks=checks), optional=["sample.csv"])
    results = write_results(tmp_path)
    (judged,) = audit(load_register(path), results).judged
    assert [o.check.source for o in judged.outcomes] == ["pairs.csv"]
    (results / "sample.csv").write_bytes((results / "pairs.csv").read_bytes())
    (judged,) = audit(load_register(path), results).judged
    assert (len(judged.outcomes), judged.evidence) == (2, "raw")


def test_an_absent_result_that_every_run_makes_is_a_fault(tmp_path: Path) -> None:
    path = write_register(tmp_path, claim(checks=[check(result="other.csv")]), optional=["x.csv"])
    with pytest.raises(AuditError, match=r"other\.csv is not in"):
        audit(load_register(path), write_results(tmp_path))


@pytest.mark.parametrize(
    ("cells", "verdict"),
    [
        ("0.45,,,0.01", "not_checkable"),
        ("0.30,,,0.01", "not_checkable"),
        ("0.10,0.1,0.9,", "feasible"),
        ("0.40,0.4,0.6,", "contradicted"),
        ("0.30,0.299,0.301,", "holds"),
        ("0.30,0.30,0.30,", "holds"),
        ("0.45,0.45,0.45,", "contradicted"),
        ("0.30,,,", "not_checkable"),
        ("0.45,,,", "not_checkable"),
    ],
)
def test_a_sample_that_was_chosen_decides_by_what_it_excludes_alone(
    tmp_path: Path, cells: str, verdict: str
) -> None:
    """A set is exact, however the items were chosen; an estimate has an unknown bias."""
    on_sample = check(result="sample.csv", column="value", standard_error="se", evidence=None)
    path = write_register(tmp_path, claim(printed="0.30", checks=[on_sample]))
    text = f"rank,value,lower,upper,se,evidence\n1,{cells},raw_sample\n"
    (write_results(tmp_path) / "sample.csv").write_text(text, encoding="utf-8")
    (judged,) = audit(load_register(path), tmp_path / "results").judged
    assert (judged.verdict, judged.evidence) == (verdict, "raw_sample")
    assert "Monte Carlo" not in judged.reason


def test_what_real_items_give_stands_beside_a_witness_and_decides_nothing(tmp_path: Path) -> None:
    checks = [check(result="witness.csv", evidence=None), check(result="sample.csv", evidence=None)]
    write_results(tmp_path)
    text = "rank,p,lower,upper,evidence\n1,0.0612,,,raw_sample\n"
    (tmp_path / "results" / "sample.csv").write_text(text, encoding="utf-8")
    judged = only(tmp_path, checks=checks, measures={"role": "held_out"})
    assert (judged.verdict, judged.evidence) == ("feasible", "witness_held_out")
    assert judged.reason.endswith(" At the rates on the items of the sample: 0.0612.")
    assert [o.verdict for o in judged.outcomes] == ["feasible", "not_checkable"]


def test_the_results_have_the_sentences_that_a_register_asks_for(tmp_path: Path) -> None:
    remark = {"result": "said.csv", "rows": {"quantity": "both"}, "column": "value"}
    path = write_register(tmp_path, claim(), remarks=[remark], optional=["said.csv"])
    results = write_results(tmp_path)
    assert audit(load_register(path), results).remarks == ()
    text = "quantity,value,evidence\nboth,Two of <three> differ.,raw_sample\n"
    (results / "said.csv").write_text(text, encoding="utf-8")
    found = audit(load_register(path), results)
    assert found.remarks == ("Two of <three> differ.",)
    assert '<p class="basis">Two of &lt;three&gt; differ.</p>' in render_report(found, links={})
    remark["rows"] = {"quantity": "none"}
    path = write_register(tmp_path, claim(), remarks=[remark], optional=["said.csv"])
    with pytest.raises(AuditError, match="remarks"):
        audit(load_register(path), results)


def test_what_a_witness_was_fitted_to_is_not_checkable(tmp_path: Path) -> None:
    on_witness = check(result="witness.csv", evidence=None)
    fitted, held_out = ({"measures": {"role": role}} for role in ("input", "held_out"))
    judged = only(tmp_path, checks=[on_witness], **fitted)
    assert (judged.verdict, judged.evidence) == ("not_checkable", "witness_fitted")
    assert "no evidence" in judged.reason
    judged = only(tmp_path, checks=[on_witness], **held_out)
    assert (judged.verdict, judged.evidence) == ("feasible", "witness_held_out")
    assert "others may not" in judged.reason
    judged = only(tmp_path, checks=[on_witness], printed="0.5", **held_out)
    assert (judged.verdict, judged.evidence) == ("not_checkable", "witness_held_out")
    assert "another may have the printed value" in judged.reason
    # Whatever decides a claim that was also fitted, the fit does not.
    judged = only(tmp_path, checks=[on_witness, check()], printed="0.5", **fitted)
    assert (judged.verdict, judged.evidence) == ("contradicted", "counts")


def test_a_check_can_rest_on_the_role_of_another_claim(tmp_path: Path) -> None:
    """A sentence repeats a table's number: what the witness did with that decides."""
    own = claim("cell", measures={"role": "target"})
    said = check(result="witness.csv", evidence=None, role_of="cell")
    result = audited(tmp_path, own, claim("said", checks=[said], measures={"role": "held_out"}))
    assert [judged.evidence for judged in result.judged] == ["counts", "witness_fitted"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"printed": "10/9", "states": {"value": 10}}, "a part of more than there are"),
        ({"printed": "1.90", "quantity": "largest ICC"}, "a correlation is from -1 to 1"),
        ({"printed": "867.0%", "quantity": "score"}, "a score is at most 100%"),
    ],
)
def test_what_no_data_have_is_contradicted_without_any(
    tmp_path: Path, fields: dict[str, Any], why: str
) -> None:
    judged = only(tmp_path, **fields, checks=[], needs="the data")
    assert (judged.verdict, judged.evidence) == ("contradicted", "derived")
    assert judged.reason == f"Printed is {fields['printed']}: {why}."


def test_nothing_to_check(tmp_path: Path) -> None:
    judged = only(tmp_path, checks=None, needs="the authors' items")
    assert (judged.verdict, judged.evidence, judged.deciding) == ("not_checkable", "none", None)
    assert judged.outcomes == ()
    assert judged.reason == "Nothing here decides it; needed: the authors' items"


def test_simulated_values_and_printed_errors(tmp_path: Path) -> None:
    simulated = check(evidence="simulated", standard_error="se")
    judged = only(tmp_path, checks=[simulated], printed="0.085", printed_standard_error=0.0075)
    assert judged.outcomes[0].standard_error == pytest.approx(0.0125, rel=1e-10)
    assert judged.outcomes[0].z == pytest.approx(-3.2, rel=1e-10)
    assert judged.verdict == "holds"
    assert "-3.2 Monte Carlo standard errors away" in judged.reason
    assert only(tmp_path, checks=[simulated], printed="0.077").verdict == "holds"
    assert only(tmp_path, checks=[simulated], printed="0.080").verdict == "contradicted"


def test_a_set_is_judged_whole_and_printed(tmp_path: Path) -> None:
    of_set = check(result="sets.csv", rows={"row": 1}, column="value", evidence=None)
    judged = only(tmp_path, checks=[of_set], printed="0.45")
    assert judged.verdict == "holds"
    assert judged.reason == (
        "Printed is 0.45; the other printed numbers allow 0.447 to 0.453, which all display as "
        "printed."
    )
    judged = only(tmp_path, checks=[of_set], printed="0.451")
    assert (judged.verdict, judged.evidence) == ("feasible", "counts")
    assert "of which some display as printed and others do not" in judged.reason
    judged = only(tmp_path, checks=[of_set], printed="0.47")
    assert judged.verdict == "contradicted"
    assert "and none displays as printed" in judged.reason


def test_a_cross_check_asks_whether_numbers_fit_together(tmp_path: Path) -> None:
    of_set = check(result="sets.csv", rows={"row": 1}, column="value", evidence=None)
    judged = only(tmp_path, checks=[of_set], printed="0.451", kind="cross_check")
    assert judged.verdict == "holds"
    assert "which can display as printed" in judged.reason


def test_cells_that_others_follow_from_and_repetitions_are_no_tests(tmp_path: Path) -> None:
    """Of three numbers of which any two give the third one is a test; the fourth repeats it."""
    cells = tmp_path / "cells.csv"
    cells.write_text("row,p\na,0.045\nb,0.134\nc,1696.8\nd,1696.8\n", encoding="utf-8")
    sources = {1: (2, 3), 2: (1, 3), 3: (1, 2), 4: (1, 2)}
    checks = [check(), check(rows={"rank": 2}), check(column="n_star"), check(column="n_star")]
    claims = [
        claim(f"t/{row}/p", printed=None, checks=[one], follows_from=[f"t/{x}/p" for x in others])
        for (row, others), one in zip(sources.items(), checks, strict=True)
    ]
    exhibit = {"title": "T", "file": "t.md", "printed": "cells.csv"}
    path = write_register(tmp_path, *claims, exhibits={"t": exhibit})
    judged = audit(load_register(path), write_results(tmp_path))
    (found,) = independent_tests(judged.judged).values()
    assert found == IndependentTests(4, given=("t/1/p", "t/2/p"), repeated=("t/4/p",))
    assert found.tests == 1
    assert audit_files.tests_cells(judged) == [
        ["T", "4", "2", "1", "1"],
        ["all", "4", "2", "1", "1"],
    ]


def test_a_number_in_another_unit_is_contradicted_where_the_unit_matters(tmp_path: Path) -> None:
    in_pp = check(scale=1, unit="pp")
    assert only(tmp_path, checks=[in_pp], printed="4.5 pp").verdict == "holds"
    judged = only(tmp_path, checks=[in_pp], printed="4.5%")
    assert judged.verdict == "contradicted"
    assert judged.reason == "Printed is 4.5%, and the number is in pp."
    assert only(tmp_path, checks=[check()], printed="4.5%").verdict == "holds"


def test_a_unit_that_nothing_printed_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match=r"'0.045' is in neither pp nor %.*remove `unit`"):
        only(tmp_path, checks=[check(unit="pp")], printed="0.045")


def test_what_decides_nothing_gives_way_to_what_decides(tmp_path: Path) -> None:
    too_wide = check(result="sets.csv", rows={"row": 1}, column="value", evidence=None)
    weaker = check(evidence="simulated", standard_error=0.001, scale=10)
    judged = only(tmp_path, checks=[too_wide, weaker], printed="0.451")
    assert (judged.verdict, judged.evidence) == ("holds", "simulated")
    fitted = check(result="witness.csv", evidence=None)
    measures = {"role": "input"}
    judged = only(tmp_path, checks=[too_wide, fitted], printed="0.451", measures=measures)
    assert (judged.verdict, judged.evidence) == ("feasible", "counts")


def test_two_printings_of_one_number_get_no_slack(tmp_path: Path) -> None:
    """54% is not 44.9% printed again, however few resamples there were."""
    result = audited(
        tmp_path,
        claim("share", printed="44.9%", printed_standard_error=0.0157),
        claim("again", printed="45%", printed_standard_error=0.0157, checks=[{"claim": "share"}]),
        claim("other", printed="54%", printed_standard_error=0.05, checks=[{"claim": "share"}]),
        claim(
            "rerun",
            printed="54%",
            printed_standard_error=0.05,
            checks=[{"claim": "share", "independent": True}],
        ),
    )
    assert [judged.verdict for judged in result.judged[1:]] == ["holds", "contradicted", "holds"]


def test_two_printed_numbers(tmp_path: Path) -> None:
    result = audited(
        tmp_path,
        claim("abstract/p", printed="0.05", checks=[{"claim": "table/p"}], kind="cross_check"),
        claim("table/p", printed="0.045"),
        claim("abstract/pp", printed="4.5pp", checks=[{"claim": "table/p"}]),
        claim("percent", printed="4.5", checks=[{"claim": "table/p", "scale": 100}]),
        claim("word", printed="F", states={"text": "F"}, checks=[{"claim": "other"}]),
        claim("other", printed="F", states={"text": "F"}, checks=None, needs="nothing"),
        claim("off", printed="0.06", checks=[{"claim": "table/p"}]),
    )
    verdicts = {j.claim.id: (j.verdict, j.evidence) for j in result.judged}
    assert verdicts == {
        "abstract/p": ("holds", "consistency"),
        "table/p": ("holds", "counts"),
        "abstract/pp": ("holds", "consistency"),
        "percent": ("holds", "consistency"),
        "word": ("holds", "consistency"),
        "other": ("not_checkable", "none"),
        "off": ("contradicted", "consistency"),
    }
    assert result.judged[0].outcomes[0].check.source == "claim table/p"
    assert "printed elsewhere is 0.045," in result.judged[0].reason
    path = write_register(
        tmp_path,
        claim("w", printed="F", states={"text": "F"}, checks=[{"claim": "n"}]),
        claim("n"),
    )
    with pytest.raises(AuditError, match="claim 'w', field checks/0/claim: .*text"):
        audit(load_register(path), tmp_path / "results")


@pytest.mark.parametrize(
    ("printed", "exhaustive", "verdict"),
    [
        ("0.045", False, "ambiguous"),
        ("0.045", True, "ambiguous"),
        ("0.5", False, "ambiguous"),
        ("0.5", True, "contradicted"),
    ],
)
def test_readings(tmp_path: Path, printed: str, exhaustive: bool, verdict: str) -> None:
    checks = [
        check(reading="asymptotic"),
        check(rows={"rank": 2}, reading="exact", evidence="derived"),
        check(column="n_star", reading="asymptotic", evidence="simulated"),
    ]
    judged = only(
        tmp_path,
        printed=printed,
        checks=checks,
        undefined="which p-value",
        exhaustive=exhaustive,
        derivation="{value} for {printed}",
        consequence="Nothing.",
    )
    assert judged.verdict == verdict
    assert (judged.deciding is None) == (verdict == "ambiguous")
    # The simulated n_star is not the strongest of its reading; counts are weaker than derived.
    assert judged.evidence == "counts"
    assert judged.reason.startswith("Readings tried: asymptotic: 0.04")
    assert "exact: 0.13" in judged.reason
    if printed == "0.045":
        assert judged.derivation == "0.0450 (asymptotic); 0.1340 (exact) for 0.045"


def test_every_reading_holds(tmp_path: Path) -> None:
    checks = [check(reading="one"), check(reading="other", evidence="raw")]
    judged = only(tmp_path, checks=checks, undefined="which")
    assert (judged.verdict, judged.evidence) == ("holds", "counts")


def test_derivations_are_filled_in_and_nothing_else_is(tmp_path: Path) -> None:
    path = write_register(
        tmp_path,
        claim(
            "*",
            over="models",
            printed=["0.05"],
            derivation="{name}: {{x}} {value} against {printed}, off by {discrepancy}",
        ),
        subjects={"models": [{"name": "{value}{{"}]},
    )
    (judged,) = audit(load_register(path), write_results(tmp_path)).judged
    assert judged.derivation == "{value}{{: {x} 0.045 against 0.05, off by −0.005"


def test_words(tmp_path: Path) -> None:
    stated = {"text": "RFFF"}
    judged = only(tmp_path, printed="RFFF", states=stated, checks=[check(column="word")])
    assert (judged.verdict, judged.outcomes[0].value) == ("holds", "RFFF")
    judged = only(
        tmp_path, checks=[check(column="word", rows={"rank": 2})], printed="R", states=stated
    )
    assert judged.verdict == "contradicted"
    assert judged.reason == "Printed is R, recomputed is FFFF."


def test_totals_count_every_claim_once(tmp_path: Path) -> None:
    result = audited(
        tmp_path,
        claim("a"),
        claim("b", printed="0.5"),
        claim("c", printed="0.5", checks=[check(evidence="raw")]),
        claim("d", checks=None, needs="x"),
    )
    counts = result.counts()
    assert sum(counts[verdict, one] for verdict in VERDICTS for one in EVIDENCE) == 4
    assert counts["contradicted", "raw"] == counts["contradicted", "counts"] == 1
    assert counts["contradicted", ""] == 2
    assert counts["not_checkable", "none"] == counts["", "none"] == 1
    assert counts["", ""] == 4
    assert [j.claim.id for j in result.judged] == list("abcd")
    assert [j.claim.id for j in result.with_verdict("contradicted")] == ["b", "c"]


def test_texts_that_a_verdict_calls_for(tmp_path: Path) -> None:
    fitted = check(result="witness.csv", evidence=None)
    readings = [check(reading="a"), check(reading="b", rows={"rank": 2})]
    result = audited(
        tmp_path,
        claim("fine"),
        claim("wrong", printed="0.5"),
        claim("told", printed="0.5", derivation="d", consequence="c"),
        claim("open", checks=readings, undefined="which"),
        claim("fit", checks=[fitted], measures={"role": "input"}),
    )
    assert result.missing_texts() == (
        "claim 'wrong' is contradicted and has no `derivation`",
        "claim 'wrong' is contradicted and has no `consequence`",
        "claim 'open' is ambiguous and has no `consequence`",
        "claim 'fit' is not_checkable and has no `needs`",
    )


def test_the_rule_behind_a_result(tmp_path: Path) -> None:
    cross = claim("y", checks=[{"claim": "x"}])
    result = audited(tmp_path, claim("x"), cross, rule_of={"pairs.csv": "rule pairs"})
    assert [j.made_by for j in result.judged] == ["rule pairs", ""]
    path = write_register(tmp_path, claim(checks=[check(result="late.csv")]))
    with pytest.raises(AuditError, match="finish the run that writes it by rule late first"):
        audit(load_register(path), tmp_path / "results", {"late.csv": "rule late"})


def test_an_error_names_register_claim_and_field(tmp_path: Path) -> None:
    path = write_register(tmp_path, claim(checks=[check(), check(column="q")]))
    results = write_results(tmp_path)
    with pytest.raises(AuditError) as caught:
        audit(load_register(path), results)
    start = f"{path}, claim 'x', field checks/1/column: pairs.csv has no column 'q'. Remedy: "
    assert str(caught.value).startswith(start)
