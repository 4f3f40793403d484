"""The calculator of the docs in a real browser: the numbers and sentences of `llm-power plan`.

With LLM_POWER_BROWSER=required a missing browser is a failure; else these tests are skipped.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import pytest
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import binom, nct
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browsers import (
    AA,
    Browser,
    color,
    contrast,
    forget_emulation,
    open_browser,
    open_page,
    page_width,
    press,
    read_log,
    requested,
    wait_until,
)
from llm_power.cli import main
from llm_power.planning.answer import plan_counts
from llm_power.statistics.design_effect import design_effect
from llm_power.statistics.exact_required_n import connor_required_n
from llm_power.statistics.inversion import minimum_detectable_effect, resolution_ratio

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
PAGE: Final = (DOCS / "calculator.html").as_uri()
RELATIVE: Final = 1e-9
Asked = dict[str, object]
Seen = dict[str, Any]

ANSWERED: Final[list[Asked]] = [
    # Typical.
    {"p_a": 0.65, "p_b": 0.60, "rho": 0.30},
    {"p_a": 0.65, "p_b": 0.60, "rho": 0.30, "test": "mid_p", "power": 0.9},
    {"p_a": 0.60, "p_b": 0.65, "rho": -0.2, "test": "asymptotic"},
    {"p_a": 0.65, "p_b": 0.60, "agreement": 0.8, "models": 10},
    {"p_a": 0.65, "p_b": 0.60},
    {"p_a": 0.65, "p_b": 0.60, "clusters": 5, "icc": 0.01},
    {"p_a": 0.873, "p_b": 0.841, "rho": 0.55, "comparisons": 45, "alpha": 0.01},
    {"b": 295, "c": 249, "n": 10042},
    {"b": 295, "c": 249, "n": 10042, "models": 10},
    {"b": 70, "c": 52, "n": 1319, "margin": 0.04},
    {"b": 40, "c": 12, "n": 500, "clusters": 20, "icc": 0.02},
    {"b": 31, "c": 97, "n": 3000, "test": "mid_p", "comparisons": 10},
    {"gap": 0.02, "discordance": 0.1},
    {"gap": 0.02, "discordance": 0.1, "test": "mid_p"},
    {"gap": 0.02, "discordance": 0.1, "clusters": 14, "icc": 0.004},
    {"gap": 0.02, "discordance": 0.1, "clusters": 8, "icc": 0.004},
    {"gap": 0, "discordance": 0.054, "margin": 0.01},
    {"gap": -0.015, "discordance": 0.08, "margin": 0.03, "alpha": 0.1},
    {"n": 2000, "discordance": 0.1},
    {"n": 500, "discordance": 0.3, "test": "mid_p", "comparisons": 6},
    {"n": 3000, "discordance": 0.2, "clusters": 14, "icc": 0.004},
    {"gap": 0.05, "between": 0.11, "within_a": 0.17, "repeats_a": 10},
    {"gap": 0.03, "between": 0.05, "within_a": 0.2, "within_b": 0.1, "repeats_b": 4},
    {"n": 198, "between": 0.111, "within_a": 0.1667, "repeats_a": 10},
    # Extreme: certain items, no gap, hardly any or all items discordant, tiny levels, few items.
    {"p_a": 1, "p_b": 0, "rho": 0},
    {"p_a": 1, "p_b": 0.9, "rho": 0},
    {"p_a": 0.5, "p_b": 0.5},
    {"p_a": 0.99, "p_b": 0.985, "rho": 0.75},
    {"b": 0, "c": 0, "n": 100},
    {"b": 6, "c": 0, "n": 100, "alpha": 0.03125},
    {"b": 5, "c": 1, "n": 6, "alpha": 0.0625, "power": 0.3},
    {"gap": 0.9, "discordance": 0.95, "test": "mid_p"},
    {"gap": 0.0005, "discordance": 0.001},
    {"gap": 0.006, "discordance": 0.9, "power": 0.99},
    {"gap": 0.0001, "discordance": 0.002},
    {"gap": 0.03, "discordance": 0.03, "comparisons": 4950, "power": 0.95},
    {"gap": 0.05, "discordance": 0.4, "models": 200},
    {"gap": 0, "discordance": 0.1},
    {"gap": 0.3, "discordance": 0.5, "clusters": 2, "icc": 0.001},
    {"gap": 0.02, "discordance": 0.1, "clusters": 60, "icc": 0},
    {"gap": 0.03125, "discordance": 0.06251, "power": 0.8125},
    {"n": 20, "discordance": 0.1},
    {"n": 30_000, "discordance": 0.02},
    {"n": 1, "discordance": 1},
    {"gap": 0.5, "between": 0.0, "within_a": 0.25},
    {"n": 3, "between": 0.1, "within_a": 0, "comparisons": 3},
]

#: What the command refuses, and the field that the page blames.
REFUSED: Final[list[tuple[str, Asked]]] = [
    ("rho", {"p_a": 0.65, "p_b": 0.60, "rho": 0.95}),
    ("rho", {"p_a": 0.9, "p_b": 0.2, "rho": -0.8}),
    ("rho", {"p_a": 1, "p_b": 0.5, "rho": 0.1}),
    ("agreement", {"p_a": 0.65, "p_b": 0.60, "agreement": 0.99}),
    ("p_a", {"p_a": 1.2, "p_b": 0.60}),
    ("n", {"b": 60, "c": 50, "n": 100}),
    ("discordance", {"gap": 0.2, "discordance": 0.1}),
    ("power", {"gap": 0.02, "discordance": 0.1, "power": 0.04}),
    ("alpha", {"gap": 0.02, "discordance": 0.1, "alpha": 0}),
    ("alpha", {"gap": 0, "discordance": 0.1, "margin": 0.02, "alpha": 0.6}),
    ("icc", {"gap": 0.02, "discordance": 0.1, "clusters": 14}),
    ("icc", {"gap": 0.02, "discordance": 0.1, "clusters": 14, "icc": 2}),
    ("clusters", {"gap": 0.02, "discordance": 0.1, "clusters": 1, "icc": 0.1}),
    ("models", {"gap": 0.02, "discordance": 0.1, "models": 5, "comparisons": 3}),
    ("margin", {"gap": 0, "discordance": 0.1, "margin": 0.1, "clusters": 9, "icc": 0.1}),
    ("gap", {"gap": 0.1, "n": 50, "between": 0.1, "within_a": 0.1}),
    ("between", {"gap": 0.1, "between": 0, "within_a": 0}),
]


def known(asked: Asked) -> str:
    if "p_a" in asked:
        return "accuracies"
    if "between" in asked:
        return "repeats"
    return "counts" if "b" in asked else "gap" if "gap" in asked else "items"


def fragment(asked: Asked) -> str:
    return urlencode({"know": known(asked), **asked})


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Browser]]:
    def visit_page(asked: Asked | None = None, width: int = 1300) -> Browser:
        return open_page(browser, f"{PAGE}#{fragment(asked)}" if asked else PAGE, width)

    yield visit_page
    forget_emulation(browser)


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
      said: document.getElementById("sentence").textContent,
      found: LlmPower.shown,
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


def differences(ours: Any, pages: Any, where: str = "") -> Iterator[str]:
    """Tell where the page has another number or word than the command."""
    if isinstance(ours, dict):
        for name in ours.keys() - {"monitored", "power_at_equivalence"}:
            yield from differences(ours[name], pages[name], f"{where} {name}")
    elif isinstance(ours, list):
        for at, (one, other) in enumerate(zip(ours, pages, strict=True)):
            yield from differences(one, other, f"{where} {at}")
    elif isinstance(ours, float) and ours % 1:
        if pages is None or not math.isclose(ours, pages, rel_tol=RELATIVE):
            yield f"{where}: {ours} {pages}"
    elif ours != pages:
        yield f"{where}: {ours} {pages}"


def command(line: str, capsys: pytest.CaptureFixture[str], *more: str) -> str:
    """Run the line that the page shows."""
    with pytest.raises(SystemExit):
        main([*shlex.split(line)[1:], *more])
    return "".join(capsys.readouterr())


def test_it_has_the_numbers_and_the_sentence_of_the_command(
    visit: Callable[..., Browser], capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {}
    for asked, seen in zip(ANSWERED, ask(visit(), *ANSWERED), strict=True):
        assert seen["wrong"] is None, asked
        said = json.loads(command(seen["command"], capsys, "--format", "json"))
        assert seen["said"] == said["headline"]
        if found := list(differences(said, seen["found"])):
            wrong[seen["command"]] = found
    assert wrong == {}


def test_it_refuses_what_the_command_refuses_beside_the_field(
    visit: Callable[..., Browser], capsys: pytest.CaptureFixture[str]
) -> None:
    page = visit()
    for (field, asked), seen in zip(REFUSED, ask(page, *[one for _, one in REFUSED]), strict=True):
        assert seen["found"] is None
        assert seen["wrong"][0] == field, asked
        assert seen["said"].startswith("No plan yet")
        refusal = command(seen["command"], capsys).strip()
        if field in {"rho", "agreement", "discordance", "power"}:
            assert refusal == f"error: {seen['wrong'][1]}"
        else:
            assert refusal.startswith(("error: ", "Usage: ")), asked
    [missing] = ask(page, {"b": "", "c": 3, "n": "10,042"})
    assert missing["wrong"] == ["b", "b is missing"]
    [comma] = ask(page, {"b": 4, "c": 3, "n": "10,042"})
    assert comma["wrong"] == ["n", 'n must be a number, got "10,042"']


def test_items_there_are_have_their_power_gap_and_ratio(visit: Callable[..., Browser]) -> None:
    question = {"n": 5000, "clusters": 14, "icc": 0.004}
    [plan, clustered, repeats] = ask(
        visit(),
        {"gap": 0.02, "discordance": 0.1, "n": 5000},
        {"gap": 0.02, "discordance": 0.1, **question},
        {"n": 198, "between": 1 / 9, "within_a": 1 / 6},
    )
    ours = plan_counts(300, 200, 5000)
    hand = ours.at_hand
    assert hand is not None
    found = plan["found"]
    # Rates b/n and a gap with its discordance differ in their last digit.
    assert found["at_hand"]["power"] == pytest.approx(hand.power, rel=RELATIVE)
    assert found["at_hand"]["detectable"] == pytest.approx(hand.detectable, rel=RELATIVE)
    assert "--n" not in plan["command"]
    sigma = ours.pair.sigma_d
    assert found["closed"] == {
        "sigma_d": pytest.approx(sigma, rel=RELATIVE),
        "n_star": pytest.approx(ours.n_star, rel=RELATIVE),
        "mde": pytest.approx(float(minimum_detectable_effect(5000, sigma)), rel=RELATIVE),
        "q": pytest.approx(float(resolution_ratio(5000, ours.n_star)), rel=RELATIVE),
        "connor": pytest.approx(float(connor_required_n(0.06, 0.04)), rel=RELATIVE),
    }
    assert clustered["found"]["at_hand"]["power"] < 0.8 < found["at_hand"]["power"]
    # Miller's section 5, which prints 13.2 %.
    expected = minimum_detectable_effect(198, (1 / 9 + 2 / 6) ** 0.5)
    assert repeats["found"]["closed"]["mde"] == pytest.approx(float(expected), rel=RELATIVE)


def test_its_laws_are_those_of_scipy(visit: Callable[..., Browser]) -> None:
    browser = visit()

    def page(function: str, *arguments: tuple[float, ...]) -> list[float]:
        call = f"return arguments[0].map((given) => LlmPower.{function}(...given))"
        found: list[float] = browser.execute_script(call, arguments)
        return found

    z = [x / 8 for x in range(-300, 72)]
    assert page("normalCdf", *((x,) for x in z)) == pytest.approx(ndtr(z), rel=1e-12, abs=0)
    p = [
        1e-300,
        1e-20,
        1e-9,
        1e-4,
        0.001,
        0.02,
        0.074,
        0.076,
        0.3,
        0.5,
        0.7,
        0.93,
        0.999,
        1 - 1e-12,
    ]
    assert page("normalQuantile", *((x,) for x in p)) == pytest.approx(ndtri(p), rel=1e-12, abs=0)
    cells = [
        (k, n, q)
        for n, q in [(1, 0.3), (17, 0.5), (900, 0.02), (50_000, 0.5), (10**6, 0.999)]
        for k in {0, 1, round(n * q), min(n, round(n * q) + 40), n}
    ]
    expected = [float(binom.pmf(*cell)) for cell in cells]
    assert page("binomialPmf", *cells) == pytest.approx(expected, rel=1e-11, abs=1e-300)
    tails = [(freedom, tail) for freedom in (1, 2, 7, 60, 5000) for tail in (0.025, 0.2, 1e-5)]
    expected = [-float(stdtrit(*case)) for case in tails]
    assert page("studentQuantile", *tails) == pytest.approx(expected, rel=1e-11, abs=0)
    shifted = [(t, f, shift) for f in (1, 6, 45, 4000) for t in (0.5, 2.2) for shift in (0, 1.7, 4)]
    expected = [float(nct.sf(t, f, shift)) for t, f, shift in shifted]
    assert page("studentUpperTail", *shifted) == pytest.approx(expected, rel=1e-9, abs=0)
    sizes = [(1, 0.2), (471, 0.004)]
    assert page("designEffect", *sizes) == [float(design_effect(*case)) for case in sizes]


def test_numbers_are_written_as_python_writes_them(visit: Callable[..., Browser]) -> None:
    values = [
        0,
        0.3,
        1 / 3,
        3.125,
        2.375,
        0.625,
        100,
        99.95,
        1234.5,
        5.1e-5,
        9.9999e-5,
        123456789.0,
    ]
    said = visit().execute_script(
        "return arguments[0].map((value) => [3, 6].map((k) => LlmPower.general(value, k)))", values
    )
    assert said == [[f"{value:.3g}", f"{value:g}"] for value in values]


@pytest.mark.parametrize("width", [400, 1300])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_its_screen_and_can_be_read(
    visit: Callable[..., Browser], width: int, scheme: str
) -> None:
    browser = visit(width=width)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    for asked in (*ANSWERED[4:6], ANSWERED[14], ANSWERED[21], REFUSED[0][1]):
        ask(browser, asked)
        assert page_width(browser) <= width, asked
    ground = color(browser, "body", "backgroundColor")
    raised = color(browser, "#answer", "backgroundColor")
    assert (sum(ground) > 1.5) == (scheme == "light")
    for selector in (".hint", ".error", "label", "legend", "h1"):
        assert contrast(color(browser, selector), ground) >= AA, selector
    for selector in ("#sentence", "#assumed"):
        assert contrast(color(browser, selector), raised) >= AA, selector


def test_it_asks_nothing_of_a_network_and_says_nothing(visit: Callable[..., Browser]) -> None:
    browser = visit()
    files = {"calculator.css", "calculator.js", "calculator_form.js"}
    wanted = {PAGE, "data:,", *((DOCS / "_static" / name).as_uri() for name in files)}
    assert requested(browser) <= wanted
    assert read_log(browser, "browser") == []


def test_keys_alone_ask_and_the_address_keeps_the_plan(visit: Callable[..., Browser]) -> None:
    browser = visit()

    def focused() -> str:
        return str(browser.execute_script("return document.activeElement.name"))

    def sentence() -> str:
        return str(browser.find_element(By.ID, "sentence").text)

    assert sentence().startswith("Plan 1,069 items")
    press(browser, Keys.TAB, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert sentence().startswith("Plan 2,043 items")
    press(browser, Keys.TAB)
    assert focused() == "gap"
    press(browser, "0.05", Keys.TAB)
    assert focused() == "discordance"
    wait_until(browser, lambda: "gap of 5 points" in sentence())
    shared, said = browser.current_url, sentence()
    assert shared.endswith("#know=gap&gap=0.05&discordance=0.1")
    open_page(browser, shared)
    assert sentence() == said


def test_every_field_has_a_label_and_says_its_error(visit: Callable[..., Browser]) -> None:
    bare = visit().execute_script(
        "return [...document.querySelectorAll('input, select')].filter((input) =>"
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
