"""The calculator of the docs in a real browser: closed forms of the library, near the command.

With LLM_POWER_BROWSER=required a missing browser is a failure; else these tests are skipped.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np
import pytest
from scipy.special import ndtri
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsers import Browser
from llm_power._cli import main
from llm_power._statistics.inversion import minimum_detectable_effect, required_n
from llm_power._statistics.mcnemar import connor_required_n, continuity_corrected

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
PAGE: Final = (DOCS / "calculator.html").as_uri()
Asked = dict[str, object]
Seen = dict[str, Any]

ANSWERED: Final[list[Asked]] = [
    {"p_a": 0.65, "p_b": 0.60, "rho": 0.30},
    {"p_a": 0.60, "p_b": 0.65, "rho": -0.2},
    {"p_a": 0.873, "p_b": 0.841, "agreement": 0.9, "alpha": 0.01},
    {"p_a": 0.65, "p_b": 0.60},
    {"b": 295, "c": 249, "n": 10042},
    {"gap": 0.02, "discordance": 0.1},
    {"gap": -0.015, "discordance": 0.08, "alpha": 0.1, "power": 0.95},
    {"n": 2000, "discordance": 0.1},
    {"n": 30_000, "discordance": 0.02},
    {"gap": 0.05, "between": 0.11, "within_a": 0.17, "repeats_a": 10},
    {"gap": 0.03, "between": 0.05, "within_a": 0.2, "within_b": 0.1, "repeats_b": 4},
    {"n": 198, "between": 0.111, "within_a": 0.1667, "repeats_a": 10},
]

#: What the command refuses, and the field that the page blames.
REFUSED: Final[list[tuple[str, Asked]]] = [
    ("rho", {"p_a": 0.65, "p_b": 0.60, "rho": 0.95}),
    ("rho", {"p_a": 1, "p_b": 0.5, "rho": 0.1}),
    ("agreement", {"p_a": 0.65, "p_b": 0.60, "agreement": 0.99}),
    ("p_a", {"p_a": 1.2, "p_b": 0.60}),
    ("n", {"b": 60, "c": 50, "n": 100}),
    ("discordance", {"gap": 0.2, "discordance": 0.1}),
    ("power", {"gap": 0.02, "discordance": 0.1, "power": 0.04}),
    ("alpha", {"gap": 0.02, "discordance": 0.1, "alpha": 0}),
    ("gap", {"gap": 0.1, "n": 50, "between": 0.1, "within_a": 0.1}),
    ("between", {"gap": 0.1, "between": 0, "within_a": 0}),
]

#: What no number of items decides, or fewer items than the test can reject with.
ENDLESS: Final[list[Asked]] = [
    {"p_a": 0.5, "p_b": 0.5},
    {"b": 0, "c": 0, "n": 100},
    {"gap": 0, "discordance": 0.1},
    {"n": 20, "discordance": 0.1},
    {"gap": 0, "between": 0.1, "within_a": 0.1},
]


def known(asked: Asked) -> str:
    if "p_a" in asked:
        return "accuracies"
    if "between" in asked:
        return "repeats"
    return "counts" if "b" in asked else "gap" if "gap" in asked else "items"


def fragment(asked: Asked) -> str:
    return urlencode({"know": known(asked), **asked})


@pytest.fixture
def visit(browser: Browser) -> Callable[..., Browser]:
    def visit_page(asked: Asked | None = None, width: int = 1300) -> Browser:
        return browser.open_page(f"{PAGE}#{fragment(asked)}" if asked else PAGE, width)

    return visit_page


_ASK_ALL: Final = """
const [fragments, done] = arguments;
(async () => {
  const seen = [];
  for (const fragment of fragments) {
    await new Promise((read) => {
      addEventListener("hashchange", read, { once: true });
      location.replace("#" + fragment);
    });
    const wrong = document.querySelector("[aria-invalid]");
    seen.push({
      command: document.getElementById("command").textContent,
      sentence: document.getElementById("sentence").textContent,
      shown: Calculator.shown,
      wrong: wrong && [wrong.name, document.getElementById(`${wrong.name}-error`).textContent],
    });
  }
  done(JSON.stringify(seen, (name, value) => value === Infinity ? "inf" : value));
})();
"""


def ask(browser: Browser, *questions: Asked) -> list[Seen]:
    """Put each question into the address, and return what the page then shows."""
    fragments = [fragment(asked) for asked in questions]
    seen: list[Seen] = json.loads(browser.execute_async_script(_ASK_ALL, fragments))
    return seen


def command(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the line that the page shows."""
    with pytest.raises(SystemExit):
        main(shlex.split(line)[1:])
    return "".join(capsys.readouterr())


def first_number(sentence: str) -> float:
    """Items to plan, or points of the gap that the items detect."""
    points = re.search(r"[Gg]aps of (?:about )?([\d.]+) points?", sentence)
    items = re.search(r"Plan (?:about )?([\d,]+)", sentence)
    found = items or points
    assert found is not None, sentence
    return float(found[1].replace(",", ""))


def test_its_number_is_near_that_of_the_command_it_shows(
    visit: Callable[..., Browser], capsys: pytest.CaptureFixture[str]
) -> None:
    for asked, seen in zip(ANSWERED, ask(visit(), *ANSWERED), strict=True):
        assert seen["wrong"] is None, asked
        said = " ".join(command(seen["command"], capsys).split())
        near = pytest.approx(first_number(said), rel=0.03)
        assert first_number(seen["sentence"]) == near, seen["command"]
        assert "about" in seen["sentence"]


def test_its_closed_forms_are_those_of_the_library(visit: Callable[..., Browser]) -> None:
    family = {"comparisons": 6, "power": 0.9}
    [pair, repeats] = ask(
        visit(),
        {"p_a": 0.65, "p_b": 0.60, "rho": 0.3, "n": 5000, **family},
        {"n": 198, "between": 1 / 9, "within_a": 1 / 6},
    )
    law = {"alpha": 0.05 / 6, "power": 0.9}
    sigma = (0.2275 + 0.24 - 0.6 * (0.2275 * 0.24) ** 0.5) ** 0.5
    discordance = sigma**2 + 0.05**2
    connor = connor_required_n((discordance + 0.05) / 2, (discordance - 0.05) / 2, **law)
    n_star = float(required_n(0.05, sigma, **law))
    expected = {
        "gap": 0.05,
        "discordance": discordance,
        "exact": float(continuity_corrected(connor, np.asarray(0.05))),
        "score": float(connor),
        "n_star": n_star,
        "mde": float(minimum_detectable_effect(5000, sigma, **law)),
        "q": 5000 / n_star,
    }
    assert pair["shown"]["plan"] == pytest.approx(expected, rel=1e-9)
    # Guenther (1981) takes half the square of the normal quantile off the items.
    effective = 198 - ndtri(0.025) ** 2 / 2
    gap = minimum_detectable_effect(effective, (1 / 9 + 2 / 6) ** 0.5)
    assert repeats["shown"]["plan"] == pytest.approx(float(gap), rel=1e-9)


def test_without_a_correlation_it_has_the_range_of_all_that_are_admissible(
    visit: Callable[..., Browser],
) -> None:
    [seen] = ask(visit(), {"p_a": 0.65, "p_b": 0.60})
    assert seen["shown"]["plan"]["discordance"] == pytest.approx(0.75)
    assert seen["shown"]["least"]["discordance"] == pytest.approx(0.05)
    assert [len(row) for row in seen["shown"]["rows"]] == [3, 3, 3]


def test_it_refuses_what_the_command_refuses_beside_the_field(
    visit: Callable[..., Browser], capsys: pytest.CaptureFixture[str]
) -> None:
    page = visit()
    for (field, asked), seen in zip(REFUSED, ask(page, *[one for _, one in REFUSED]), strict=True):
        assert seen["shown"] is None
        assert seen["wrong"][0] == field, asked
        assert seen["sentence"].startswith("No plan yet")
        assert command(seen["command"], capsys).strip().startswith(("error: ", "Usage: ")), asked
    [missing] = ask(page, {"b": "", "c": 3, "n": "10,042"})
    assert missing["wrong"] == ["b", "b is missing"]
    [comma] = ask(page, {"b": 4, "c": 3, "n": "10,042"})
    assert comma["wrong"] == ["n", 'n must be a number, got "10,042"']


def test_what_no_number_of_items_decides_has_no_number(visit: Callable[..., Browser]) -> None:
    for asked, seen in zip(ENDLESS, ask(visit(), *ENDLESS), strict=True):
        assert seen["sentence"].startswith("No "), asked
        assert seen["wrong"] is None, asked


def test_the_options_that_it_leaves_out_are_those_of_the_command(
    visit: Callable[..., Browser], capsys: pytest.CaptureFixture[str]
) -> None:
    listed = [one.text for one in visit().find_elements(By.CSS_SELECTOR, "#notes li code")]
    options = set(re.findall(r"--[a-z-]+", " ".join(listed)))
    assert options
    assert options <= set(re.findall(r"--[a-z-]+", command("llm-power plan --help-all", capsys)))


def test_the_normal_quantile_of_all_pages_is_that_of_scipy(visit: Callable[..., Browser]) -> None:
    p = [1e-300, 1e-20, 1e-9, 1e-4, 0.02, 0.074, 0.076, 0.3, 0.5, 0.93, 0.999, 1 - 1e-12]
    found = visit().execute_script("return arguments[0].map(Page.ndtri)", p)
    assert found == pytest.approx(ndtri(p), rel=1e-12, abs=0)


@pytest.mark.parametrize("width", [400, 1300])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_its_screen_and_can_be_read(
    visit: Callable[..., Browser], width: int, scheme: str
) -> None:
    browser = visit(width=width)
    browser.prefer(scheme)
    assert browser.is_light() == (scheme == "light")
    for asked in (*ANSWERED[3:5], ANSWERED[-1], REFUSED[0][1]):
        ask(browser, asked)
        assert browser.page_width() <= width, asked
        assert browser.serious_faults() == [], asked


def test_it_asks_nothing_of_a_network_and_says_nothing(visit: Callable[..., Browser]) -> None:
    browser = visit()
    files = {"theme.css", "page.css", "calculator.css", "calculator.js", "page.js"}
    wanted = {PAGE, "data:,", *((DOCS / "_static" / name).as_uri() for name in files)}
    assert browser.requested() <= wanted
    assert browser.read_log("browser") == []


def test_keys_alone_ask_and_the_address_keeps_the_plan(visit: Callable[..., Browser]) -> None:
    browser = visit()

    def focused() -> str:
        return str(browser.execute_script("return document.activeElement.name"))

    def sentence() -> str:
        return str(browser.find_element(By.ID, "sentence").text)

    assert sentence().startswith("Plan about 1,073 items")
    browser.press(Keys.TAB, Keys.TAB, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert sentence().startswith("Plan about 2,059 items")
    browser.press(Keys.TAB)
    assert focused() == "gap"
    browser.press("0.05", Keys.TAB)
    assert focused() == "discordance"
    browser.wait_until(lambda: "gap of 5 points" in sentence())
    shared, said = browser.current_url, sentence()
    assert shared.endswith("#know=gap&gap=0.05&discordance=0.1")
    browser.open_page(shared)
    assert sentence() == said


def test_every_field_has_a_label_and_says_its_error(visit: Callable[..., Browser]) -> None:
    bare = visit().execute_script(
        "return [...document.querySelectorAll('input')].filter((input) =>"
        " !input.labels.length || (input.type !== 'radio' && ![...input.getAttribute("
        "'aria-describedby').split(' ')].every((id) => document.getElementById(id))))"
        ".map((input) => input.name)"
    )
    assert bare == []
    assert visit().find_element(By.ID, "sentence").get_attribute("role") == "status"


@pytest.mark.parametrize("page", ["planning.md", "index.md"])
def test_the_docs_lead_to_it(page: str) -> None:
    # A link in Markdown would make the file a download, without what lies beside it.
    assert '<a href="calculator.html">' in (DOCS / page).read_text(encoding="utf-8")
