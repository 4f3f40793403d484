"""What becomes of misprints: who notices, what survives, and what nobody can notice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from registers import check, claim, write_register, write_results

from llm_power_audit.mutation import (
    Trial,
    mutation_trials,
    score_text,
    write_mutation,
)
from llm_power_audit.register import load_register


def trials(folder: Path, *claims: dict[str, Any]) -> list[Trial]:
    return mutation_trials(load_register(write_register(folder, *claims)), write_results(folder))


def fates(folder: Path, *claims: dict[str, Any]) -> dict[str, set[str]]:
    """The fates of the misprints by their text."""
    found: dict[str, set[str]] = {}
    for trial in trials(folder, *claims):
        found.setdefault(trial.mutant.misprinted, set()).add(trial.fate)
    return found


def test_an_exact_number_lets_no_misprint_pass(tmp_path: Path) -> None:
    found = trials(tmp_path, claim(printed="0.045"))
    assert {trial.fate for trial in found} == {"detected"}
    assert {trial.noticed_by for trial in found} == {("x",)}
    assert score_text(found) == "7 of 7 misprints of claims that hold are contradicted (100.0%)"


def test_one_unit_is_no_rounding(tmp_path: Path) -> None:
    claims = (claim(f"n{i}", printed="1,697", checks=[check(column="n_star")]) for i in range(40))
    found = {trial.mutant.misprinted: trial for trial in trials(tmp_path, *claims)}
    assert (found["1,696"].fate, found["1,698"].fate) == ("detected", "detected")


def test_a_weaker_bound_follows_from_the_printed_one(tmp_path: Path) -> None:
    found = fates(tmp_path, claim(printed="at most 0.1", states={"at_most": 0.1}))
    assert found["at most 1"] == {"implied"}
    assert found["at most 0.01"] == {"detected"}
    assert found["not: at most 0.1"] == {"detected"}


def test_nothing_of_zero_changes_with_its_point_or_sign(tmp_path: Path) -> None:
    none = check(rows={"n_star": {"below": 0}}, column=None, aggregate="count")
    found = fates(tmp_path, claim(printed="0", checks=[none]))
    assert found["0.0"] == found["−0"] == {"equivalent"}


def test_a_unit_that_is_worth_as_much_is_no_equivalent(tmp_path: Path) -> None:
    found = fates(tmp_path, claim(printed="4.5pp"))
    assert found["4.5%"] == {"survived"}
    assert found["4.5"] == {"detected"}


def test_a_claim_that_does_not_hold_has_nothing_to_lose(tmp_path: Path) -> None:
    assert set().union(*fates(tmp_path, claim(printed="0.5")).values()) == {"not claimed"}


def test_another_claim_may_notice(tmp_path: Path) -> None:
    """What nothing computes is printed twice: the other printing contradicts it."""
    silent = claim(
        "silent", printed="0.045", checks=[check(standard_error=9, evidence="simulated")]
    )
    again = claim("again", printed="0.045", checks=[{"claim": "silent"}])
    found = trials(tmp_path, silent, again)
    assert ("again",) in {trial.noticed_by for trial in found if trial.mutant.claim == "silent"}


def test_readings_that_then_disagree_weaken(tmp_path: Path) -> None:
    readings = [check(reading="one"), check(reading="other", standard_error=0.001)]
    found = trials(tmp_path, claim(printed="0.045", undefined="which", checks=readings))
    assert {trial.fate for trial in found} == {"weakened"}
    assert score_text(found) == "0 of 7 misprints of claims that hold are contradicted (0.0%)"


def test_what_can_be_compared_no_more_weakens(tmp_path: Path) -> None:
    bound = claim("bound", printed="<0.1")
    same = claim("same", printed="<0.1", checks=[{"claim": "bound"}])
    (turned,) = [t for t in trials(tmp_path, bound, same) if t.mutant.kind == "relation"][1:]
    assert (turned.fate, turned.noticed_by) == ("weakened", ("same",))


def test_rates_and_files(tmp_path: Path) -> None:
    found = trials(tmp_path, claim(printed="0.045"), claim("y|z", printed="4.5pp"))
    write_mutation(found, tmp_path / "mutation.csv", tmp_path / "mutation.md")
    table = pd.read_csv(tmp_path / "mutation.csv", dtype=str, keep_default_na=False)
    assert len(table) == len(found)
    assert set(table.loc[table["fate"] == "survived", "misprinted"]) == {"4.5%"}
    text = (tmp_path / "mutation.md").read_text(encoding="utf-8")
    assert "| y\\|z | 4.5pp | 4.5% | unit | counts | survived |" in text
    assert "| digit | 6 | 0 | 0 | 6 | 0 | 0 | 100.0% |" in text
    assert "| unit | 1 | 0 | 1 | 2 | 0 | 0 | 50.0% |" in text
    assert "| all | 13 | 0 | 1 | 14 | 0 | 0 | 92.9% |" in text


def test_a_register_without_numbers_has_no_score(tmp_path: Path) -> None:
    found = trials(tmp_path, claim(printed="each", states={"value": 3}))
    assert found == []
    assert score_text(found) == "0 of 0 misprints of claims that hold are contradicted"
