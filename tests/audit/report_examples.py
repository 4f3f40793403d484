"""Audits to render: every verdict with every evidence it may have, and texts that mean harm."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from llm_power_audit.claims import (
    Cell,
    Check,
    Claim,
    Evidence,
    Exhibit,
    Finding,
    Register,
    Verdict,
    Weight,
)
from llm_power_audit.evaluate import Audit, Judged, Outcome
from llm_power_audit.printed import Printed

_PAIRS: Final[tuple[tuple[Verdict, Evidence], ...]] = (
    ("holds", "counts"),
    ("holds", "derived"),
    ("holds_rounded", "counts"),
    ("contradicted", "counts"),
    ("holds", "simulated"),
    ("ambiguous", "derived"),
    ("not_checkable", "witness_fitted"),
    ("holds", "raw"),
    ("not_checkable", "none"),
    ("contradicted", "simulated"),
    ("holds", "witness_held_out"),
)
_FINDINGS: Final[tuple[Verdict, ...]] = ("contradicted", "ambiguous", "holds")
_SECTIONS: Final = ("Abstract", "1", "6.1", "Appendix E")
HOSTILE: Final = (
    "<img src=x onerror=\"window.__pwned='img'\">",
    "</script><script>window.__pwned='script'</script>",
    '"><svg onload="window.__pwned=\'svg\'">',
    "{{7*7}}{% raw %}",
    "left \u202eright",
    "m" * 200,
    "javascript:window.__pwned='link'",
)


def example_audit(n_claims: int = 60) -> Audit:
    """Return an audit of `n_claims` claims; every seventh is a cross-check."""
    judged = tuple(_judged(number) for number in range(1, n_claims + 1))
    exhibits = {
        "table_06": Exhibit(
            title="Table 6",
            file="tables/table_06.md",
            printed="printed/table_06.csv",
            columns={"p_chi2": "p of χ²"},
        )
    }
    contradicted = tuple(item.claim.id for item in judged if item.verdict == "contradicted")
    holding = next(item.claim.id for item in judged if item.verdict == "holds")
    findings = (
        _finding("words", "wording", contradicted[1:2], exhibit=""),
        _finding("numbers", "exhibit", contradicted[:1]),
        _finding("not-told", "main_result", (holding,)),
    )
    register = Register(
        file="claims.yaml",
        title="A paper",
        source="Somebody 2026",
        exhibits=exhibits,
        claims=tuple(one.claim for one in judged),
        findings=findings,
        main_result="which pairs are unresolved",
    )
    return Audit(register, judged)


def _finding(
    name: str, weight: Weight, claims: tuple[str, ...], exhibit: str = "table_06"
) -> Finding:
    return Finding(
        id=name,
        weight=weight,
        finding=f"It is {{value {claims[0]}}} and not {{printed {claims[0]}}}.",
        changes="Nothing.",
        correction=f"Print {{value {claims[0]}}}.",
        claims=claims,
        exhibit=exhibit,
        should_read={claims[0]: f"about {{value {claims[0]}}}"},
    )


def hostile_audit() -> Audit:
    """Return an audit in which every text is hostile, one kind of harm to a claim."""
    judged = []
    for number, harm in enumerate(HOSTILE, 1):
        item = _judged(number)
        check = replace(_check(number), column=harm, rows={harm: harm}, reading=harm)
        outcome = replace(_outcome(number, "counts", "contradicted"), check=check)
        claim = replace(
            item.claim,
            id=f"{harm}/{number}",
            section=harm,
            place=harm,
            claim=f"Model {harm} wins",
            printed=harm,
            exhibit=harm,
            follows_from=(harm,),
            undefined=harm,
            test=harm,
            needs=harm,
            note=harm,
            consequence=harm,
        )
        judged.append(
            replace(
                item,
                claim=claim,
                verdict=_FINDINGS[number % len(_FINDINGS)],
                evidence="counts",
                deciding=outcome,
                outcomes=(outcome, replace(outcome, value=harm)),
                reason=harm,
                derivation=harm,
                made_by=harm,
            )
        )
    exhibits = {harm: Exhibit(title=harm, file="tables/table_06.md") for harm in HOSTILE}
    first = next(item.claim.id for item in judged if item.verdict == "contradicted")
    finding = Finding(
        id=HOSTILE[0],
        weight="conclusion",
        finding=" ".join(HOSTILE),
        changes=HOSTILE[1],
        correction=HOSTILE[2],
        claims=(first,),
        exhibit=HOSTILE[0],
        should_read={first: HOSTILE[1]},
    )
    register = Register(
        file="claims.yaml",
        title=HOSTILE[0],
        source=HOSTILE[1],
        exhibits=exhibits,
        claims=tuple(one.claim for one in judged),
        findings=(finding,),
        main_result=HOSTILE[0],
    )
    return Audit(register, tuple(judged))


def _judged(number: int) -> Judged:
    verdict, evidence = _PAIRS[number % len(_PAIRS)]
    checked = evidence != "none"
    claim = Claim(
        id=f"table_06/{number}/p_chi2",
        kind="cross_check" if number % 7 == 0 else "claim",
        section=_SECTIONS[number % len(_SECTIONS)],
        place=f"Table 6, row {number}",
        exhibit="table_06",
        claim=f"McNemar's asymptotic p-value of gemma-7b against Llama-3-8B in row {number}",
        quantity="p-value",
        printed="0.773",
        statement=Printed("=", 0.773, half_unit=0.0005),
        printed_standard_error=math.nan,
        follows_from=("table_06/1/p_chi2",),
        test="eq. (1) of McNemar (1947) on b and c",
        checks=(_check(number),) if checked else (),
        undefined="Which of the two tests is meant." if verdict == "ambiguous" else "",
        exhaustive=False,
        derivation="With b = 120 and c = 115, chi-squared is 25/235.",
        consequence=f"Nothing: the verdict of row {number} stays.",
        needs="" if checked else "The scores of each item.",
        note="",
        cell=Cell("printed/table_06.csv", number, "p_chi2", label=f"pair {number}"),
    )
    outcome = _outcome(number, evidence, verdict) if checked else None
    readings = (
        (
            _read(outcome, "with continuity correction", "contradicted"),
            _read(outcome, "without", "holds"),
        )
        if outcome and verdict == "ambiguous"
        else (outcome,)
        if outcome
        else ()
    )
    return Judged(
        claim=claim,
        verdict=verdict,
        evidence=evidence,
        deciding=outcome,
        outcomes=readings,
        reason=f"Reason {number}.",
        derivation=f"Derivation {number}: with b = 120 and c = 115, chi-squared is 25/235.",
        made_by="table_06" if checked else "",
    )


def _read(outcome: Outcome, reading: str, verdict: Verdict) -> Outcome:
    return replace(outcome, check=replace(outcome.check, reading=reading), verdict=verdict)


def _check(number: int) -> Check:
    return Check(result="tables/table_06.csv", rows={"row": number}, column="p_chi2")


def _outcome(number: int, evidence: Evidence, verdict: Verdict) -> Outcome:
    simulated = evidence == "simulated"
    return Outcome(
        check=_check(number),
        value=0.7814159,
        lower=math.nan,
        upper=math.nan,
        standard_error=0.001 if simulated else 0.0,
        evidence=evidence,
        verdict=verdict,
        rounding="rounded up" if verdict == "holds_rounded" else "",
        discrepancy=0.0084159,
        z=8.4159 if simulated else math.nan,
    )
