"""Evidence where printed numbers or names are wrong: what changes, and what does not."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from findings_by_name import PUBLISHED, Values, values_of

from audit.printed import parse_printed
from audit.printed_tables import PublishedCounts
from audit.selection import UNDEFINED
from kotawala2026.exhibits.item_count import solved
from kotawala2026.quantities.evaluated import on_printed_numbers
from kotawala2026.quantities.grounds import PublishedNumbers, load_published
from kotawala2026.quantities.rows_of_counts import cells_from_rows, one_of, rounding_and_power
from replication.findings import Finding

TOPICS = {"notation", "gap_buckets", "rows_of_counts", "clusters", "calculators", "multiplicity"}


@pytest.fixture(scope="module")
def published() -> PublishedNumbers:
    return load_published(PUBLISHED)


@pytest.fixture(scope="module")
def found(published: PublishedNumbers) -> Values:
    return values_of(on_printed_numbers(published, TOPICS))


def with_counts(published: PublishedNumbers, table: str, **changed: Any) -> PublishedNumbers:
    """Return the numbers with other counts in a table."""
    return replace(published, **{table: replace(getattr(published, table), **changed)})


def changed_by(wrong: PublishedNumbers, found: Values, topics: set[str]) -> set[tuple[str, str]]:
    """Names of the rows that come out otherwise."""
    again = values_of(on_printed_numbers(wrong, topics))
    assert again.keys() <= found.keys()
    return {key for key, value in again.items() if not _same(found[key], value)}


def _same(one: float | str, other: float | str) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return bool(np.isclose(one, other, rtol=1e-12, equal_nan=True))


# Numbers


def test_a_wrong_required_n_leaves_its_row_the_counts(
    published: PublishedNumbers, found: Values
) -> None:
    n_star = list(published.close_pairs.n_star)
    n_star[1] = parse_printed("4,090")
    wrong = with_counts(published, "close_pairs", n_star=tuple(n_star))
    assert changed_by(wrong, found, {"rows_of_counts"}) - {("power_implied", "")} == {
        ("n_star_rows_by_rule", "nearest"),
        ("n_star_rows_by_rule", "up"),
        ("n_items_from_row", "ARC-C, Llama-3-8B-Instruct, Llama-3-8B"),
    }


def test_a_changed_count_hides_no_other_row(published: PublishedNumbers, found: Values) -> None:
    b = published.adjacent_pairs.b.copy()
    b[3] = 1781
    wrong = with_counts(published, "adjacent_pairs", b=b)
    rows = values_of(on_printed_numbers(wrong, {"rows_of_counts"}))
    assert rows["n_items_implied", "Table 7"] == 12_031
    assert rows["rows_explained_at_implied_n", "up"] == 8
    assert rows["rows_unexplained_at_printed_n", "Table 7"] == 4
    moved = changed_by(wrong, found, {"clusters"})
    about_bounds = {("bounds_denying_fixed_mean_size", "Table 9")}
    assert moved
    assert all(subject.startswith("4 vs 5") for _, subject in moved - about_bounds)


def test_no_icc_is_blamed_for_bounds_that_contradict_each_other(
    published: PublishedNumbers,
) -> None:
    """With a design effect of 10 for 20.3 the cluster N* of 4 vs 5 has another: one is wrong."""
    table = published.tables[9].copy()
    effects = table["design_effect"].to_dict()
    effects[3] = replace(effects[3], upper=parse_printed("10.0"))
    table["design_effect"] = pd.Series(effects)
    wrong = replace(published, tables={**published.tables, 9: table})
    rows = values_of(on_printed_numbers(wrong, {"clusters"}))
    assert math.isnan(float(rows["icc_of_resample", "4 vs 5, 95%"]))
    assert not math.isnan(float(rows["icc_of_resample", "5 vs 6, 95%"]))


def test_one_misprinted_n_leaves_the_operating_point(published: PublishedNumbers) -> None:
    """The pair with the largest N* has another N: the other six have the paper's K."""
    n_items = published.close_pairs.n_items.copy()
    n_items[4] *= 10
    wrong = with_counts(published, "close_pairs", n_items=n_items)
    rows = {f.quantity: f.value for f in rounding_and_power(wrong)}
    assert rows["power_implied"] == pytest.approx(0.8, abs=5e-5)
    assert rows["level_implied"] == pytest.approx(0.05, abs=5e-5)


def test_table_1_must_have_its_rows(published: PublishedNumbers) -> None:
    short = replace(published, tables={**published.tables, 1: published.tables[1][:4]})
    undefined = [f for f in on_printed_numbers(short, {"calculators"}) if f.quantity == UNDEFINED]
    assert undefined
    assert all("5 rows, got 4" in f.method for f in undefined)


# Cells that several values fit, or none


@pytest.fixture(scope="module")
def row_of_100(published: PublishedNumbers) -> PublishedCounts:
    """A row of 100 items with b = 20 and c = 15."""
    first = {
        field.name: getattr(published.close_pairs, field.name)[:1]
        for field in dataclasses.fields(PublishedCounts)
        if field.name != "name"
    }
    counts = {"n_items": 100, "b": 20, "c": 15}
    return PublishedCounts(
        name="X", **first | {name: np.array([number]) for name, number in counts.items()}
    )


def cells(counts: PublishedCounts, **printed: str) -> Mapping[str, Finding]:
    cells = {name: (parse_printed(text),) for name, text in printed.items()}
    return {f.quantity: f for f in cells_from_rows(replace(counts, **cells))}  # type: ignore[arg-type]


def test_numbers_of_solved_items_that_display_as_printed() -> None:
    """0.61 of 100 items is 61; of 1,000 items 605 to 615, ties included."""
    assert solved(parse_printed("0.61"), 100) == [61]
    assert solved(parse_printed("0.61"), 1000) == list(range(605, 616))
    assert solved(parse_printed("0.6111"), 10) == []


def test_a_coarse_accuracy_leaves_several_values(row_of_100: PublishedCounts) -> None:
    """60 of 100 with b - c = 5: the other has 55, and 0.6 alone would leave 55 to 64."""
    fine = cells(row_of_100, p_a="0.60", p_b="0.55", n_star="1,091")
    assert (fine["p_a_from_row"].lower, fine["p_a_from_row"].upper) == (0.60, 0.60)
    coarse = cells(row_of_100, p_a="0.6", p_b="0.5", n_star="1,091")
    assert (coarse["p_a_from_row"].lower, coarse["p_a_from_row"].upper) == (0.50, 0.60)
    assert coarse["rho_from_row"].lower < coarse["rho_from_row"].upper
    # With c = 15, b = 20 alone gives 7.849 (100 x 35/25 - 1) = 1,091 items.
    b = coarse["b_from_row"]
    assert (b.value, b.lower, b.upper) == (20, 20, 20)
    # Where none gives the printed N*, the accuracies alone say what there can be.
    b = cells(row_of_100, p_a="0.6", p_b="0.5", n_star="7")["b_from_row"]
    assert b.lower < b.upper
    nothing = one_of("x", "", [], 3.0, "tried")
    assert (math.isnan(float(nothing.value)), nothing.basis) == (True, "none")


# Names


def misprinted(
    published: PublishedNumbers, table: int, row: int, column: str, name: str
) -> PublishedNumbers:
    """Return the numbers with one name changed, in the table and in the counts that it holds."""
    frame = published.tables[table].copy()
    frame.loc[row, column] = name
    changed = replace(published, tables={**published.tables, table: frame})
    counts = {6: "close_pairs", 7: "adjacent_pairs"}.get(table)
    if counts is None:
        return changed
    attribute = "label" if column in ("task", "pair") else column
    names = list(getattr(getattr(changed, counts), attribute))
    names[row] = name
    return with_counts(changed, counts, **{attribute: tuple(names)})


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
    published: PublishedNumbers, found: Values, misprint: tuple[int, int, str, str]
) -> None:
    table, row, column, name = misprint
    assert changed_by(misprinted(published, *misprint), found, TOPICS) == set()
    assert found["name", f"table_{table:02d}/{row + 1}/{column}"] != name


def test_a_wrong_model_of_table_7_breaks_no_chain(published: PublishedNumbers) -> None:
    wrong = misprinted(published, 7, 4, "model_b", "no such model")
    assert wrong.adjacent_pairs.is_chain
    rows = values_of(on_printed_numbers(wrong, {"rows_of_counts"}))
    assert rows["n_items_implied", "Table 7"] == 12_031
