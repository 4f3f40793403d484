"""Snakemake's report in a real browser: it opens on the audit, and fits a narrow screen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By

from browsers import Browser
from needed import ROOT
from repository import copy_finished

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(whole_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = copy_finished(whole_run, tmp_path_factory.mktemp("report") / "repository")
    page = where / "results/report.html"
    command = [sys.executable, str(ROOT / "tools/report.py"), str(page), "--cores", "1"]
    # The run was made without the real boards.
    environment = {name: at for name, at in os.environ.items() if name != "LLM_POWER_DATA"}
    done = subprocess.run(
        command, cwd=where, capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return page


@pytest.mark.parametrize("width", [1300, 400])
def test_it_opens_on_the_audit(browser: Browser, report: Path, width: int) -> None:
    browser.open_page(report.as_uri(), width)
    browser.wait_until(lambda: bool(browser.find_elements(By.TAG_NAME, "iframe")))
    assert browser.page_width() <= width
    browser.switch_to.frame(browser.find_element(By.TAG_NAME, "iframe"))
    # A page above 2 MB is blank where its frame is given it as an address.
    browser.wait_until(lambda: bool(browser.find_elements(By.ID, "findings")))
    assert browser.page_width() <= width
    browser.switch_to.default_content()


def test_an_exhibit_says_what_it_rests_on_and_what_became_of_its_claims(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    _, _, after = text.partition('<script id="results">')
    results, _ = json.JSONDecoder().raw_decode(after.partition("var results = ")[2])
    table, figure, board = (
        results[path]["labels"]
        for path in (
            "results/tables/table_06.csv",
            "figures/figure_01.svg",
            "results/boards/frontier/board.html",
        )
    )
    assert (table["exhibit"], table["rests on"]) == ("Table 6", "printed numbers")
    assert " hold" in table["claims"]
    assert figure["rests on"] == board["rests on"] == "witness"
    assert board["board"] == "MMLU-Pro, closed-source frontier panel (adjacent pairs)"
