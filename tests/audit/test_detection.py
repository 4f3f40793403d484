"""Shares of misprints that an audit notices, and how its page shows them."""

from __future__ import annotations

import math

import pytest
from report_examples import example_audit

from llm_power_audit.misprints import SIZES, Detection, Rate
from llm_power_audit.report import render_report


def trials(size: str, fates: str, evidence: str = "counts") -> list[dict[str, str]]:
    """A trial for each letter: noticed, passed or stopped."""
    words = {"n": "noticed", "p": "passed", "s": "stopped"}
    return [
        {"size": size, "fate": words[one], "evidence": evidence, "exhibit": "table_06"}
        for one in fates
    ]


def test_the_interval_is_wilsons() -> None:
    """(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) at p = 18/37, doi:10.2307/2276774."""
    n, p, z = 37, 18 / 37, 1.959964
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    ends = ((p + z**2 / (2 * n) + side * half) / (1 + z**2 / n) for side in (-1, 1))
    assert Rate(18, 37).interval == pytest.approx(tuple(ends), rel=1e-6)


def test_a_stop_is_a_miss_and_groups_add_up() -> None:
    found = Detection([*trials("1 unit", "nnps"), *trials("1 unit", "p", "derived")])
    assert found.rates() == {"1 unit": Rate(2, 5)}
    groups = dict(found.groups)
    assert list(groups) == ["derived", "counts", "table 06"]
    assert groups["derived"]["1 unit"] == Rate(0, 1)
    header, *rows = found.cells()
    assert header == ["", *SIZES]
    assert rows[-2][:3] == ["all", "2/5", ""]
    assert rows[-1][1] == "40% (12% to 77%)"


def test_the_page_draws_each_share_with_its_interval() -> None:
    found = Detection([*trials("1 unit", "nnpp"), *trials("× 10", "nnnn")])
    page = render_report(example_audit(60), links={}, detection=found)
    section = page[page.index('id="misprints"') :].partition("</section>")[0]
    assert "is noticed with probability 50% (95% interval 15% to 85%)." in section
    # 170 is none of them and 10 is all; 0.15 and 0.85 are 24 units from either.
    assert (
        '<line x1="90" x2="90" y1="34.0" y2="146.0"/><circle cx="90" cy="90.0" r="4"/>' in section
    )
    assert '<circle cx="170" cy="10.0" r="4"/>' in section
    assert '<td class="right">2/4</td>' in section


def test_without_trials_the_page_has_no_such_section() -> None:
    assert "misprints-title" not in render_report(example_audit(60), links={})
