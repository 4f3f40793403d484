"""The site of docs/, as `make docs` builds it, in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from browsers import open_browser, open_page, page_width, prefer, serious_faults
from needed import ROOT, without

_TOOLS = ROOT / "build/docs-tools"
_PAGES = ("index", "planning", "exhibits", "thousands")


@pytest.mark.slow
def test_axe_finds_no_serious_fault_on_a_page_of_the_docs(tmp_path: Path) -> None:
    if not (_TOOLS / "sphinx").is_dir():
        without("docs", f"{_TOOLS} is missing: make docs")
    docs, site = tmp_path / "docs", tmp_path / "site"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("api*", "changelog.md"))
    env = os.environ | {"PYTHONPATH": str(_TOOLS)}
    sphinx = [sys.executable, "-m", "sphinx", "--quiet", "-D", "autosummary_generate=0"]
    subprocess.run([*sphinx, docs, site], env=env, check=True, capture_output=True)
    with open_browser(tmp_path / "profile") as browser:
        for page in _PAGES:
            for scheme, width in (("light", 1300), ("dark", 400)):
                prefer(browser, scheme)
                open_page(browser, (site / f"{page}.html").as_uri(), width)
                assert page_width(browser) <= width
                assert serious_faults(browser) == [], (page, scheme)
