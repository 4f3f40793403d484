"""Claims about pairs of one's own board, in three fields, whichever model ranks better."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from llm_power._board.resolve import resolve_board
from llm_power._board.summary import describe_board
from llm_power._example import example_task
from llm_power._report.board_files import write_board
from llm_power_audit._errors import AuditError
from llm_power_audit.audit_files import claims_markdown
from llm_power_audit.evaluate import audit
from llm_power_audit.register import load_register


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("board") / "out"
    board = resolve_board([example_task()], family="all")
    write_board(
        out, board, [example_task()], describe_board(board, [example_task()], missing="error")
    )
    return out


def verdict(results: Path, entry: str) -> str:
    register = results.parent / "claims.yaml"
    register.write_text(f"claims:\n  - {entry}\n", encoding="utf-8")
    (judged,) = audit(load_register(register), results).judged
    return judged.verdict


@pytest.mark.parametrize(
    ("pair", "states", "found"),
    [
        ("osprey, kite", "verdict: better", "holds"),
        ("kite, osprey", "verdict: worse", "holds"),
        ("kite, osprey", "verdict: better", "contradicted"),
        ("heron, osprey", "verdict: undetermined", "holds"),
        ("osprey, heron", "verdict: undetermined", "holds"),
        ("heron, osprey", "verdict: better", "contradicted"),
        ("osprey, kite", "resolved: true", "holds"),
        ("kite, osprey", "resolved: true", "holds"),
        ("heron, osprey", "resolved: true", "contradicted"),
        ("heron, osprey", "resolved: false", "holds"),
        ("kite, osprey", "q: {at_least: 1}", "holds"),
        ("kite, osprey", "gap_high: {below: 0}", "holds"),
        ("osprey, kite", "gap_low: {above: 0}", "holds"),
        ("osprey, kite", "delta: {between: [0.077, 0.078]}", "holds"),
        ("kite, osprey", "delta: {between: [-0.078, -0.077]}", "holds"),
        ("kite, osprey", "gap: {between: [-0.078, -0.077]}", "holds"),
        ("kite, osprey", "b: 17", "holds"),
        ("osprey, kite", "b: 48", "holds"),
    ],
)
def test_a_pair_is_seen_from_the_model_named_first(
    results: Path, pair: str, states: str, found: str
) -> None:
    entry = f"{{claim: front page, pair: [{pair}], states: {{{states}}}}}"
    assert verdict(results, entry) == found


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{claim: a, pair: [heron, herno], states: {resolved: true}}", "no model is named 'herno'"),
        ("{claim: a, pair: [heron, kite], states: {q: 1, p: 1}}", "states one column, got q, p"),
        ("{claim: a, pair: [heron, heron], states: {q: 1}}", "non-unique"),
        ("{claim: a, pair: [heron, kite], states: {speed: 1}}", "no column 'speed'"),
        ("{claim: a, pair: [heron, kite]}", "'states' is a required property"),
        ("{claim: a, pair: [heron, kite], states: {q: 1}, rows: 2}", "rows"),
        ("{claim: a, pair: [heron, kite], states: {q: 1}, task: quiz}", "quiz"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(results: Path, entry: str, message: str) -> None:
    with pytest.raises(AuditError, match=message) as error:
        verdict(results, entry)
    assert "\n" not in str(error.value)


def test_a_pair_that_was_not_compared(tmp_path: Path) -> None:
    board = resolve_board([example_task()])
    out = tmp_path / "out"
    write_board(
        out, board, [example_task()], describe_board(board, [example_task()], missing="error")
    )
    with pytest.raises(AuditError, match="no pair of heron and wren.*--pairs all"):
        verdict(out, "{claim: a, pair: [heron, wren], states: {resolved: true}}")


def test_what_a_result_rests_on_is_said_where_nothing_beside_it_does(
    results: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "out" / "pairs" / "exam.csv"
    bare.parent.mkdir(parents=True)
    shutil.copy(results / "pairs.csv", bare)
    entry = "claim: a, pair: [osprey, kite], states: {verdict: better}, result: pairs/exam.csv"
    with pytest.raises(AuditError, match="nothing says what pairs/exam.csv rests on"):
        verdict(tmp_path / "out", f"{{{entry}}}")
    assert verdict(tmp_path / "out", f"{{{entry}, evidence: raw}}") == "holds"


def test_a_claim_without_an_id_has_its_number(tmp_path: Path) -> None:
    claims = "".join(
        f"- {{claim: {words}, pair: [heron, wren], states: {{resolved: true}}}}\n"
        for words in ("first", "second")
    )
    register = tmp_path / "claims.yaml"
    register.write_text(f"claims:\n{claims}", encoding="utf-8")
    assert [one.id for one in load_register(register).claims] == ["pair-1", "pair-2"]


def test_a_claim_without_a_place_leaves_none_empty_and_lacks_no_text(results: Path) -> None:
    register = results.parent / "claims.yaml"
    register.write_text(
        "claims:\n  - {claim: kite leads, pair: [kite, osprey], states: {verdict: better}}\n",
        encoding="utf-8",
    )
    judged = audit(load_register(register), results)
    lines = claims_markdown(judged).splitlines()
    assert lines[lines.index("### pair-1") + 2] == "kite leads"
    assert "### " not in lines
    assert judged.missing_texts() == ()
