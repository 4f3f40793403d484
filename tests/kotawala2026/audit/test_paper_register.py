"""The register of the paper: whole, transcribed again, and never claiming more than it can."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from llm_power.claims.claims import Claim
from llm_power.claims.register import load_register
from llm_power.printed import (
    LabeledGap,
    Printed,
    PrintedCount,
    PrintedInterval,
)
from replication.constraints import load_constraints
from replication.printed import (
    load_table,
)

ROOT = Path(__file__).resolve().parents[3]
PUBLISHED = ROOT / "data" / "kotawala2026"

# Words that head a row or a column, and identify models: nothing to judge in them.
LABELS = {
    *["calculator", "convention", "variant", "null", "data", "gap_bucket", "pair", "procedure"],
    *["task", "model_a", "model_b", "dropped", "quantity", "definition", "why"],
}
SECTIONS = {
    "Abstract",
    *["1", "2", "3", "4", "4.1", "5", "6", "6.1", "6.2", "6.3", "6.4", "6.5", "7"],
    *(f"Appendix {letter}" for letter in "ABCDEFGHIJ"),
}


@pytest.fixture(scope="module")
def register() -> dict[str, Claim]:
    return {claim.id: claim for claim in load_register(PUBLISHED / "claims.yaml").claims}


def printed_parts(cell: object) -> Iterator[tuple[str, float | str]]:
    """Each number that a cell prints, by the ending of its claim's id."""
    if isinstance(cell, Printed):
        yield "", cell.value
    elif isinstance(cell, PrintedInterval):
        yield "/point", cell.point.value
        yield "/lower", cell.lower.value
        yield "/upper", cell.upper.value
    elif isinstance(cell, PrintedCount):
        yield "/count", cell.count
        if cell.share is not None:
            yield "/share", cell.share.value
    elif isinstance(cell, LabeledGap):
        yield "", cell.gap_pp.value
    elif isinstance(cell, str):
        yield "", cell


def printed_cells() -> Iterator[tuple[str, float | str]]:
    """Each printed number of the tables, by the id its claim must have."""
    for path in sorted((PUBLISHED / "printed").glob("table_*.csv")):
        table = load_table(path)
        for column in table.columns:
            for row, cell in enumerate(table[column], start=1):
                if column in LABELS and not isinstance(cell, LabeledGap):
                    continue
                for ending, value in printed_parts(cell):
                    yield f"{path.stem}/{row}/{column}{ending}", value


def test_every_table_cell_is_a_claim_as_published(register: dict[str, Claim]) -> None:
    cells = dict(printed_cells())
    assert len(cells) > 350
    claimed = {name for name in register if name.startswith("table_") and name in cells}
    assert set(cells) - claimed == set()
    for name, value in cells.items():
        statement = register[name].statement
        said: float | str = statement.text if isinstance(value, str) else statement.value
        assert said == value, name


def test_what_a_witness_is_fitted_to_is_printed_so(register: dict[str, Claim]) -> None:
    values = {claim.statement.value for claim in register.values()}
    texts = " ".join(claim.printed for claim in register.values())
    for name in ("constraints.yaml", "prose.yaml"):
        for constraints in load_constraints(PUBLISHED / name).values():
            for constraint in constraints:
                # The displayed scores are not the paper's.
                if constraint.quantity != "board_score":
                    number = constraint.printed.value
                    near = {number, round(number * 100, 9), round(number / 100, 9)}
                    assert values & near or constraint.printed.text in texts, constraint.id


def test_every_section_has_its_claims(register: dict[str, Claim]) -> None:
    cells = set(dict(printed_cells()))
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


def test_what_was_put_in_holds_nothing_up(judged: pd.DataFrame) -> None:
    fitted = judged[judged["evidence"] == "witness_fitted"]
    assert len(fitted) > 50
    assert set(fitted["verdict"]) == {"not_checkable"}
    assert not (judged["evidence"] == "raw").any()


def test_a_witness_contradicts_nothing(judged: pd.DataFrame) -> None:
    contradicted = judged[judged["verdict"] == "contradicted"]
    assert set(contradicted["evidence"]) <= {"derived", "counts", "simulated"}


def test_a_simulation_contradicts_beyond_four_standard_errors_only(judged: pd.DataFrame) -> None:
    simulated = judged[(judged["evidence"] == "simulated") & (judged["verdict"] == "contradicted")]
    assert (simulated["z"].astype(float).abs() > 4).all()


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


def test_the_readme_shows_the_run(whole_run: Path) -> None:
    claims = (whole_run / "results/audit/claims.md").read_text(encoding="utf-8")
    table = claims.split("## Totals\n\n")[1].split("\n\n")[0]
    assert table in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_page_is_one_file(whole_run: Path) -> None:
    page = (whole_run / "results/audit/report.html").read_text(encoding="utf-8")
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    with (whole_run / "results/audit/claims.csv").open(encoding="utf-8") as file:
        assert all(row["id"] in page for row in csv.DictReader(file))
