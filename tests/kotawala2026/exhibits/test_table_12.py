"""Table 12 for the HellaSwag pair of Table 6."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import llm_power._statistics
from kotawala2026.exhibits._counts_table import counted_pairs
from kotawala2026.exhibits.table_12 import present, table_12
from llm_power._errors import InvalidArgument
from llm_power._report.tables import to_markdown
from llm_power_audit.printed_tables import PublishedCounts

Loader = Callable[[int], pd.DataFrame]


def filled(published: Loader, counts: PublishedCounts, seed: int = 1) -> pd.DataFrame:
    frame = table_12(published(12), counts, 3, family=40, n_resamples=500, seed=seed)
    return frame.set_index("quantity")


def test_the_hellaswag_pair(published: Loader, counts_6: PublishedCounts) -> None:
    """Section 1: 0.46 pp, p = 0.049 and 0.054, q about a half, 10,042 items."""
    table = filled(published, counts_6)
    value = table["value"]
    assert table.loc["δ̂", "shown"] == "0.458 pp"
    n, b, c = 10042, 295, 249
    delta, k = (b - c) / n, (norm.ppf(0.975) + norm.ppf(0.8)) ** 2
    variance = (b + c) / n - delta**2
    assert float(value["δ̂"]) == pytest.approx(delta, rel=1e-12)
    assert value["N"] == "10042"
    assert float(value["δ_MDE"]) == pytest.approx(np.sqrt(k * variance / n), rel=1e-12)
    assert float(value["q = N/N*"]) == pytest.approx(n * delta**2 / (k * variance), rel=1e-12)
    assert "bootstrap fails to reject" in value["Paired test"]
    assert value["Per-item raw"] == "7987, 295, 249, 1511"
    at_hand = "public (Section 6.1), not at hand; by Table 6: 7,987, 295, 249, 1,511"
    assert table.loc["Per-item raw", "shown"] == at_hand
    k_40 = (norm.isf(0.05 / 80) + norm.ppf(0.8)) ** 2
    q_40 = float(value["Multiplicity"].removeprefix("m = 40: "))
    assert q_40 == pytest.approx(n * delta**2 / (k_40 * variance), rel=1e-10)


def test_interval_of_n_star_straddles_n_and_is_reproducible(
    published: Loader, counts_6: PublishedCounts
) -> None:
    """Section 6.1: three of the seven close pairs have intervals that span the diagonal."""
    first = str(filled(published, counts_6)["value"]["N* CI"])
    low, high = map(float, first.split(", "))
    assert low < 10042 < high
    two_digits = [f"{float(f'{end:.2g}'):,.0f}" for end in (low, high)]
    assert (
        filled(published, counts_6)["shown"]["N* CI"] == f"[{'; '.join(two_digits)}], straddles N"
    )
    assert first == str(filled(published, counts_6)["value"]["N* CI"])
    frame = filled(published, counts_6).reset_index()
    for planted, finding in (
        ({}, f"gap requires; but the 90% interval of N*, from {two_digits[0]} to more than ten"),
        ({"N* CI": "11000.0, 12000.0"}, "interval of N*, from 11,000 to 12,000, does not hold N."),
        ({"q = N/N*": "1.26"}, "1.26 of the N* that the observed gap requires;"),
    ):
        value = [
            planted.get(str(x), y) for x, y in zip(frame["quantity"], frame["value"], strict=True)
        ]
        table = present(frame.assign(value=value), counts_6, 3, n_resamples=500, seed=1)
        assert "on HellaSwag the 10,042 items are" in to_markdown(table)
        assert finding in " ".join(to_markdown(table).split())
    assert first != str(filled(published, counts_6, seed=2)["value"]["N* CI"])


def test_the_checklist_is_the_papers_and_the_calls_exist(
    published: Loader, counts_6: PublishedCounts
) -> None:
    frame = filled(published, counts_6).reset_index()
    pd.testing.assert_frame_equal(
        frame[["quantity", "definition", "why"]], published(12).astype(str)
    )
    text = to_markdown(present(frame, counts_6, 3, n_resamples=500, seed=1))
    assert "simulated (seed 1, 500 resamples" in text
    called = set(re.findall(r"(\w+)\(", " ".join(frame["call"])))
    modules = [
        importlib.import_module(f"llm_power._statistics.{module.name}")
        for module in pkgutil.iter_modules(llm_power._statistics.__path__)
    ]
    assert all(any(hasattr(module, name) for module in modules) for name in called)


def test_bad_row_and_bad_checklist_are_refused(
    published: Loader, counts_6: PublishedCounts
) -> None:
    for row, checklist, word in ((7, published(12), "row"), (0, published(12)[:2], "checklist")):
        with pytest.raises(InvalidArgument, match=word):
            table_12(checklist, counts_6, row, family=40, n_resamples=10, seed=1)


def test_with_items_the_pair_is_counted_on_them(
    published: Loader, counts_6: PublishedCounts
) -> None:
    items = counted_pairs(replace(counts_6, b=counts_6.b + 1), None, counts_6.n_items)
    frame = table_12(published(12), counts_6, 3, items, family=40, n_resamples=500, seed=1)
    last = frame.set_index("quantity").loc["Per-item raw"]
    n11, n00 = (int(items[name][3]) for name in ("n11", "n00"))
    assert last["value"] == f"{n11}, 296, 249, {n00}"
    assert last["shown"] == f"at hand: {n11:,}, 296, 249, {n00:,}"
