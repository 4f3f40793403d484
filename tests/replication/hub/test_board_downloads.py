"""Downloads that a board lists: the real files where they are here, else their real layout."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from desk import BODY, FAST, ZIP, Desk
from stand_in import Fault, StandIn, entry_of_board, files_of_board, running

from llm_power._documents import DocumentError
from llm_power._scores.store import TaskScores
from needed import ROOT
from replication.boards import Board, Boards
from replication.hub.access import Access
from replication.hub.datasets import Dataset, listed_files
from replication.hub.download import download
from replication.hub.errors import HubError
from replication.hub.lock import LockFile
from replication.hub.panels import read_files
from replication.hub.plan import Downloads
from replication.hub.transfer import sum_like
from replication.settings import add_boards
from repository import copy_repository, run_workflow

GIT_ID = hashlib.sha1(b"blob %d\0" % len(BODY) + BODY, usedforsecurity=False).hexdigest()
# What git ls-tree says of the one file of the Mixtral family, at the commit of its board.
MIXTRAL_ID = "dd86981e63d45e305706321349dd1bdc64b328d6"
LISTED = replace(ZIP, sum=GIT_ID, listed_in="boards/mine, tasks/exam/download")
SCHEMA = str(ROOT / "workflow/schemas/config.schema.yaml")
# The board of a stranger: nothing but its file.
FIFTH = {
    "title": "A fifth leaderboard",
    "families": ["adjacent"],
    "tasks": {
        "exam": {
            "download": {
                "repository": "somebody/fifth",
                "commit": "c" * 40,
                "licence": "CC0",
                "reader": "matrix",
                "files": {},
            }
        }
    },
}
HALVES = {
    "data/a.csv": b"model,0,1,2,3\nheron,1,1,0,1\nwren,0,1,0,0\nkite,0,0,0,1\n",
    "data/b.csv": b"model,4,5,6,7\nkite,0,1,0,0\nheron,1,1,1,1\nwren,1,0,1,0\n",
}


@pytest.fixture
def hub() -> Iterator[StandIn]:
    with running() as started:
        yield started


@pytest.fixture
def desk(hub: StandIn, tmp_path: Path) -> Desk:
    hub.add_board([LISTED], [BODY])
    return Desk(hub, tmp_path, Access(github=hub.endpoint))


def fetched(hub: StandIn, to: Path, name: str, files: list[Dataset] | None = None) -> TaskScores:
    """Download a board of this repository from the stand-in, and read it as the workflow does."""
    access, lock = Access(github=hub.endpoint), LockFile(to / "lock.csv")
    datasets = files_of_board(name) if files is None else files
    paths = [download(one, to / "d", lock, access=access, patience=FAST) for one in datasets]
    assert not lock.path.exists()
    task = entry_of_board(name)
    reading = {
        "source": list(map(str, paths)),
        "download": task.pop("download"),
        "settings": {key: value for key, value in task.items() if key != "path"},
        "datasets": list(map(asdict, datasets)),
    }
    return read_files("task", {"clusters": []} | reading | _with_defaults(reading), lock, access)


def _with_defaults(reading: dict[str, Any]) -> dict[str, Any]:
    return {"settings": {"clusters": []} | reading["settings"]}


def table(task: TaskScores) -> pd.DataFrame:
    return pd.DataFrame(task.values, index=list(task.item_ids), columns=list(task.models))


# Sums


def test_sum_is_compared_with_what_is_known_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "body"
    file.write_bytes(BODY)
    said = subprocess.run(["git", "hash-object", str(file)], capture_output=True, check=True)
    assert sum_like(file, "0" * 40) == said.stdout.decode().strip() == GIT_ID
    assert sum_like(file, "0" * 64) == hashlib.sha256(BODY).hexdigest()


def test_file_of_the_right_git_id_is_taken_and_not_fetched_again(desk: Desk) -> None:
    assert desk.fetch(LISTED).read_bytes() == BODY
    desk.hub.requests.clear()
    desk.fetch(LISTED)
    assert desk.hub.requests == []
    assert not desk.lock.path.exists()


def test_file_whose_sum_nobody_has_verified_is_refused_with_how_to_verify_it(desk: Desk) -> None:
    message = desk.refusal(replace(LISTED, sum=None))
    assert "nobody has verified its sum" in message
    assert f"git rev-parse {LISTED.revision}:{LISTED.file}" in message
    assert "boards/mine, tasks/exam/download/files" in message
    assert desk.hub.requests == []


@pytest.mark.parametrize("known", ["a" * 40, "a" * 64])
def test_file_of_another_sum_is_deleted_and_the_message_says_so(desk: Desk, known: str) -> None:
    message = desk.refusal(replace(LISTED, sum=known))
    assert f"boards/mine, tasks/exam/download says {known}; what came is deleted" in message
    assert desk.parts() == []


def test_broken_download_is_gone_on_with(desk: Desk) -> None:
    desk.hub.faults.append(Fault("truncate", where="/raw/", times=None))
    desk.refusal(LISTED)
    (part,) = desk.parts()
    assert 0 < len(part) < len(BODY)
    desk.hub.faults.clear()
    desk.hub.requests.clear()
    assert desk.fetch(LISTED).read_bytes() == BODY
    assert [one.range for one in desk.hub.requests] == [f"bytes={len(part)}-"]


# The boards of this repository


@pytest.mark.parametrize(
    ("board", "count", "path"),
    [
        ("mmlu_pro_authors", 15, r"eval_results/model_outputs_.+_5shots\.zip"),
        ("arc_mixtral_family", 1, r"experiments/arc_by_family_mixtral/.+\.csv"),
        ("alpaca_eval2", 58, r"results/[^/]+/weighted_alpaca_eval_gpt4_turbo/annotations\.json"),
    ],
)
def test_boards_list_their_files_with_their_sums(board: str, count: int, path: str) -> None:
    files = files_of_board(board)
    assert len(files) == len({one.file for one in files}) == count
    assert all(one.sum and one.licence and re.fullmatch(path, one.file) for one in files)
    settings: dict[str, Any] = {}
    add_boards(settings, ROOT / "config/boards", SCHEMA)
    assert board in settings["boards"]


def test_board_without_a_known_file_says_so_and_stays_by_hand() -> None:
    settings: dict[str, Any] = {}
    add_boards(settings, ROOT / "config/boards", SCHEMA)
    entry = settings["boards"]["olv1_gsm8k"]
    assert "download" not in entry["tasks"]["gsm8k"]
    how = Boards({"olv1_gsm8k": Board(**entry)}).how_to_get("olv1_gsm8k")
    assert "cannot be downloaded" in how


@pytest.mark.slow
def test_real_zips_give_the_table_that_others_made_of_them(
    hub: StandIn, tmp_path: Path, data_root: Path
) -> None:
    """All 15 real files, whose sums are those of the board, against correctness.parquet."""
    hub.add_zips(data_root / "mmlu_pro" / "raw")
    task = fetched(hub, tmp_path, "mmlu_pro_authors")
    made = pd.read_parquet(data_root / "mmlu_pro/correctness.parquet").drop(columns="category")
    found = table(task)
    found.index = found.index.astype(int)
    assert len(found) == len(made)
    np.testing.assert_array_equal(
        found.loc[made.index, made.columns].to_numpy(), made.to_numpy(float, na_value=np.nan)
    )
    assert task.provenance.kind == "stand_in"
    assert task.provenance.revision == files_of_board("mmlu_pro_authors")[0].revision


def test_real_matrix_gives_the_table_that_others_made_of_it(
    hub: StandIn, tmp_path: Path, data_root: Path
) -> None:
    """The table written as R writes it is the published file, by the id that git has for it."""
    made = pd.read_parquet(data_root / "olv1_subset/arc_mixtral_family.parquet")
    lines = [",".join(['"X"', *(f'"X{item}"' for item in made.index)])]
    lines += [",".join([f'"{name}"', *map(str, scores)]) for name, scores in made.items()]
    body = "\n".join([*lines, ""]).encode()
    (file,) = files_of_board("arc_mixtral_family")
    hub.add_board([file], [body])
    task = fetched(hub, tmp_path, "arc_mixtral_family")
    (path,) = (tmp_path / "d").rglob("clean_response_matrix.csv")
    assert sum_like(path, MIXTRAL_ID) == MIXTRAL_ID
    found = table(task)
    found.index = found.index.astype(int)
    pd.testing.assert_frame_equal(
        found.loc[made.index, made.columns].astype("int8"), made, check_names=False
    )


def test_annotations_in_the_real_layout_give_the_table_that_they_were_made_from(
    hub: StandIn, tmp_path: Path, data_root: Path
) -> None:
    """A record is left out where the table has no score, as AlpacaEval does of one without."""
    made = pd.read_parquet(data_root / "alpaca_eval2/preference.parquet")
    files = []
    for one in files_of_board("alpaca_eval2"):
        model = one.file.split("/")[1]
        records = [
            {
                "instruction": f"Instruction {item}",
                "generator_1": "gpt4_1106_preview",
                "dataset": subset,
                "generator_2": "a name that the folder has not",
                "preference": score + 1,
            }
            for item, score, subset in zip(made.index, made[model], made["subset"], strict=True)
            if not np.isnan(score)
        ]
        body = json.dumps(records).encode()
        git = hashlib.sha1(b"blob %d\0" % len(body) + body, usedforsecurity=False).hexdigest()
        files.append(replace(one, sum=git))
        hub.add_board([files[-1]], [body])
    task = fetched(hub, tmp_path, "alpaca_eval2", files)
    ids = {
        hashlib.sha256(f"Instruction {item}".encode()).hexdigest()[:16]: item for item in made.index
    }
    found = table(task).rename(index=ids)
    scores = made.drop(columns="subset")
    assert sorted(found.columns) == sorted(scores.columns)
    np.testing.assert_allclose(
        found.loc[made.index, scores.columns].to_numpy(), scores.to_numpy(), rtol=0, atol=1e-15
    )
    labels = dict(zip(map(ids.get, task.item_ids), task.clusters["subset"], strict=True))
    assert labels == made["subset"].to_dict()
    assert task.kind == "graded"


# Any board


def test_files_of_the_data_root_win_over_downloads(tmp_path: Path) -> None:
    task = FIFTH["tasks"]["exam"]  # type: ignore[index]
    how = {"source": "github"} | task["download"] | {"files": {"a.csv": "a" * 40}}
    settings = {"offline": False, "folder": "downloads", "accept_other_score": [], "boards": True}
    downloads = Downloads.planned(settings, listed=listed_files("mine", "exam", how))
    mine = Board("Mine", {"exam": {"path": "mine.csv", "download": how}})
    boards = Boards({"mine": mine}, str(tmp_path), downloads)
    (path,) = boards.files_of("mine", "exam")
    assert path == "downloads/github.com/mine/exam/a.csv"
    # It is not downloaded but for its own target.
    assert not boards.is_there("mine")
    assert "`snakemake board_mine` downloads them: 1 files of" in boards.how_to_get("mine")
    assert "licence: CC0" in boards.how_to_get("mine")
    (tmp_path / "mine.csv").touch()
    assert boards.files_of("mine", "exam") == [str(tmp_path / "mine.csv")]
    assert boards.is_there("mine")


@pytest.mark.parametrize("wanted", [True, False])
def test_a_run_from_items_downloads_boards_unless_told_not_to(wanted: bool, tmp_path: Path) -> None:
    how = FIFTH["tasks"]["exam"]["download"]  # type: ignore[index]
    how = {"source": "github"} | how | {"files": {"a.csv": "a" * 40}}
    settings = {"offline": False, "folder": "d", "accept_other_score": [], "boards": wanted}
    listed = listed_files("mine", "exam", how)
    downloads = Downloads.planned(settings, listed=listed, register=ROOT / "data/datasets.csv")
    mine = Board("Mine", {"exam": {"path": "mine.csv", "download": how}})
    assert Boards({"mine": mine}, str(tmp_path), downloads).is_there("mine") == wanted


def test_path_that_does_not_tell_its_model_is_refused(tmp_path: Path) -> None:
    file = replace(LISTED, file="a.csv", sum=sum_like(_written(tmp_path / "a.csv"), "0" * 40))
    reading = {
        "source": [str(tmp_path / "a.csv")],
        "settings": {"reader": "matrix", "clusters": []},
        "datasets": [asdict(file)],
        "download": {"commit": "c" * 40, "model": "results/(?P<model>.+)"},
    }
    with pytest.raises(HubError, match=r"does not fit .*correct model in boards/mine"):
        read_files("exam", reading, LockFile(tmp_path / "lock.csv"), Access())


def _written(path: Path) -> Path:
    path.write_bytes(HALVES["data/a.csv"])
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"commit": "main"}, "'main' does not match"),
        ({"files": {"a.csv": "0123"}}, "'0123' is not valid|does not match"),
        ({"files": {"/etc/passwd": None}}, "/etc/passwd"),
        ({"licence": None}, "None is not of type"),
        ({"reader": "wide", "path": "p"}, "'path' was unexpected"),
        ({"model": "results/(.+)"}, "does not match"),
    ],
)
def test_fault_of_a_boards_file_is_one_line_that_names_it(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    entry = json.loads(json.dumps(FIFTH))
    entry["tasks"]["exam"]["download"] |= {"files": {"a.csv": "a" * 40}} | change
    (tmp_path / "fifth.yaml").write_text(yaml.safe_dump(entry))
    with pytest.raises(DocumentError, match=message) as caught:
        add_boards({}, tmp_path, SCHEMA)
    assert str(tmp_path / "fifth.yaml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_board_in_config_yaml_and_in_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("title: t\ntasks: {exam: {path: p}}\n")
    with pytest.raises(DocumentError, match="config.yaml has a board mine as well"):
        add_boards({"boards": {"mine": {}}}, tmp_path, SCHEMA)


@pytest.mark.slow
def test_fifth_leaderboard_needs_its_file_and_no_code(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_POWER_GITHUB_ENDPOINT", hub.endpoint)
    entry = json.loads(json.dumps(FIFTH))
    how = entry["tasks"]["exam"]["download"]
    how["files"] = {file: hashlib.sha256(body).hexdigest() for file, body in HALVES.items()}
    where = copy_repository(tmp_path / "repository")
    (where / "config/boards/fifth.yaml").write_text(yaml.safe_dump(entry))
    listed = listed_files("fifth", "exam", {"source": "github"} | how)
    hub.add_board(listed, list(HALVES.values()))

    # From printed numbers nothing is downloaded, unless the board itself is asked for.
    done = run_workflow(where, "--dry-run")
    assert done.returncode == 0, done.stdout + done.stderr
    jobs = done.stdout.partition("Job stats:")[2]
    assert "table_06" in jobs
    assert "download " not in jobs
    assert "item_scores" not in jobs
    assert hub.requests == []
    done = run_workflow(where, "--dry-run", "--config", "source=items")
    assert re.search(r"^item_scores +\d", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert "downloads/127.0.0.1" in done.stdout

    # The second file breaks off: the first one is kept, and the rest of the second is asked for.
    hub.faults.append(Fault("truncate", where="b.csv"))
    scores = "results/scores/fifth/exam.parquet"
    done = run_workflow(where, scores, "--keep-going")
    assert done.returncode != 0
    assert "fifth/exam/data/b.csv" in done.stdout + done.stderr
    hub.faults.clear()
    hub.requests.clear()
    done = run_workflow(where, scores, "results/boards/fifth/discordance.parquet")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(one.path[-5:], bool(one.range)) for one in hub.requests] == [("b.csv", True)]
    counts = pd.read_parquet(where / "results/boards/fifth/discordance.parquet")
    assert counts[["model_a", "model_b", "b", "c"]].to_numpy().tolist() == [
        ["heron", "wren", 4, 0],
        ["wren", "kite", 3, 2],
    ]
    done = run_workflow(where, scores)
    assert "Nothing to be done" in done.stdout + done.stderr
