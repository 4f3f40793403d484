"""One number in several places: all its printings are found, and change together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from registers import claim, write_register, write_results

from llm_power_audit.evaluate import audit
from llm_power_audit.misprints import printings
from llm_power_audit.mutation import with_number
from llm_power_audit.register import load_register


def by_units(n: int) -> Any:
    return lambda number, unit: number + n * unit


@pytest.mark.parametrize(
    ("printed", "n", "expected"),
    [
        ("0.049", 1, "0.050"),
        (".77", -1, ".76"),
        ("12,032", 5, "12,037"),
        ("−0.0003", 4, "0.0001"),
        ("5.8×10^-5", 1, "5.9×10^-5"),
        ("11 of 40", 1, "12 of 40"),
        ("four", 1, "five"),
        ("99.9%", -2, "99.7%"),
    ],
)
def test_a_number_changes_by_units_of_its_last_digit(
    printed: str, n: int, expected: str, tmp_path: Path
) -> None:
    states = {"four": {"value": 4}, "11 of 40": {"value": 11}}.get(printed)
    path = write_register(tmp_path, claim(printed=printed, states=states))
    (one,) = load_register(path).claims
    changed = with_number(one, by_units(n))
    assert changed is not None
    assert changed.printed == expected
    assert with_number(one, by_units(0)) is None


def test_every_printing_of_a_number_changes_with_it(tmp_path: Path) -> None:
    claims = [
        claim("table/p", printed="0.045"),
        claim("text/pp", printed="4.5%"),
        claim("text/short", printed="0.05"),
        *(
            claim(
                f"x/{name}",
                kind="cross_check",
                printed=None,
                printed_of=f"text/{name}",
                checks=[{"claim": "table/p"}],
            )
            for name in ("pp", "short")
        ),
        claim("other", printed="0.134"),
    ]
    register = load_register(write_register(tmp_path, *claims))
    judged = audit(register, write_results(tmp_path)).judged
    found = printings(judged)
    assert [sorted(one.claims) for one in found] == [
        ["table/p", "text/pp", "text/short"],
        ["other"],
    ]
    of_id = {one.claim.id: one.claim for one in judged}
    by_one = {one.id: one.printed for one in found[0].shifted(of_id, by_units(1))}
    assert by_one == {"table/p": "0.046", "text/pp": "4.6%"}
    by_ten = {one.id: one.printed for one in found[0].shifted(of_id, by_units(10))}
    assert by_ten == {"table/p": "0.055", "text/pp": "5.5%", "text/short": "0.06"}
