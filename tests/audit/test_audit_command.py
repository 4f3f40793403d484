"""``llm-power audit`` as a maintainer of a leaderboard runs it, and one line for bad input."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click import Command
from registers import write_register

from command_line import Refusal, run
from llm_power._plugins import load_plugin, plugin_names

HOSTILE = "</script><script>alert(1)</script>|*x*"
MODELS = ["org/a", "org/b", HOSTILE, "{value} $e_f$"]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of ``llm-power resolve`` on scores of four models."""
    folder = tmp_path_factory.mktemp("board")
    rng = np.random.default_rng(4)
    solved = rng.normal(size=(150, 1)) + rng.normal(size=(150, 4)) + [0.2, 0.9, 0.5, 0.4] > 0
    table = pd.DataFrame(solved.astype(int), columns=MODELS)
    table.insert(0, "item_id", [f"{i:03d}" for i in range(150)])
    table.to_csv(folder / "exam.csv", index=False)
    results = folder / "results"
    assert run("resolve", folder / "exam.csv", "--pairs", "all", "--out", results) == 0
    return results


@pytest.fixture
def pairs(board: Path) -> pd.DataFrame:
    return pd.read_csv(board / "pairs.csv")


def entry(
    identifier: str, printed: str | list[str], check: dict[str, Any], **more: Any
) -> dict[str, Any]:
    return {
        "id": identifier,
        "section": "Board",
        "place": "front page",
        "claim": "a number of our own board",
        "quantity": "number",
        "printed": printed,
        "checks": [{"result": "pairs.csv", **check}],
        **more,
    }


def maintained(pairs: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what the maintainer says of the board: all of it true."""
    unresolved = int((~pairs["resolved"]).sum())
    return [
        entry("n-pairs", "6", {"rows": {}, "aggregate": "count"}),
        entry("unresolved", f"{unresolved}/6", {"rows": {"resolved": False}, "aggregate": "count"}),
        entry(
            "pairs/*/gap",
            [f"{100 * gap:.2f}pp" for gap in pairs["delta"]],
            {"rows": {"model_a": "{a}", "model_b": "{b}"}, "column": "delta"},
            over="pairs",
            claim="{a} leads {b}",
        ),
        entry("items", "150", {"rows": {}, "aggregate": "min", "column": "n_items"}),
    ]


def subjects(pairs: pd.DataFrame) -> dict[str, list[dict[str, str]]]:
    rows = zip(pairs["model_a"], pairs["model_b"], strict=True)
    return {"pairs": [{"a": a, "b": b} for a, b in rows]}


def test_a_board_whose_claims_hold(
    board: Path, pairs: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_register(tmp_path, *maintained(pairs), subjects=subjects(pairs))
    assert run("audit", path, "--results", board) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    lines = captured.out.splitlines()
    # What nothing rests on has no column.
    assert lines[0].split() == ["raw", "all"]
    assert next(line.split() for line in lines if line.startswith("holds ")) == ["holds", "9", "9"]
    assert "contradicted:" not in captured.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["claims.yaml"]


def test_a_register_is_asked_whether_it_can_say_no(
    board: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {"rank_a": 1, "rank_b": 2}
    items = entry("items", "150", {"rows": rows, "column": "n_items"})
    out = tmp_path / "audit"
    arguments = ("audit", write_register(tmp_path, items), "--results", board, "--out", out)
    assert run(*arguments) == 0
    assert not (out / "mutation.csv").exists()
    assert run(*arguments, "--mutate") == 0
    assert "6 of 6 misprints of claims that hold are contradicted" in capsys.readouterr().out
    assert (pd.read_csv(out / "mutation.csv")["fate"] == "detected").all()
    assert (out / "mutation.md").is_file()
    assert run(*arguments) == 0
    assert not [*out.glob("mutation.*")]


def test_a_board_that_has_changed(
    board: Path, pairs: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = maintained(pairs)
    stale[0]["printed"] = "10"
    stale[2]["printed"][3] = "55.55pp"
    path = write_register(tmp_path, *stale, subjects=subjects(pairs), title="Board")
    out = tmp_path / "deep" / "out"
    assert run("audit", path, "--results", board, "--out", out) == 1
    captured = capsys.readouterr()
    found = [line for line in captured.out.splitlines() if line.startswith("contradicted: ")]
    assert found[0] == "contradicted: n-pairs: printed 10, found 6"
    assert found[1].startswith("contradicted: pairs/4/gap: printed 55.55pp, found ")
    assert found[1].endswith("pp")
    assert len(found) == 2
    warnings = captured.err.splitlines()
    assert warnings[0] == "warning: claim 'n-pairs' is contradicted and has no `derivation`"
    assert len(warnings) == 4

    assert sorted(path.name for path in out.iterdir()) == [
        "claims.csv",
        "claims.md",
        "corrections.json",
        "report.html",
    ]
    table = pd.read_csv(out / "claims.csv", keep_default_na=False)
    assert table["verdict"].value_counts().to_dict() == {"holds": 7, "contradicted": 2}
    assert table["claim"].str.contains(HOSTILE, regex=False).any()
    for name in ("claims.md", "report.html"):
        text = (out / name).read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert "{value} " in text.replace("\\", "")
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert run("audit", path, "--results", board, "--out", out) == 1
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"states": {"value": 10**400}}, "states/value"),
        ({"states": {"at_most": -(10**400)}}, "states/at_most"),
        ({"states": {"value": 6, "half_unit": 10**400}}, "states/half_unit"),
        ({"states": {"between": [1, 10**400]}}, "states/between/1"),
        ({"printed_standard_error": 10**400}, "printed_standard_error"),
        ({"printed": "10^400"}, "printed"),
        ({"printed": "1" * 400}, "printed"),
        ({"checks": [{"scale": 10**400}]}, "checks/0/scale"),
        ({"checks": [{"standard_error": 10**400}]}, "checks/0/standard_error"),
        ({"checks": [{"rows": {"delta": {"below": 10**400}}}]}, "checks/0/rows/delta/below"),
    ],
)
def test_a_number_that_overflows_is_bad_input(
    change: dict[str, Any],
    field: str,
    board: Path,
    tmp_path: Path,
    refusal: Refusal,
) -> None:
    claim = entry("items", "6", {"rows": {}, "aggregate": "min", "column": "n_items"})
    checks = change.get("checks", [{}])
    checks = [{**claim["checks"][0], **check} for check in checks]
    path = write_register(tmp_path, {**claim, **change, "checks": checks})
    error = refusal("audit", path, "--results", board)
    assert f"claim 'items', field {field}: the number is too large. Remedy: " in error


def test_nothing_is_written_when_the_input_is_bad(
    board: Path, pairs: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = maintained(pairs)
    claims[-1]["checks"][0]["column"] = "items"
    path = write_register(tmp_path, *claims, subjects=subjects(pairs))
    assert run("audit", path, "--results", board, "--out", tmp_path / "out") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(
        f"error: {path}, claim 'items', field checks/0/column: pairs.csv has no column 'items'. "
        "Remedy: did you mean 'n_items'"
    )
    assert not (tmp_path / "out").exists()


def test_all_files_or_none(
    board: Path, pairs: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("llm_power_audit.report.render_report", fail)
    path = write_register(tmp_path, *maintained(pairs), subjects=subjects(pairs))
    assert run("audit", path, "--results", board, "--out", tmp_path / "out") == 2
    assert list((tmp_path / "out").iterdir()) == []


def test_a_missing_register_or_folder(board: Path, tmp_path: Path, refusal: Refusal) -> None:
    error = refusal("audit", tmp_path / "no.yaml", "--results", board)
    assert "no.yaml: cannot be read: No such file" in error
    path = write_register(tmp_path, entry("x", "1", {"column": "delta"}))
    error = refusal("audit", path, "--results", tmp_path / "nowhere")
    assert "there is no such folder of results" in error
    assert "--results" in refusal("audit", path)


def test_a_register_or_a_result_that_is_a_pipe(
    board: Path, tmp_path: Path, refusal: Refusal
) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    line = refusal("audit", tmp_path / "pipe.yaml", "--results", board)
    assert "pipe.yaml: cannot be read: a pipe, a socket or a device instead of a file" in line
    os.mkfifo(tmp_path / "pairs.csv")
    path = write_register(tmp_path, entry("x", "1", {"column": "delta"}))
    line = refusal("audit", path, "--results", tmp_path)
    assert "pairs.csv is not in" in line


def test_links_lead_from_the_report_to_the_files(
    board: Path, pairs: pd.DataFrame, tmp_path: Path
) -> None:
    stale = maintained(pairs)
    stale[0] |= {"printed": "10", "exhibit": "list"}
    exhibits = {
        "list": {"title": "The list", "file": "pairs.csv"},
        "gone": {"title": "Never made", "file": "gone.csv"},
    }
    path = write_register(tmp_path, *stale, subjects=subjects(pairs), exhibits=exhibits)
    out = tmp_path / "o u t"
    assert run("audit", path, "--results", board, "--out", out) == 1
    html = (out / "report.html").read_text(encoding="utf-8")
    (href,) = {part.split('"')[0] for part in html.split('href="')[1:] if "pairs.csv" in part}
    assert (out / href).resolve() == (board / "pairs.csv").resolve()
    assert "gone.csv" not in html


def test_the_command_is_found_by_its_entry_point() -> None:
    assert plugin_names("llm_power.commands") == ("audit",)
    assert isinstance(load_plugin("llm_power.commands", "audit"), Command)
