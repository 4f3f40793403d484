"""The page of a board in a browser: how long it takes to be shown, and to follow a control."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from multiprocessing.util import Finalize
from pathlib import Path
from shutil import which
from tempfile import mkdtemp

from drawn import Size
from ours import Answers, drawn_task
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from llm_power._board.page_data import page_data
from llm_power._board.resolve import resolve_board
from llm_power._board.summary import describe_board
from llm_power._report.board_page import render_board_page
from llm_power._scores.selection import prepare_task

_SHOWN = """const done = arguments[0], look = () => document.querySelector("#ranking tbody tr")
  ? requestAnimationFrame(() => setTimeout(done)) : setTimeout(look, 1); look();"""
_LEVEL = """const [step, done] = arguments;
  const { alpha } = document.querySelector(".controls").elements;
  alpha.value = step; alpha.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(() => setTimeout(done));"""


def opening(size: Size) -> Callable[[], Answers]:
    """Open the page of all pairs, until its ranking is painted."""
    browser, address = _browser(), _page(size)

    def call() -> Answers:
        browser.get(address)
        browser.execute_async_script(_SHOWN)
        return {}

    return call


def controlling(size: Size) -> Callable[[], Answers]:
    """Move the level a step under Holm's procedure, until the page is painted, lists in view."""
    browser = _browser()
    browser.get(f"{_page(size)}#procedure=holm")
    browser.execute_async_script(_SHOWN)
    browser.execute_script("document.getElementById('pairs').scrollIntoView()")
    steps = cycle(range(4))

    def call() -> Answers:
        browser.execute_async_script(_LEVEL, next(steps))
        return {}

    return call


def _page(size: Size) -> str:
    task = prepare_task(drawn_task(size))
    board = resolve_board([task], family="all")
    summary = describe_board(board, [task], missing="error")
    page = Path(mkdtemp(), "board.html")
    page.write_text(render_board_page(page_data(board.verdicts, summary, title="drawn")), "utf-8")
    return page.as_uri()


def _browser() -> webdriver.Chrome:
    program, driver = which("chromium") or which("google-chrome"), which("chromedriver")
    if program is None or driver is None:
        raise ModuleNotFoundError(name="chromium")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    opened = webdriver.Chrome(options=options, service=Service(driver))
    Finalize(None, opened.quit, exitpriority=1)
    return opened
