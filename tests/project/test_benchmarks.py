"""The benchmarks run, and find their places in the documents."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from llm_power._statistics.paired_binary import required_n_discordance
from needed import ROOT

FOLDER = ROOT / "benchmarks"


@pytest.mark.slow
def test_a_short_run_prints_every_table_and_says_that_no_boards_are_there() -> None:
    environment = {k: v for k, v in os.environ.items() if k != "LLM_POWER_DATA"}
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error::RuntimeWarning",
            FOLDER / "measured_errors.py",
            "--trials=40",
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    parts = ("Type I error", "Crossing", "Coverage", "Power", "Half samples are left out")
    for part in (*parts, "all intervals of a board hold", "false discovery rate"):
        assert part in done.stdout


@pytest.mark.parametrize(
    ("document", "made_by"),
    [
        ("docs/numbers.md", "make bench-verdicts"),
        ("docs/verdicts.md", "make bench-verdicts"),
        ("docs/benchmarks.md", "make bench"),
    ],
)
def test_a_document_has_one_place_for_what_is_measured(document: str, made_by: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    begin, end = f"<!-- measured by {made_by} -->\n", "<!-- end of what is measured -->\n"
    assert (text.count(begin), text.count(end)) == (1, 1)
    assert text.index(begin) < text.index(end)


@pytest.fixture
def benchmark_modules(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(FOLDER))
    return {
        name: import_module(name)
        for name in ("contests", "drawn", "half_samples", "results", "tables")
    }


def line(modules: dict[str, Any], name: str, rows: list[tuple[str, int, list[float]]]) -> Any:
    """How a contest went by (who, models, seconds) on 12,032 items."""
    (contest,) = [one for one in modules["contests"].CONTESTS if one.name == name]
    measured = [
        modules["results"].Measured(
            name, who, modules["drawn"].Size(models, 12_032), seconds, 1.0, in_turn=True
        )
        for who, models, seconds in rows
    ]
    return modules["tables"].line_of(contest, modules["results"].Results({}, measured))


def test_a_ratio_is_the_median_over_rounds_of_times_a_pair(
    benchmark_modules: dict[str, Any],
) -> None:
    # 3 pairs beside 6: a peer that takes as long is twice as slow.
    ours, theirs = ("llm_power", 4, [1.0, 2.0, 4.0]), ("scipy", 3, [1.0, 6.0, 4.0])
    (other,) = line(benchmark_modules, "core", [ours, theirs]).others
    assert (other.ratio, other.seconds) == (2.0, 4.0)


@pytest.mark.parametrize(
    ("models", "seconds", "missed"), [(4_500, 40.0, False), (4_500, 41.0, True), (1_500, 1.0, True)]
)
def test_a_line_is_missed_above_its_limit_and_below_its_size(
    benchmark_modules: dict[str, Any], models: int, seconds: float, missed: bool
) -> None:
    rows = [("llm_power", models, [seconds])]
    assert line(benchmark_modules, "core", rows).missed is missed


@pytest.mark.slow
def test_a_smoke_run_holds_every_contest_and_says_which_peers_are_not_there(
    tmp_path: Path, benchmark_modules: dict[str, Any]
) -> None:
    results, picture = tmp_path / "smoke.json", tmp_path / "smoke.png"
    script: list[str | Path] = [sys.executable, FOLDER / "run.py", "--smoke", "--results", results]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    contests = benchmark_modules["contests"].CONTESTS
    assert [one.work for one in contests if one.work not in done.stdout] == []
    found = benchmark_modules["results"].read_results(results)
    told = {(row.contest, row.who) for row in [*found.measured, *found.left_out]}
    sides = {(one.name, side.who) for one in contests for side in (one.ours, *one.peers)}
    assert sides <= told
    assert {x.why for x in found.left_out if not x.why.endswith("is not installed")} == set()
    draw: list[str | Path] = [
        sys.executable,
        FOLDER / "plots.py",
        "--results",
        results,
        "--output",
        picture,
    ]
    subprocess.run(draw, check=True)
    assert picture.stat().st_size > 10_000


def test_half_samples_resolve_pairs_by_the_q_of_their_counts(
    benchmark_modules: dict[str, Any],
) -> None:
    scores = np.random.default_rng(9).binomial(1, [0.5, 0.5, 0.62, 0.7], (300, 4)).astype(float)
    scores = np.column_stack([scores, scores[:, 0]])
    first, second = np.triu_indices(5, k=1)
    b = ((scores[:, first] == 1) & (scores[:, second] == 0)).sum(axis=0)
    c = ((scores[:, first] == 0) & (scores[:, second] == 1)).sum(axis=0)
    resolved = benchmark_modules["half_samples"]._resolved(scores, first, second)
    assert resolved.tolist() == (required_n_discordance(b, c, 300) <= 300).tolist()
    assert 0 < resolved.sum() < 9
