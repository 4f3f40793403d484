"""The register: what it lists, what each entry stands for, and how it refuses a malformed one."""

from __future__ import annotations

import math
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from llm_power_audit.printed import (
    parse_printed,
)
from llm_power_audit.printed_tables import (
    PublishedError,
    load_table,
)
from paper_fixtures import PUBLISHED, Constraints
from replication.constraints import (
    Constraint,
    digest_of_fitted,
    load_board_scores,
    load_constraints,
    score_constraints,
    select,
)

CLAIM: dict[str, Any] = {
    "id": "s2/gain", "section": "2", "place": "sentence 1", "claim": "gain", "quantity": "ratio",
    "printed": "2.15", "needs": "data",
    "measures": {"role": "target", "panel": "p", "quantity": "gain"},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PUBLISHED, tmp_path / "paper"))


def write(folder: Path, *claims: dict[str, Any]) -> Path:
    path = folder / "claims.yaml"
    exhibits = {
        name: {"title": name, "file": name, "printed": f"printed/{name}.csv"}
        for name in ("table_03", "table_06", "table_09")
    }
    entries = [{k: v for k, v in one.items() if v is not None} for one in claims]
    document = {"exhibits": exhibits, "claims": entries}
    path.write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
    return path


def measured(**measures: Any) -> dict[str, Any]:
    """Return the claim with more, or with other, entries of `measures`."""
    return CLAIM | {"measures": CLAIM["measures"] | measures}


def on_cell(identifier: str, **measures: Any) -> dict[str, Any]:
    return measured(**measures) | {"id": identifier, "printed": None}


def constraint(printed: str, rule: str = "nearest") -> Constraint:
    return Constraint(
        id="x", panel="general", quantity="x", subject=(), role="input", where="",
        printed=parse_printed(printed), rule=rule,  # type: ignore[arg-type]
    )  # fmt: skip


def test_every_number_of_table_6_is_listed_once_with_its_row(
    oll_v1_constraints: tuple[Constraint, ...],
) -> None:
    listed = {c.id for c in oll_v1_constraints if c.id.startswith("table_06/")}
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
    columns = Counter(
        c.id.split("/")[2] for c in oll_v1_constraints if c.id.startswith("table_03/")
    )
    assert columns == {"pairs": 6, "unresolved": 12, "r_median": 6, "r_worst": 6}


def test_numbers_are_listed_once_and_labels_are_one_line(
    printed_constraints: Constraints,
) -> None:
    for constraints in printed_constraints.values():
        listed = {(c.id, c.quantity, c.subject) for c in constraints}
        assert len(listed) == len(constraints)
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
    path = write(folder, on_cell("table_06/1/b"))
    table = folder / "printed" / "table_06.csv"
    table.write_text(table.read_text(encoding="utf-8").replace(",98,94,", ",138,94,"))
    assert load_constraints(path)["p"][0].printed.value == 138


@pytest.mark.parametrize(
    ("identifier", "text", "interval", "subject"),
    [
        ("table_03/2/unresolved/count", "4", (3.5, 4.5), ("1%–2%",)),
        ("table_03/2/unresolved/share", "100%", (0.995, 1.005), ("1%–2%",)),
        ("table_09/4/icc/upper", "0.044", (0.0435, 0.0445), ("4 vs 5",)),
        ("table_06/1/b", "98", (97.5, 98.5), ("ARC-C", "gemma-7b", "Llama-3-8B-Instruct")),
    ],
)
def test_a_cell_brings_its_number_and_the_text_of_its_row(
    folder: Path, identifier: str, text: str, interval: tuple[float, float], subject: tuple[str]
) -> None:
    (found,) = load_constraints(write(folder, on_cell(identifier)))["p"]
    assert (found.printed.text, found.interval, found.subject) == (text, interval, subject)


@pytest.mark.parametrize(
    ("fields", "interval", "kept", "broken"),
    [
        ({}, (2.145, 2.155), 2.1549, 2.156),
        ({"rounding": "up"}, (2.14, 2.15), 2.1401, 2.14),
        ({"rounding": "down"}, (2.15, 2.16), 2.15, 2.16),
        ({"scale": 100}, (214.5, 215.5), 214.6, 216.0),
        ({"states": {"value": 0}}, (-0.5, 0.5), 0.0, 1.0),
        ({"states": {"at_most": 4}}, (-math.inf, 4.0), -9.0, 4.1),
        ({"states": {"between": [1, 2], "half_unit": 0.05}}, (0.95, 2.05), 1.5, 2.1),
        ({"standard_error": 0.01}, (2.145, 2.155), 2.187, 2.189),
    ],
)
def test_what_agrees_with_a_number(
    folder: Path, fields: Any, interval: tuple[float, float], kept: float, broken: float
) -> None:
    (found,) = load_constraints(write(folder, measured(**fields)))["p"]
    assert found.interval == interval
    assert found.agrees(kept)
    assert not found.agrees(broken)
    assert not found.agrees(math.nan)


def test_both_standard_errors_count(folder: Path) -> None:
    """Within 3.290527 of sqrt(0.03**2 + 0.04**2) beyond the half unit."""
    (found,) = load_constraints(write(folder, measured(standard_error=0.03)))["p"]
    assert found.agrees(2.3195, 0.04)
    assert not found.agrees(2.3196, 0.04)


def test_one_number_can_be_read_as_several_quantities(folder: Path) -> None:
    entry = measured(quantity=["gain", "gain of whole items"], subject=["HS", "a"], note="n")
    found = load_constraints(write(folder, entry))["p"]
    assert [(c.quantity, c.subject, c.note) for c in found] == [
        ("gain", ("HS", "a"), "n"),
        ("gain of whole items", ("HS", "a"), "n"),
    ]
    assert (found[0].where, found[0].role) == ("Section 2, sentence 1", "target")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (measured(rule="up"), "measures: Additional properties"),
        (measured(rounding="ceil"), "measures: 'ceil' does not match"),
        (measured(quantity=None), "measures: None is not of type"),
        (measured(scale=0), "measures: 0 is less"),
        (measured(states={"value": 1, "at_most": 2}), "exactly one statement"),
        (measured(rounding=["up"]), "one entry for each row"),
        (CLAIM | {"measures": {"panel": "p", "quantity": "x"}}, "'role' is a required"),
    ],
)
def test_a_malformed_measure_is_refused_in_one_line(
    folder: Path, entry: dict[str, Any], message: str
) -> None:
    path = write(folder, entry)
    with pytest.raises(PublishedError, match=message) as caught:
        load_constraints(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}, claim 's2/gain': ")


def test_the_digest_is_of_the_numbers_and_not_of_the_words(folder: Path) -> None:
    def digest(entry: dict[str, Any]) -> dict[str, str]:
        (constraints,) = load_constraints(write(folder, entry)).values()
        return digest_of_fitted(constraints)

    assert digest(CLAIM | {"claim": "said otherwise"}) == digest(CLAIM)
    assert digest(CLAIM | {"printed": "2.16"}) != digest(CLAIM)
    assert digest(measured(rounding="up")) != digest(CLAIM)


def test_a_number_of_one_panel_is_not_in_the_digest_of_another(folder: Path) -> None:
    def digests(printed: str) -> dict[str, dict[str, str]]:
        other = measured(panel="q") | {"id": "s3/gain", "printed": printed}
        found = load_constraints(write(folder, CLAIM, other))
        return {panel: digest_of_fitted(constraints) for panel, constraints in found.items()}

    before, after = digests("2.15"), digests("2.16")
    assert (before["p"] == after["p"], before["q"] == after["q"]) == (True, False)


# As the board showed them, task by task.
OLL_V1_DISPLAYED = [
    *(63.14, 61.09, 60.75, 59.22, 51.45),
    *(84.88, 82.47, 78.55, 82.02, 71.96),
    *(77.19, 78.45, 74.51, 77.11, 67.96),
    *(40.03, 52.77, 68.69, 45.34, 29.19),
]


def test_displayed_scores_are_put_in_and_are_no_claims() -> None:
    scores = load_board_scores(PUBLISHED / "board_scores.csv")["oll_v1"]
    found = score_constraints(scores, "oll_v1")
    assert [c.printed for c in found] == [s.score for s in scores]
    assert [c.printed.text for c in found] == [f"{x:.2f}" for x in OLL_V1_DISPLAYED]
    assert (found[4].id, found[4].subject) == ("board_scores/5/score", ("ARC-C", "gemma-7b-it"))
    assert all(c.is_fitted for c in found)


def test_a_displayed_score_is_a_whole_number_of_items() -> None:
    """The two decimals that the first board shows leave no other number of items."""
    scores = load_board_scores(PUBLISHED / "board_scores.csv")
    assert {panel: len(of_panel) for panel, of_panel in scores.items()} == {
        "oll_v1": 20,
        "mmlu_pro": 10,
    }
    for s in scores["oll_v1"]:
        low, high = (
            (s.score.value + sign * s.score.half_unit) / 100 * s.n_items for sign in (-1, 1)
        )
        assert math.ceil(low) == s.correct == math.floor(high)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("task,model", "model,task", "the header must be panel,task,model"),
        (",740,", ",high,", "row 1: invalid literal"),
        (",740,", ",1173,", "row 1: correct must be at most n_items"),
        (",740,", ",", "row 1: 9 cells expected"),
        ("gemma-7b,google/gemma-7b,1172", "gemma,google/gemma-7b,1172", "the same models"),
    ],
)
def test_malformed_board_scores_are_refused(folder: Path, old: str, new: str, message: str) -> None:
    path = folder / "board_scores.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(PublishedError, match=message):
        load_board_scores(path)
