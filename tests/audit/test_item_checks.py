"""Claims are held against the items of a panel, where these are at hand."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from llm_power_audit.evaluate import Audit, audit
from llm_power_audit.register import load_register, with_item_checks

REGISTER = """
title: T
source: S
claims:
  - {id: a/rho, section: "1", place: p, claim: c, quantity: q, printed: "0.50",
     measures: {role: input, panel: p, quantity: rho}, needs: items, consequence: x}
  - {id: a/gap, section: "1", place: p, claim: c, quantity: q, printed: 2.0 pp,
     measures: {role: input, panel: p, quantity: gap, scale: 0.01}, needs: items,
     derivation: d, consequence: x}
  - {id: a/zero, section: "1", place: p, claim: c, quantity: q, printed: "0.5000",
     measures: {role: held_out, panel: p, quantity: off, states: {value: 0, half_unit: 0.1}},
     needs: items}
  - id: a/read
    section: "1"
    place: p
    claim: c
    quantity: q
    printed: "7"
    measures: {role: held_out, panel: p, quantity: [exactly, in_whole]}
    undefined: how it is rounded
    consequence: x
    checks:
      - {result: witness/roles.csv, rows: {quantity: exactly}, column: value, reading: exactly}
      - {result: witness/roles.csv, rows: {quantity: in_whole}, column: value, reading: in whole}
  - {id: a/drawn, section: "1", place: p, claim: c, quantity: q, printed: "0.80",
     measures: {role: held_out, panel: p, quantity: power, standard_error: 0.1}, needs: items}
  - {id: a/none, section: "1", place: p, claim: c, quantity: q, printed: "1", needs: items}
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    (tmp_path / "claims.yaml").write_text(REGISTER)
    folder = tmp_path / "results"
    for name in ("witness", "items"):
        (folder / name).mkdir(parents=True)
    roles = [("exactly", 7.0, "held_out"), ("in_whole", 8.0, "held_out")]
    frame = pd.DataFrame(roles, columns=["quantity", "value", "role"])
    frame.to_csv(folder / "witness" / "roles.csv", index=False)
    return folder


def judged(results: Path, evidence: str) -> Audit:
    values = [
        ("a/rho", "rho", 0.503),
        ("a/gap", "gap", 0.031),
        ("a/zero", "off", 0.0),
        ("a/drawn", "power", 0.9),
    ]
    values += [("a/read", "exactly", 7.2), ("a/read", "in_whole", 9.0)]
    frame = pd.DataFrame(values, columns=["id", "quantity", "value"])
    frame = frame.assign(standard_error=0.0, joint_error=0.1, evidence=evidence)
    frame.to_csv(results / "items" / "p.csv", index=False)
    register = load_register(results.parent / "claims.yaml")
    return audit(with_item_checks(register, results, ["items/p.csv"]), results)


def test_raw_items_decide(results: Path) -> None:
    found = {one.claim.id: (one.verdict, one.evidence) for one in judged(results, "raw").judged}
    assert found["a/rho"] == ("holds", "raw")
    assert found["a/gap"] == ("contradicted", "raw")  # 3.1 pp for 2.0 pp
    assert found["a/read"][1] == "raw"
    assert found["a/read"][0] == "ambiguous"
    assert found["a/drawn"] == ("holds", "raw")  # one standard error away
    # What the words say in other numbers than the quantity's is left to the claim's own checks.
    assert found["a/zero"] == ("not_checkable", "none")
    assert found["a/none"] == ("not_checkable", "none")


def test_items_of_a_stand_in_are_looked_at_and_decide_nothing(results: Path) -> None:
    by_id = {one.claim.id: one for one in judged(results, "stand_in").judged}
    assert by_id["a/rho"].verdict == by_id["a/gap"].verdict == "not_checkable"
    assert [o.evidence for o in by_id["a/rho"].outcomes] == ["stand_in"]
    assert {o.evidence for o in by_id["a/read"].outcomes} == {"witness_held_out", "stand_in"}
    assert by_id["a/read"].evidence != "stand_in"
