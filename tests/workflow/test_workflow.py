"""The workflow on a small board, in a copy of the repository, by the real Snakemake."""

from __future__ import annotations

import json
import re
import shutil
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from board_examples import written_pairs
from llm_power._board.columns import PAIRS_COLUMNS
from llm_power._board.operating_point import Declared
from llm_power._board.page_data import page_data
from llm_power._board.resolve import resolve_board, stream_board
from llm_power._board.summary import describe_board
from llm_power._report.board_tables import average_tables, board_tables
from llm_power._report.tables import score_provenance, to_markdown
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import read_task
from repository import copy_finished, copy_repository, run_workflow, write_board


def planned(where: Path, *targets: str) -> set[str]:
    """Return the rules that a run would execute, but for those that only gather files."""
    done = run_workflow(where, "--dry-run", *targets)
    assert done.returncode == 0, done.stderr
    rules = {line.split()[1].rstrip(":") for line in done.stderr.splitlines() if _is_rule(line)}
    rules |= {line.split()[1].rstrip(":") for line in done.stdout.splitlines() if _is_rule(line)}
    return {rule for rule in rules if rule != "all" and not rule.startswith("board_small")}


def _is_rule(line: str) -> bool:
    return line.startswith(("rule ", "localrule "))


# Those of config/boards that list their downloads.
DOWNLOADED = ["alpaca_eval2", "arc_mixtral_family", "mmlu_pro_authors"]


@pytest.fixture(scope="module")
def finished(whole_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = copy_finished(whole_run, tmp_path_factory.mktemp("finished") / "repository")
    write_board(where)
    done = run_workflow(where, "board_small")
    assert done.returncode == 0, done.stdout + done.stderr
    return where


def in_one_line(path: Path) -> str:
    """Read Markdown whose paragraphs wrap."""
    return path.read_text(encoding="utf-8").replace("\n", " ")


def test_board_is_a_config_entry(finished: Path) -> None:
    table = pd.read_parquet(finished / "results/pairs/small.parquet")
    assert list(table.columns) == PAIRS_COLUMNS
    assert len(table) == 6
    assert len(pd.read_parquet(finished / "results/pairs/small.adjacent.parquet")) == 3
    ladder = in_one_line(finished / "results/boards/small/ladder.md")
    assert "b\\|2" in ladder
    assert "each pair is compared on all of them" in ladder
    assert "Provenance" in ladder
    assert (finished / "figures/boards/small.svg").stat().st_size > 0


@pytest.mark.slow
def test_what_a_board_declares_is_what_the_command_declares(
    finished: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    where = copy_finished(finished, tmp_path_factory.mktemp("declared") / "repository")
    config = yaml.safe_load((where / "config.yaml").read_text())
    task = config["boards"]["small"]["tasks"]["exam"]
    table = pd.read_csv(where / "small.csv")
    files = {"exam": str(where / "small.csv"), "quiz": str(where / "quiz.csv")}
    # Other items: those of one task do not count twice in an average.
    models = ["a/1", "b|2", "c$3", "d_4"]
    quiz = table.head(80).assign(item_id=[f"r{i}" for i in range(80)])
    quiz[models] = 1 - quiz[models]
    quiz.to_csv(files["quiz"], index=False)
    config["boards"]["two"] = {
        "title": "Two tasks",
        "cluster": "topic",
        "clusters": "fixed",
        "test": "asymptotic",
        "margin": 0.1,
        "monitored": True,
        "average": {"exam": 2, "quiz": 1},
        # Copies, for YAML would write what two tasks share as an alias.
        "tasks": {name: deepcopy(task) | {"path": path} for name, path in files.items()},
    }
    (where / "config.yaml").write_text(yaml.safe_dump(config))
    done = run_workflow(where, "board_two")
    assert done.returncode == 0, done.stdout + done.stderr
    names = {"small": "exam", "quiz": "quiz"}
    tasks = [
        replace(read_scores(where / f"{stem}.csv", ReadOptions(clusters=("topic",))), task=name)
        for stem, name in names.items()
    ]
    board = resolve_board(
        [prepare_task(scores) for scores in tasks],
        cluster="topic",
        declared=Declared(
            "asymptotic", 0.1, "fixed", monitored=True, weights={"exam": 2, "quiz": 1}
        ),
    )
    assert board.average is not None
    for stem, expected in (
        ("two", board.verdicts[PAIRS_COLUMNS]),
        ("two.average", board.average.verdicts),
    ):
        made = pd.read_parquet(where / f"results/pairs/{stem}.parquet")
        pd.testing.assert_frame_equal(made, expected, check_dtype=False)
    assert "Weights: exam 0.667" in in_one_line(where / "results/boards/two/average.md")


@pytest.mark.slow
@pytest.mark.parametrize("parts", [None, 2])
def test_a_board_of_the_workflow_is_that_of_the_command(tmp_path: Path, parts: int | None) -> None:
    """Of a task with clusters, and one of repeats without them; in one piece, and in parts."""
    where = copy_repository(tmp_path / "repository")
    write_board(where)
    config = yaml.safe_load((where / "config.yaml").read_text())
    small = config["boards"]["small"] | {"families": ["all"]} | ({"parts": parts} if parts else {})
    index = pd.MultiIndex.from_product(
        [range(40), ["a/1", "b|2", "c$3", "d_4"], range(2)], names=["item", "model", "run"]
    )
    solved = np.random.default_rng(5).integers(0, 2, len(index))
    pd.DataFrame({"score": solved}, index).reset_index().to_csv(where / "quiz.csv", index=False)
    small["tasks"]["quiz"] = {"path": str(where / "quiz.csv"), "repeat_column": "run"}
    config["boards"]["small"] = small
    (where / "config.yaml").write_text(yaml.safe_dump(config))
    done = run_workflow(where, "board_small")
    assert done.returncode == 0, done.stdout + done.stderr

    tasks = [read_task(where / f"results/scores/small/{name}.parquet") for name in small["tasks"]]
    if parts:
        board = stream_board(tasks, cluster="topic")
    else:
        board = resolve_board(tasks, family="all", cluster="topic")
    assert board.readings
    assert board.repeats is not None
    assert board.average is not None
    folder, title = where / "results/boards/small", small["title"]
    summary = describe_board(board, tasks, missing="error")
    assert json.loads((folder / "summary.json").read_text()) == json.loads(json.dumps(summary))
    data = page_data(
        board.verdicts,
        summary,
        title=title,
        average=board.average,
        result="pairs/small.csv",
        average_result="pairs/small.average.csv",
    )
    page = (folder / "board.html").read_text(encoding="utf-8")
    shown = json.loads(page.partition('id="board">')[2].partition("</script>")[0])
    assert {name: shown[name] for name in data} == json.loads(json.dumps(data))
    tables = board_tables(board, tasks, title=title) | average_tables(
        board.average, tasks, title=title, point=board.point
    )
    for name, table in tables.items():
        assert (folder / f"{name}.md").read_text(encoding="utf-8") == to_markdown(table)
    averaged = pd.read_parquet(where / "results/pairs/small.average.parquet")
    pd.testing.assert_frame_equal(averaged, board.average.verdicts, check_dtype=False)


@pytest.mark.slow
def test_a_board_in_parts_is_that_in_one_piece_and_too_large_a_one_is_refused(
    tmp_path: Path,
) -> None:
    where = copy_repository(tmp_path / "repository")
    write_board(where)
    config = yaml.safe_load((where / "config.yaml").read_text())
    config["boards"]["small"] |= {"families": ["all"], "parts": 4}
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.integers(0, 2, (4, 450)), columns=[f"m{k}" for k in range(450)])
    table.assign(item_id=range(4)).to_csv(where / "large.csv", index=False)
    large = {"exam": {"path": str(where / "large.csv")}}
    config["boards"]["large"] = {"title": "Large", "families": ["all"], "tasks": large}
    (where / "config.yaml").write_text(yaml.safe_dump(config))

    done = run_workflow(where, "board_small")
    assert done.returncode == 0, done.stdout + done.stderr
    scores = read_scores(where / "small.csv", ReadOptions(clusters=("topic",)))
    task = prepare_task(replace(scores, task="exam"))
    board = stream_board([task], cluster="topic", folder=tmp_path / "pairs")
    made, expected = (
        written_pairs(folder) for folder in (where / "results/pairs/small", tmp_path / "pairs")
    )
    pd.testing.assert_frame_equal(made, expected)
    shown = pd.read_parquet(where / "results/pairs/small.parquet")
    pd.testing.assert_frame_equal(shown, board.verdicts[PAIRS_COLUMNS], check_dtype=False)
    assert f"all {board.n_pairs:,} pairs" in in_one_line(where / "results/boards/small/ladder.md")

    refused = run_workflow(where, "results/boards/large/discordance.parquet")
    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    (line,) = [line for line in said.splitlines() if line.startswith("error: ")]
    assert "all pairs of exam are 101,025, and at most 100,000 are held" in line
    assert "`parts: 1`" in line


def test_exhibits_are_named_targets(finished: Path) -> None:
    for suffix in ("csv", "csv-metadata.json", "md", "tex"):
        assert (finished / f"results/tables/table_06.{suffix}").is_file()
    for suffix in ("pdf", "png", "svg"):
        assert (finished / f"figures/figure_03.{suffix}").is_file()


def test_second_run_has_nothing_to_do(finished: Path) -> None:
    assert planned(finished, "board_small", "table_06", "figure_03") == set()


def test_touching_a_module_runs_nothing(finished: Path) -> None:
    (finished / "src/llm_power/_statistics/e_process.py").touch()
    assert planned(finished, "board_small") == set()


def test_editing_a_module_runs_its_users(finished: Path) -> None:
    module = finished / "src/llm_power/_board/cluster_robustness.py"
    text = module.read_text()
    module.write_text(text + "\n# edited\n")
    try:
        assert planned(finished, "board_small") == {
            "loso",
            "category_bootstrap",
            "cluster_definitions",
            # A board says how many pairs either reading of its clusters decides.
            "held_board",
        }
    finally:
        module.write_text(text)


@pytest.mark.parametrize(
    ("table", "old", "new", "rerun"),
    [
        ("table_07.csv", "1449", "1448", {"figure_03"}),
        pytest.param("table_06.csv", "295", "296", {"table_06"}, marks=pytest.mark.slow),
        pytest.param("table_09.csv", "17.4", "17.5", set(), marks=pytest.mark.slow),
    ],
)
def test_changing_a_published_number_runs_what_depends_on_it(
    finished: Path, table: str, old: str, new: str, rerun: set[str]
) -> None:
    path = finished / "data" / "kotawala2026" / "printed" / table
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    try:
        # Witnesses say which fitted numbers of the whole register they were made from.
        targets = ("board_small", "table_06", "figure_03")
        assert planned(finished, *targets) == rerun
        assert "witness_frontier" in planned(finished, "figure_07")
    finally:
        path.write_text(text)


@pytest.mark.slow
def test_planted_contradiction_is_reported_and_not_absorbed(tmp_path: Path) -> None:
    where = copy_repository(tmp_path)
    path = where / "data" / "kotawala2026" / "printed" / "table_06.csv"
    text = path.read_text()
    assert text.count(",119,103,") == 1
    path.write_text(text.replace(",119,103,", ",159,103,"))
    witness = "results/witness/oll_v1"
    done = run_workflow(where, f"{witness}/infeasible.csv", f"{witness}/roles.csv", "table_06")
    assert done.returncode == 0, done.stdout + done.stderr
    found = pd.read_csv(where / witness / "infeasible.csv", dtype=str)
    named = found[(found["quantity"] == "b") & (found["printed"] == "159")]
    assert set(named["set"]) == {"smallest infeasible subset", "minimum correction"}
    roles = pd.read_csv(where / witness / "roles.csv", dtype=str)
    planted = roles[(roles["quantity"] == "b") & (roles["printed"] == "159")]
    assert list(planted["status"]) == ["residual"]
    table = in_one_line(where / "results/tables/table_06.md")
    assert "≠ marks a printed value that differs from the recomputed one above it." in table


def test_witness_is_marked_wherever_it_is_shown(finished: Path) -> None:
    figure = (finished / "figures/figure_07.svg").read_text()
    assert "witness (fitted to" in figure
    ladder = in_one_line(finished / "results/boards/frontier/ladder.md")
    assert "fitted number" in ladder
    assert "witness" not in (finished / "results/boards/small/ladder.md").read_text()


def test_changing_the_config_runs_what_depends_on_it(finished: Path) -> None:
    config = finished / "config.yaml"
    text = config.read_text()
    config.write_text(text.replace("resamples: 50", "resamples: 60"))
    try:
        assert planned(finished, "board_small") == {"category_bootstrap"}
    finally:
        config.write_text(text)


@pytest.mark.slow
def test_the_papers_panels_keep_the_papers_operating_point(finished: Path) -> None:
    other = ("--config", "alpha=0.2", "power=0.9")
    exhibits = ("table_03", "table_05", "table_08", "figure_07", "board_oll_v1", "findings_boards")
    # The small board's own settings take other resamples, which these would be made again for.
    without = planned(finished, *exhibits)
    assert not without & {"required_n", "multiplicity", "icc", "loso", "e_process"}
    assert planned(finished, *exhibits, *other) == without
    assert {"held_board", "loso"} <= planned(finished, "board_small", *other)


@pytest.mark.slow
def test_cores_change_no_byte(finished: Path, tmp_path: Path) -> None:
    other = copy_repository(tmp_path)
    write_board(other)
    # The same file at another path: its place is no part of any result.
    shutil.copy2(finished / "small.csv", other / "small.csv")
    # All stages that a verdict rests on, what is resampled, and what is drawn.
    targets = ("results/pairs/small.parquet", "results/boards/small/category_bootstrap.parquet")
    assert run_workflow(other, *targets, "figure_03", cores=1).returncode == 0
    made = [path for path in (other / "results").rglob("*") if path.is_file()]
    made += [path for path in (other / "figures").rglob("*") if path.is_file()]
    made = [path for path in made if ".sums" not in path.parts]
    assert len(made) > 15
    for path in made:
        assert path.read_bytes() == (finished / path.relative_to(other)).read_bytes(), path


def test_bad_score_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    where = copy_repository(tmp_path)
    write_board(where, fault="half")
    done = run_workflow(where, "results/scores/small/exam.parquet")
    assert done.returncode != 0
    shown = done.stdout + done.stderr
    (line,) = [line for line in shown.splitlines() if line.startswith("error: ")]
    assert all(part in line for part in ("small.csv", "'c$3'", "'q17'", "'half'", "Remedy"))
    assert "Traceback" not in line
    assert not list((where / "results").rglob("*.parquet"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 2}, "alpha"),
        (
            {"boards": {"oll_v1": {"title": "x", "tasks": {"t": {"path": "p"}}}}},
            "a panel of that name",
        ),
        ({"paper": "nobody2026"}, "data/nobody2026/paper.yaml"),
    ],
)
def test_config_is_checked_before_any_job(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    where = copy_repository(tmp_path)
    config = yaml.safe_load((where / "config.yaml").read_text())
    (where / "config.yaml").write_text(yaml.safe_dump(config | change))
    done = run_workflow(where, "--dry-run", "table_06")
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
    assert not (where / "results").exists()


def test_config_is_read_as_it_is_written(tmp_path: Path) -> None:
    where = copy_repository(tmp_path)
    with (where / "config.yaml").open("a") as config:
        config.write("\nalpha: 0.20\n")
    done = run_workflow(where, "--dry-run", "table_06")
    assert done.returncode != 0
    shown = done.stdout + done.stderr
    (line,) = [line for line in shown.splitlines() if "file 'config.yaml'" in line]
    assert "the key 'alpha' occurs twice" in line
    assert "Remedy: " in line


@pytest.mark.slow
def test_boards_without_files_are_left_out_in_one_line(tmp_path: Path) -> None:
    where = copy_repository(tmp_path)
    done = run_workflow(where, "--dry-run", "paper")
    assert done.returncode == 0
    lines = [x for x in (done.stdout + done.stderr).splitlines() if "is left out" in x]
    assert len(lines) == 5
    for needs_none in ("table_06", "tables", "figures"):
        other = run_workflow(where, "--dry-run", needs_none)
        assert "left out" not in other.stdout + other.stderr
    assert "sample of real items" in lines[0]
    shown = done.stdout + done.stderr
    assert all(f"`snakemake board_{name}` downloads them" in shown for name in DOWNLOADED)
    # The board whose raw files are not known is made of a table placed by hand.
    for absent in ("board_olv1_gsm8k", "raw_sample", "skpower2025_figure_02"):
        refused = run_workflow(where, "--dry-run", absent)
        assert refused.returncode != 0
        said = map(str.strip, (refused.stdout + refused.stderr).splitlines())
        (line,) = [line for line in said if line.startswith("error: ")]
        assert "LLM_POWER_DATA" in line
    downloaded = run_workflow(where, "--dry-run", "board_mmlu_pro_authors")
    assert downloaded.returncode == 0
    assert re.search(r"^download +15$", downloaded.stdout, re.MULTILINE)


@pytest.mark.slow
def test_tables_in_the_data_root_win_over_downloads(tmp_path: Path) -> None:
    where = copy_repository(tmp_path / "repository")
    folder = tmp_path / "data" / "panels" / "oll_v1"
    folder.mkdir(parents=True)
    settings = ["--config", "source=hub", f"data_root={tmp_path / 'data'}"]
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.integers(0, 2, (300, 5)), columns=[f"org/m{k}" for k in range(5)])
    table.insert(0, "item_id", [f"arc-{i}" for i in range(300)])
    table.to_parquet(folder / "arc.parquet", index=False)
    done = run_workflow(where, "results/scores/oll_v1/arc.parquet", *settings)
    assert done.returncode == 0, done.stdout + done.stderr
    (source,) = score_provenance([read_task(where / "results/scores/oll_v1/arc.parquet")])
    assert source.kind == "raw"
    assert source.line.startswith("raw (arc.parquet")
    assert not (where / "downloads").exists()
    assert not (where / "results/witness").exists()
