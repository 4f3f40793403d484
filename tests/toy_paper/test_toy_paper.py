"""A paper of two tables and a figure goes from printed cells to an audit page, in its own folder.

What another paper costs: nothing outside `data/toy` and `src/toy` knows of it. It is made as `make
reproduce PAPER=toy` does, in `papers/toy`.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from repository import copy_repository, launch, run_workflow

pytestmark = pytest.mark.slow

TOY = Path(__file__).parent


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = copy_repository(tmp_path_factory.mktemp("toy") / "repository")
    # Nothing of the first paper is needed.
    for folder in ("data", "src"):
        shutil.rmtree(where / folder / "kotawala2026")
        shutil.copytree(TOY / folder, where / folder, dirs_exist_ok=True)
    config = where / "config.yaml"
    config.write_text(config.read_text().replace("paper: kotawala2026", "paper: miller2024"))
    run(where)
    return where / "papers/toy"


def run(where: Path, *options: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(where / "src"))
        done = launch(where, "--paper", "toy", *options, "--", "--cores", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_its_exhibits_are_made(ran: Path) -> None:
    results, figures = ran / "results", ran / "figures"
    for stem in ("tables/table_01", "tables/table_02"):
        for end in (".csv", ".csv-metadata.json", ".md", ".tex"):
            assert (results / f"{stem}{end}").is_file()
    assert {str(path.relative_to(figures)) for path in figures.rglob("*") if path.is_file()} == {
        *(f"figure_01.{end}" for end in ("pdf", "png", "svg")),
        *(f"camera_ready/figure_01.{end}" for end in ("pdf", "txt")),
    }
    assert rows(results / "tables/table_01.csv")[0]["gap_pp"] == "3.0"
    assert [row["n_star_agrees"] for row in rows(results / "tables/table_02.csv")] == [
        *("True", "False"),
    ]
    shown = (results / "tables/table_02.md").read_text()
    assert shown.startswith("**Table 2.** 1 of 2 printed N* follow from Table 1.")


def test_its_claims_are_judged(ran: Path) -> None:
    judged = {row["id"]: row for row in rows(ran / "results/audit/claims.csv")}
    assert {name: row["verdict"] for name, row in judged.items()} == {
        "table_02/1/p_exact": "holds",
        "table_02/2/p_exact": "holds",
        "table_02/1/n_star": "holds",
        "table_02/2/n_star": "contradicted",
        "s2/unresolved": "holds",
    }
    page = (ran / "results/audit/report.html").read_text()
    assert "A Paper of Two Tables" in page
    assert "Kotawala" not in page


def test_its_manifest_names_the_paper(ran: Path) -> None:
    manifest = json.loads((ran / "results/manifest.json").read_text())
    assert manifest["paper"] == {
        "title": "A Paper of Two Tables",
        "citation": "Nobody 2026",
        "terms": {
            "N*": (
                "Required items: with N* items the test of a pair has power 0.8 for the gap "
                "that was seen."
            ),
            "r": "N*/N, need over have.",
        },
    }
    assert [one["name"] for one in manifest["exhibits"]] == ["table_01", "table_02", "figure_01"]


def test_it_leaves_the_clone_alone_and_is_what_it_was(ran: Path) -> None:
    clone = ran.parents[1]
    assert {path.name for path in ran.iterdir()} == {
        *("results", "figures", "ro-crate-metadata.json", "codemeta.json"),
    }
    assert {path.name for path in (clone / "results").iterdir()} == {".sums"}
    assert run(clone, "--verify").startswith("All ")
    crate = json.loads((ran / "ro-crate-metadata.json").read_text())
    files = [one["@id"] for one in crate["@graph"] if "File" in one["@type"]]
    assert files
    assert all((ran / file).is_file() and os.pardir not in file for file in files)


def test_an_edited_module_runs_what_uses_it(ran: Path) -> None:
    clone = ran.parents[1]
    module = clone / "src/toy/exhibits/table_02.py"
    text = module.read_text()
    module.write_text(text + "# edited\n")
    try:
        done = run_workflow(clone, "--dry-run", "toy_paper")
    finally:
        module.write_text(text)
    rules = {*re.findall(r"^rule toy_(\w+):", done.stdout + done.stderr, re.MULTILINE)} - {"paper"}
    assert rules == {"table_02", "audit", "mutation", "manifest", "index", "crate"}
