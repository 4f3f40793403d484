"""Errors planted into a copy of the published numbers turn the claims that depend on them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest

from kotawala2026 import quantities
from kotawala2026.findings import on_printed_numbers
from kotawala2026.quantities.grounds import load_published
from llm_power_audit.claims import Claim
from llm_power_audit.evaluate import Audit, audit
from llm_power_audit.register import load_register
from replication.findings import evidence_view
from repository import copy_finished, run_workflow

# Verdict and value by the id of the claim
Outcomes = dict[str, tuple[str, float | str | None]]

# The witness stays as it was: a planted count changes it as a whole, by design.
FROM_COUNTS = [
    *["audit", "findings_printed", "figure_03", "table_01", "table_06", "table_07", "table_11"],
    "table_12",
]


def verdicts(where: Path) -> pd.DataFrame:
    judged = pd.read_csv(where / "results/audit/claims.csv", dtype=str, keep_default_na=False)
    return judged.set_index("id")


def claims_of(where: Path) -> dict[str, Claim]:
    register = load_register(where / "data/kotawala2026/claims.yaml")
    return {claim.id: claim for claim in register.claims}


def dependents(claims: Mapping[str, Claim], planted: Iterable[str]) -> set[str]:
    """What follows from the planted cells, by what the register says claims follow from."""
    reached = set(planted)
    while True:
        further = {
            name
            for name, claim in claims.items()
            if reached & {*claim.follows_from, *(check.claim for check in claim.checks)}
        } - reached
        if not further:
            return reached
        reached |= further


def replace_once(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def cells(row: str, *columns: str) -> set[str]:
    return {f"table_{row}/{column}" for column in columns}


@pytest.mark.slow
def test_planted_counts_turn_what_is_recomputed_from_them_and_nothing_else(
    whole_run: Path, tmp_path: Path
) -> None:
    """Claims whose verdict or value changes with one b of Table 6 and one of Table 7."""
    where = copy_finished(whole_run, tmp_path / "repository")
    for name, old, new in (
        ("printed/table_06.csv", ",119,103,", ",129,103,"),
        ("printed/table_07.csv", ",1680,1454,", ",1710,1454,"),
    ):
        replace_once(where / "data" / "kotawala2026" / name, old, new)
    done = run_workflow(where, "audit", "--allowed-rules", *FROM_COUNTS)
    assert done.returncode == 0, done.stdout + done.stderr
    before, after = verdicts(whole_run), verdicts(where)
    changed = (before["verdict"] != after["verdict"]) | (before["value"] != after["value"])
    turned = set(changed.index[changed])
    linked = dependents(claims_of(whole_run), ["table_06/6/b", "table_07/5/b"])
    assert turned - linked == set()
    from_counts = ("b", "rho", "p_chi2", "p_exact", "n_star")
    rows = cells("06/6", *from_counts) | cells("07/5", *from_counts)
    rows |= cells("11/6", "p_chi2", "p_exact", "p_midp") | {"table_04/5/rho", "table_03/2/r_worst"}
    sentences = {
        *["s6.1/seven-close-pairs", "s6.5/extra-pair", "s6.5/extra-pair-p", "s6.5/fails-to-cross"],
        *["table_05/3/mmlu_pro/count", "x/table-7-one-rule", "x/table-6-rounding"],
    }
    assert rows | sentences <= turned
    # Accuracies and gaps of the rows are decided from outside of the paper.
    displayed = cells("06/6", "p_a", "p_b") | cells("07/5", "p_a", "p_b")
    displayed |= {"table_11/6/pair", "table_04/5/gap_pp", "table_03/2/pairs"}
    assert turned & displayed == set()
    others = {*(f"06/{row}" for row in range(1, 8)), *(f"07/{row}" for row in range(1, 10))}
    for row in others - {"06/6", "07/5"}:
        assert turned & cells(row, "p_a", "p_b", "c", *from_counts) == set()


# The exhibits stay as they are: evidence and audit alone are made again, in this process.

# The calibration of Table 2 takes longest, and reads no other table.
TOPICS = {path.stem for path in Path(quantities.__file__).parent.glob("*.py")} - {"calibration"}


@dataclass(frozen=True, slots=True)
class Plant:
    """A number changed where it is printed.

    `entry` is the register's entry for it and `claim` the claim that comes of that entry. A cell
    is changed in its table, a number of the text in the entry.
    """

    entry: str
    claim: str
    texts: Mapping[str, str] = field(default_factory=dict)
    table: str = ""
    cell: tuple[str, str] = ("", "")


def judged_with(plant: Plant, finished: Path, to: Path) -> tuple[dict[str, Claim], Outcomes]:
    """Judge a finished run's results again, with a number changed in a copy of what is printed."""
    published = Path(shutil.copytree(finished / "data/kotawala2026", to / "published"))
    results = to / "results"
    unread = shutil.ignore_patterns("*.parquet", "*.html", "*.md", "*.tex")
    shutil.copytree(finished / "results", results, ignore=unread)
    if plant.table:
        replace_once(published / plant.table, *plant.cell)
        write_evidence(published, results / "audit/evidence.csv")
    path = published / "claims.yaml"
    text = path.read_text(encoding="utf-8")
    entry = text[text.index(f"  - id: {plant.entry}\n") :].split("\n  - id: ")[0]
    planted = entry
    for old, new in plant.texts.items():
        assert planted.count(old) == 1
        planted = planted.replace(old, new)
    path.write_text(text.replace(entry, planted), encoding="utf-8")
    register = load_register(path)
    return {claim.id: claim for claim in register.claims}, outcomes(audit(register, results))


def write_evidence(published: Path, path: Path) -> None:
    """Recompute the rows of the evidence that the planted cells can reach."""
    numbers = load_published(published)
    rows = evidence_view(on_printed_numbers(numbers, TOPICS))
    names = ["quantity", "subject"]
    before = pd.read_csv(path, dtype=str, keep_default_na=False)
    recomputed = set(rows[names].itertuples(index=False, name=None))
    kept = [name not in recomputed for name in before[names].itertuples(index=False, name=None)]
    pd.concat([before[kept], rows]).to_csv(path, index=False)


def outcomes(judged: Audit) -> Outcomes:
    return {
        one.claim.id: (one.verdict, None if one.deciding is None else one.deciding.value)
        for one in judged.judged
    }


@pytest.fixture(scope="module")
def unplanted(whole_run: Path) -> Outcomes:
    register = load_register(whole_run / "data/kotawala2026/claims.yaml")
    return outcomes(audit(register, whole_run / "results"))


# What is planted, and claims that must turn besides those that repeat it
PLANTS = {
    "a design effect of Table 4": (
        Plant(
            entry="table_04/*/design_effect",
            claim="table_04/5/design_effect",
            table="printed/table_04.csv",
            cell=(",0.0067,6.74,", ",0.0067,7.64,"),
        ),
        {"x/table-4-effect-of-icc/5", "x/table-9-n-star-of-effect/5"},
    ),
    "a count of Table 5": (
        Plant(
            entry="table_05/2/mmlu_pro/count",
            claim="table_05/2/mmlu_pro/count",
            table="printed/table_05.csv",
            cell=("Holm,14/40,4/9", "Holm,14/40,5/9"),
        ),
        {"s6.2/strictly-tightens-mmlu", "s6.5/four-of-nine-bonferroni"},
    ),
    "a chance of Table 9": (
        Plant(
            entry="table_09/*/pr_unresolved",
            claim="table_09/4/pr_unresolved",
            table="printed/table_09.csv",
            cell=(",0.552", ",0.452"),
        ),
        {f"{place}/share-{count}" for place in ("s6.4", "table-9-caption") for count in (5, 6)},
    ),
    "a number in a sentence": (
        Plant(
            entry="abstract/oll-unresolved",
            claim="abstract/oll-unresolved",
            texts={"11 of 40": "12 of 40", "{value: 11}": "{value: 12}"},
        ),
        {"x/abstract-oll-table-3", "x/abstract-oll-table-5"},
    ),
    "a word for a number": (
        Plant(
            entry="s6.2/four-of-nine",
            claim="s6.2/four-of-nine",
            texts={"four of nine": "five of nine", "{value: 4}": "{value: 5}"},
        ),
        {"x/unresolved-iid/2"},
    ),
}


@pytest.mark.parametrize(("plant", "others"), PLANTS.values(), ids=PLANTS)
def test_a_planted_number_turns_what_follows_from_it_and_nothing_else(
    plant: Plant, others: set[str], whole_run: Path, unplanted: Outcomes, tmp_path: Path
) -> None:
    claims, after = judged_with(plant, whole_run, tmp_path)
    turned = {name for name in after if after[name] != unplanted[name]}
    assert turned - dependents(claims, [plant.claim]) == set()
    repeating = {
        name
        for name, claim in claims.items()
        if plant.claim in {claim.printed_of, *(check.claim for check in claim.checks)}
    }
    assert {plant.claim, *repeating, *others} - turned == set()
