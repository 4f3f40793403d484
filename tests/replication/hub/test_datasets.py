"""The register and the lock file: what they hold, and every way in which they can be wrong."""

from __future__ import annotations

import csv
import errno
import multiprocessing
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from desk import OPEN

from needed import ROOT
from paper_fixtures import loaded_paper
from replication.constraints import load_board_scores
from replication.hub.access import HUB
from replication.hub.datasets import COLUMNS, download_path, load_datasets
from replication.hub.errors import HubError
from replication.hub.lock import Locked, LockFile
from replication.hub.matrices import block_labels
from replication.hub.panels import displayed_scores

REGISTER = load_datasets(ROOT / "data" / "datasets.csv")
PAPER = loaded_paper("hub")
GOOD = {
    "name": "oll_v1/arc/a model",
    "source": "hub",
    "repo": "org/details_org__a",
    "revision": "0" * 40,
    "file": "run/details|x:y.parquet",
    "rows": "1172",
    "licence": "none declared",
    "correct": "",
    "note": "",
}
LOCKED = Locked(OPEN.name, HUB, "c" * 40, OPEN.file, 5, "a" * 64, "2026-01-31T12:00:00+00:00")


def written(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


# The register of this repository


@pytest.mark.parametrize(("board", "task"), PAPER.hub)
def test_register_has_every_model_whose_score_was_displayed(board: str, task: str) -> None:
    models = [d.model for d in REGISTER.values() if (d.board, d.task) == (board, task)]
    assert sorted(models) == sorted(displayed_scores(PAPER.folder, PAPER.hub[board, task]))
    assert len(models) == (5 if board == "oll_v1" else 10)


def test_files_of_the_register_have_paths_of_their_own() -> None:
    paths = [str(download_path(Path("x"), HUB, d)).lower() for d in REGISTER.values()]
    assert len(set(paths)) == len(REGISTER) == 45


def test_models_of_a_board_stand_in_the_same_order_in_every_task() -> None:
    orders = {
        tuple(d.model for d in REGISTER.values() if (d.board, d.task) == key)
        for key in PAPER.hub
        if key[0] == "oll_v1"
    }
    assert len(orders) == 1


def test_repositories_of_the_second_board_are_of_the_models_with_the_displayed_scores() -> None:
    displayed = displayed_scores(PAPER.folder, PAPER.hub["mmlu_pro_top10", "mmlu_pro"])
    for dataset in (d for d in REGISTER.values() if d.board == "mmlu_pro_top10"):
        hub_id = displayed[dataset.model].hub_id.replace("/", "__")
        assert dataset.repo == f"open-llm-leaderboard/{hub_id}-details"


def test_files_of_a_matrix_are_one_for_each_category() -> None:
    of_atlas = {d.model: d.rows for d in REGISTER.values() if d.board == "atlas"}
    labels = Counter(block_labels(PAPER.folder / "mmlu_pro_categories.csv"))
    assert of_atlas == {label: (n, n) for label, n in labels.items()}


def test_repositories_of_the_first_board_are_of_the_models_with_the_displayed_scores() -> None:
    scores = load_board_scores(ROOT / "data" / "kotawala2026" / "board_scores.csv")["oll_v1"]
    expected: dict[tuple[str | None, str], str] = {
        (score.task, score.model): f"open-llm-leaderboard-old/details_{score.hub_id}".replace(
            "/", "__"
        )
        for score in scores
    }
    for dataset in (d for d in REGISTER.values() if d.board == "oll_v1"):
        task = PAPER.hub[dataset.board, dataset.task].board_scores
        assert dataset.repo.replace("/", "__") == expected[task, dataset.model]


# A register that is wrong


def test_register_is_read_as_it_is_written(tmp_path: Path) -> None:
    (dataset,) = load_datasets(written(tmp_path / "r.csv", GOOD)).values()
    assert (dataset.board, dataset.task, dataset.model) == ("oll_v1", "arc", "a model")
    assert dataset.rows == (1172, 1172)
    assert dataset.page == "https://huggingface.co/datasets/org/details_org__a"


@pytest.mark.parametrize("column", ["revision", "rows"])
def test_what_is_not_known_may_be_empty(column: str, tmp_path: Path) -> None:
    load_datasets(written(tmp_path / "r.csv", GOOD | {column: ""}))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("name", "oll_v1/arc"),
        ("name", "/arc/m"),
        ("name", "m"),
        ("source", "ftp"),
        ("source", ""),
        ("repo", "details"),
        ("repo", "a/b/c"),
        ("repo", "a/b?x=1"),
        ("repo", "../b c"),
        ("revision", "main"),
        ("revision", "0" * 39),
        ("file", ""),
        ("file", "/etc/passwd"),
        ("file", "a/../b"),
        ("file", "a//b"),
        ("rows", "0"),
        ("rows", "many"),
        ("rows", "10-"),
        ("licence", " MIT"),
        ("licence", "M\tIT"),
        ("correct", "some"),
        ("note", "a reason without a number"),
    ],
)
def test_malformed_cell_is_named(column: str, value: str, tmp_path: Path) -> None:
    path = written(tmp_path / "r.csv", GOOD, GOOD | {"name": "a/b/c"} | {column: value})
    with pytest.raises(HubError) as caught:
        load_datasets(path)
    message = str(caught.value)
    assert f"line 3: {column}: " in message
    assert "Remedy: correct the line" in message
    assert "\n" not in message


def test_a_number_of_correct_answers_needs_its_reason(tmp_path: Path) -> None:
    path = written(tmp_path / "r.csv", GOOD, GOOD | {"name": "a/b/c", "correct": "10"})
    with pytest.raises(HubError, match="line 3: note: must be"):
        load_datasets(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the columns must be"),
        (b"name,source\n", "the columns must be"),
        (",".join(COLUMNS).encode() + b"\na,b\n", "must have 9 cells"),
        (",".join(COLUMNS).encode() + b"\n" + b"a," * 10 + b"\n", "must have 9 cells"),
        (",".join(COLUMNS).encode() + b'\n"a\n', "line"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_file_that_is_no_register(content: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(content)
    with pytest.raises(HubError, match=problem):
        load_datasets(path)


def test_data_set_that_is_there_twice(tmp_path: Path) -> None:
    with pytest.raises(HubError, match="line 3: name: .* is there twice"):
        load_datasets(written(tmp_path / "r.csv", GOOD, GOOD))


def test_register_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HubError, match="the register cannot be read"):
        load_datasets(tmp_path / "r.csv")


# The lock file


def test_lock_is_found_by_name_and_endpoint(tmp_path: Path) -> None:
    lock = LockFile(tmp_path / "lock.csv")
    assert lock.find(OPEN, HUB) is None
    lock.record(LOCKED)
    assert lock.find(OPEN, HUB) == LOCKED
    assert lock.find(OPEN, "http://127.0.0.1:1") is None
    assert lock.find(replace(OPEN, name="a/b/c"), HUB) is None


def test_lock_holds_one_entry_a_data_set_and_endpoint(tmp_path: Path) -> None:
    lock = LockFile(tmp_path / "lock.csv")
    for entry in (LOCKED, replace(LOCKED, endpoint="http://m"), replace(LOCKED, bytes=6)):
        lock.record(entry)
    assert len(lock.path.read_text().splitlines()) == 3
    found = lock.find(OPEN, HUB)
    assert found is not None
    assert found.bytes == 6


def test_lock_of_another_pin_counts_no_more(tmp_path: Path) -> None:
    """The register names another run: its hash is not the locked one's."""
    lock = LockFile(tmp_path / "lock.csv")
    lock.record(LOCKED)
    assert lock.find(replace(OPEN, revision="e" * 40), HUB) is None
    assert lock.find(replace(OPEN, file="run/other.parquet"), HUB) is None
    assert lock.find(replace(OPEN, revision=None, file="run/*"), HUB) == LOCKED


@pytest.mark.parametrize(
    "content",
    ["", "name\n", "x,y\n1,2\n", "\xff", f"{','.join(Locked.__slots__)}\na,b\n",
     f"{','.join(Locked.__slots__)}\na,b,c,d,e,f,g\n"],
)  # fmt: skip
def test_damaged_lock_stops_and_is_not_overwritten(content: str, tmp_path: Path) -> None:
    lock = LockFile(tmp_path / "lock.csv")
    lock.path.write_bytes(content.encode("latin-1"))
    with pytest.raises(HubError, match="restore it from version control"):
        lock.find(OPEN, HUB)
    with pytest.raises(HubError, match="restore it from version control"):
        lock.record(LOCKED)
    assert lock.path.read_bytes() == content.encode("latin-1")


def test_lock_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HubError, match="cannot be opened"):
        LockFile(tmp_path / "no" / "lock.csv").record(LOCKED)


def test_lock_on_a_full_disk_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = LockFile(tmp_path / "lock.csv")
    lock.record(LOCKED)
    before = lock.path.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(HubError, match="cannot be written .No space left.* room on its disk"):
        lock.record(replace(LOCKED, bytes=6))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == {lock.path: before}


def record(place: Path, number: int) -> None:
    LockFile(place).record(replace(LOCKED, name=f"a/b/{number}"))


def test_no_entry_is_lost_when_jobs_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "lock.csv"
    jobs = [multiprocessing.Process(target=record, args=(path, k)) for k in range(8)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
        assert job.exitcode == 0
    assert len(path.read_text().splitlines()) == 9
    assert [p.name for p in tmp_path.iterdir()] == ["lock.csv"]
