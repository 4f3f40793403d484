"""References of a register: between its claims, and of its findings to them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from llm_power._errors import one_line
from llm_power_audit._errors import AuditError, within
from llm_power_audit.claims import Claim, Finding

# A number in a text of a finding.
NUMBER: Final = re.compile(r"\{(?P<what>value|printed) (?P<claim>[^{}\s]+)\}")
# Ids held against patterns, and ids that all claims together follow from: some seconds of work.
_MOST_REFERENCES: Final = 5_000_000


def follow_patterns(claims: Sequence[Claim]) -> list[Claim]:
    """Replace each pattern ``table/*/b`` in ``follows_from`` by the ids that match it.

    A ``*`` stands for one part of an id, or for some letters of one. A pattern without any match
    stays, to be refused.
    """
    ids = [claim.id for claim in claims]
    meant = _meant({name for claim in claims for name in claim.follows_from}, ids)
    _refuse_too_many(sum(len(meant[name]) for claim in claims for name in claim.follows_from))
    return [
        replace(
            claim, follows_from=tuple(one for name in claim.follows_from for one in meant[name])
        )
        for claim in claims
    ]


def matching_ids(names: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Replace each pattern among `names` by the ids that match it; one without any stays."""
    meant = _meant(names, ids)
    return list(dict.fromkeys(one for name in names for one in meant[name]))


def repeat_printed(claims: Sequence[Claim]) -> list[Claim]:
    """Copy the printed number, and its statement, to each claim that repeats another's."""
    own = {claim.id: claim for claim in claims if not claim.printed_of}
    return [_with_printed(claim, own) if claim.printed_of else claim for claim in claims]


def _with_printed(claim: Claim, own: Mapping[str, Claim]) -> Claim:
    other = own.get(claim.printed_of)
    if other is None:
        problem = f"there is no claim {claim.printed_of!r} with a printed number of its own"
        remedy = "name the id of a claim that has `printed`"
        raise AuditError(problem, remedy=remedy, claim=claim.id, field="printed_of")
    return replace(
        claim,
        printed=other.printed,
        statement=other.statement,
        printed_standard_error=other.printed_standard_error,
        follows_from=tuple(dict.fromkeys((*claim.follows_from, other.id))),
    )


def _refuse_too_many(references: int) -> None:
    if references > _MOST_REFERENCES:
        problem = f"the patterns of `follows_from` stand for more than {_MOST_REFERENCES} ids"
        remedy = "name the ids that a claim follows from, or split the register"
        raise AuditError(problem, remedy=remedy, field="follows_from")


def _meant(names: Collection[str], ids: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the ids that each name stands for: those that match a pattern, or else itself."""
    patterns = [name for name in names if "*" in name]
    _refuse_too_many(len(patterns) * len(ids))
    matching = {name: list(filter(_compiled(name).fullmatch, ids)) for name in patterns}
    return {name: matching.get(name) or [name] for name in names}


def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern as a regular expression in which nothing is tried twice.

    To take each piece at its first place leaves the most room for those after it.
    """
    first, *inner, last = map(re.escape, pattern.split("*"))
    return re.compile(f"{first}{''.join(f'(?>[^/]+?{piece})' for piece in inner)}[^/]+{last}")


def check_references(claims: Sequence[Claim], exhibits: Mapping[str, Any] | None) -> None:
    """Raise if a reference names no exhibit or claim of the register, or if references loop."""
    by_id = {claim.id: claim for claim in claims}
    for claim in claims:
        if exhibits is not None and claim.exhibit is not None and claim.exhibit not in exhibits:
            problem = f"there is no exhibit {claim.exhibit!r}"
            remedy = "name one of those under `exhibits`"
            raise AuditError(problem, remedy=remedy, claim=claim.id, field="exhibit")
        references = [("follows_from", name) for name in claim.follows_from]
        references += [
            (f"checks/{i}/{field}", name)
            for i, check in enumerate(claim.checks)
            for field, name in (("claim", check.claim), ("role_of", check.role_of))
            if name
        ]
        for place, name in references:
            if name not in by_id:
                with within(claim=claim.id):
                    _no_such_claim(name, place)
    _refuse_cycles(by_id)


def _refuse_cycles(claims: Mapping[str, Claim]) -> None:
    checked_by = {name: [c.claim for c in one.checks if c.claim] for name, one in claims.items()}
    try:
        TopologicalSorter(checked_by).prepare()
    except CycleError as error:
        loop: list[str] = error.args[1][::-1]
        problem = f"the claims are checked by one another: {one_line(' -> '.join(loop), 300)}"
        remedy = "let the later one check the earlier one only"
        raise AuditError(problem, remedy=remedy, claim=loop[0], field="checks") from error


# Of findings


def load_findings(document: Mapping[str, Any], claims: Sequence[Claim]) -> tuple[Finding, ...]:
    """Return the findings of a register whose form is known to be right."""
    ids = [claim.id for claim in claims]
    findings: list[Finding] = []
    for entry in document.get("findings", []):
        try:
            finding = _finding(entry, ids, document.get("exhibits", {}))
            _refuse_doubles(finding, findings)
        except AuditError as error:
            problem = f"finding {entry['id']!r}: {error.problem}"
            remedy = error.remedy
            raise AuditError(problem, remedy=remedy, field=f"findings/{error.field}") from error
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
        problem = f"unknown placeholder or single brace in {one_line(text, 80)!r}"
        raise AuditError(problem, remedy="write {value ID} or {printed ID}", field=field)


def _no_such_claim(claim: str, field: str) -> None:
    problem = f"there is no claim {claim!r}"
    raise AuditError(problem, remedy="name the id of a claim of this register", field=field)


def _refuse_doubles(finding: Finding, others: Sequence[Finding]) -> None:
    for other in others:
        if finding.id == other.id:
            raise AuditError("the id occurs twice", remedy="rename one of them", field="id")
        if both := sorted({*finding.claims} & {*other.claims}):
            problem = f"claim {both[0]!r} is in finding {other.id!r} too"
            raise AuditError(problem, remedy="leave it to one of the two", field="claims")
