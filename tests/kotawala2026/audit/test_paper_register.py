"""The register of the paper: whole, transcribed again, and never claiming more than it can."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import yaml

from llm_power_audit.agreement import MONTE_CARLO_STANDARD_ERRORS
from llm_power_audit.claims import Claim, Register
from llm_power_audit.evaluate import Audit, audit
from llm_power_audit.independence import independent_tests
from llm_power_audit.printed import PrintedCount, PrintedInterval
from llm_power_audit.printed_tables import load_table
from needed import ROOT, page

PUBLISHED = ROOT / "data" / "kotawala2026"

# Words that head a row or a column, and identify models: nothing to judge in them.
LABELS = {
    *["convention", "variant", "data", "gap_bucket", "procedure"],
    *["dropped", "quantity", "definition", "why"],
}
SECTIONS = {
    "Abstract",
    *["1", "2", "3", "4", "4.1", "5", "6", "6.1", "6.2", "6.3", "6.4", "6.5", "7"],
    *(f"Appendix {letter}" for letter in "ABCDEFGHIJ"),
}


@pytest.fixture(scope="module")
def run_audit(paper_register: Register, whole_run: Path) -> Audit:
    return audit(paper_register, whole_run / "results")


@pytest.fixture(scope="module")
def register(paper_register: Register) -> dict[str, Claim]:
    return {claim.id: claim for claim in paper_register.claims}


def printed_parts(cell: object) -> Iterator[str]:
    """The ending of a claim's id for each number that a cell prints."""
    if isinstance(cell, PrintedInterval):
        yield from ("/point", "/lower", "/upper")
    elif isinstance(cell, PrintedCount):
        yield "/count"
        if cell.share is not None:
            yield "/share"
    elif cell is not None:
        yield ""


def printed_cells() -> Iterator[str]:
    """The id that the claim of each printed number of the tables must have."""
    for path in sorted((PUBLISHED / "printed").glob("table_*.csv")):
        table = load_table(path)
        for column in table.columns:
            for row, cell in enumerate(table[column], start=1):
                if column not in LABELS:
                    yield from (f"{path.stem}/{row}/{column}{end}" for end in printed_parts(cell))


def test_every_table_cell_is_a_claim(register: dict[str, Claim]) -> None:
    cells = set(printed_cells())
    assert len(cells) > 350
    assert cells - set(register) == set()
    assert all(register[name].cell for name in cells)


def test_the_cells_are_transcribed_twice_alike(register: dict[str, Claim]) -> None:
    """The register prints what printed/table_NN.csv does; this was read from the paper again."""
    with (Path(__file__).parents[1] / "second_transcription.csv").open(encoding="utf-8") as file:
        again = {row["claim"]: row["printed"] for row in csv.DictReader(file)}
    assert again == {name: claim.printed for name, claim in register.items() if claim.cell}


def test_no_printed_number_of_a_setting_is_written_twice() -> None:
    settings = yaml.safe_load((PUBLISHED / "settings.yaml").read_text(encoding="utf-8"))
    spelled = {name for name, entry in settings.items() if isinstance(entry, dict)}
    assert spelled == {
        *("alpha", "figure_4_alpha", "calculator_p_a", "calculator_p_b", "calculator_rho"),
        *("figure_5_tolerance", "figure_6_deltas", "figure_6_tolerance"),
    }


def test_every_section_has_its_claims(register: dict[str, Claim]) -> None:
    cells = set(printed_cells())
    prose = Counter(claim.section for name, claim in register.items() if name not in cells)
    assert set(prose) >= SECTIONS
    assert sum(prose.values()) > 150


def test_places_and_tests_are_said(register: dict[str, Claim]) -> None:
    for claim in register.values():
        assert claim.place, claim.id
        assert claim.claim, claim.id
        assert claim.quantity, claim.id
        assert claim.test or all(check.claim for check in claim.checks), claim.id
        assert claim.checks or claim.needs, claim.id


@pytest.fixture(scope="module")
def judged(whole_run: Path) -> pd.DataFrame:
    return pd.read_csv(whole_run / "results/audit/claims.csv", dtype=str, keep_default_na=False)


def test_the_run_judges_every_claim(judged: pd.DataFrame, register: dict[str, Claim]) -> None:
    assert list(judged["id"]) == list(register)


def test_a_number_that_is_printed_twice_supports_nothing_by_that(
    register: dict[str, Claim],
) -> None:
    """Two printings of one number are held against each other by a cross-check alone."""
    again = [
        name
        for name, claim in register.items()
        if claim.kind == "claim"
        and claim.printed
        in {register[check.claim].printed for check in claim.checks if check.claim}
    ]
    assert again == []


@pytest.mark.parametrize("exhibit", ["table_06", "table_07"])
def test_28_numbers_of_a_table_of_counts_give_all_others(exhibit: str, run_audit: Audit) -> None:
    """Four in each row of Table 6; of Table 7 b and c of nine rows, and ten accuracies."""
    found = independent_tests(run_audit.judged)[exhibit]
    assert len(found.given) == 28
    assert found.tests == found.decided - 28


def test_p_values_of_table_11_and_correlations_of_table_4_repeat(run_audit: Audit) -> None:
    found = independent_tests(run_audit.judged)
    assert len(found["table_11"].repeated) == 14
    assert set(found["table_04"].repeated) == {f"table_04/{row}/rho" for row in range(1, 10)}


def test_the_page_of_the_audit_counts_tests_beside_cells(run_audit: Audit) -> None:
    found = independent_tests(run_audit.judged).values()
    decided, tests = (
        sum(numbers) for numbers in zip(*((x.decided, x.tests) for x in found), strict=True)
    )
    assert f"the {decided} decided cells of the tables are {tests} tests" in page("docs/audit.md")


def test_what_was_put_in_holds_nothing_up(judged: pd.DataFrame) -> None:
    fitted = judged[judged["evidence"] == "witness_fitted"]
    assert len(fitted) > 10
    assert set(fitted["verdict"]) == {"not_checkable"}
    assert not (judged["evidence"] == "raw").any()


def test_a_witness_contradicts_nothing(judged: pd.DataFrame) -> None:
    contradicted = judged[judged["verdict"] == "contradicted"]
    assert set(contradicted["evidence"]) <= {
        *("derived", "displayed", "counts", "consistency", "simulated"),
    }


def test_a_simulation_contradicts_beyond_the_level_only(judged: pd.DataFrame) -> None:
    simulated = judged[(judged["evidence"] == "simulated") & (judged["verdict"] == "contradicted")]
    assert (simulated["z"].astype(float).abs() > MONTE_CARLO_STANDARD_ERRORS).all()


@pytest.mark.parametrize(
    ("verdict", "texts"),
    [
        ("contradicted", ["derivation", "consequence", "value"]),
        ("ambiguous", ["undefined", "consequence", "readings"]),
        ("not_checkable", ["needs"]),
    ],
)
def test_verdicts_say_what_they_must(judged: pd.DataFrame, verdict: str, texts: list[str]) -> None:
    found = judged[judged["verdict"] == verdict]
    assert len(found)
    for column in texts:
        silent = found.loc[found[column] == "", "id"]
        assert list(silent) == []


def test_every_contradicted_claim_belongs_to_a_finding(
    judged: pd.DataFrame, paper_register: Register
) -> None:
    grouped = {claim for finding in paper_register.findings for claim in finding.claims}
    assert set(judged.loc[judged["verdict"] == "contradicted", "id"]) <= grouped


def test_the_page_opens_with_the_findings_and_stays_small(whole_run: Path) -> None:
    page = (whole_run / "results/audit/report.html").read_text(encoding="utf-8")
    assert "Not yet grouped" not in page
    assert "1 changes which pairs are unresolved" in page
    assert page.index('id="finding/one-calculator"') < page.index('id="finding/midpoint"')
    assert len(page.encode()) < 4_000_000
    answers = json.loads((whole_run / "results/audit/corrections.json").read_text(encoding="utf-8"))
    assert {one["finding"] for one in answers["corrections"]} >= {"one-calculator", "midpoint"}


def test_the_page_is_one_file(whole_run: Path) -> None:
    page = (whole_run / "results/audit/report.html").read_text(encoding="utf-8")
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    with (whole_run / "results/audit/claims.csv").open(encoding="utf-8") as file:
        assert all(row["id"] in page for row in csv.DictReader(file))
