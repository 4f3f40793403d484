"""Table 10's powers: what the other printed numbers and 1,000 trials leave of each."""

from __future__ import annotations

from math import sqrt

import pytest

from replication.findings import Finding


@pytest.fixture(scope="module")
def powers(evidence: list[Finding]) -> dict[tuple[str, str], Finding]:
    return {
        (row.quantity, row.subject): row for row in evidence if row.quantity.startswith("power_at")
    }


def test_section_6_1_narrows_what_chance_allows(powers: dict[tuple[str, str], Finding]) -> None:
    """The powers at N* are from 0.796 to 0.827, those at 0.8 N* below 0.80, at 1.2 N* above."""
    for (quantity, _), row in powers.items():
        if quantity == "power_at_100":
            assert (row.lower, row.upper) == pytest.approx((0.7955, 0.8275), abs=1e-12)
        elif quantity == "power_at_080":
            assert row.upper <= 0.80
        else:
            assert row.lower >= 0.80


def test_chance_is_that_of_1000_trials(powers: dict[tuple[str, str], Finding]) -> None:
    for (quantity, _), row in powers.items():
        power = float(row.value)
        if quantity != "power_at_100":
            reach = 3.29 * sqrt(power * (1 - power) / 1000)
            # The gap is rounded, and a binomial is skew: a few thousandths.
            assert row.lower == pytest.approx(power - reach, abs=0.006)
            assert row.upper == pytest.approx(power + reach, abs=0.006)
