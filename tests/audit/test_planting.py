"""Errors planted into a copy of the published numbers turn the claims that depend on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
import pytest

from llm_power.audit.claims import Claim
from llm_power.audit.evaluate import audit
from llm_power.audit.register import load_register
from repository import copy_finished, run_workflow

# The witness stays as it was: a planted count changes it as a whole, by design.
FROM_COUNTS = [
    *["audit", "audit_evidence", "figure_3", "table_1", "table_6", "table_7", "table_11"],
    "table_12",
]


def verdicts(where: Path) -> pd.DataFrame:
    judged = pd.read_csv(where / "results/audit/claims.csv", dtype=str, keep_default_na=False)
    return judged.set_index("id")


def claims_of(where: Path) -> dict[str, Claim]:
    register = load_register(where / "data/published/claims.yaml")
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


@pytest.fixture(scope="module")
def turned(whole_run: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Claims whose verdict or value changes with one b of Table 6 and one of Table 7."""
    where = copy_finished(whole_run, tmp_path_factory.mktemp("planted") / "repository")
    for name, old, new in (
        ("table_06.csv", ",119,103,", ",129,103,"),
        ("table_07.csv", ",1680,1454,", ",1710,1454,"),
    ):
        path = where / "data" / "published" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
    done = run_workflow(where, "audit", "--allowed-rules", *FROM_COUNTS)
    assert done.returncode == 0, done.stdout + done.stderr
    before, after = verdicts(whole_run), verdicts(where)
    changed = (before["verdict"] != after["verdict"]) | (before["value"] != after["value"])
    return set(changed.index[changed])


def test_planted_counts_turn_nothing_that_does_not_follow_from_them(
    turned: set[str], whole_run: Path
) -> None:
    linked = dependents(claims_of(whole_run), ["table_06/6/b", "table_07/5/b"])
    assert turned - linked == set()


def test_planted_counts_turn_what_is_recomputed_from_them(turned: set[str]) -> None:
    rows = {f"table_06/6/{name}" for name in ("p_a", "p_b", "rho", "p_chi2", "p_exact", "n_star")}
    rows |= {f"table_07/5/{name}" for name in ("p_a", "p_b", "rho", "p_chi2", "p_exact", "n_star")}
    rows |= {f"table_11/6/{name}" for name in ("pair", "p_chi2", "p_exact", "p_midp")}
    rows |= {"table_04/5/gap_pp", "table_04/5/rho", "table_03/2/pairs", "table_03/2/r_worst"}
    sentences = {
        *["s6.1/seven-close-pairs", "s6.5/extra-pair", "s6.5/extra-pair-p", "s6.5/fails-to-cross"],
        *["table_05/3/mmlu_pro/count", "x/table-7-one-rule", "x/table-6-rounding"],
    }
    assert rows | sentences <= turned


def test_planted_counts_leave_the_other_rows_alone(turned: set[str]) -> None:
    others = {
        f"table_{table}/{row}/{column}"
        for table, rows, planted in (("06", 7, 6), ("07", 9, 5))
        for row in range(1, rows + 1)
        if row != planted
        for column in ("b", "c", "p_a", "p_b", "rho", "p_chi2", "p_exact", "n_star")
    }
    assert turned & others == set()


def test_a_changed_count_in_a_sentence_turns_it_and_what_repeats_it(
    whole_run: Path, tmp_path: Path
) -> None:
    register = whole_run / "data/published/claims.yaml"
    text = register.read_text(encoding="utf-8")
    entry = text[text.index("  - id: abstract/oll-unresolved\n") :].split("\n  - id: ")[0]
    planted = entry.replace("11 of 40", "12 of 40").replace("{value: 11}", "{value: 12}")
    assert planted != entry
    (tmp_path / "claims.yaml").write_text(text.replace(entry, planted), encoding="utf-8")
    judged = audit(load_register(tmp_path / "claims.yaml"), whole_run / "results").judged
    before = verdicts(whole_run)["verdict"]
    found = {one.claim.id for one in judged if one.verdict != before[one.claim.id]}
    repeating = {x.claim.id for x in judged if x.claim.printed_of == "abstract/oll-unresolved"}
    assert len(repeating) == 2
    assert found == {"abstract/oll-unresolved", *repeating}
