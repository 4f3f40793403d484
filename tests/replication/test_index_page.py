"""The page that leads to everything, in a real browser and read from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from browsers import A4, Browser
from replication.index_page import render_index
from run_examples import FINDING, HOSTILE, write_run


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("run")
    manifest = write_run(where)
    index = where / "results/index.html"
    other = where / "papers/wren/results/index.html"
    other.parent.mkdir(parents=True)
    other.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(where)
        papers = {HOSTILE: "../papers/wren/results/index.html"}
        text = render_index(manifest, Path("results"), ["ro-crate-metadata.json"], papers)
    index.write_text(text, encoding="utf-8")
    return index


def test_a_subscript_is_below_the_line(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "n<sub>h</sub>" in text
    assert "n_h" not in text


def ask(browser: Browser, script: str) -> Any:
    return browser.execute_script(f"return {script}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 400])
def test_it_is_one_file_that_fits_and_can_be_read(
    browser: Browser, page: Path, width: int, scheme: str
) -> None:
    browser.prefer(scheme)
    browser.open_page(page.as_uri(), width)
    assert browser.read_log("browser") == []
    assert {one for one in browser.requested() if not one.startswith("data:")} == {page.as_uri()}
    assert browser.page_width() <= width
    # A row without a name goes on with the one above it.
    assert ask(
        browser, "getComputedStyle(document.querySelector('tr + tr td')).borderTopWidth"
    ) == ("0px")
    # Words wrap on a narrow screen. What is still wide is scrolled in its own place, and that is
    # said, of a picture too.
    wide, place = (
        ask(browser, f"document.querySelector('.scroll').{name}")
        for name in ("scrollWidth", "clientWidth")
    )
    assert (wide > place) == (width > 400)
    hint = ask(browser, "getComputedStyle(document.querySelector('.scroll'), '::after').height")
    assert (float(hint.removesuffix("px")) > 10) == (wide > place)
    sideways = ask(browser, "getComputedStyle(document.querySelector('.sideways')).display")
    assert sideways == ("block" if width == 400 else "none")
    assert browser.is_light() == (scheme == "light")
    assert browser.serious_faults() == []


def test_print_on_a4_cuts_no_table(browser: Browser, page: Path) -> None:
    browser.open_page(page.as_uri(), width=A4)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    ends = ask(
        browser,
        "[...document.querySelectorAll('table, .scroll')]"
        ".map((e) => e.getBoundingClientRect().left + e.scrollWidth)",
    )
    assert ends
    assert max(ends) <= A4


def test_it_leads_to_every_file_and_shows_what_there_is(browser: Browser, page: Path) -> None:
    browser.open_page(page.as_uri())
    anchors = ask(browser, "[...document.links].map((a) => a.href)")
    links = [link for link in anchors if "#" not in link]
    files = {Path(unquote(urlparse(link).path)) for link in links}
    assert all(file.is_file() for file in files), files
    assert page.parents[1] / "papers/wren/results/index.html" in files
    root = page.parents[1]
    made = {file for top in ("results", "figures") for file in (root / top).rglob("*.*")}
    missing = {file for file in made - files if file.is_file() and file != page}
    assert {file.name for file in missing} == {"table_06.csv-metadata.json"}
    assert ask(browser, "[...document.images].every((image) => image.naturalWidth > 0)")
    shown = ask(browser, "[...document.querySelectorAll('article')].map((one) => one.innerText)")
    # In the order of the paper, a figure with its finding for those who do not see it.
    figure, table, board = shown
    alternatives = ask(browser, "[...document.images].map((image) => image.alt)")
    assert alternatives == [FINDING.replace("\u202e", "[U+202E]")] * 2
    assert "1 holds\n" in table
    assert "1 contradicted" in table
    # What is contradicted is named, and leads to its place in the audit.
    assert "odd” [U+202E] (Section 6.1, last sentence: “1,000”)" in table
    assert any(link.endswith("audit/report.html#claim/b/1") for link in anchors)
    assert "a|b" in table
    assert "rests on a witness" in figure
    assert "Open the page of mine.adjacent" in board
    assert "All pairs. Circles: <img" in figure
    glance = ask(browser, "document.querySelector('#boards tbody tr').innerText").split("\t")
    assert glance[1:] == [
        *("5", "1,200", "3 of 4 (75%)", "3.1 to 4.0 points", "no model"),
        "300 (200 solved by all, 100 by none)",
    ]
    # What words, marks and verdicts mean stands before the exhibits, of the last two what
    # there is.
    key = ask(browser, "document.querySelector('.key').innerText")
    assert "gap\n<img src=x" in key
    assert "≠\nmarks a printed value that differs" in key
    assert "chance of a simulation" not in key
    assert "contradicted" in key
    assert "feasible" not in key
    # Nothing of what is written is taken for HTML, and nothing turns text around.
    assert "<img src=x" in table
    assert "[U+202E]" in board
    assert "2026-05-28T09:02:00" in ask(browser, "document.querySelector('#run').innerText")
    assert "Witnesses are behind figure_01" not in ask(browser, "document.body.innerText")
    assert "Witnesses are behind Figure 1." in ask(browser, "document.body.innerText")
