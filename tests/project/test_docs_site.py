"""The site of docs/, as `make docs` builds it, in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from browsers import open_browser
from needed import ROOT, without
from run_examples import write_run

_TOOLS = ROOT / "build/docs-tools"
_PAGES = ("index", "planning", "exhibits", "thousands")


@pytest.mark.slow
def test_docs_show_what_a_run_made_and_axe_finds_no_serious_fault(tmp_path: Path) -> None:
    if not (_TOOLS / "sphinx").is_dir():
        without("docs", f"{_TOOLS} is missing: make docs")
    docs, site = tmp_path / "docs", tmp_path / "build/docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("api*", "changelog.md"))
    # What a run has made is shown.
    write_run(tmp_path)
    (tmp_path / "results/index.html").write_text("x")
    env = os.environ | {"PYTHONPATH": str(_TOOLS)}
    sphinx = [sys.executable, "-m", "sphinx", "--quiet", "-D", "autosummary_generate=0"]
    subprocess.run([*sphinx, docs, site], env=env, check=True, capture_output=True)
    with open_browser(tmp_path / "profile") as browser:
        for page in _PAGES:
            for scheme, width in (("light", 1300), ("dark", 400)):
                browser.prefer(scheme)
                browser.open_page((site / f"{page}.html").as_uri(), width)
                assert browser.page_width() <= width
                assert browser.serious_faults() == [], (page, scheme)
        browser.open_page((site / "exhibits.html").as_uri())
        shown = browser.find_element("id", "as-the-last-run-made-them")
        assert "All pairs. Circles:" in shown.text
        assert shown.find_elements("css selector", "#table-6 td")
        picture = shown.find_element("css selector", "#figure-1 img")
        assert browser.execute_script("return arguments[0].naturalWidth", picture) > 0
        link = shown.find_element("css selector", "a[href$='results/index.html']")
        assert link.get_attribute("href") == (tmp_path / "results/index.html").as_uri()
