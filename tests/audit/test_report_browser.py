"""The report in a real browser: filters, keys, addresses, small screens, print, hostile texts.

With LLM_POWER_BROWSER=required a missing browser is a failure; else these tests are skipped.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable

import pytest
from report_examples import HOSTILE, example_audit, hostile_audit
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browsers import Browser
from llm_power_audit.evaluate import Audit
from llm_power_audit.report import render_report

LINKS = {"tables/table_06.csv": "../tables/table_06.csv", "tables/table_06.md": "table_06.md"}


@pytest.fixture(scope="module")
def audit() -> Audit:
    return example_audit(120)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, audit: Audit) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    pages = {"example": audit, "hostile": hostile_audit()}
    for name, content in pages.items():
        (folder / f"{name}.html").write_text(render_report(content, links=LINKS), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in pages}


@pytest.fixture
def visit(browser: Browser, files: dict[str, str]) -> Callable[..., Browser]:
    """Open a page afresh, at an address within it, on a screen of a width."""

    def visit_page(page: str = "example", fragment: str = "", width: int = 1200) -> Browser:
        return browser.open_page(files[page] + fragment, width)

    return visit_page


def shown(browser: Browser) -> list[str]:
    """Return the ids of the claims that can be seen in the table."""
    found = browser.execute_script(
        "return [...document.querySelectorAll('tbody.claim')]"
        ".filter((body) => body.getClientRects().length)"
        ".map((body) => body.querySelector('.permalink a').textContent)"
    )
    return list(found)


def announced(browser: Browser) -> str:
    return str(browser.execute_script("return document.getElementById('shown').value"))


def wait_for_address(browser: Browser, fragment: str) -> None:
    browser.wait_until(lambda: browser.current_url.partition("#")[2] == fragment)


def await_focus(browser: Browser, claim: str) -> None:
    browser.wait_until(lambda: focused_claim(browser) == claim)


def focused_claim(browser: Browser) -> str:
    return str(
        browser.execute_script(
            "return document.activeElement.closest('tbody.claim')"
            "?.querySelector('.permalink a').textContent ?? ''"
        )
    )


def wanted(audit: Audit, **what: str) -> list[str]:
    return [
        item.claim.id
        for item in audit.judged
        if what.get("verdict", item.verdict) == item.verdict
        and what.get("evidence", item.evidence) == item.evidence
        and what.get("section", item.claim.section) == item.claim.section
        and what.get("kind", item.claim.kind) == item.claim.kind
    ]


def test_page_loads_nothing_else_and_logs_no_error(visit: Callable[..., Browser]) -> None:
    browser = visit()
    log = browser.read_log("browser")
    assert log == []
    # The empty icon keeps browsers from asking for /favicon.ico.
    assert browser.requested() <= {browser.current_url, "data:,"}
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_every_total_leads_to_its_claims(visit: Callable[..., Browser], audit: Audit) -> None:
    browser = visit()
    browser.find_element(By.CSS_SELECTOR, "a.total").click()
    browser.wait_until(lambda: len(shown(browser)) < len(audit.judged))
    followed = browser.execute_async_script(
        """
        const done = arguments[0];
        (async () => {
          const found = [];
          for (const link of [...document.querySelectorAll("a.total")].slice(1)) {
            link.click();
            await new Promise((next) => addEventListener("hashchange", next, {once: true}));
            const rows = document.querySelectorAll("tbody.claim:not([hidden])").length;
            found.push([link.textContent, rows, document.getElementById("shown").value]);
          }
          done(found);
        })();
        """
    )
    assert len(followed) > 10
    for count, rows, said in followed:
        assert rows == int(count)
        assert said == f"{count} of 120 claims shown"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("verdict", "contradicted"),
        ("verdict", "not_checkable"),
        ("evidence", "simulated"),
        ("section", "6.1"),
        ("section", "Appendix E"),
        ("kind", "cross_check"),
    ],
)
def test_each_filter_narrows(
    visit: Callable[..., Browser], audit: Audit, name: str, value: str
) -> None:
    browser = visit()
    Select(browser.find_element(By.NAME, name)).select_by_value(value)
    expected = wanted(audit, **{name: value})
    assert shown(browser) == expected
    assert announced(browser) == f"{len(expected)} of 120 claims shown"


def test_filters_and_search_narrow_together(visit: Callable[..., Browser], audit: Audit) -> None:
    browser = visit()
    Select(browser.find_element(By.NAME, "verdict")).select_by_value("holds")
    # Words in any order, case and notation.
    browser.find_element(By.NAME, "q").send_keys("ROW 06/11 mcnemar")
    holds = wanted(audit, verdict="holds")
    assert shown(browser) == [name for name in holds if "06/11" in name]
    browser.press(Keys.ESCAPE)
    assert len(shown(browser)) == len(audit.judged)


def test_search_reaches_the_derivation_of_a_finding(
    visit: Callable[..., Browser], audit: Audit
) -> None:
    browser = visit()
    finding = wanted(audit, verdict="contradicted")[-1]
    number = finding.split("/")[1]
    browser.find_element(By.NAME, "q").send_keys(f"derivation {number}: with b")
    assert shown(browser) == [finding]


def test_rows_that_come_back_are_all_laid_out(visit: Callable[..., Browser]) -> None:
    browser = visit()
    # Assistive technology knows only what is laid out.
    browser.find_element(By.NAME, "q").send_keys("no such claim", Keys.ESCAPE)
    browser.wait_until(lambda: not browser.find_elements(By.CLASS_NAME, "later"))
    assert len(shown(browser)) == 120


def test_nothing_found_is_said(visit: Callable[..., Browser]) -> None:
    browser = visit()
    browser.find_element(By.NAME, "q").send_keys("no such claim")
    assert shown(browser) == []
    assert announced(browser) == "0 of 120 claims shown"
    assert browser.find_element(By.ID, "nothing").is_displayed()


def test_the_address_keeps_the_filters(visit: Callable[..., Browser], audit: Audit) -> None:
    browser = visit()
    Select(browser.find_element(By.NAME, "evidence")).select_by_value("counts")
    browser.find_element(By.NAME, "q").send_keys("a&b=c #é")
    wait_for_address(browser, "?q=a%26b%3Dc+%23%C3%A9&evidence=counts")
    browser = visit(fragment="#?q=row+1&section=Appendix+E&verdict=no_such_verdict")
    assert browser.find_element(By.NAME, "q").get_attribute("value") == "row 1"
    assert Select(browser.find_element(By.NAME, "verdict")).first_selected_option.text == "any"
    listed = shown(browser)
    assert listed
    assert set(listed) <= set(wanted(audit, section="Appendix E"))
    browser.press(Keys.ESCAPE)
    wait_for_address(browser, "")


def test_a_permalink_opens_its_claim(visit: Callable[..., Browser], audit: Audit) -> None:
    claim = wanted(audit, verdict="holds")[-1]
    browser = visit(fragment=f"#claim/{claim}")
    browser.press("j")
    await_focus(browser, claim)
    body = browser.find_element(By.CSS_SELECTOR, "tbody.open")
    assert body.find_element(By.CLASS_NAME, "more").is_displayed()
    finding = wanted(audit, verdict="contradicted")[-1]
    browser = visit(fragment=f"#claim/{finding}")
    card = browser.find_element(By.CSS_SELECTOR, "article:target")
    assert finding in card.text


def test_keys(visit: Callable[..., Browser], audit: Audit) -> None:
    browser = visit()
    names = [item.claim.id for item in audit.judged]
    browser.press("j")
    await_focus(browser, names[0])
    browser.press("j", Keys.ARROW_DOWN)
    await_focus(browser, names[2])
    browser.press("k", Keys.ARROW_UP, "k", "k")
    await_focus(browser, names[0])
    button = browser.switch_to.active_element
    browser.press(Keys.ENTER)
    assert button.get_attribute("aria-expanded") == "true"
    more = browser.find_element(By.ID, str(button.get_attribute("aria-controls")))
    assert more.is_displayed()
    browser.press(Keys.ENTER)
    assert not more.is_displayed()
    browser.press("/")
    assert browser.switch_to.active_element.get_attribute("name") == "q"
    # Letters are text there.
    browser.press("j", "?")
    assert browser.switch_to.active_element.get_attribute("value") == "j?"
    browser.press(Keys.ESCAPE, "06/12/", Keys.ENTER)
    await_focus(browser, names[11])
    browser.press(Keys.ESCAPE)
    assert announced(browser) == "120 of 120 claims shown"
    browser.press("?")
    keys = browser.find_element(By.ID, "keys")
    assert keys.is_displayed()
    browser.press(Keys.ESCAPE)
    assert not keys.is_displayed()


def test_hostile_texts_are_shown_and_do_nothing(visit: Callable[..., Browser]) -> None:
    browser = visit("hostile", width=360)
    browser.execute_script(
        "document.querySelectorAll('.toggle').forEach((button) => button.click())"
    )
    assert browser.execute_script("return window.__pwned") is None
    assert browser.execute_script("return document.images.length") == 0
    assert browser.find_elements(By.CSS_SELECTOR, "[onload], [onerror], a[href^=javascript]") == []
    assert browser.read_log("browser") == []
    text = browser.find_element(By.CSS_SELECTOR, "table.claims").text
    for harm in HOSTILE:
        assert f"Model {harm.replace(chr(0x202E), '[U+202E]')} wins" in text
    assert browser.page_width() <= 360
    browser = visit("hostile")
    assert browser.page_width() <= 1200
    # Their permalinks and filters work as any other's.
    browser.execute_script(
        "const select = document.querySelector('[name=section]'); select.selectedIndex = 1;"
        "select.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    assert len(shown(browser)) == 1
    link = browser.find_element(By.CSS_SELECTOR, "article .where .id")
    link.click()
    assert browser.find_elements(By.CSS_SELECTOR, "article:target")
    assert browser.execute_script("return window.__pwned") is None


def test_a_phone_needs_no_sideways_scrolling(visit: Callable[..., Browser]) -> None:
    browser = visit(width=360)
    browser.execute_script(
        "document.querySelectorAll('details').forEach((more) => { more.open = true; });"
        "document.querySelectorAll('.toggle').forEach((button) => button.click())"
    )
    assert browser.page_width() <= 360
    # Nothing is wider than the screen without saying so, either.
    wider = browser.execute_script(
        "return [...document.querySelectorAll('main *:not(.hidden-text)')].filter((e) =>"
        " !e.closest('thead') && e.checkVisibility()"
        " && e.getBoundingClientRect().right > 360.5).map((e) => e.outerHTML)"
    )
    assert wider == []


def test_print_shows_every_derivation_and_no_controls(
    visit: Callable[..., Browser], audit: Audit
) -> None:
    browser = visit()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for selector, seen in (
        (".derivation", True),
        (".more", True),
        ("details dd", True),
        ("section:not(#findings) details li", True),
        (".filters select", False),
        (".toggle", False),
        ("nav", False),
        ("#theme", False),
    ):
        elements = browser.find_elements(By.CSS_SELECTOR, selector)
        assert elements
        visible = browser.execute_script(
            "return arguments[0].map((e) => e.checkVisibility({contentVisibilityAuto: true}))",
            elements,
        )
        assert set(visible) == {seen}, selector
    assert len(browser.find_elements(By.CSS_SELECTOR, ".derivation")) == len(audit.judged)
    assert browser.page_width() <= 1200


def test_the_printed_file_has_every_claim(visit: Callable[..., Browser]) -> None:
    browser = visit()
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    streams = re.findall(rb"/Filter /FlateDecode.*?stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    painted = sum(len(re.findall(rb"T[jJ]\b", zlib.decompress(stream))) for stream in streams
                  if stream[:1] == b"x")  # fmt: skip
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    # A claim with its details fills a tenth of a page at the least.
    assert pages > 120 / 10
    assert painted > 120


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(visit: Callable[..., Browser], scheme: str) -> None:
    browser = visit()
    browser.prefer(scheme)
    assert browser.is_light() == (scheme == "light")
    browser.execute_script(
        "location.hash = document.querySelector('article').id;"
        "for (const row of document.querySelectorAll('.toggle')) row.click();"
        "for (const part of document.querySelectorAll('details')) part.open = true"
    )
    assert browser.serious_faults() == []


def test_the_first_screen_says_what_is_wrong(visit: Callable[..., Browser]) -> None:
    browser = visit(width=1300)
    visible = browser.execute_script(
        "return [...document.querySelectorAll('.lead, .finding .sentence')].filter((e) =>"
        " e.getBoundingClientRect().bottom < innerHeight).map((e) => e.textContent)"
    )
    assert "claims are contradicted" in visible[0]
    assert len(visible) >= 3


def test_findings_can_be_reached_and_opened_by_key(visit: Callable[..., Browser]) -> None:
    browser = visit()
    number = browser.find_element(By.CSS_SELECTOR, ".finding .claim-link")
    target = str(number.get_attribute("href")).partition("#")[2]
    for _ in range(40):
        browser.press(Keys.TAB)
        if browser.switch_to.active_element == number:
            break
    assert browser.switch_to.active_element == number
    outline = browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    browser.press(Keys.ENTER)
    wait_for_address(browser, target)
    assert browser.find_elements(By.CSS_SELECTOR, "article:target")


def test_the_theme_can_be_chosen(visit: Callable[..., Browser]) -> None:
    browser = visit()
    browser.prefer("dark")
    button = browser.find_element(By.ID, "theme")
    grounds = []
    for name in ("light", "dark", "auto"):
        button.click()
        assert button.text == f"Theme: {name}"
        grounds.append(browser.is_light())
    assert grounds == [True, False, False]


def test_without_scripts_everything_can_be_read(
    visit: Callable[..., Browser], audit: Audit, browser: Browser
) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    visit()
    rows = browser.find_elements(By.CSS_SELECTOR, "tbody.claim .more")
    assert len(rows) == len(audit.judged)
    assert browser.find_element(By.CSS_SELECTOR, "tbody.claim:last-of-type .more").is_displayed()
    assert not browser.find_element(By.CSS_SELECTOR, ".filters").is_displayed()
    assert not browser.find_element(By.ID, "theme").is_displayed()
    text = browser.find_element(By.TAG_NAME, "main").text
    for item in audit.judged:
        assert item.derivation in text
