"""A real browser for the tests of pages, and what they ask of it.

With LLM_POWER_BROWSER=required a missing browser is a failure; else these tests are skipped.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait

from needed import without

_FLAGS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_SERIOUS: Final = """
const done = arguments[0];
const counts = ({ impact, tags }) =>
  ["serious", "critical"].includes(impact) || tags.includes("wcag2a") || tags.includes("wcag2aa");
axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(
  violations.filter(counts).flatMap(
    ({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`))));
"""
# What the margins of 12 mm leave of the width of A4, in pixels of CSS.
A4: Final = 703


class Browser(webdriver.Chrome):
    """Chromium without a window, and what the tests ask of it."""

    def open_page(self, address: str, width: int = 1200) -> Browser:
        """Open a page afresh on a screen of a width."""
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        # A change of fragment alone would not load the page.
        self.get("about:blank")
        self.read_log("performance")
        self.read_log("browser")
        self.get(address)
        return self

    def forget_emulation(self) -> None:
        """Undo what a test had the browser pretend."""
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
        self.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def read_log(self, kind: str) -> list[dict[str, Any]]:
        """Return, and empty, the browser's log."""
        entries: list[dict[str, Any]] = self.get_log(kind)  # type: ignore[no-untyped-call]
        return entries

    def requested(self) -> set[str]:
        """Return the addresses, without fragments, that the page asked for."""
        events = [json.loads(entry["message"])["message"] for entry in self.read_log("performance")]
        return {
            event["params"]["request"]["url"].partition("#")[0]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        }

    def wait_until(self, done: Callable[[], bool]) -> None:
        """Wait up to five seconds."""
        WebDriverWait(self, 5, poll_frequency=0.02).until(lambda _: done())

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is, once the page is drawn.

        Chromium takes the focus away when it first draws a page that was opened at a fragment.
        """
        self.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
        )
        ActionChains(self).send_keys(*keys).perform()

    def page_width(self) -> int:
        """Return how wide the page is, shown or not."""
        return int(self.execute_script("return document.documentElement.scrollWidth"))

    def prefer(self, scheme: str) -> None:
        """Let the page believe that its reader prefers light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def is_light(self) -> bool:
        """Return whether the ground of the page is light."""
        ground = self.execute_script("return getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", ground)[:3])) > 3 * 128

    def serious_faults(self) -> list[str]:
        """Return what axe-core calls serious, or a breach of WCAG 2 AA, on the page shown."""
        axe = files("axe_core_python") / "axe.min.js"
        self.execute_script(axe.read_text(encoding="utf-8"))
        # A long page takes longer than the driver waits by itself on a busy machine.
        self.set_script_timeout(110)
        found: list[str] = self.execute_async_script(_SERIOUS)
        return found

    def printed_sheets(self) -> list[int]:
        """Print on A4, and return how many pieces of text each sheet has."""
        paper = {"paperWidth": 8.27, "paperHeight": 11.69}
        pdf = base64.b64decode(self.execute_cdp_cmd("Page.printToPDF", paper)["data"])
        objects = dict(re.findall(rb"(?m)^(\d+) 0 obj\r?\n(.*?)endobj", pdf, re.DOTALL))
        pages = [one for one in objects.values() if re.search(rb"/Type\s*/Page\b", one)]
        contents = [
            objects[found[1]] for one in pages if (found := re.search(rb"/Contents (\d+)", one))
        ]
        streams = [one.partition(b"stream")[2].strip(b"\r\n") for one in contents]
        texts = [zlib.decompressobj().decompress(one) for one in streams]
        return [len(re.findall(rb"T[jJ]\b", text)) for text in texts]


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """Open Chromium with a profile of its own."""
    program = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        without(
            "browser", "Chromium or its driver is missing: apt install chromium chromium-driver"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = Browser(options=options, service=Service(driver))
    yield opened
    opened.quit()
