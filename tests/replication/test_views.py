"""Findings beside what is printed."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from llm_power._errors import InvalidArgument
from llm_power_audit.claims import Role
from llm_power_audit.printed import Printed
from replication.constraints import Constraint, select
from replication.findings import (
    Basis,
    Finding,
    evidence_view,
    index_printed,
    items_view,
    left_open,
    prose_view,
    roles_view,
)


def printed_number(text: str, value: float, half_unit: float, error: float = 0.0) -> Constraint:
    printed = Printed("=", value, half_unit, text=text)
    return Constraint(
        "x", "oll_v1", "x", (), "held_out", "Section 9", printed, standard_error=error
    )


def finding(
    quantity: str,
    value: float,
    *,
    subject: str = "",
    method: str = "",
    basis: Basis = "witness",
    standard_error: float = math.nan,
) -> Finding:
    return Finding(quantity, subject, value, method, basis, standard_error, panel="oll_v1")


# --- Numbers of prose ---


@pytest.mark.parametrize(
    ("value", "mc_se", "printed_se", "expected"),
    [
        (0.445, math.nan, 0.0, True),
        (0.4449, math.nan, 0.0, False),
        (0.4449, 0.001, 0.0, True),
        (0.44, 0.001, 0.0, False),
        (0.4121, 0.006, 0.008, True),  # 3.29 x 0.010 from the edge 0.445
        (0.412, 0.006, 0.008, False),
        (math.nan, math.nan, 0.0, False),
        (math.inf, 0.001, 0.0, False),
    ],
)
def test_agreement_allows_for_simulation_and_for_nothing_else(
    value: float, mc_se: float, printed_se: float, expected: bool
) -> None:
    known = {("oll_v1", "x", ""): printed_number("0.45", 0.45, 0.005, printed_se)}
    frame = prose_view([finding("x", value, standard_error=mc_se)], known)
    assert bool(frame["agrees"][0]) is expected


def test_a_number_that_is_not_printed_has_no_verdict() -> None:
    unheard = finding("unheard_of", 1.0, subject="a, b", method="ours")
    frame = prose_view([unheard], {})
    row = frame.iloc[0]
    assert (row["subject"], row["value"], row["note"]) == ("a, b", 1.0, "ours")
    assert frame[["where", "printed", "role", "agrees"]].isna().all().all()


@pytest.mark.parametrize(
    ("basis", "role", "expected"),
    [
        ("raw", "input", "raw"),
        ("stand_in", None, "stand_in"),
        ("witness", "input", "witness_fitted"),
        ("witness", "target", "witness_fitted"),
        ("witness", "held_out", "witness_held_out"),
        ("witness", None, "witness_held_out"),
        ("counts", "held_out", "counts"),
        ("simulated", "held_out", "simulated"),
        ("derived", None, "derived"),
    ],
)
def test_evidence_follows_from_basis_and_role(
    basis: Basis, role: Role | None, expected: str
) -> None:
    printed = replace(printed_number("0.45", 0.45, 0.005), role=role or "held_out")
    known = {("oll_v1", "x", ""): printed} if role else {}
    frame = prose_view([finding("x", 0.45, basis=basis)], known)
    assert frame["evidence"].to_list() == [expected]


def test_a_number_that_two_registers_list_is_taken_from_the_first() -> None:
    first, second = printed_number("1", 1, 0.5), printed_number("2", 2, 0.5)
    merged = index_printed([first, second])
    assert merged["oll_v1", "x", ""] is first


# --- Roles ---


def findings_for(c: Constraint, value: float, **fields: object) -> list[Finding]:
    return [Finding(c.quantity, ", ".join(c.subject), value, **fields)]  # type: ignore[arg-type]


def test_reports_are_in_half_units_or_standard_errors(
    oll_v1_constraints: tuple[Constraint, ...],
) -> None:
    gain = select(oll_v1_constraints, "miller_gain_median")[0]
    power = select(oll_v1_constraints, "power_at_100")[0]
    found = [finding for c in (gain, power) for finding in findings_for(c, c.printed.value + 0.004)]
    frame = roles_view([gain, power], found)
    assert frame["unit"].tolist() == ["half units", "standard errors"]
    assert frame["residual"].tolist() == pytest.approx([0.8, 0.004 / 0.0126])
    assert frame["status"].tolist() == ["within rounding", "held out: right"]
    assert frame["value_untilted"].isna().all()
    nothing = roles_view([gain], findings_for(gain, math.nan))
    assert nothing["status"].tolist() == ["residual"]


def test_a_finding_of_the_first_word_of_the_subject_or_of_the_whole_will_do() -> None:
    number = replace(printed_number("2", 2, 0.5), subject=("1 vs 2", "a", "b"))
    for subject in ("1 vs 2, a, b", "1 vs 2", ""):
        assert roles_view([number], [finding("x", 2.0, subject=subject)])["value"].tolist() == [2]


def test_a_printed_number_without_a_finding_is_refused() -> None:
    number = printed_number("2", 2, 0.5)
    with pytest.raises(InvalidArgument, match="no finding of the panel oll_v1 is for Section 9: x"):
        roles_view([number], [finding("y", 2.0)])


def test_items_give_a_value_for_each_printed_number_and_the_error_of_both() -> None:
    drawn = replace(printed_number("2", 2, 0.5, error=0.3), quantity="drawn")
    found = [finding("x", 2.0, basis="raw"), finding("drawn", 3.0, standard_error=0.4, basis="raw")]
    frame = items_view([printed_number("2", 2, 0.5), drawn], found)
    assert frame["value"].tolist() == [2.0, 3.0]
    assert frame["standard_error"].tolist() == [0.0, 0.4]
    assert frame["joint_error"].tolist() == pytest.approx([0.0, 0.5])
    assert frame["evidence"].tolist() == ["raw", "raw"]


@pytest.mark.parametrize("is_there", [True, False])
def test_the_remark_of_items_is_left_open_where_a_number_rests_on_none(
    is_there: bool, tmp_path: Path
) -> None:
    x = finding("x", math.nan, method="wren has no row", basis="raw" if is_there else "none")
    frame = items_view([printed_number("2", 2, 0.5)], [x], remark="One is judged.")
    assert frame["method"].tolist() == ["wren has no row", ""]
    frame.to_csv(tmp_path / "items.csv", index=False)
    assert left_open([str(tmp_path / "items.csv")]) == ["One is judged."] * (not is_there)


# --- Evidence ---


def test_evidence_keeps_words_and_numbers() -> None:
    frame = evidence_view(
        [finding("x", 1.0, basis="counts"), Finding("y", "", "yes", basis="none")]
    )
    assert frame["value"].tolist() == [1.0, "yes"]
    assert frame["evidence"].tolist() == ["counts", "none"]
