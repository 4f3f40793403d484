"""The register: what it lists, what each entry stands for, and how it refuses a malformed one."""

from __future__ import annotations

import math
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from llm_power.printed import (
    parse_printed,
)
from replication.constraints import (
    PANELS,
    Constraint,
    load_board_scores,
    load_constraints,
    select,
)
from replication.printed import (
    PublishedError,
    load_table,
)

PUBLISHED = Path(__file__).resolve().parents[2] / "data" / "kotawala2026"
ENTRY: dict[str, Any] = {
    "quantity": "b", "role": "input", "where": "Table 6", "table": "table_06", "column": "b",
}  # fmt: skip
PROSE: dict[str, Any] = {
    "quantity": "gain", "role": "target", "where": "Section 2", "printed": "2.15",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PUBLISHED, tmp_path / "paper"))


def write(folder: Path, **panels: Any) -> Path:
    path = folder / "constraints.yaml"
    register: dict[str, Any] = {panel: [] for panel in PANELS} | panels
    path.write_text(yaml.safe_dump(register), encoding="utf-8")
    return path


def constraint(printed: str, rule: str = "nearest") -> Constraint:
    return Constraint(
        id="x", panel="general", quantity="x", subject=(), role="input", where="",
        printed=parse_printed(printed), rule=rule,  # type: ignore[arg-type]
    )  # fmt: skip


def test_every_number_of_table_6_is_listed_once_with_its_row(
    oll_v1_constraints: tuple[Constraint, ...],
) -> None:
    listed = {c.id for c in oll_v1_constraints if c.where == "Table 6"}
    numbers = ("n", "b", "c", "p_a", "p_b", "rho", "p_chi2", "p_exact", "n_star")
    assert listed == {f"table_06/{row}/{name}" for row in range(1, 8) for name in numbers}
    table = load_table(PUBLISHED / "printed" / "table_06.csv")
    for c in select(oll_v1_constraints, "b"):
        row = int(c.id.split("/")[1]) - 1
        assert c.printed == table["b"][row]
        assert c.subject == (
            table["task"][row],
            table["model_a"][row],
            table["model_b"][row],
        )


def test_every_number_of_table_3_has_a_role(oll_v1_constraints: tuple[Constraint, ...]) -> None:
    columns = Counter(c.id.split("/")[2] for c in oll_v1_constraints if c.where == "Table 3")
    assert columns == {"pairs": 6, "unresolved": 12, "r_median": 6, "r_worst": 6}


def test_ids_are_unique_and_labels_are_one_line() -> None:
    for constraints in load_constraints(PUBLISHED / "constraints.yaml").values():
        assert len({c.id for c in constraints}) == len(constraints)
        assert all("\n" not in c.label and c.where for c in constraints)


@pytest.mark.parametrize(
    ("printed", "rule", "interval"),
    [
        ("2.15", "nearest", (2.145, 2.155)),
        ("294", "up", (293.0, 294.0)),
        ("432", "down", (432.0, 433.0)),
        ("≥10^6", "nearest", (1e6, math.inf)),
        ("<10^-15", "nearest", (-math.inf, 1e-15)),
    ],
)
def test_interval_is_what_is_printed_so(
    printed: str, rule: str, interval: tuple[float, float]
) -> None:
    assert constraint(printed, rule).interval == interval


def test_a_number_changed_in_a_table_changes_the_constraint(folder: Path) -> None:
    path = write(folder, oll_v1=[ENTRY])
    table = folder / "printed" / "table_06.csv"
    table.write_text(table.read_text(encoding="utf-8").replace(",98,94,", ",138,94,"))
    assert load_constraints(path)["oll_v1"][0].printed.value == 138


@pytest.mark.parametrize(
    ("column", "part", "values"),
    [
        ("unresolved", "count", [3, 4]),
        ("unresolved", "share", [1.0, 1.0]),
    ],
)
def test_parts_of_a_cell(folder: Path, column: str, part: str, values: list[float]) -> None:
    entry = ENTRY | {"table": "table_03", "column": column, "part": part, "rows": [1, 2]}
    found = load_constraints(write(folder, oll_v1=[entry]))["oll_v1"]
    assert [c.printed.value for c in found] == values
    assert [c.subject for c in found] == [("≤1%",), ("1%–2%",)]


def test_parts_of_an_interval(folder: Path) -> None:
    entry = ENTRY | {"table": "table_09", "column": "icc", "part": "upper", "rows": [4]}
    (found,) = load_constraints(write(folder, mmlu_pro=[entry]))["mmlu_pro"]
    assert (found.printed.value, found.printed.half_unit) == (0.044, 0.0005)


def test_words_stand_for_a_number_of_stated_precision(folder: Path) -> None:
    entry = PROSE | {"printed": "no", "value": 0, "half_unit": 0.5, "subject": ["HS"]}
    (found,) = load_constraints(write(folder, general=[entry]))["general"]
    assert (found.printed.text, found.interval, found.id) == ("no", (-0.5, 0.5), "gain/HS")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("b", "oll_v1 must be a list"),
        (["b"], "entry 1: must map names to values"),
        ([{**ENTRY, "role": "fitted"}], r"entry 1 \(b\): role must be one of .* got 'fitted'"),
        ([{**ENTRY, "rule": "ceil"}], "rule must be one of nearest, up, down, got 'ceil'"),
        ([{k: v for k, v in ENTRY.items() if k != "where"}], "lacks where"),
        ([{**ENTRY, "colour": "red"}], "unknown key 'colour'"),
        ([{**ENTRY, "printed": "7"}], "needs either printed, or table and column"),
        ([{k: v for k, v in ENTRY.items() if k != "column"}], "needs either printed, or table"),
        ([{**ENTRY, "column": "d"}], "table_06 has no column 'd'"),
        ([{**ENTRY, "column": "model_a"}], "table_06, row 1, column model_a prints no number"),
        ([{**ENTRY, "part": "lower"}], "prints no part 'lower'"),
        (
            [{**ENTRY, "table": "table_09", "column": "icc"}],
            "prints no number; it has the parts point, lower, upper",
        ),
        ([{**ENTRY, "rows": [0]}], r"rows must list rows of table_06, 1 to 7, got \[0\]"),
        ([{**ENTRY, "subjects": [["x"]]}], r"subjects must have one entry a row \(7\)"),
        ([{**PROSE, "printed": "many"}], "not a printed number: 'many'"),
        ([{**PROSE, "value": 1}], "needs its half_unit"),
        ([{**PROSE, "half_unit": "wide"}], "half_unit must be a number, got 'wide'"),
        ([{**PROSE, "subject": "HS"}], "subject must list text, got 'HS'"),
        ([PROSE, PROSE], "'gain' is listed twice"),
    ],
)
def test_a_malformed_entry_is_refused_in_one_line(folder: Path, entries: Any, message: str) -> None:
    path = write(folder, oll_v1=entries)
    with pytest.raises(PublishedError, match=message) as caught:
        load_constraints(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_missing_panel_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "constraints.yaml"
    with pytest.raises(PublishedError, match="cannot be read"):
        load_constraints(path)
    path.write_text("oll_v1: []\n")
    with pytest.raises(PublishedError, match="exactly the keys oll_v1, mmlu_pro, frontier"):
        load_constraints(path)


def test_board_scores_are_whole_numbers_of_items() -> None:
    """Every displayed score leaves exactly one number of items that is displayed so."""
    scores = load_board_scores(PUBLISHED / "board_scores.csv")
    assert len(scores) == 20
    for s in scores:
        low, high = (
            (s.score.value + sign * s.score.half_unit) / 100 * s.n_items for sign in (-1, 1)
        )
        assert math.floor(high) - math.ceil(low) == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("task,model", "model,task", "the header must be task,model"),
        ("63.14", "high", "row 1: not a printed number"),
        ("63.14", "163.14", "row 1: a score in percent"),
        ("63.14,\n", "63.14\n", "row 1: 6 cells expected"),
        ('gemma-7b,google/gemma-7b,"1,172"', 'gemma,google/gemma-7b,"1,172"', "the same models"),
    ],
)
def test_malformed_board_scores_are_refused(folder: Path, old: str, new: str, message: str) -> None:
    path = folder / "board_scores.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(PublishedError, match=message):
        load_board_scores(path)
