"""The audit as one HTML file, readable without a network and without scripts."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Final
from urllib.parse import urlencode

from jinja2 import Environment

from llm_power._errors import InvalidArgument, counted, one_line
from llm_power._report.page import page_environment, page_parts
from llm_power_audit._exhibits import counts_by_exhibit, excerpt, input_name, verdict_map
from llm_power_audit.agreement import HOLDING, display_number
from llm_power_audit.claims import Check, Claim, Evidence, Exhibit, Verdict, Weight, section_name
from llm_power_audit.corrections import (
    ContradictedFinding,
    computed,
    contradicted_findings,
    sentence,
    should_read,
    ungrouped,
)
from llm_power_audit.evaluate import Audit, Judged, Outcome
from llm_power_audit.independence import independent_tests
from llm_power_audit.misprints import Detection
from llm_power_audit.printed import as_decimal
from llm_power_audit.written_verdicts import VERDICT_TERMS, Term, claim_anchor

_PACKAGE: Final = "llm_power_audit"
_EVIDENCE: Final[Mapping[Evidence, Term]] = {
    "raw": Term("raw data", "Recomputed from the models' own results, item by item."),
    "derived": Term("derived", "Follows by mathematics alone."),
    "displayed": Term(
        "displayed scores",
        "Recomputed from the numbers of solved items behind scores that a board displayed, at most "
        "with a printed number of the same pair.",
    ),
    "counts": Term("printed counts", "Recomputed from other printed numbers."),
    "consistency": Term(
        "printed twice",
        "Two printings of one number, or of its parts and their sum: that they agree is no "
        "evidence for the number.",
    ),
    "simulated": Term("simulated", "Simulated, with a known Monte Carlo error."),
    "raw_sample": Term(
        "real items, a sample",
        "Recomputed from the models' own results on some of the items, which were chosen and not "
        "drawn at random: what these items alone exclude is contradicted, and no more is decided.",
    ),
    "witness_held_out": Term(
        "witness, held out",
        "Came out of a data set that was fitted to other printed numbers, without having gone in.",
    ),
    "witness_fitted": Term(
        "witness, fitted",
        "Was put into the fitted data set: that it comes out again is no evidence.",
    ),
    "stand_in": Term(
        "stand-in or mirror",
        "Computed from items that another server gave than the one they are published on.",
    ),
    "none": Term("none", "There was nothing to compute it from."),
}

# Why a class contradicts nothing, where that is not for want of claims that rest on it.
_NEVER: Final[Mapping[Evidence, str]] = {
    "raw_sample": "what its items alone exclude is no printed number",
    "witness_held_out": "it is one of many data sets that fit the rest",
    "witness_fitted": "what was put in comes out again",
    "stand_in": "its items may be made up",
    "none": "there is nothing to contradict by",
}

# Nothing else may stand in an image.
_PNG: Final = re.compile(r"data:image/png;base64,[A-Za-z0-9+/]+=*")
# A relative address has no scheme and no host, and is plain ASCII as RFC 3986 wants it.
_RELATIVE: Final = re.compile(r"(?!/)[\w.~!$&'()*+,;=@%/?#-]+", re.ASCII)


_WEIGHTS: Final[Mapping[Weight, str]] = {
    "main_result": "Changes {main_result}",
    "conclusion": "Changes a conclusion",
    "exhibit": "Changes numbers, and no conclusion",
    "wording": "Changes a sentence",
}
_CHANGES: Final[Mapping[Weight, str]] = {
    "conclusion": "another conclusion",
    "exhibit": "numbers alone",
    "wording": "a sentence alone",
}
# Of what a claim follows from; the register and the table of claims have all of it.
_MOST_INPUTS: Final = 8


def render_report(
    audit: Audit,
    *,
    links: Mapping[str, str],
    pictures: Mapping[str, str] | None = None,
    detection: Detection | None = None,
) -> str:
    """Render an audit as one self-contained HTML page.

    Characters that cannot be seen appear as their code point, ``[U+202E]``; style and script are
    named by their hashes in the Content-Security-Policy, and nothing else may load or run.
    """
    counts = audit.counts()
    findings = contradicted_findings(audit)
    judged = {item.claim.id: item for item in audit.judged}
    return _environment().get_template("report.html.j2").render(
        audit=audit,
        links=links,
        pictures=pictures or {},
        groups=_groups(findings, audit),
        ungrouped=ungrouped(audit),
        finding_of={
            item.claim.id: (rank, one.finding)
            for rank, one in enumerate(findings, 1)
            for item in one.contradicted
        },
        summary=_summary(findings, audit),
        basis=_basis(audit),
        holding=_holding(audit),
        maps={name: verdict_map(name, audit) for name in audit.register.exhibits},
        exhibit_counts=counts_by_exhibit(audit.judged),
        sentence=lambda text: sentence(text, judged),
        should_read=lambda item, finding: should_read(item, finding, judged),
        inputs=lambda claim: _inputs(claim, audit.register.exhibits, judged),
        excerpt=lambda one: excerpt(one, audit),
        **page_parts(_PACKAGE, "report.css", "report.js"),
        verdicts=VERDICT_TERMS,
        holds=HOLDING,
        evidences=_EVIDENCE,
        known=judged.keys(),
        contradicted=audit.with_verdict("contradicted"),
        ambiguous=audit.with_verdict("ambiguous"),
        cross_checks=[item for item in audit.judged if item.claim.kind == "cross_check"],
        counts=counts,
        tests=independent_tests(audit.judged),
        rates=detection.rates() if detection else {},
        detected=detection.cells() if detection else [],
        bars={evidence: list(_bar(evidence, counts)) for evidence in _EVIDENCE},
        contradicts={one: _contradicts(one, counts) for one in _EVIDENCE},
        longest_bar=max([1, *(counts["", evidence] for evidence in _EVIDENCE)]),
        sections=[
            (section, section_name(section))
            for section in dict.fromkeys(item.claim.section for item in audit.judged)
        ],
        verdict_choices=[(verdict, term.word) for verdict, term in VERDICT_TERMS.items()],
        evidence_choices=[(evidence, term.word) for evidence, term in _EVIDENCE.items()],
    )  # fmt: skip


@cache
def _environment() -> Environment:
    environment = page_environment(_PACKAGE)
    environment.filters |= {
        "agreement": _agreement,
        "anchor": claim_anchor,
        "computed": _computed,
        "difference": _difference,
        "lookup": _lookup,
        "relative": _relative,
        "png": _png,
        "section_name": section_name,
        "should_read": computed,
        "stated": _stated,
    }
    environment.globals["query"] = _query
    return environment


def _relative(address: str) -> str:
    if not _RELATIVE.fullmatch(address):
        raise InvalidArgument(f"links must be relative addresses, percent-encoded, got {address!r}")
    return address


def _png(address: str) -> str:
    if not _PNG.fullmatch(address):
        raise InvalidArgument(f"pictures must be PNG in base64, got {one_line(address, 60)!r}")
    return address


def _query(verdict: str, evidence: str) -> str:
    chosen = {"verdict": verdict, "evidence": evidence}
    return f"#?{urlencode({name: value for name, value in chosen.items() if value})}"


def _bar(
    evidence: Evidence, counts: Counter[tuple[str, str]]
) -> Iterator[tuple[int, int, Verdict]]:
    start = 0
    for verdict in VERDICT_TERMS:
        if width := counts[verdict, evidence]:
            yield start, width, verdict
            start += width


def _groups(
    findings: Sequence[ContradictedFinding], audit: Audit
) -> list[tuple[str, list[tuple[int, ContradictedFinding]]]]:
    """Return the findings, numbered, under what they change."""
    main = audit.register.main_result or "the main result"
    ranked = list(enumerate(findings, 1))
    return [
        (_WEIGHTS[weight].format(main_result=main), list(group))
        for weight, group in groupby(ranked, key=lambda one: one[1].finding.weight)
    ]


def _summary(findings: Sequence[ContradictedFinding], audit: Audit) -> list[str]:
    """Say in one sentence each how much is wrong, and whether it matters."""
    total, wrong = len(audit.judged), len(audit.with_verdict("contradicted"))
    if not findings:
        return [f"{wrong or 'None'} of {counted(total, 'claim')} {_are(wrong)} contradicted."]
    weights = Counter(one.finding.weight for one in findings)
    first = weights["main_result"]
    parts = []
    if audit.register.main_result:
        does = "change" if first > 1 else "changes"
        parts = [f"{first or 'None'} {does} {audit.register.main_result}"]
    parts += [
        f"{weights[weight]} {'changes' if weights[weight] == 1 else 'change'} {what}"
        for weight, what in _CHANGES.items()
        if weights[weight]
    ]
    sentence = "; ".join(parts)
    they = "They"
    if any(one.contradicted[0].verdict == "ambiguous" for one in findings):
        they = "With ambiguities that change a count they"
    return [
        f"{wrong:,} of {counted(total, 'claim')} {_are(wrong)} contradicted. "
        f"{they} come to {counted(len(findings), 'finding')}.",
        f"{sentence[:1].upper()}{sentence[1:]}.",
    ]


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _basis(audit: Audit) -> str:
    """Say what became of the other claims, and how many of those that hold rest on evidence."""
    counts, holding = audit.counts(), _holding(audit)
    others = [
        f"{term.word} {counts[verdict, '']:,}"
        for verdict, term in VERDICT_TERMS.items()
        if verdict != "contradicted" and counts[verdict, ""]
    ]
    rests = [
        f"{_EVIDENCE[evidence].word} {by_basis['evidence']:,}"
        for evidence, by_basis in holding.items()
        if by_basis["evidence"]
    ]
    sentence = f"The others: {' · '.join(others)}." if others else ""
    if not rests:
        return sentence
    total = sum(holding.values(), Counter[str]())
    words = ("printing", "agree with another printing"), ("label", "are row labels")
    apart = [f"{total[basis]:,} {what}" for basis, what in words if total[basis]]
    rest = f" Beside them {' and '.join(apart)}." if apart else ""
    on = total["evidence"]
    return f"{sentence} {on:,} that hold rest on evidence: {' · '.join(rests)}.{rest}"


def _holding(audit: Audit) -> dict[Evidence, Counter[str]]:
    """Count those that hold, by class: on evidence, by another printing, as the name of a row."""
    holding: dict[Evidence, Counter[str]] = {evidence: Counter() for evidence in _EVIDENCE}
    for one in audit.judged:
        if one.verdict in HOLDING:
            again = one.claim.kind == "cross_check" or one.evidence == "consistency"
            basis = "printing" if again else "label" if one.claim.is_label else "evidence"
            holding[one.evidence][basis] += 1
    return {evidence: counts for evidence, counts in holding.items() if counts}


def _inputs(
    claim: Claim, exhibits: Mapping[str, Exhibit], judged: Mapping[str, Judged]
) -> tuple[list[tuple[str, Claim | None]], int]:
    """Return the printed numbers that a claim follows from, named, and how many more there are."""
    named: list[tuple[str, Claim | None]] = []
    for name in claim.follows_from[:_MOST_INPUTS]:
        other = judged[name].claim if name in judged else None
        named.append((input_name(other, claim.cell, exhibits) if other else name, other))
    return named, len(claim.follows_from) - len(named)


def _stated(claim: Claim) -> str:
    """Return the number that a claim printed in words states; empty if it shows its digits."""
    statement = claim.statement
    if statement.relation != "=" or re.search(r"\d", claim.printed):
        return ""
    return display_number(claim, statement.value)


def _agreement(item: Judged) -> str:
    """Say between which numbers the computed one has to lie, and whether it does."""
    statement, outcome = item.claim.statement, item.deciding
    exact = outcome is not None and math.isnan(outcome.z) and not outcome.check.claim
    if outcome is None or not exact or statement.relation != "=" or not statement.half_unit:
        return ""
    value, half = as_decimal(statement.value), as_decimal(statement.half_unit)
    low, high = (display_number(item.claim, float(end)) for end in (value - half, value + half))
    lies = {"holds": "lies between", "contradicted": "lies outside"}.get(item.verdict, "")
    if not lies:
        return ""
    shown = outcome.shown(item.claim)
    return f"{item.claim.printed} stands for {low} to {high}; {shown} {lies}."


def _contradicts(evidence: Evidence, counts: Mapping[tuple[str, str], int]) -> str:
    """Say how many claims a class of evidence contradicts, or why none."""
    contradicted, claims = counts["contradicted", evidence], counts["", evidence]
    if contradicted:
        return f"contradicts {contradicted:,} of its {claims:,} claims"
    if evidence in _NEVER:
        return f"contradicts none: {_NEVER[evidence]}"
    return f"contradicts none of its {claims:,} claims" if claims else "no claim here rests on it"


def _computed(outcome: Outcome, claim: Claim) -> tuple[str, str]:
    """Return a value as it is shown, and in full where that says more."""
    text = outcome.shown(claim)
    if isinstance(outcome.value, str):
        return text, ""
    if outcome.is_set:
        return text, f"{outcome.lower!r} to {outcome.upper!r}"
    if outcome.standard_error > 0:
        text += f" ± {display_number(claim, outcome.standard_error)}"
    return text, repr(outcome.value)


def _difference(outcome: Outcome, claim: Claim) -> str:
    """Say how far the value is from the printed one, in the unit that decides the verdict."""
    # How far a bound is kept is no difference.
    kept = not claim.statement.is_number and outcome.verdict == "holds"
    if kept or math.isnan(outcome.discrepancy):
        return ""
    if not math.isnan(outcome.z):
        return f"{_signed(outcome.z)} standard errors"
    unit = 2 * claim.statement.half_unit
    if not unit > 0:
        return _plus(display_number(claim, outcome.discrepancy))
    units = _signed(outcome.discrepancy / unit)
    return f"{units} {'unit' if units in ('+1', '−1') else 'units'} of the last digit"


def _signed(value: float) -> str:
    if not math.isfinite(value):
        return "+∞" if value > 0 else "−∞"
    text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"
    return _plus(text.replace("-", "−"))


def _plus(text: str) -> str:
    return text if text.startswith("−") or text == "0" else f"+{text}"


def _lookup(check: Check) -> str:
    """Say which cell, or which rows, of a result file a check reads."""
    what = check.column or "rows"
    if check.aggregate:
        what = f"{check.aggregate} of {what}"
    where = ", ".join(f"{name} {_condition(wanted)}" for name, wanted in check.rows.items())
    return f"{what} where {where}" if where else what


def _condition(wanted: object) -> str:
    if not isinstance(wanted, Mapping):
        return f"= {wanted}"
    return " and ".join(f"{relation.replace('_', ' ')} {x}" for relation, x in wanted.items())
