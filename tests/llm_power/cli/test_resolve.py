"""``llm-power resolve`` as a user runs it: results, and one line for every kind of bad input."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from command_line import Refusal, run
from llm_power._board import stream
from llm_power._board.average import AVERAGE_COLUMNS
from llm_power._board.columns import PAIRS_COLUMNS
from llm_power._cli import cli
from llm_power._memory import workers
from llm_power._statistics.mcnemar import mcnemar_exact


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    solved = rng.normal(size=(150, 1)) + rng.normal(size=(150, 4)) + [0.2, 0.9, 0.5, 0.4] > 0
    table = pd.DataFrame(solved.astype(int), columns=["org/a", "org/b", "c|d", "$e_f$"])
    table.insert(0, "subject", [f"s{i % 5}" for i in range(150)])
    table.insert(0, "item_id", [f"{i:03d}" for i in range(150)])
    path = tmp_path / "exam.csv"
    table.to_csv(path, index=False)
    return path


def test_writes_files_that_agree(scores: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    assert run("resolve", scores, "--pairs", "all", "--cluster", "subject", "--out", out) == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "board.html",
        "board.md",
        "error_bars.md",
        "pairs.csv",
        "pairs.csv-metadata.json",
        "pairs.parquet",
        "summary.json",
    ]
    table = pd.read_parquet(out / "pairs.parquet")
    assert list(table.columns) == PAIRS_COLUMNS
    assert len(table) == 6
    assert table["icc"].notna().all()
    csv = pd.read_csv(out / "pairs.csv")
    np.testing.assert_array_equal(csv["n_star"], table["n_star"])
    summary = json.loads((out / "summary.json").read_text())
    assert summary["n_pairs"] == 6
    assert summary["tasks"][0]["coverage_min"] == 1.0
    scored = dict.fromkeys(["org/b", "c|d", "$e_f$", "org/a"], 150)
    assert summary["scores"][0]["scored_items"] == scored


def test_same_input_gives_the_same_bytes(scores: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        assert run("resolve", scores, "--exclude", "subject", "--out", tmp_path / name) == 0
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()


@pytest.mark.parametrize("pairs", ["adjacent", "all"])
def test_the_best_models_have_the_numbers_of_the_whole_board(
    scores: Path, tmp_path: Path, pairs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("resolve", scores, "--cluster", "subject", "--pairs", pairs, "--out")
    assert run(*command, tmp_path / "every") == 0
    capsys.readouterr()
    assert run(*command, tmp_path / "best", "--top", "3") == 0
    every, best = (pd.read_parquet(tmp_path / name / "pairs.parquet") for name in ("every", "best"))
    rows = every[every["rank_b"] <= 3].reset_index(drop=True)
    pd.testing.assert_frame_equal(best, rows, rtol=1e-12)
    told = [json.loads((tmp_path / n / "summary.json").read_text()) for n in ("every", "best")]
    assert told[0]["ranks"] == told[1]["ranks"]
    assert told[1]["n_pairs"] == told[0]["n_pairs"] == len(every)
    screen = capsys.readouterr().out
    assert "pairs of the best 3 models\n" in screen
    assert f"adjusted for all {len(every)} pairs by max-T, level 0.05." in screen.replace("\n", " ")
    assert "... and 1 more models" in screen


def test_the_answer_is_printed_as_asked(
    scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("resolve", scores, "--cluster", "subject", "--out", tmp_path / "out", "--format")
    assert run(*command, "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["pairs"]) == told["n_pairs"] == 3
    assert [*told["pairs"][0]] == PAIRS_COLUMNS
    assert run(*command, "markdown") == 0
    assert "| c\\|d |" in capsys.readouterr().out


def test_numbers_in_json_have_all_their_digits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {
        "item": range(100),
        "heron": [1] * 45 + [0] * 55,
        "wren": [0] * 45 + [1] * 3 + [0] * 52,
    }
    pd.DataFrame(scores).to_csv(tmp_path / "exam.csv", index=False)
    assert run("resolve", tmp_path / "exam.csv", "--format", "json") == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert (pair["b"], pair["c"]) == (45, 3)
    assert pair["p_single"] == float(mcnemar_exact(45, 3)) != round(pair["p_single"], 15)
    assert pair["n11"] == 0
    assert pair["p_cluster"] is None


def test_test_margin_and_clusters_are_declared(
    scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], refusal: Refusal
) -> None:
    command = ("resolve", scores, "--cluster", "subject", "--out", tmp_path / "out")
    assert run(*command, "--clusters", "fixed", "--test", "mid_p", "--margin", "0.3") == 0
    shown = capsys.readouterr().out
    assert "different: 1 of 3 adjacent pairs\n" in shown
    assert "Method: mid-p McNemar test, adjusted for these 3 pairs by max-T, level" in shown
    assert "equivalent: 2 of 3" in shown
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (summary["test"], summary["margin"], summary["clusters"]) == ("mid_p", 0.3, "fixed")
    assert summary["verdicts"] == {"different": 1, "equivalent": 2, "undetermined": 0}
    assert [row["rank"] for row in summary["ranks"]] == [1, 2, 3, 4]
    error = refusal(*command, "--clusters", "fixed", "--margin", "2")
    assert "margin must lie strictly between 0 and 1" in error


def test_a_table_of_any_name_is_the_users_own(scores: Path, tmp_path: Path) -> None:
    """What a file is called says nothing of where its scores come from."""
    other = scores.rename(scores.with_name("witness.csv"))
    assert run("resolve", other, "--cluster", "subject", "--out", tmp_path / "out") == 0
    described = json.loads((tmp_path / "out" / "pairs.csv-metadata.json").read_text())
    assert described["dc:source"] == ["raw"]
    assert described["dc:provenance"].startswith("raw (witness.csv, revision not stated, sha256 ")


def test_several_tasks_have_an_average_and_one_task_leaves_none(
    scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quiz, out = scores.with_name("quiz.csv"), tmp_path / "out"
    # Other items under the same ids.
    table = pd.read_csv(scores, dtype=str)
    table.assign(**{"org/a": table["org/a"][::-1].to_list()}).to_csv(quiz, index=False)
    weights = tmp_path / "weights.yaml"
    weights.write_text("exam: 3\nquiz: 1\n", encoding="utf-8")
    for given in ("exam=3,quiz=1", str(weights)):
        command = ("resolve", scores, quiz, "--cluster", "subject", "--out", out)
        assert run(*command, "--weights", given) == 0
        assert "average over tasks (exam 0.75, quiz 0.25)" in capsys.readouterr().out
        summary = json.loads((out / "summary.json").read_text())
        assert summary["average"]["weights"] == {"exam": 0.75, "quiz": 0.25}
        average = pd.read_parquet(out / "average.parquet")
        assert list(average.columns) == AVERAGE_COLUMNS
        assert "average over tasks: verdicts" in (out / "board.md").read_text()
    assert run("resolve", scores, "--cluster", "subject", "--out", out) == 0
    assert not list(out.glob("average*"))


@pytest.mark.parametrize(
    ("second", "options"),
    [("exam.csv", ()), ("deep/exam.csv", ()), ("quiz.csv", ("--task", "exam"))],
)
def test_a_task_that_is_there_twice_is_refused(
    second: str,
    options: tuple[str, ...],
    scores: Path,
    tmp_path: Path,
    refusal: Refusal,
) -> None:
    other = scores.parent / second
    other.parent.mkdir(exist_ok=True)
    if other != scores:
        other.write_bytes(scores.read_bytes())
    out = tmp_path / "out"
    error = refusal("resolve", scores, other, "--cluster", "subject", "--out", out, *options)
    assert "tasks 1 and 2 of the board are both named 'exam' (from exam.csv and " in error
    assert error.count("Remedy: ") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["{scores}", "--cluster", "topic"], "topic"),
        (["{scores}", "--cluster", "subject", "--top", "9"], "the best 9 of 4 models"),
        (["{scores}", "--cluster", "subject", "--alpha", "1.5"], "alpha must lie strictly between"),
        (["{scores}", "--cluster", "subject", "--power", "0"], "power must lie strictly between"),
        (["{scores}", "--pairs", "some"], "'some' is not one of 'adjacent', 'all'"),
        (["{scores}", "--missing", "guess"], "'guess' is not one of"),
        (["{scores}", "--cluster", "subject", "--exclude", "zed"], "model 'zed'"),
        (["{scores}", "--cluster", "subject", "--weights", "exam=x"], "got 'exam=x'"),
        (["{scores}", "--cluster", "subject", "--weights", "even"], "even"),
        ([], "Missing argument 'SCORES...'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str],
    message: str,
    scores: Path,
    tmp_path: Path,
    refusal: Refusal,
) -> None:
    out = tmp_path / "out"
    error = refusal("resolve", *(a.format(scores=scores) for a in arguments), "--out", out)
    assert message in error
    assert not out.exists()


def test_a_text_column_is_announced_and_nothing_is_clustered_by_it(
    scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("resolve", scores, "--out", tmp_path / "out") == 0
    told = "column subject holds text, which no model does: read as a property of the items"
    assert capsys.readouterr().err == f"note: task exam: {told}\n"
    assert set(pd.read_parquet(tmp_path / "out" / "pairs.parquet")["test"]) == {"exact"}
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["scores"][0]["reading"]["properties"] == ["subject"]
    assert len(summary["ranks"]) == 4


def test_a_table_without_the_cluster_column_is_tested_by_its_items(
    scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], refusal: Refusal
) -> None:
    other = tmp_path / "quiz.csv"
    command = ("resolve", scores, other, "--exclude", "c|d", "--out", tmp_path / "out")
    pd.read_csv(scores, dtype={"item_id": str}).drop(columns="subject")[:90].to_csv(
        other, index=False
    )
    assert run(*command, "--cluster", "subject") == 0
    warning = "warning: task quiz: no cluster column subject; tested by its items\n"
    assert warning in capsys.readouterr().err
    tests = pd.read_parquet(tmp_path / "out" / "pairs.parquet").groupby("task")["test"].unique()
    assert {task: [*found] for task, found in tests.items()} == {
        "exam": ["cluster"],
        "quiz": ["exact"],
    }
    assert "there is no column 'topic'" in refusal(*command, "--cluster", "topic")


def test_missing_scores_name_model_item_and_remedy(
    scores: Path, tmp_path: Path, refusal: Refusal
) -> None:
    table = pd.read_csv(scores, dtype=str)
    table.loc[7, "c|d"] = None
    table.to_csv(scores, index=False)
    command = ("resolve", scores, "--cluster", "subject", "--out", tmp_path / "out")
    error = refusal(*command)
    assert all(part in error for part in ("exam.csv", "'c|d'", "'007'", "pairwise"))
    assert run(*command, "--missing", "pairwise") == 0
    assert run(*command, "--missing", "drop_items") == 0
    assert pd.read_parquet(tmp_path / "out" / "pairs.parquet")["n_items"].eq(149).all()


def test_output_that_cannot_be_written_is_one_line(
    scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert run("resolve", scores, "--cluster", "subject", "--out", blocked) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert blocked.read_text() == "in the way"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (MemoryError("Unable to allocate 9 TiB"), "the memory does not suffice (Unable to"),
        (MemoryError(), "the memory does not suffice (no details)"),
        (RuntimeError("can't start new thread"), "the memory does not suffice (can't start"),
        (OverflowError("Could not reserve memory block"), "the memory does not suffice (Could"),
        (OverflowError("too\nlarge"), "a fault of this program (OverflowError: too large)"),
        (RecursionError(), "a fault of this program (RecursionError: )"),
    ],
)
def test_the_unforeseen_has_an_exit_code_of_its_own(
    fault: Exception,
    message: str,
    scores: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr("llm_power._board.resolve.held_pairs", fail)
    out = scores.with_name("out")
    command = ("resolve", scores, "--cluster", "subject", "--out", out)
    assert run(*command) == 3
    error = capsys.readouterr().err
    assert error.startswith(f"error: {message}")
    assert (error.count("\n"), error.count("Remedy: ")) == (1, 1)
    assert run("--debug", *command) == 3
    traced = capsys.readouterr().err
    assert traced.startswith("Traceback (most recent call last):")
    assert traced.endswith(error)


@pytest.mark.parametrize("limit", [60, 200])
def test_a_limit_that_the_libraries_do_not_start_in_is_named_at_once(
    limit: int, scores: Path
) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit << 20, limit << 20))

    done = as_program("resolve", scores, preexec_fn=limited)
    assert done.returncode == 3
    assert done.stderr.startswith(f"error: the memory does not suffice (`ulimit -d` allows {limit}")
    assert done.stderr.count("\n") == 1


def test_a_limit_of_memory_leaves_no_thread_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that gets no memory at its start would be waited for without end."""
    monkeypatch.setattr("llm_power._memory.memory_limits", lambda: {"`ulimit -v`": 1 << 30})
    with workers(2) as pool:
        assert pool.submit(threading.get_ident).result() == threading.get_ident()


@pytest.fixture(scope="module")
def large_board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores of 300 models on 3,000 items, which all bring their own memory."""
    path = tmp_path_factory.mktemp("large") / "scores.csv"
    skill = np.linspace(0.3, 0.7, 300)
    solved = np.random.default_rng(0).random((3000, 300)) < skill
    pd.DataFrame(solved.astype(int), columns=[f"m{k}" for k in range(300)]).rename_axis(
        index="item"
    ).to_csv(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "limit"),
    [("-v", 520), ("-v", 560), ("-v", 650), ("-v", 1700), ("-d", 520), ("-d", 1350)],
)
def test_any_limit_of_memory_is_enough_or_is_named(
    option: str, limit: int, large_board: Path
) -> None:
    kind = {"-v": resource.RLIMIT_AS, "-d": resource.RLIMIT_DATA}[option]

    def limited() -> None:
        resource.setrlimit(kind, (limit << 20, limit << 20))

    done = as_program("resolve", large_board, preexec_fn=limited, stdout=subprocess.PIPE)
    if done.returncode == 0:
        assert "300 models, 3,000 items" in done.stdout
    else:
        assert done.returncode == 3
        # OpenBLAS says a line of its own.
        said = done.stderr.splitlines()[-1]
        assert said.startswith("error: the memory does not suffice (")
        assert f"Remedy: raise `ulimit {option}`, now {limit} MB, or give fewer" in said


@pytest.mark.parametrize(
    ("ending", "reads"),
    [
        (".parquet", "pyarrow.parquet.read_schema"),
        (".parquet", "pyarrow.parquet.read_table"),
        (".xlsx", "openpyxl.load_workbook"),
        (".csv", "llm_power._scores._source.open_file"),
    ],
)
def test_a_file_that_exceeds_the_memory_is_not_called_damaged(
    ending: str,
    reads: str,
    scores: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table, path = pd.read_csv(scores), scores.with_suffix(ending)
    if ending == ".parquet":
        table.to_parquet(path)
    elif ending == ".xlsx":
        table.to_excel(path, index=False)

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOMEM, "malloc of size 64 failed")

    monkeypatch.setattr(reads, fail)
    assert run("resolve", path, "--cluster", "subject", "--out", scores.with_name("out")) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: the memory does not suffice (")
    assert "malloc of size 64 failed" in line


@pytest.mark.parametrize("writes", ["pandas.DataFrame.to_parquet", "pandas.DataFrame.to_csv"])
def test_a_full_disk_names_the_folder(
    writes: str,
    scores: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28]")

    monkeypatch.setattr(writes, full)
    out = tmp_path / "out"
    assert run("resolve", scores, "--cluster", "subject", "--out", out) == 2
    assert capsys.readouterr().err == (
        f"error: {out}: No space left on device. Remedy: make room there, or write elsewhere.\n"
    )
    assert list(out.iterdir()) == []


@pytest.mark.filterwarnings("error:Glyph")
def test_names_stay_exact_and_boxes_are_told_in_one_line(
    scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"org/a": "通义千问", "org/b": "🦙", "c|d": '=HYPERLINK("https://example.org")'}
    pd.read_csv(scores).rename(columns=names).to_csv(scores, index=False)
    out = tmp_path / "out"
    command = ("resolve", scores, "--cluster", "subject", "--out", out)
    assert run(*command, "--plot", "png", "--plot", "svg") == 0
    assert capsys.readouterr().err == (
        "note: board.png, board.svg, card.png: boxes for 5 characters that the fonts lack\n"
    )
    assert sorted(path.suffix for path in out.glob("board.*")) == [".html", ".md", ".png", ".svg"]
    assert run(*command) == 0
    assert sorted(path.suffix for path in out.glob("board.*")) == [".html", ".md"]
    pairs = pd.read_csv(out / "pairs.csv")
    assert {*pairs["model_a"], *pairs["model_b"]} == {*names.values(), "$e_f$"}


def as_program(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the entry point in a process whose interpreter would say so if it shut down."""
    program = (
        "import atexit, sys; atexit.register(print, 'shut down', file=sys.stderr); "
        "from llm_power._cli import console; console()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        text=True,
        check=False,
        stderr=subprocess.PIPE,
        **options,
    )


def test_the_process_ends_once_all_is_said(scores: Path, tmp_path: Path) -> None:
    """Threads of Arrow can abort the interpreter when it shuts down: here it does not."""
    command: list[str | Path] = ["resolve", scores, "--out", tmp_path / "out"]
    done = as_program(*command, "--cluster", "subject", stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "of 3 adjacent pairs\n" in done.stdout
    done = as_program(*command, "--cluster", "topic", stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("module", ["llm_power", "llm_power._cli"])
def test_the_command_runs_as_a_module(module: str) -> None:
    command = [sys.executable, "-W", "error", "-m", module]
    pair = ["pair", "--b", "30", "--c", "8", "--n", "500"]
    done = subprocess.run([*command, *pair], capture_output=True, text=True, check=True)
    assert re.search(r"^p, exact test +0\.000472$", done.stdout, re.MULTILINE)
    wrong = subprocess.run([*command, *pair[:3]], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error: give --n")


def test_the_bare_command_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    page = capsys.readouterr()
    assert page.out.startswith("Usage: llm-power [OPTIONS] ")
    assert run() == 0
    assert capsys.readouterr() == page
    assert len(re.findall("^    llm-power ", page.out, re.MULTILINE)) == 4


@pytest.mark.parametrize("command", ["resolve", "compare", "pair", "plan"])
def test_the_first_screen_of_help_has_at_most_twelve_options(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command, "--help") == 0
    first = capsys.readouterr().out
    # A gate whose files were left out has not passed.
    assert run(command) == 2
    bare = capsys.readouterr()
    assert (bare.out, bare.err.count("\n")) == (first, 1)
    assert run(command, "--help-all") == 0
    whole = capsys.readouterr().out
    options = {
        name: set(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE))
        for name, text in (("first", first), ("whole", whole))
    }
    assert options["first"] < options["whole"]
    few, every = (text.partition("Examples")[2].splitlines() for text in (first, whole))
    assert set(few) <= set(every)
    assert len(options["first"]) <= 12
    assert options["whole"] == {
        one.opts[0] for one in cli.commands[command].params if isinstance(one, click.Option)
    } | {"--help"}
    for one in cli.commands[command].params:
        if isinstance(one, click.Option):
            assert len((one.help or "").split()) <= 12, one.help
    titles = re.findall(r"^(\w.*):$", whole, re.MULTILINE)
    assert titles[-5:] == [
        *("What to compare", "How to test", "What to write", "Help", "Examples"),
    ]


def test_a_closed_pipe_is_no_contradiction(scores: Path, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = as_program("resolve", "--help", stdout=writing)
    assert (done.returncode, done.stderr) == (141, "")
    os.close(writing)
    closed = as_program("--help", preexec_fn=lambda: os.close(1))
    assert (closed.returncode, closed.stderr) == (0, "")


def test_the_answer_is_printed_before_the_files_are_made(
    scores: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    printed = []

    def write(*_: object, **__: object) -> str:
        printed.append(capsys.readouterr().out)
        return ""

    monkeypatch.setattr("llm_power._door.write_board", write)
    assert run("resolve", scores, "--cluster", "subject", "--out", tmp_path) == 0
    assert "of 3 adjacent pairs\n" in printed[0]


def test_the_files_are_made_though_nobody_reads_the_answer(
    scores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def echo(*_: object, **__: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "nobody reads")

    monkeypatch.setattr("click.echo", echo)
    # For click wraps the streams that have no reader.
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    assert run("resolve", scores, "--cluster", "subject", "--out", tmp_path) == 141
    assert (tmp_path / "board.html").is_file()


LOGS = Path(__file__).parents[1] / "scores" / "logs"


def ranked(folder: Path) -> list[str]:
    return [row["model"] for row in json.loads((folder / "summary.json").read_text())["ranks"]]


def test_runs_by_name_and_the_newest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = sorted((LOGS / "inspect_ai-0.3.285" / "plain").iterdir())
    out = ("--out", tmp_path / "out")
    assert run("resolve", *out, "--name", f"old={old}", "--name", f"new={new}") == 0
    assert {*ranked(tmp_path / "out")} == {"old", "new"}
    capsys.readouterr()
    assert run("resolve", LOGS / "inspect_ai-0.3.285" / "retried", *out, "--latest") == 0
    assert capsys.readouterr().err.count("is not read, for a later run is") == 2
    for names in (["old"], ["=x"], [f"a={old}", f"a={new}"]):
        given = [part for name in names for part in ("--name", name)]
        assert run("resolve", *out, *given) == 2
        assert "give each run once, as RUN=PATH" in capsys.readouterr().err
    assert run("resolve", *out) == 2


def test_a_table_on_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "item\tm1\tm2\nq1\tpass\tfail\nq2\tpass\tpass\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run("resolve", "-", "--out", tmp_path / "out", "--true", "pass") == 0
    assert ranked(tmp_path / "out") == ["m1", "m2"]


def test_the_summary_says_how_the_scores_were_read(
    scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--cluster", "subject", "--top", "3", "--exclude", "c|d"]
    assert run("resolve", scores, *options, "--out", tmp_path) == 0
    (read,) = json.loads((tmp_path / "summary.json").read_text())["scores"]
    assert read["reading"] == {"reader": "wide", "exclude": ["c|d"], "item": "item_id"}
    assert read["chosen_of"] is None
    assert "Ranks are among" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("logs", "options", "reading"),
    [
        (
            "inspect_ai-0.3.285/several",
            ["--reducer", "median"],
            {"reader": "inspect", "metric": "verdict", "reducer": "median"},
        ),
        (
            "lm_eval-0.4.13",
            ["--task", "spelling", "--filter", "strict-match", "--latest"],
            {
                "reader": "lm_eval",
                "metric": "exact_match",
                "filter": "strict-match",
                "latest": True,
            },
        ),
    ],
    ids=["inspect", "lm_eval"],
)
def test_the_summary_says_what_was_chosen_of_a_log(
    logs: str, options: list[str], reading: dict[str, Any], tmp_path: Path
) -> None:
    assert run("resolve", LOGS / logs, *options, "--out", tmp_path) == 0
    (read,) = json.loads((tmp_path / "summary.json").read_text())["scores"]
    assert read["reading"] == reading


@pytest.mark.parametrize("command", ["resolve", "compare", "pair", "audit", "example"])
def test_help_has_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command, "--help") == 0
    assert re.search(f"Examples:\n +llm-power {command} ", capsys.readouterr().out)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Scores of 60 models."""
    rng = np.random.default_rng(7)
    skill = np.linspace(1.6, -1.2, 60)
    solved = rng.normal(size=(120, 60)) + rng.normal(size=(120, 1)) + skill > 0
    table = pd.DataFrame(solved.astype(int), columns=[f"m{j:02d}" for j in range(60)])
    table.insert(0, "item_id", [f"q{i:03d}" for i in range(120)])
    path = tmp_path / "many.csv"
    table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("keep", "shown"),
    [
        ("adjacent", "adjacent pairs"),
        ("top:5", "pairs of the best 5 models"),
        ("band:3", "pairs within 3 ranks"),
        ("undecided", "undetermined pairs"),
    ],
)
def test_pairs_are_kept_of_all(
    keep: str, shown: str, many: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ("resolve", many, "--pairs", "all", "--keep", keep, "--out", out)
    assert run(*command, "--format", "json") == 0
    answer = json.loads(capsys.readouterr().out)
    kept = pd.read_parquet(out / "pairs")
    assert (answer["n_pairs"], answer["kept"], answer["shown"]) == (1770, shown, shown)
    assert len(kept) == len(answer["pairs"]) == len(pd.read_parquet(out / "pairs.parquet"))
    assert [pair["model_b"] for pair in answer["pairs"]] == kept["model_b"].tolist()
    assert [path.name for path in out.glob(".*")] == []
    assert run(*command) == 0
    text = capsys.readouterr().out
    verdicts = answer["verdicts"]
    told = ", ".join(f"{n:,} {name}" for name, n in verdicts.items() if n)
    assert f"Of all 1,770 pairs: {told}." in text
    assert f"over {len(kept):,} {shown}" in " ".join(text.split())
    assert "all 1,770 pairs by max-T" in text


def test_more_pairs_than_are_held_are_streamed_unasked(
    many: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "HELD_UP_TO", 1000)
    out = tmp_path / "out"
    assert run("resolve", many, "--pairs", "all", "--format", "json", "--out", out) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["kept"], answer["shown"]) == ("pairs", "adjacent pairs")
    assert len(answer["pairs"]) == 59
    assert len(pd.read_parquet(out / "pairs")) == 1770
    # The dataset is of that run, and goes with the next one's files.
    assert run("resolve", many, "--out", out) == 0
    assert not (out / "pairs").exists()


@pytest.mark.parametrize("solved", [[400, 310, 220, 130], [200, 200, 200, 200]])
def test_all_or_no_pairs_are_decided(solved: list[int], tmp_path: Path) -> None:
    scores = tmp_path / "steps.csv"
    table = {f"m{k}": (np.arange(400) < n).astype(int) for k, n in enumerate(solved)}
    pd.DataFrame({"item_id": range(400), **table}).to_csv(scores, index=False)
    out = tmp_path / "out"
    assert run("resolve", scores, "--pairs", "all", "--keep", "undecided", "--out", out) == 0
    summary = json.loads((out / "summary.json").read_text())
    open_pairs = 0 if len(set(solved)) == 4 else 6
    assert summary["verdicts"]["undetermined"] == open_pairs
    assert summary["shown"] == ("undetermined pairs" if open_pairs else "adjacent pairs")
    assert (out / "pairs").exists() == bool(open_pairs)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--keep", "all"), "--pairs all"),
        (("--keep", "top", "--pairs", "all"), "top:K"),
    ],
)
def test_what_cannot_be_kept_is_one_line(
    options: tuple[str, ...],
    part: str,
    scores: Path,
    tmp_path: Path,
    refusal: Refusal,
) -> None:
    line = refusal("resolve", scores, "--exclude", "subject", *options, "--out", tmp_path / "o")
    assert part in line
    assert "Remedy" in line


def test_a_folder_of_ones_own_is_refused_before_the_work(
    many: Path, tmp_path: Path, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("llm_power._board.resolve.pairs_of_board", None)
    own = tmp_path / "out" / "pairs"
    own.mkdir(parents=True)
    (own / "train.parquet").write_text("mine")
    command = ("resolve", many, "--pairs", "all", "--keep", "all", "--out", own.parent)
    line = refusal(*command)
    assert "is a folder of other files" in line
    assert [path.name for path in own.parent.rglob("*")] == ["pairs", "train.parquet"]


def test_a_full_disk_names_the_file_and_leaves_nothing(
    many: Path, tmp_path: Path, refusal: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28]")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    out = tmp_path / "out"
    line = refusal("resolve", many, "--pairs", "all", "--keep", "all", "--out", out)
    assert "part-00000.parquet: No space left on device. Remedy: " in line
    assert list(out.iterdir()) == []
