"""How likely the audit is to notice a misprint: the committed table, and a part of it again."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

from llm_power._statistics.paired_binary import required_n_discordance
from llm_power_audit.agreement import agrees
from llm_power_audit.misprints import Detection
from llm_power_audit.printed import Printed, parse_printed
from llm_power_audit.printed_tables import load_counts, load_table
from needed import ROOT, page

RECORDED = ROOT / "data" / "recorded" / "audit_power"
N_AGAIN = 60
# Values of a pair: the ICC of all items, then ICC, mean size and number of resamples.
DATA = re.compile(r"(\d+ vs \d+): ICC (\S+); resamples ([^|]+)")
VALUE = re.compile(r"(\S+) \(size (\S+)\) × (\d+)")


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
    assert f"Drawn were {len(trials)} misprints of the 546 numbers" in text
    assert f"and {len(passed)} pass." in text
    for stands, count in passed["stands"].value_counts().items():
        assert f"*{stands}*, {count}: " in text
    for misprinted in passed.loc[passed["stands"] == "fault", "misprinted"]:
        assert misprinted.partition(" for ")[0].removeprefix("≈ ") in text


def test_the_page_says_what_passes_of_miller() -> None:
    trials = pd.read_csv(RECORDED / "miller2024.csv", keep_default_na=False)
    passed = trials[trials["fate"] != "noticed"]
    assert (passed["stands"] == "items").all()
    text = page("docs/audit.md")
    assert f"Of its {len(trials)} misprints {len(passed)} pass, and each has items" in text
    questions, ratios, others = (
        passed["claim"].str.contains(of).sum() for of in (r"table_02/\d/n", "table_04", "table_05")
    )
    assert len(passed) == questions + ratios + others + 1
    assert f"{questions} are numbers of questions, {ratios} ratios of Table 4, a score" in text
    assert f"a score and {others} numbers of Table 5." in text
    whole = ~passed["data"].str.contains(".", regex=False)
    assert f"Of {whole.sum()} all scores are 0 or 1" in text


def shifted(cell: Printed, by: float) -> Printed:
    return replace(cell, value=round(cell.value + by, 9))


def test_values_that_a_misprint_can_have_display_as_printed(trials: pd.DataFrame) -> None:
    """ICC and mean sizes of the table give Table 9's row with the misprint, and its share."""
    printed = load_table(ROOT / "data/kotawala2026/printed/table_09.csv")
    counts = load_counts(ROOT / "data/kotawala2026/printed/table_07.csv", n_items=12031)
    n_star = required_n_discordance(counts.b, counts.c, 12031)
    columns = ("icc", "design_effect", "n_star_cluster")
    of_values = trials[trials["stands"] == "values"]
    assert len(of_values) > 50
    names = ["claim", "printed", "misprinted", "data"]
    for claim, was, misprinted, data in of_values[names].astype(str).to_numpy().tolist():
        tails, by = [0.05, 0.95], 0.0
        if claim == "table-9-caption/percentiles":
            tails = [float(end) / 100 for end in misprinted.rstrip("%").split("–")]
        else:
            by = parse_printed(misprinted).value - parse_printed(was).value
        of = re.fullmatch(r"table_0./\d/(\w+)(?:/(\w+))?|s6.4/(icc)-(\w+)/\d", claim)
        column, part = (of[1] or of[3], of[2] or of[4] or "point") if of else ("", "")
        for label, whole, resamples in DATA.findall(data):
            i = printed.index[printed["pair"] == label][0]
            listed = np.array(VALUE.findall(resamples), dtype=float)
            icc, size = np.repeat(listed[:, :2], listed[:, 2].astype(int), axis=0).T
            assert len(icc) == 1000
            assert size.min() >= 381
            assert size.max() <= 1351
            effect = 1 + (size - 1) * np.maximum(icc, 0)
            shares = float((n_star[i] * effect > 12031).mean())
            assert agrees(printed["pr_unresolved"][i], shares)
            point = 1 + (12031 / 14 - 1) * max(float(whole), 0)
            values = {
                "point": (float(whole), point, n_star[i] * point),
                **{
                    end: [np.quantile(x, tail) for x in (icc, effect, n_star[i] * effect)]
                    for end, tail in zip(("lower", "upper"), tails, strict=True)
                },
            }
            for end, found in values.items():
                for name, value in zip(columns, found, strict=True):
                    is_it = (name, end) == (column, part)
                    cell = shifted(getattr(printed[name][i], end), by if is_it else 0)
                    assert agrees(cell, float(value)), (claim, name, end)


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
