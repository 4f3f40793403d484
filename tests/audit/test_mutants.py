"""Misprints of a register: what of a printed number is changed, and what the claim then states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from registers import claim, write_register

from llm_power_audit.claims import Claim
from llm_power_audit.mutation import Mutant, mutants, stated_numbers
from llm_power_audit.register import load_register


def misprints(folder: Path, *claims: dict[str, Any], **more: Any) -> list[Mutant]:
    return list(mutants(load_register(write_register(folder, *claims, **more))))


def of(folder: Path, printed: str, **fields: Any) -> dict[str, list[tuple[str, Claim]]]:
    """The misprinted texts and claims of one claim by kind."""
    found: dict[str, list[tuple[str, Claim]]] = {}
    for mutant in misprints(folder, claim(printed=printed, **fields)):
        found.setdefault(mutant.kind, []).append((mutant.misprinted, mutant.changed[0]))
    return found


@pytest.mark.parametrize(
    ("printed", "moved"),
    [
        ("0.049", ["0.0049", "0.49"]),
        (".77", ["0.077", "7.7"]),
        ("12,032", ["1203.2", "120320"]),
        ("9", ["0.9", "90"]),
        ("−0.0003", ["−0.00003", "−0.003"]),
        ("9.9×10^-14", ["0.99×10^-14", "99×10^-14"]),
        ("<10^-15", []),
    ],
)
def test_the_decimal_point_moves_one_place(printed: str, moved: list[str], tmp_path: Path) -> None:
    assert [text for text, _ in of(tmp_path, printed).get("decimal place", [])] == moved


def test_each_digit_becomes_one_other_and_none_is_added_in_front(tmp_path: Path) -> None:
    for printed in ("1,697", "0.80", "≥10^7", "5.8×10^-5", "6.3pp"):
        texts = [text for text, _ in of(tmp_path, printed)["digit"]]
        changed = [
            [(old, new) for old, new in zip(printed, text, strict=True) if old != new]
            for text in texts
        ]
        assert all(len(one) == 1 and one[0][1].isdigit() for one in changed)
        fixed = 2 if "10^" in printed else 0
        assert len(texts) == sum(c.isdigit() for c in printed) - fixed
        assert not any(text.startswith("0") and not printed.startswith("0") for text in texts)


def test_half_units_go_with_the_digits(tmp_path: Path) -> None:
    (_, down), (_, up) = of(tmp_path, "0.045")["decimal place"]
    assert (down.statement.value, down.statement.half_unit) == (0.0045, 0.00005)
    assert (up.statement.value, up.statement.half_unit) == (0.45, 0.005)


def test_units_and_signs(tmp_path: Path) -> None:
    assert [(t, c.statement.value) for t, c in of(tmp_path, "28%")["unit"]] == [("28", 28)]
    assert [text for text, _ in of(tmp_path, "6.3pp")["unit"]] == ["6.3", "6.3%"]
    assert [(t, c.statement.value) for t, c in of(tmp_path, "≈0.4")["sign"]] == [("≈−0.4", -0.4)]
    assert [text for text, _ in of(tmp_path, "−0.3")["sign"]] == ["0.3"]


def test_what_the_words_say_changes_with_the_word(tmp_path: Path) -> None:
    found = of(tmp_path, "three of five", states={"value": 3})
    assert [(text, c.statement.value) for text, c in found["digit"]] == [
        ("two of five", 2),
        ("four of five", 4),
    ]
    found = of(tmp_path, "a factor of two", states={"value": 0.5, "half_unit": 0.05})
    assert [c.statement.value for _, c in found["digit"]] == [1, pytest.approx(1 / 3)]
    found = of(tmp_path, "11 of 40", states={"value": 11})
    assert all(text.endswith(" of 40") for text, _ in found["digit"])


def test_a_range_moves_the_end_that_is_misprinted(tmp_path: Path) -> None:
    ends = {(c.statement.value, c.statement.upper) for _, c in of_range(tmp_path, "97–100%")}
    assert (0.97, 10.0) in ends
    within = of_range(tmp_path, "within 8%", states={"between": [0.92, 1.08]})
    assert all(c.statement.value + c.statement.upper == pytest.approx(2) for _, c in within)


def of_range(folder: Path, printed: str, **fields: Any) -> list[tuple[str, Claim]]:
    found = of(folder, printed, **({"states": {"between": [0.97, 1.0]}} | fields))
    return [*found["digit"], *found["decimal place"]]


def test_bounds_turn_round_and_words_are_exchanged(tmp_path: Path) -> None:
    assert of(tmp_path, "≥3")["relation"][0][1].statement.relation == "<"
    (text, changed) = of(tmp_path, "remains", states={"at_least": 0})["relation"][0]
    assert (text, changed.statement.relation) == ("not: remains", "<")
    found = misprints(
        tmp_path,
        claim("a", printed="kite", states={"text": "kite"}),
        claim("b", printed="heron", states={"text": "heron"}),
    )
    assert [(m.kind, m.misprinted) for m in found] == [("name", "heron"), ("name", "kite")]


def test_numbers_of_two_rows_are_swapped(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("word,n\na,3\nb,4\nc,4\n", encoding="utf-8")
    cells = [claim(f"table/{row}/n", printed=None) for row in (1, 2, 3)]
    exhibits = {"table": {"title": "Table", "file": "x.csv", "printed": "table.csv"}}
    found = misprints(tmp_path, *cells, exhibits=exhibits)
    swapped = [[c.statement.value for c in m.changed] for m in found if m.kind == "swapped rows"]
    assert swapped == [[4, 3], [4, 4]]


def test_a_number_that_is_repeated_is_misprinted_wherever_it_stands(tmp_path: Path) -> None:
    again = claim("y", printed=None, printed_of="x")
    found = misprints(tmp_path, claim("x", printed="3"), again)
    assert {mutant.claim for mutant in found} == {"x"}
    assert all([one.id for one in mutant.changed] == ["x", "y"] for mutant in found)


def test_a_cross_check_prints_nothing(tmp_path: Path) -> None:
    assert misprints(tmp_path, claim(kind="cross_check")) == []


def test_misprints_are_the_same_each_time(tmp_path: Path) -> None:
    first, again = (misprints(tmp_path, claim(), claim("y", printed="1,697")) for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("printed", "states", "numbers"),
    [
        ("11 of 40", {"value": 11}, {11}),
        ("97–100%", {"between": [0.97, 1.0]}, {97, 1.0}),
        ("Beta(4, 2)", {"text": "Beta(4, 2)"}, {4, 2}),
        ("remains", {"at_least": 0}, set()),
        ("−0.3", None, {0.3}),
    ],
)
def test_a_claim_is_about_the_numbers_that_it_states(
    printed: str, states: dict[str, Any] | None, numbers: set[float], tmp_path: Path
) -> None:
    path = write_register(tmp_path, claim(printed=printed, states=states))
    (one,) = load_register(path).claims
    assert stated_numbers(one) == numbers
