"""How likely the audit is to notice a misprint: the committed table, and a part of it again."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from zlib import crc32

import pandas as pd
import pytest

from audit.detection import Detection

ROOT = Path(__file__).resolve().parents[3]
RECORDED = ROOT / "data" / "recorded" / "audit_power"
N_AGAIN = 60


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit_power", ROOT / "tools/audit_power.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["audit_power"] = loaded
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def trials() -> pd.DataFrame:
    return pd.read_csv(RECORDED / "kotawala2026.csv", dtype=str, keep_default_na=False)


def page(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    ("paper", "fewest"), [("kotawala2026", 300), ("miller2024", 150), ("skpower2025", 1)]
)
def test_documents_have_the_rates_of_each_table(tool: ModuleType, paper: str, fewest: int) -> None:
    detection = Detection.of(RECORDED / f"{paper}.csv")
    assert len(detection.trials) >= fewest
    assert all(one["fate"] != "stopped" for one in detection.trials)
    assert tool.written(detection) in (ROOT / "docs/audit.md").read_text(encoding="utf-8")
    if paper == "kotawala2026":
        assert detection.rates()["1 unit"].written() in page("README.md")


def test_the_page_says_what_each_misprint_that_passes_can_be(trials: pd.DataFrame) -> None:
    passed = trials[trials["fate"] != "noticed"]
    text = page("docs/audit.md")
    assert f"Drawn were {len(trials)} misprints of the 614 numbers" in text
    assert f"and {len(passed)} pass." in text
    for stands, count in passed["stands"].value_counts().items():
        assert f"*{stands}*, {count}: " in text
    for misprinted in passed.loc[passed["stands"] == "fault", "misprinted"]:
        assert misprinted.partition(" for ")[0].removeprefix("≈ ") in text


@pytest.mark.slow
def test_misprints_of_the_table_fare_the_same_again(
    tool: ModuleType, trials: pd.DataFrame, whole_run: Path, tmp_path: Path
) -> None:
    bench = tool.Bench.of(whole_run, tmp_path)
    numbers = {next(iter(one.claims)): one for one in bench.numbers}
    order: Callable[[str], int] = lambda text: crc32(text.encode())  # noqa: E731
    names = trials["size"] + "/" + trials["claim"]
    for row in trials.iloc[names.map(order).argsort()[:N_AGAIN]].itertuples():
        found = bench.trial(numbers[row.claim], row.size)
        assert found is not None
        assert (row.claim, row.misprinted, row.fate) == (
            row.claim,
            found["misprinted"],
            found["fate"],
        )
        assert row.stands == found["stands"]
