"""Settings of the workflow: each that a job would fail by is one line before any job."""

from __future__ import annotations

import shutil
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import replication.settings
from llm_power._board.operating_point import Declared
from llm_power._choices import (
    CLUSTER_SAMPLINGS,
    CLUSTER_TESTS,
    CONTROLS,
    MCNEMAR_TESTS,
    MISSING_POLICIES,
    WEIGHTINGS,
)
from llm_power._documents import DocumentError, first_violation, read_yaml
from llm_power_audit.claims import Register
from needed import ROOT
from replication.boards import Board, Boards
from replication.hub.plan import Downloads
from replication.settings import add_boards, check_settings, load_settings

PUBLISHED = ROOT / "data" / "kotawala2026"
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"


@cache
def unchanged() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    add_boards(read, ROOT / "config/boards", str(SCHEMA))
    return read


def settings(place: str = "", value: Any = None) -> Any:
    """Return the settings as they stand, with one of them replaced or added."""
    read = deepcopy(unchanged())
    *folders, name = place.split(">")
    within = read
    for folder in folders:
        within = within.setdefault(folder, {})
    if place:
        within[name] = value
    return read


def test_the_settings_as_they_stand() -> None:
    read_yaml(ROOT / "config.yaml")
    check_settings(settings(), str(SCHEMA), "config.yaml")


BOARD = {"title": "x", "tasks": {"t": {"path": "p.csv"}}}
TASKS = "boards>arc_mixtral_family>tasks"


@pytest.mark.parametrize(
    ("place", "value", "parts"),
    [
        ("paper", "../x", ["key 'paper'", "data/PAPER/paper.yaml"]),
        ("alpha", float("nan"), ["key 'alpha'", "nan is not", "level of a single pair"]),
        ("power", float("inf"), ["key 'power'", "inf is greater"]),
        ("seed", 1e30, ["key 'seed'", "1e+30 is not of type 'integer'"]),
        ("category_bootstrap>resamples", 1e30, ["key 'category_bootstrap/resamples'", "1e+30"]),
        ("category_bootstrap>resamples", "1e30", ["'1e30' is not of type 'integer'"]),
        ("category_bootstrap>resamples", 10**30, ["maximum of 1000000", "Number of resamples"]),
        ("category_bootstrap>resamples", 3e3, ["key 'category_bootstrap/resamples'", "3000.0"]),
        ("boards>b\n", BOARD, ["key 'boards'", "'b\\n'", "small letters"]),
        ("boards>2024", BOARD, ["key 'boards'", "'2024'"]),
        (f"{TASKS}>t\n", {"path": "p.csv"}, [f"key '{TASKS.replace('>', '/')}'", "'t\\n'"]),
        (f"{TASKS}>arc>path", "results/{nope}/x", ["tasks/arc/path'", "below the data root"]),
        (f"{TASKS}>arc>path", "results/{source}/x", ["tasks/arc/path'"]),
        (f"{TASKS}>arc>path", "results/{", ["tasks/arc/path'"]),
        (f"{TASKS}>arc>path", "results/a\0b", ["tasks/arc/path'"]),
        ("hub>folder", "downloads/{x}", ["key 'hub/folder'"]),
        ("boards>arc_mixtral_family>margin", 0, ["arc_mixtral_family/margin'", "--margin"]),
        ("boards>arc_mixtral_family>test", "wald", ["'wald' is not one of", "--test"]),
        ("boards>arc_mixtral_family>average", {"arc": 0}, ["arc_mixtral_family/average"]),
        ("boards>olv1_gsm8k>families", ["all", "adjacent"], ["Parts are those of all pairs"]),
        ("boards>b", BOARD | {"parts": 2}, ["'families' is a required property"]),
        ("alhpa", 0.05, ["'alhpa' was unexpected"]),
    ],
)
def test_a_setting_that_a_job_would_fail_by(place: str, value: Any, parts: list[str]) -> None:
    with pytest.raises(DocumentError) as caught:
        check_settings(settings(place, value), str(SCHEMA), "config.yaml")
    message = str(caught.value)
    for part in ["file 'config.yaml'", "Remedy: ", *parts]:
        assert part in message
    assert message.isprintable()


def test_what_a_board_declares_has_the_words_and_the_defaults_of_the_command() -> None:
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))["$defs"]["board"]["properties"]
    assert tuple(schema["test"]["enum"]) == MCNEMAR_TESTS
    assert tuple(schema["clusters"]["enum"]) == CLUSTER_SAMPLINGS
    assert tuple(schema["cluster_test"]["enum"]) == CLUSTER_TESTS
    assert tuple(schema["control"]["enum"]) == CONTROLS
    assert tuple(schema["missing"]["enum"]) == MISSING_POLICIES
    assert tuple(schema["average"]["anyOf"][0]["enum"]) == WEIGHTINGS
    assert Board(title="x", tasks={}).declared == Declared()
    names = {"test", "margin", "clusters", "cluster_test", "monitored", "control"}
    defaults = {name: schema[name]["default"] for name in [*names, "average"]}
    assert Board(title="x", tasks={}, **defaults).declared == Declared()
    own = Board(title="x", tasks={"a": {}, "b": {}}, margin=0.02, average={"a": 3, "b": 1})
    assert own.declared == Declared(margin=0.02, weights={"a": 3, "b": 1})


def test_boards_of_several_tasks_have_their_average_and_the_papers_panels_none() -> None:
    two = Board(title="x", tasks={"a": {}, "b": {}})
    boards = Boards({"two": two, "one": replace(two, tasks={"a": {}}), "panel": two})
    boards = replace(boards, boards={**boards.boards, "panel": replace(two, is_panel=True)})
    made = [path for path in boards.results("two") if "average" in path]
    assert "results/pairs/two.average.csv" in made
    assert "results/boards/two/average_ranks.md" in made
    for name in ("one", "panel"):
        assert not [path for path in boards.results(name) if "average" in path]


def test_a_name_that_is_a_number_is_to_be_quoted() -> None:
    read = settings()
    read["boards"][2024] = BOARD
    with pytest.raises(DocumentError, match="2024 is not of type 'string'.*in quotes"):
        check_settings(read, str(SCHEMA), "config.yaml")


def test_settings_have_a_value_a_print_and_a_place() -> None:
    settings = load_settings(PUBLISHED / "settings.yaml")
    assert settings["figure_4_n_star"] == 2362
    assert settings["mmlu_pro_n_items"] == 12032
    assert settings["calibration_rho_z"] == [0.0, 0.4, 0.8]


def test_settings_are_those_of_the_whole_register(
    paper_register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_part = load_settings(PUBLISHED / "settings.yaml")
    of_whole = {claim.id: claim.statement for claim in paper_register.claims}
    monkeypatch.setattr(replication.settings, "load_statements", lambda *_: of_whole)
    assert load_settings(PUBLISHED / "settings.yaml") == of_part


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("- 1\n", "map names"),
        ("a: 1\n", "key 'a': neither"),
        ("a: nowhere\n", "key 'a': neither .*'nowhere'"),
        ("a: table_11/1/verdict\n", "key 'a': neither"),
        ("a: [\n", "not usable YAML"),
        ("alpha: {value: 0.05, printed: x, where: y}\n", "key 'power': no power"),
    ],
)
def test_malformed_settings(tmp_path: Path, content: str, words: str) -> None:
    folder = shutil.copytree(PUBLISHED, tmp_path / "paper")
    path = Path(folder) / "settings.yaml"
    path.write_text(content)
    with pytest.raises(DocumentError, match=words):
        load_settings(path)


def test_the_first_violation_is_that_of_the_file() -> None:
    schema = {"additionalProperties": {"type": "integer"}}
    first = first_violation({"z": 1, "y": "one", "a": "two"}, schema)
    assert first is not None
    assert [*first.absolute_path] == ["y"]


def test_missing_scores_are_not_weighted_without_a_cluster_column() -> None:
    board = {"title": "Exams", "tasks": {}, "missing": "weighted"}
    with pytest.raises(
        DocumentError, match="'config.yaml, config/boards/exams.yaml': .* no cluster"
    ):
        Boards.of({}, {"exams": board}, data_root=None, downloads=Downloads())
