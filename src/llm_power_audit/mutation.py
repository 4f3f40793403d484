"""The mutation score of a register: the share of misprints that its checks contradict.

A register that holds throughout may hold because it is right, or because its checks can say
nothing else. Each printed number and word is therefore misprinted in turn, and the claims are
judged again by the same results.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, Literal

import pandas as pd

from llm_power._provenance import EVIDENCE, Evidence, Verdict
from llm_power._report.text_tables import markdown_table
from llm_power_audit._errors import AuditError
from llm_power_audit.agreement import HOLDING, interval
from llm_power_audit.claims import Claim, Register
from llm_power_audit.evaluate import Court, Judged
from llm_power_audit.mutants import MISPRINTS, Mutant, mutants
from llm_power_audit.printed import Printed
from llm_power_audit.selection import ResultFolder

# What became of a misprint.
Fate = Literal["detected", "weakened", "survived", "implied", "equivalent", "not claimed"]
_NOTICEABLE: Final[tuple[Fate, ...]] = ("detected", "weakened", "survived")

MUTATION_COLUMNS: Final = [
    *("kind", "claim", "printed", "misprinted", "verdict", "evidence", "fate", "noticed_by"),
    "reason",
]


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of one misprint."""

    mutant: Mutant
    # Those of the claim as it is printed; where it is misprinted with others the first that
    # holds.
    verdict: Verdict
    evidence: Evidence
    # ``detected``: a claim that held is contradicted. ``weakened``: one that held does not any
    # more, and none is contradicted. ``survived``: all that held hold. ``implied``: the misprint
    # says less than what is printed, and is true with it. ``equivalent``: it says the same. ``not
    # claimed``: the claim does not hold as it is printed, so that there is nothing to lose.
    fate: Fate
    # Ids of the claims that are contradicted, or else of those that do not hold any more.
    noticed_by: tuple[str, ...]
    reason: str = ""  # The judgement on it where it passes


def mutation_trials(register: Register, results_dir: Path) -> list[Trial]:
    """Judge a register again with each misprint of `llm_power_audit.mutants.mutants`."""
    present = register.present(results_dir)
    trials = _Trials(present, results_dir)
    return [trials.trial(mutant) for mutant in mutants(present)]


class _Trials:
    """Judges misprints by results that are read once."""

    def __init__(self, register: Register, results_dir: Path) -> None:
        self._claims = {claim.id: claim for claim in register.claims}
        self._court = Court(self._claims, ResultFolder(results_dir), register.file)
        self._before = self._court.judged
        self._against: dict[str, list[str]] = {}
        for claim in self._claims.values():
            for name in {check.claim for check in claim.checks} - {""}:
                self._against.setdefault(name, []).append(claim.id)

    def trial(self, mutant: Mutant) -> Trial:
        changed = {claim.id: claim for claim in mutant.changed}
        held = [name for name in changed if self._before[name].verdict in HOLDING]
        before = self._before[held[0] if held else mutant.claim]
        judged = before.verdict, before.evidence
        if not held:
            return Trial(mutant, *judged, "not claimed", ())
        if meant := _by_meaning(mutant, self._claims):
            return Trial(mutant, *judged, meant, ())
        after = self._judge_again(changed)
        lost = {name: one for name, one in after.items() if _verdict(one) not in HOLDING}
        contradicted = tuple(name for name, one in lost.items() if _verdict(one) == "contradicted")
        if contradicted:
            return Trial(mutant, *judged, "detected", contradicted)
        fate: Fate = "weakened" if lost else "survived"
        first = after[held[0]]
        reason = first.reason if first else "It cannot be held against its checks any more."
        return Trial(mutant, *judged, fate, tuple(lost), reason)

    def _judge_again(self, changed: Mapping[str, Claim]) -> dict[str, Judged | None]:
        """Judge what held of the changed claims, and of those that are held against them."""
        claims = ChainMap(dict(changed), self._claims)
        concerned = [*changed, *(two for one in changed for two in self._against.get(one, ()))]
        return {
            name: self._judge(claims[name], claims)
            for name in dict.fromkeys(concerned)
            if self._before[name].verdict in HOLDING
        }

    def _judge(self, claim: Claim, claims: Mapping[str, Claim]) -> Judged | None:
        """Judge a claim; None where it cannot be held against its checks any more."""
        try:
            return self._court.judge_again(claim, claims)
        except AuditError:
            return None


def _verdict(judged: Judged | None) -> Verdict:
    return "not_checkable" if judged is None else judged.verdict


def _by_meaning(mutant: Mutant, printed: Mapping[str, Claim]) -> Fate | None:
    """Say of a misprint whether it says the same, or follows from what is printed."""
    pairs = [(printed[new.id].statement, new.statement) for new in mutant.changed]
    # A unit that is worth as much, pp instead of %, says something else of what it measures.
    if mutant.kind != "unit" and all(_ends(old) == _ends(new) for old, new in pairs):
        return "equivalent"
    if all(old != new and _contains(new, old) for old, new in pairs):
        return "implied"
    return None


def _ends(statement: Printed) -> tuple[str, str, float, float]:
    """Return what a statement says but for its precision: 0.0 says no more than 0 of a count."""
    if statement.relation == "text":
        return ("text", statement.text, 0.0, 0.0)
    upper = statement.upper if statement.relation == "between" else statement.value
    return statement.relation, "", statement.value, upper


def _contains(wide: Printed, narrow: Printed) -> bool:
    if wide.relation != narrow.relation or wide.relation == "text":
        return False
    (low, high), (first, last) = interval(wide), interval(narrow)
    return low <= first and last <= high


# For readers


def score_text(trials: Sequence[Trial]) -> str:
    """Return the mutation score in one line."""
    fates = Counter(trial.fate for trial in trials)
    noticeable = sum(fates[fate] for fate in _NOTICEABLE)
    share = f" ({_share(fates['detected'], noticeable)})" if noticeable else ""
    return (
        f"{fates['detected']} of {noticeable} misprints of claims that hold are contradicted{share}"
    )


def write_mutation(trials: Sequence[Trial], csv_path: Path, md_path: Path) -> None:
    """Write what became of every misprint as CSV, and the rates and survivors as Markdown."""
    rows = [
        (
            *(t.mutant.kind, t.mutant.claim, t.mutant.printed, t.mutant.misprinted),
            *(t.verdict, t.evidence, t.fate, " ".join(t.noticed_by), t.reason),
        )
        for t in trials
    ]
    frame = pd.DataFrame(rows, columns=MUTATION_COLUMNS)
    frame.to_csv(csv_path, index=False, lineterminator="\n", encoding="utf-8")
    md_path.write_bytes(_markdown(trials).encode("utf-8"))


def _markdown(trials: Sequence[Trial]) -> str:
    survivors = [trial for trial in trials if trial.fate in ("survived", "weakened")]
    blocks = [
        "# Misprints that the audit notices",
        f"{score_text(trials)}. Each printed number and word was misprinted in turn, and judged "
        "by the same results.",
        "## By kind",
        _rates_table(
            "kind", {kind: [t for t in trials if t.mutant.kind == kind] for kind in MISPRINTS}
        ),
        "## By class of evidence",
        _rates_table(
            "evidence", {one: [t for t in trials if t.evidence == one] for one in EVIDENCE}
        ),
        "## Not contradicted",
        _survivors_table(survivors),
    ]
    return "\n\n".join(blocks) + "\n"


def _rates_table(by: str, groups: Mapping[str, Sequence[Trial]]) -> str:
    """Count what became of the misprints of claims that hold, group by group and in all."""
    rows = []
    for name, trials in {**groups, "all": list(chain.from_iterable(groups.values()))}.items():
        fates = Counter(trial.fate for trial in trials)
        noticeable = sum(fates[fate] for fate in _NOTICEABLE)
        counts = [*(fates[fate] for fate in _NOTICEABLE), noticeable]
        counts += [fates["implied"], fates["equivalent"]]
        if any(counts) or name == "all":
            share = _share(fates["detected"], noticeable)
            rows.append([name.replace("_", " "), *map(str, counts), share])
    columns = [*_NOTICEABLE, "noticeable", "implied", "equivalent"]
    return markdown_table([[by, *columns, "rate"], *rows], right=range(1, len(columns) + 2))


def _survivors_table(trials: Sequence[Trial]) -> str:
    header = ["id", "printed", "misprinted", "kind", "evidence", "fate", "judgement"]
    rows = [
        [
            *(t.mutant.claim, t.mutant.printed, t.mutant.misprinted, t.mutant.kind),
            *(t.evidence.replace("_", " "), t.fate, t.reason),
        ]
        for t in trials
    ]
    return markdown_table([header, *rows], right=(1, 2))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "–"
