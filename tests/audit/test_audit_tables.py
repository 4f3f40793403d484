"""The audited claims on paper: every column, hostile texts, and the same bytes every time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from registers import audited, check, claim, write_register

from llm_power_audit.agreement import display_corrected, display_number
from llm_power_audit.audit_files import (
    CLAIM_COLUMNS,
    claims_frame,
    claims_markdown,
    totals_cells,
    write_claims,
)
from llm_power_audit.evaluate import Audit
from llm_power_audit.register import load_register

HOSTILE = "a|b <script>alert(1)</script> [x](javascript:y) `c` $d$\n# e"


@pytest.fixture
def judged(tmp_path: Path) -> Audit:
    return audited(
        tmp_path,
        claim("z", section="6.1"),
        claim(
            "bad",
            section="2",
            printed="0.5",
            claim=HOSTILE,
            derivation=f"{{value}} {HOSTILE}",
            consequence="Nothing.",
            checks=[check(), check(column="n_star", evidence="simulated")],
        ),
        claim(
            "open",
            section="6.1",
            checks=[check(reading="a"), check(reading="b", rows={"rank": 2})],
            undefined="which",
            consequence="Little.",
        ),
        claim(
            "word", section="2", printed="F", states={"text": "RFFF"}, checks=[check(column="word")]
        ),
        claim("infinite", printed="≥10^7", checks=[check(rows={"rank": 2}, column="n_star")]),
        claim("never", checks=None, needs="more"),
        title="A *title*",
        source="S",
        rule_of={"pairs.csv": "pairs"},
    )


def test_one_row_a_claim_in_order(judged: Audit) -> None:
    frame = claims_frame(judged)
    assert list(frame.columns) == CLAIM_COLUMNS
    assert frame["id"].to_list() == ["z", "bad", "open", "word", "infinite", "never"]
    rows: Any = frame.set_index("id")
    assert rows.loc["z", ["verdict", "value", "discrepancy", "made_by"]].to_list() == [
        "holds",
        0.045,
        0.0,
        "pairs",
    ]
    assert rows.loc["word", "value"] == "RFFF"
    assert math.isnan(rows.loc["word", "half_unit"])
    assert rows.loc["open", ["value", "source"]].isna().all()
    assert rows.loc["open", "readings"] == "a: 0.045; b: 0.134"
    assert rows.loc["infinite", "value"] == math.inf
    assert rows.loc["never", ["verdict", "needs"]].to_list() == ["not_checkable", "more"]


def test_the_same_bytes_every_time(judged: Audit, tmp_path: Path) -> None:
    outputs = []
    for name in ("first", "second"):
        paths = tmp_path / f"{name}.csv", tmp_path / f"{name}.md"
        write_claims(judged, *paths)
        outputs.append([path.read_bytes() for path in paths])
    assert outputs[0] == outputs[1]
    assert b"\r" not in b"".join(outputs[0])
    again = pd.read_csv(tmp_path / "first.csv", keep_default_na=False)
    assert again["id"].to_list() == [j.claim.id for j in judged.judged]
    assert again["claim"][1] == HOSTILE


def test_markdown_has_totals_then_what_fails_then_all(judged: Audit) -> None:
    text = claims_markdown(judged)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "# A \\*title*: claims under audit",
        "## Totals",
        "## Contradicted",
        "### bad",
        "## Ambiguous",
        "### open",
        "## Every claim",
        "### 6.1",
        "### 2",
        "### 1",
    ]
    assert "**What it changes:** Nothing." in text
    assert "**Other checks:** pairs.csv: " in text
    assert "**Undefined:** which" in text
    # Text is text: neither markup nor cells nor lines of their own.
    assert "<script" not in text
    assert "](javascript" not in text.replace("\\]", "")
    width = len(totals_cells(judged)[0]) + 1
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.replace("\\|", "").count("|") in (8, width)


def test_totals_add_up(judged: Audit) -> None:
    lines = totals_cells(judged)
    assert lines[-1][-1] == "6"
    assert lines[0][-1] == lines[-1][0] == "all"
    assert "simulated" not in lines[0]


def test_nothing_contradicted_is_said(tmp_path: Path) -> None:
    text = claims_markdown(audited(tmp_path, claim()))
    assert text.startswith("# Claims: claims under audit\n\n## Totals")
    assert text.count("None.") == 2


@pytest.mark.parametrize(
    ("printed", "states", "number", "shown"),
    [
        ("0.773", None, 0.77282999, "0.7728"),
        ("0.773", None, -0.5, "−0.5000"),
        ("1.18pp", None, 0.011802843, "1.180pp"),
        ("28%", None, 0.2777777, "27.8%"),
        ("1.11M", None, 1_112_345.6, "1.112M"),
        ("2,396,624", None, 2396624.0313, "2,396,624.0"),
        ("12,032", None, 12031.0, "12,031"),
        ("1871", None, 1870.26, "1870.3"),
        ("1871", None, 18700.26, "18,700.3"),
        ("9.9×10^-14", None, 9.855659e-14, "9.86×10^-14"),
        ("≥10^7", None, math.inf, "∞"),
        ("11/40", None, 11.0, "11"),
        ("9", None, -math.inf, "−∞"),
        ("a third", {"value": 0.3}, 0.33333333, "0.333"),
        ("0.001", None, 0.0, "0.0000"),
        ("0.001", None, 1.2345678e-9, "1.2×10^-9"),
        ("every", {"value": 1}, 0.75, "0.75"),
        # Half a unit away: only further digits show which side of the tie it is on.
        ("20,255", None, 20255.4956, "20,255.496"),
        ("20,255", None, 20255.46, "20,255.46"),
        ("736", None, 1470.4855, "1,470.5"),
        ("F", {"text": "F"}, "R", "R"),
        ("0.5", None, math.nan, "undefined"),
    ],
)
def test_numbers_in_the_notation_of_the_printed_ones(
    tmp_path: Path,
    printed: str,
    states: dict[str, object] | None,
    number: float | str,
    shown: str,
) -> None:
    path = write_register(tmp_path, claim(printed=printed, states=states))
    assert display_number(load_register(path).claims[0], number) == shown


@pytest.mark.parametrize(
    ("printed", "states", "number", "shown"),
    [
        ("0.496", None, 0.49908, "0.499"),
        ("≤ 0.0008", {"at_most": 0.0008, "half_unit": 0.00005}, 0.00493, "≤ 0.0050"),
        ("≥ 0.93", {"at_least": 0.93, "half_unit": 0.005}, 0.9187, "≥ 0.91"),
        ("5.3%", None, 0.02022, "2.0%"),
        ("three of five", {"value": 3}, 1.0, "1"),
        ("unpaired", {"text": "unpaired"}, "paired", "paired"),
        ("≥10^7", None, math.inf, "∞"),
    ],
)
def test_corrections_have_as_many_digits_and_bounds_hold(
    tmp_path: Path,
    printed: str,
    states: dict[str, object] | None,
    number: float | str,
    shown: str,
) -> None:
    path = write_register(tmp_path, claim(printed=printed, states=states))
    assert display_corrected(load_register(path).claims[0], number) == shown
