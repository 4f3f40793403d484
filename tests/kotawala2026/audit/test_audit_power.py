"""How likely the audit is to notice a misprint: the committed table, and a part of it again."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from zlib import crc32

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[3]
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
    return pd.read_csv(ROOT / "docs/audit_power.csv", dtype=str, keep_default_na=False)


def page(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_no_misprint_of_the_table_stopped_the_audit(trials: pd.DataFrame) -> None:
    assert len(trials) >= 140
    assert (trials["fate"] != "stopped").all()


def test_documents_have_the_rates_of_the_table(tool: ModuleType, trials: pd.DataFrame) -> None:
    by_size = tool.rates(trials, ["size"]).set_index("size")
    one = by_size.loc["1 unit"]
    said = f"{one['share']:.0%} (95% interval {one['low']:.0%} to {one['high']:.0%})"
    assert said in page("README.md")
    assert tool.written(trials) in (ROOT / "docs/audit.md").read_text(encoding="utf-8")


def test_the_interval_is_wilsons(tool: ModuleType) -> None:
    """(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) at p = 18/37, doi:10.2307/2276774."""
    n, p, z = 37, 18 / 37, 1.959964
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = ((p + z**2 / (2 * n) + side * half) / (1 + z**2 / n) for side in (-1, 1))
    fates = pd.DataFrame({"size": "1 unit", "fate": ["noticed"] * 18 + ["passed"] * 19})
    (found,) = tool.rates(fates, ["size"]).itertuples()
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6)


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
