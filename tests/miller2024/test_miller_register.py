"""The register of Miller (2024) against its exhibits and findings, made without the workflow."""

from __future__ import annotations

import csv
from importlib import import_module
from pathlib import Path

import pytest

from latex_documents import complaints
from llm_power._documents import read_yaml
from llm_power._report.tables import Table, to_markdown
from llm_power_audit import Audit, audit, load_register
from miller2024.findings import evaluate_printed
from needed import ROOT, folder_of, page
from replication.exhibits import Exhibit, Inputs, write_numbers
from replication.findings import evidence_view
from replication.table_files import to_latex

DATA = ROOT / "data" / "miller2024"
CONTRADICTED = {
    "table_01/2/dreadnought",
    *(f"table_02/2/{model}_se" for model in ("galleon", "dreadnought")),
    *("table_05/2/se", "table_05/2/correlation"),
    "s3.3/rate",
    *("s4.2/removed", "s4.2/paired", "s5/omega-1", "s5/omega-2"),
    # 13.27% and 7.57% are printed as 13.2% and 7.5%.
    *("s5/mde-1", "s5/mde-10"),
    *("x/s5/n", "x/s5/mde-1", "x/s5/mde-10"),
}


def exhibits() -> dict[int, Exhibit]:
    made = {}
    for name, entry in read_yaml(DATA / "paper.yaml")["exhibits"].items():
        number = int(name.removeprefix("table_"))
        files = {f"printed/{n}": str(DATA / f"printed/table_{n:02}.csv") for n in entry["printed"]}
        module = import_module(f"miller2024.exhibits.table_{number:02}")
        made[number] = module.make(Inputs(name, files))
    return made


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    results = tmp_path_factory.mktemp("results")
    for folder in ("tables", "audit"):
        (results / folder).mkdir()
    for number, exhibit in exhibits().items():
        write_numbers(exhibit, str(results / f"tables/table_{number:02}"))
    evidence_view(evaluate_printed(DATA)).to_csv(results / "audit/evidence.csv", index=False)
    return audit(load_register(DATA / "claims.yaml"), results)


def test_what_is_contradicted(judged: Audit) -> None:
    found = {one.claim.id for one in judged.judged if one.verdict == "contradicted"}
    assert found == CONTRADICTED


def test_every_number_of_the_text_is_decided(judged: Audit) -> None:
    text = [one for one in judged.judged if not one.claim.id.startswith("table_0")]
    assert len(text) > 40
    assert {one.verdict for one in text} == {"holds", "contradicted"}


def test_pairing_halves_the_variance_at_the_stated_correlation() -> None:
    """1/6 becomes 1/12 and not 1/9, and 969 questions become 727."""
    found = {(f.quantity, f.subject): f.value for f in evaluate_printed(DATA)}
    assert found["variance_paired", ""] == pytest.approx(1 / 12)
    assert found["required_n", ""] == pytest.approx(969, abs=0.5)
    assert found["required_n_of_terms", ""] == pytest.approx(726.75, abs=0.005)


def test_cells_are_those_of_the_paper() -> None:
    paper = folder_of("LLM_POWER_PAPERS") / "miller_error_bars.txt"
    lines = paper.read_text(encoding="utf-8").splitlines()
    tables = {number: read_rows(number) for number in range(1, 6)}
    expected = [f"{name} {a} {b} {d}" for name, a, b, d in tables[1]]
    for number in (2, 3):
        expected += [
            f"{' '.join(row[:-4])} {row[-4]} ({row[-3]}) {row[-2]} ({row[-1]})"
            for row in tables[number]
        ]
    expected += [f"{name} ({a}) ({b}) {ratio}" for name, a, b, ratio in tables[4]]
    # The text has some numbers with a sign once more in LaTeX; their first digits are enough.
    plain = [line for line in expected if "−" not in line and "+" not in line]
    assert len(plain) == 9
    assert set(plain) <= set(lines)
    for row in [*tables[1], *tables[5]]:
        signed = [cell.lstrip("+−") for cell in row[1:] if "%" in cell]
        assert any(
            all(cell in line for cell in signed) for line in lines if line.startswith(row[0])
        )


def read_rows(number: int) -> list[list[str]]:
    path = DATA / f"printed/table_0{number}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def test_the_page_of_exhibits_counts_the_claims(judged: Audit) -> None:
    verdicts = [one.verdict for one in judged.judged]
    held = verdicts.count("holds") + verdicts.count("holds_rounded")
    assert (
        f"Of {len(verdicts)} claims {held} hold, {verdicts.count('contradicted')} are "
        f"contradicted, {verdicts.count('feasible')} are feasible and "
        f"{verdicts.count('not_checkable')} are not checkable"
    ) in page("docs/exhibits.md")


def test_a_printed_cell_stands_below_where_it_is_another() -> None:
    """HumanEval's error is not that of eq. (2); MGSM's was rounded up."""
    table = exhibits()[2].numbers
    assert isinstance(table, Table)
    shown = to_markdown(table)
    assert "≠ 3.2%" in shown
    assert "≈ 0.9%" in shown
    assert "differs by rounding alone" in shown
    assert "0.7%" in shown
    assert "≈ 0.7%" not in shown


def test_every_table_fits_a_plain_article(tmp_path: Path) -> None:
    tables = {
        f"table_{number}": to_latex(exhibit.numbers)
        for number, exhibit in exhibits().items()
        if isinstance(exhibit.numbers, Table)
    }
    assert len(tables) == 5
    assert complaints(tables, tmp_path, "onecolumn") == []
