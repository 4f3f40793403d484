"""Names, units and relations, and rows under wrong names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from findings_by_name import Sets, Values, values_of
from kotawala2026.findings import on_printed_numbers
from kotawala2026.quantities.grounds import PublishedNumbers

TOPICS = {"notation", "gap_buckets", "rows_of_counts", "clusters", "unpaired"}


def misprinted(
    numbers: PublishedNumbers, table: int, row: int, column: str, name: str
) -> PublishedNumbers:
    """Return the numbers with one name changed, in the table and in the counts that it holds."""
    frame = numbers.tables[table].copy()
    frame.loc[row, column] = name
    changed = replace(numbers, tables={**numbers.tables, table: frame})
    field = {6: "close_pairs", 7: "adjacent_pairs"}.get(table)
    if field is None:
        return changed
    counts = getattr(numbers, field)
    attribute = "label" if column in ("task", "pair") else column
    names = list(getattr(counts, attribute))
    names[row] = name
    return replace(changed, **{field: replace(counts, **{attribute: tuple(names)})})


@pytest.mark.parametrize(
    "misprint",
    [
        (1, 2, "calculator", "R pwr::pwr.p.test"),
        (3, 1, "gap_bucket", "1%–3%"),
        (4, 4, "pair", "4 vs 5"),
        (6, 3, "model_a", "gemma-7b-it"),
        (6, 3, "task", "ARC-C"),
        (7, 1, "pair", "2 vs 4"),
        (9, 7, "pair", "8 vs 8"),
        (10, 0, "pair", "HS, Mistral-I / Llama-3-8B"),
    ],
)
def test_a_wrong_name_changes_no_finding(
    numbers: PublishedNumbers, found: Values, misprint: tuple[int, int, str, str]
) -> None:
    table, row, column, name = misprint
    again = on_printed_numbers(misprinted(numbers, *misprint), TOPICS)
    assert values_of(again).items() <= found.items()
    assert {row.topic for row in again} == TOPICS
    assert found["name", f"table_{table:02d}/{row + 1}/{column}"] != name


def test_a_wrong_model_of_table_7_breaks_no_chain(numbers: PublishedNumbers) -> None:
    wrong = misprinted(numbers, 7, 4, "model_b", "no such model")
    assert wrong.adjacent_pairs.is_chain
    assert (
        values_of(on_printed_numbers(wrong, {"rows_of_counts"}))["n_items_implied", "Table 7"]
        == 12_031
    )


def test_nulls_units_and_relation(found: Values) -> None:
    nulls = [found["name", f"table_02/{i}/null"] for i in range(1, 6)]
    assert nulls == ["marginal", "sharp", "sharp", "marginal", "marginal"]
    assert found["unit_of_gap", "Table 4"] == found["unit_of_gap", "Table 11"] == "pp"
    assert found["relation_of_q", ""] == "≥"
    assert found["level_implied", ""] == pytest.approx(0.05, abs=1e-7)
    # Of the accuracies 0.5922 on ARC, gaps of 1.54 and 1.88 points are more than two per cent.
    assert found["close_pairs_in", "points"] == 7
    assert found["close_pairs_in", "per cent of the lower accuracy"] == 5


def test_sets_of_the_checklist_and_of_the_frontier_panel(sets: Sets) -> None:
    assert sets["checklist_consequences", ""] == (3, 4)
    # 37.8 items of the 1,350, and 1,650 either way, of 3,000.
    assert sets["frontier_gap_of_drawn", ""] == pytest.approx((-0.5374, 0.5626), abs=1e-12)
