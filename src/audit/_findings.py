"""The findings of a register."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from audit._errors import AuditError
from audit._references import matching_ids
from audit.claims import Claim, Finding
from llm_power._errors import one_line

# A number in a text of a finding.
NUMBER: Final = re.compile(r"\{(?P<what>value|printed) (?P<claim>[^{}\s]+)\}")


def load_findings(document: Mapping[str, Any], claims: Sequence[Claim]) -> tuple[Finding, ...]:
    """Return the findings of a register whose form is known to be right."""
    ids = [claim.id for claim in claims]
    findings: list[Finding] = []
    for entry in document.get("findings", []):
        try:
            finding = _finding(entry, ids, document.get("exhibits", {}))
            _refuse_doubles(finding, findings)
        except AuditError as error:
            raise AuditError(
                f"finding {entry['id']!r}: {error.problem}",
                remedy=error.remedy,
                field=f"findings/{error.field}",
            ) from error
        findings.append(finding)
    return tuple(findings)


def _finding(entry: Mapping[str, Any], ids: Sequence[str], exhibits: Mapping[str, Any]) -> Finding:
    known = set(ids)
    texts = {name: entry[name] for name in ("finding", "changes", "correction")}
    for field, text in (texts | dict(entry.get("should_read", {}))).items():
        _check_numbers(text, field, known)
    exhibit = entry.get("exhibit", "")
    if exhibit and exhibit not in exhibits:
        problem = f"there is no exhibit {exhibit!r}"
        raise AuditError(problem, remedy="name one of those under `exhibits`", field="exhibit")
    claims = matching_ids(entry["claims"], ids)
    for field, named in (("claims", claims), ("should_read", entry.get("should_read", {}))):
        for claim in named:
            if claim not in known:
                _no_such_claim(claim, field)
            if claim not in claims:
                problem = f"{claim!r} is not one of its claims"
                raise AuditError(problem, remedy="add it to `claims`", field=field)
    return Finding(**{**entry, "claims": tuple(claims)})


def _check_numbers(text: str, field: str, known: Collection[str]) -> None:
    for match in NUMBER.finditer(text):
        if match["claim"] not in known:
            _no_such_claim(match["claim"], field)
    if re.search(r"[{}]", NUMBER.sub("", text)):
        raise AuditError(
            f"unknown placeholder or single brace in {one_line(text, 80)!r}",
            remedy="write {value ID} or {printed ID}",
            field=field,
        )


def _no_such_claim(claim: str, field: str) -> None:
    raise AuditError(
        f"there is no claim {claim!r}",
        remedy="name the id of a claim of this register",
        field=field,
    )


def _refuse_doubles(finding: Finding, others: Sequence[Finding]) -> None:
    for other in others:
        if finding.id == other.id:
            raise AuditError("the id occurs twice", remedy="rename one of them", field="id")
        if both := sorted({*finding.claims} & {*other.claims}):
            raise AuditError(
                f"claim {both[0]!r} is in finding {other.id!r} too",
                remedy="leave it to one of the two",
                field="claims",
            )
