"""Judge every claim of a register by a folder of results."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Final

from llm_power_audit._document import fill_braces
from llm_power_audit._errors import AuditError, Undefined, within
from llm_power_audit.agreement import (
    HOLDING,
    Ruling,
    display_number,
    joint_error,
    judge_printed,
    judge_readings,
    judge_value,
)
from llm_power_audit.claims import EVIDENCE, Check, Claim, Column, Evidence, Register, Verdict
from llm_power_audit.printed import DISPLAY_RULES, DisplayRule, as_decimal, printed_unit
from llm_power_audit.selection import ResultFolder, SelectedValue
from llm_power_audit.written_verdicts import in_words

# Texts that a claim must have, by its verdict.
_REQUIRED_TEXTS: Final[Mapping[Verdict, tuple[str, ...]]] = {
    "contradicted": ("derivation", "consequence"),
    "ambiguous": ("consequence",),
    "not_checkable": ("needs",),
}


@dataclass(frozen=True, kw_only=True)
class Outcome(SelectedValue, Ruling):
    """The outcome of one check: the value selected, with the joint error, and the ruling on it."""

    check: Check  # As the register has it
    undefined: str = ""  # Why there is no value; empty where there is one

    @property
    def is_set(self) -> bool:
        """Whether several values are possible, chance aside."""
        return not (math.isnan(self.lower) or self.standard_error)

    def shown(self, claim: Claim) -> str:
        """Write the value, or the ends of the set of values, in the notation of a claim."""
        if not self.is_set or self.lower == self.upper:
            return display_number(claim, self.value)
        return f"{display_number(claim, self.lower)} to {display_number(claim, self.upper)}"


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its verdict."""

    claim: Claim  # As the register has it
    # The verdict, and what it rests on.
    verdict: Verdict
    evidence: Evidence
    # The one that decides; None without any check, and where readings disagree.
    deciding: Outcome | None
    outcomes: tuple[Outcome, ...]  # One a check, in the order of the register
    reason: str
    derivation: str  # As the register has it, numbers filled in
    made_by: str  # The rule that made the deciding result; empty where unknown


@dataclass(frozen=True, slots=True)
class Audit:
    """Every claim of a register judged.

    Attributes
    ----------
    register : Register
        What was audited; only findings with a contradicted claim are reported.
    judged : tuple of Judged
        One a claim, in the order of the register.
    remarks : tuple of str
        Sentences of the results that the register asks for.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power_audit import Audit, audit, load_register
    >>> from llm_power_audit.example import write_example
    >>> write_example(".")
    >>> len(audit(load_register(Path("claims.yaml")), Path()).judged)
    2
    """

    register: Register
    judged: tuple[Judged, ...]
    remarks: tuple[str, ...] = ()

    def counts(self) -> Counter[tuple[str, str]]:
        """Count claims by verdict and evidence; an empty word stands for any."""
        return Counter(
            words for one in self.judged for words in product((one.verdict, ""), (one.evidence, ""))
        )

    def with_verdict(self, verdict: Verdict) -> tuple[Judged, ...]:
        """Return the claims that got `verdict`."""
        return tuple(judged for judged in self.judged if judged.verdict == verdict)

    def missing_texts(self) -> tuple[str, ...]:
        """Name the claims whose verdict calls for a text that their place in a paper lacks."""
        return tuple(
            f"claim {judged.claim.id!r} is {judged.verdict} and has no `{name}`"
            for judged in self.judged
            for name in _REQUIRED_TEXTS.get(judged.verdict, ())
            if judged.claim.section and not getattr(judged.claim, name)
        )


def audit(register: Register, results_dir: Path, rule_of: Mapping[str, str] | None = None) -> Audit:
    """Judge every claim of a register.

    Parameters
    ----------
    register : Register
        What `llm_power_audit.register.load_register` returned.
    results_dir : Path
        Folder that the result files of the register are relative to.
    rule_of : mapping of str to str, optional
        Rule or command that made each result file, for readers.

    Returns
    -------
    Audit
        In the order of the register.

    Raises
    ------
    AuditError
        If a check cannot be made; the message names claim, field and remedy.

    Examples
    --------
    >>> from pathlib import Path
    >>> from llm_power_audit import audit, load_register
    >>> from llm_power_audit.example import write_example
    >>> write_example(".")
    >>> [entry.verdict for entry in audit(load_register(Path("claims.yaml")), Path()).judged]
    ['contradicted', 'holds']
    """
    folder = ResultFolder(results_dir, rule_of)
    present = register.present(results_dir)
    by_id = {claim.id: claim for claim in present.claims}
    court = Court(by_id, folder, register.file)
    with within(file=register.file, field="remarks"):
        remarks = tuple(str(folder.find(one, as_text=True).value) for one in present.remarks)
    return Audit(present, tuple(court.judged.values()), remarks)


class Court:
    """Claims judged by one folder of results, each printed column by one rule of rounding.

    A column's rule is the one that fewest of its cells contradict, and then by which most hold; to
    the nearest where that does as well.
    """

    def __init__(self, claims: Mapping[str, Claim], folder: ResultFolder, file: str = "") -> None:
        self._claims, self._folder, self._file = claims, folder, file
        self.judged = {name: self.judge(claim, claims) for name, claim in claims.items()}
        columns: dict[Column, list[Judged]] = {}
        for one in self.judged.values():
            if (column := one.claim.column) and one.claim.kind == "claim":
                columns.setdefault(column, []).append(one)
        self.rules: dict[Column, DisplayRule] = {}
        for column, cells in columns.items():
            if any(one.verdict in ("contradicted", "feasible") for one in cells):
                self._choose(column, cells)

    def judge(
        self, claim: Claim, claims: Mapping[str, Claim], rounding: DisplayRule = "nearest"
    ) -> Judged:
        """Judge a claim among others, its number displayed by a rule of rounding."""
        outcomes = []
        for i, check in enumerate(claim.checks):
            with within(file=self._file, claim=claim.id, field=f"checks/{i}"):
                try:
                    outcomes.append(_outcome(claim, check, self._folder, claims, rounding))
                except Undefined as error:
                    nothing = Ruling("not_checkable", "", math.nan, math.nan)
                    selected = SelectedValue("", "none")
                    outcomes.append(_assemble(check, selected, 0.0, nothing, error.problem))
        return _judge(claim, tuple(outcomes), self._folder.rule_of)

    def judge_again(self, claim: Claim, claims: Mapping[str, Claim]) -> Judged:
        """Judge a claim that may state something else, by the rule of its column as printed."""
        rule = self.rules.get(claim.column, "nearest") if claim.column else "nearest"
        return self.judge(claim, claims, rule)

    def with_results(self, folder: ResultFolder) -> Court:
        """Return a court of the same rules that judges by other results."""
        other = copy(self)
        other._folder = folder
        return other

    def _choose(self, column: Column, cells: Sequence[Judged]) -> None:
        def fit(judged: Sequence[Judged]) -> tuple[int, int]:
            verdicts = Counter(one.verdict for one in judged)
            return -verdicts["contradicted"], sum(verdicts[one] for one in HOLDING)

        best = cells
        for rule in DISPLAY_RULES:
            by_rule = [self.judge(one.claim, self._claims, rule) for one in cells]
            if fit(by_rule) > fit(best):
                best, self.rules[column] = by_rule, rule
        self.judged |= {one.claim.id: one for one in best}


def _outcome(
    claim: Claim,
    check: Check,
    folder: ResultFolder,
    claims: Mapping[str, Claim],
    rounding: DisplayRule,
) -> Outcome:
    if check.claim:
        return _against_claim(claim, check, claims[check.claim])
    statement = claim.statement
    role = claims[check.role_of].role if check.role_of else claim.role
    selected = folder.find(check, role, as_text=statement.relation == "text")
    ruling = judge_value(
        statement,
        **vars(selected),
        printed_standard_error=claim.printed_standard_error,
        one_is_enough=claim.kind == "cross_check",
        rounding=rounding,
    )
    if _in_other_unit(claim, check) and ruling.verdict in HOLDING:
        ruling = replace(ruling, verdict="contradicted", rounding="")
    error = joint_error(selected.standard_error, claim.printed_standard_error)
    return _assemble(check, selected, error, ruling)


def _in_other_unit(claim: Claim, check: Check) -> bool:
    return check.unit != "" and check.unit != printed_unit(claim.printed)


def _against_claim(claim: Claim, check: Check, other: Claim) -> Outcome:
    stated = other.statement
    # Of one number that is printed twice, chance explains no difference.
    error = (
        joint_error(claim.printed_standard_error, other.printed_standard_error * abs(check.scale))
        if check.independent
        else 0.0
    )
    try:
        ruling = judge_printed(claim.statement, stated, scale=check.scale, standard_error=error)
    except ValueError as reason:
        problem = f"{claim.printed!r} cannot be held against {other.printed!r}: {reason}"
        remedy = "compare numbers with numbers and texts with texts, or alike bounds"
        raise AuditError(problem, remedy=remedy, field="claim") from reason
    value = (
        stated.text
        if stated.relation == "text"
        else float(as_decimal(stated.value) * as_decimal(check.scale))
    )
    return _assemble(check, SelectedValue(value, "consistency"), error, ruling)


def _assemble(
    check: Check, selected: SelectedValue, error: float, ruling: Ruling, undefined: str = ""
) -> Outcome:
    seen = vars(selected) | {"standard_error": error}
    return Outcome(**seen, **vars(ruling), check=check, undefined=undefined)


def _judge(claim: Claim, outcomes: tuple[Outcome, ...], rule_of: Mapping[str, str]) -> Judged:
    deciders = [] if claim.impossible else _deciders(outcomes)
    verdict, evidence = _verdict(claim, deciders)
    deciding = deciders[0] if deciders and verdict != "ambiguous" else None
    made = deciding or next(iter(deciders), None)
    return Judged(
        claim=claim,
        verdict=verdict,
        evidence=evidence,
        deciding=deciding,
        outcomes=outcomes,
        reason=_reason(claim, deciders)
        + _at_sample(claim, outcomes)
        + _not_computed(deciders, outcomes),
        derivation=_derivation(claim, deciders),
        made_by=rule_of.get(made.check.result, "") if made else "",
    )


def _verdict(claim: Claim, deciders: Sequence[Outcome]) -> tuple[Verdict, Evidence]:
    if claim.impossible:
        return "contradicted", "derived"
    if not deciders:
        return "not_checkable", "none"
    # A verdict over readings is no stronger than the weakest of them.
    evidence = max((o.evidence for o in deciders), key=EVIDENCE.index)
    if not deciders[0].check.reading:
        return deciders[0].verdict, evidence
    return judge_readings([o.verdict for o in deciders], exhaustive=claim.exhaustive), evidence


def _deciders(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return, for each reading, the outcome that decides with the strongest evidence.

    That printed numbers agree with one another counts where nothing else bears on the claim, and
    one that decides nothing where every one does.
    """
    readings: dict[str, list[Outcome]] = {}
    for o in outcomes:
        readings.setdefault(o.check.reading, []).append(o)
    return [min(group, key=_rank) for group in readings.values()]


def _rank(outcome: Outcome) -> tuple[int, int]:
    rank = {"feasible": 1, "not_checkable": 3}.get(outcome.verdict, 0)
    if outcome.evidence == "consistency" and outcome.verdict != "contradicted":
        rank = 2
    return rank, EVIDENCE.index(outcome.evidence)


def _derivation(claim: Claim, deciders: Sequence[Outcome]) -> str:
    def each(numbers: Sequence[float | str]) -> str:
        parts = (
            f"{display_number(claim, number)}{f' ({o.check.reading})' if o.check.reading else ''}"
            for number, o in zip(numbers, deciders, strict=True)
        )
        return "; ".join(parts) or "not computed"

    values = {
        "value": each([o.value for o in deciders]),
        "printed": claim.printed,
        "discrepancy": each([o.discrepancy for o in deciders]),
    }
    return fill_braces(claim.derivation, values)


def _reason(claim: Claim, deciders: Sequence[Outcome]) -> str:
    if claim.impossible:
        return f"Printed is {claim.printed}: {claim.impossible}."
    if not deciders:
        return f"Nothing here decides it; needed: {claim.needs}"
    if deciders[0].check.reading:
        each = "; ".join(
            f"{o.check.reading}: {o.shown(claim)} ({in_words(o.verdict)})" for o in deciders
        )
        return f"Readings tried: {each}."
    (o,) = deciders
    if o.undefined:
        return f"Printed numbers that contradict each other leave it undefined: {o.undefined}."
    value = display_number(claim, o.value)
    of_no_weight = {
        "witness_fitted": f"The witness was fitted to it ({value}): no evidence.",
        "stand_in": f"The items of a stand-in or a mirror of the hub give {value}: no evidence.",
        "witness_held_out": _of_witness(claim, o, value),
    }
    if o.evidence in of_no_weight:
        return of_no_weight[o.evidence]
    return _of_set(claim, o) if o.is_set else _of_value(claim, o, value)


def _of_value(claim: Claim, o: Outcome, value: str) -> str:
    if _in_other_unit(claim, o.check):
        return f"Printed is {claim.printed}, and the number is in {o.check.unit}."
    against = "printed elsewhere" if o.check.claim else "recomputed"
    spread = ""
    if not math.isnan(o.z):
        chance = "standard errors" if o.evidence == "raw_sample" else "Monte Carlo standard errors"
        spread = f", {o.z:+.1f} {chance} away"
    elif not math.isnan(o.discrepancy):
        spread = f", a difference of {display_number(claim, o.discrepancy)}"
    rounding = f"; the printed number is {o.rounding}" if o.rounding else ""
    shown = ""
    if not math.isnan(o.lower):
        low, high = (display_number(claim, end) for end in (o.lower, o.upper))
        shown = f"; a simulation of this size shows {low} to {high}"
    return f"Printed is {claim.printed}, {against} is {value}{spread}{shown}{rounding}."


def _at_sample(claim: Claim, outcomes: Sequence[Outcome]) -> str:
    """Say what real items give beside a witness."""
    if all(not o.evidence.startswith("witness") for o in outcomes):
        return ""
    values = [o.shown(claim) for o in outcomes if o.evidence == "raw_sample" and not o.is_set]
    return "".join(f" At the rates on the items of the sample: {value}." for value in values)


def _not_computed(deciders: Sequence[Outcome], outcomes: Sequence[Outcome]) -> str:
    """Say of a claim that nothing decides what would, had it a value, and why it has none."""
    if any(o.verdict != "not_checkable" for o in deciders):
        return ""
    reasons = [o.undefined for o in outcomes if o.undefined and o not in deciders]
    return "".join(f" Not computed: {reason}." for reason in reasons)


def _of_witness(claim: Claim, o: Outcome, value: str) -> str:
    if o.verdict == "feasible":
        rounding = f", {o.rounding}" if o.rounding else ""
        return (
            f"Printed is {claim.printed}{rounding}; a data set that fits the other printed numbers "
            f"has it ({value}), and others may not."
        )
    return (
        f"A data set that fits the other printed numbers, and was not fitted to this one, gives "
        f"{value}; another may have the printed value."
    )


def _of_set(claim: Claim, o: Outcome) -> str:
    # A cross-check asks whether printed numbers fit together.
    which = "can display" if claim.kind == "cross_check" else "all display"
    says = {
        "holds": f"which {which} as printed",
        "holds_rounded": f"which {which} as printed, {o.rounding}",
        "contradicted": "and none displays as printed",
    }.get(o.verdict, "of which some display as printed and others do not")
    given = {
        "displayed": "the displayed scores",
        "raw_sample": "the displayed scores and the items of the sample",
    }.get(o.evidence, "the other printed numbers")
    return f"Printed is {claim.printed}; {given} allow {o.shown(claim)}, {says}."
