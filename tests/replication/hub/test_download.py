"""Downloads against a stand-in of the hub, through everything that can go wrong."""

from __future__ import annotations

import errno
import gzip
import hashlib
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from desk import BODY, FAST, GATED, KINDS, OPEN, ZIP, Desk
from huggingface_hub import hf_raise_for_status
from huggingface_hub.errors import RepositoryNotFoundError
from stand_in import TOKEN, Fault, Repo, running

from replication.hub import servers, transfer
from replication.hub.access import HUB, Access
from replication.hub.datasets import Dataset
from replication.hub.download import download_if_there
from replication.hub.errors import HubError
from replication.hub.lock import Locked
from replication.stages import undefined_among

SUM = hashlib.sha256(BODY).hexdigest()
WORDS = {"revision", "tree", "resolve"}
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def desk(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Desk]:
    caplog.set_level(logging.DEBUG)
    with running() as hub:
        hub.repos[OPEN.repo] = Repo({OPEN.file: BODY, "README.md": b"x"})
        folder = "arcee-ai__Arcee-Blitz"
        sample = f"{folder}/samples_leaderboard_mmlu_pro_2024-11-05T10-00-00.1.json"
        others = {f"{folder}/samples_leaderboard_{k:03d}_2024.json": b"{}" for k in range(7)}
        hub.repos[GATED.repo] = Repo({sample: BODY, **others}, commit="d" * 40, gated=True)
        hub.github[ZIP.repo] = Repo({ZIP.file: BODY})
        hub.page_size = 3
        access = Access(hub=hub.endpoint, github=hub.endpoint, token=TOKEN)
        yield Desk(hub, tmp_path, access)
        # Whatever a test did: the token is in no message, no log and no file.
        assert TOKEN not in caplog.text
        for path, content in Desk(hub, tmp_path, access).files().items():
            assert TOKEN.encode() not in content, path


@each_kind
def test_file_arrives_whole_and_is_locked(desk: Desk, kind: str) -> None:
    dataset = KINDS[kind]
    path = desk.fetch(dataset)
    assert path.read_bytes() == BODY
    locked = desk.lock.find(dataset, desk.hub.endpoint)
    assert locked is not None
    assert (locked.sha256, locked.bytes) == (SUM, len(BODY))
    assert locked.revision == ("d" * 40 if kind == "gated" else "c" * 40)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_first_download_says_that_the_hash_was_taken(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.fetch(OPEN)
    assert "first download" in caplog.text
    assert SUM in caplog.text
    assert "datasets.lock.csv" in caplog.text


@each_kind
def test_file_that_is_there_and_right_is_not_asked_for(desk: Desk, kind: str) -> None:
    desk.fetch(KINDS[kind])
    desk.hub.requests.clear()
    desk.fetch(KINDS[kind])
    assert desk.hub.requests == []


@each_kind
def test_file_that_was_changed_is_fetched_again(desk: Desk, kind: str) -> None:
    path = desk.fetch(KINDS[kind])
    path.write_bytes(BODY[:-1])
    desk.fetch(KINDS[kind])
    assert path.read_bytes() == BODY


def test_register_needs_no_lock(desk: Desk) -> None:
    desk.fetch(replace(ZIP, sum=SUM))
    assert not desk.lock.path.exists()


def test_run_is_found_by_the_digits_of_its_time(desk: Desk) -> None:
    colons = OPEN.file.replace("T08-54-11", "T08:54:11")
    assert desk.fetch(replace(OPEN, file=colons)).read_bytes() == BODY
    locked = desk.lock.find(OPEN, desk.hub.endpoint)
    assert locked is not None
    assert locked.file == OPEN.file


def test_every_page_of_the_listing_is_read(desk: Desk) -> None:
    desk.fetch(GATED)
    pages = [r.path for r in desk.hub.requests if "/tree/" in r.path]
    assert len(pages) == 3


def test_token_goes_to_the_hub_and_nowhere_else(desk: Desk) -> None:
    desk.hub.faults.append(Fault("elsewhere", where="/resolve/", times=1))
    desk.fetch(OPEN)
    hosts = {r.host.partition(":")[0]: r.authorization for r in desk.hub.requests}
    assert hosts == {"127.0.0.1": f"Bearer {TOKEN}", "localhost": None}


def test_token_does_not_go_to_github(desk: Desk) -> None:
    desk.fetch(ZIP)
    assert [r.authorization for r in desk.hub.requests] == [None]


def test_public_files_need_no_token(desk: Desk) -> None:
    desk.access = replace(desk.access, token=None)
    assert desk.fetch(OPEN).read_bytes() == BODY
    assert {r.authorization for r in desk.hub.requests} == {None}


# What passes by itself: once it is overcome, and always it is reported after three attempts.
PASSING = {
    "rate limit": (Fault("status", status=429), "limits the rate of requests (429)", "wait some"),
    "server error": (Fault("status", status=503), "fault of its own (status 503)", "later"),
    "bad gateway": (Fault("status", status=502, body=b"[1]"), "(status 502)", "later"),
    "truncated": (Fault("truncate"), "broke off", "start again"),
    "closed": (Fault("close"), "broke off", "start again"),
    "silent": (Fault("silent"), "was silent for 1.2 seconds", "start again later"),
    "slow": (Fault("drip"), "less than 1000 bytes a second", "start again later"),
}


@pytest.mark.parametrize("name", PASSING)
@pytest.mark.parametrize("kind", ["open", "zip"])
def test_passing_fault_is_overcome(desk: Desk, name: str, kind: str) -> None:
    fault, _, _ = PASSING[name]
    if name == "silent":
        desk.patience = replace(FAST, silence=1.2)
    desk.hub.faults.append(replace(fault, where="/r", times=2))
    assert desk.fetch(KINDS[kind]).read_bytes() == BODY
    assert len(desk.hub.fetched()) == 3


@pytest.mark.parametrize("name", PASSING)
def test_fault_that_stays_is_reported(desk: Desk, name: str) -> None:
    fault, problem, remedy = PASSING[name]
    if name == "silent":
        desk.patience = replace(FAST, silence=1.2)
    desk.hub.faults.append(replace(fault, where="/resolve/"))
    message = desk.refusal(OPEN)
    assert problem in message
    assert ", 3 times" in message
    assert remedy in message.partition("Remedy")[2]
    assert desk.hub.endpoint in message or "body" in message
    assert len(desk.hub.fetched()) == 3


@pytest.mark.parametrize("where", ["/revision/", "/tree/"])
@pytest.mark.parametrize("status", [429, 500, 503])
def test_faults_of_the_listing_are_overcome_or_reported(
    desk: Desk, where: str, status: int
) -> None:
    fault = Fault("status", where=where, status=status)
    desk.hub.faults = [replace(fault, times=1)]
    desk.fetch(GATED)
    desk.path(GATED).unlink()
    desk.lock.path.unlink()
    desk.hub.faults = [fault]
    assert f"{status}" in desk.refusal(GATED)


@pytest.mark.parametrize("status", [429, 503])
def test_faults_of_the_head_are_overcome_or_reported(desk: Desk, status: int) -> None:
    fault = Fault("status", method="HEAD", status=status)
    desk.hub.faults = [replace(fault, times=2)]
    desk.fetch(OPEN)
    desk.path(OPEN).unlink()
    desk.hub.faults = [fault]
    assert f"{status}" in desk.refusal(OPEN)
    assert desk.hub.fetched("HEAD")[-3:] == [desk.hub.fetched("HEAD")[-1]] * 3


def test_wait_that_the_server_asks_for_is_kept(desk: Desk) -> None:
    desk.patience = replace(FAST, longest_wait=1.5)
    asking = Fault("status", status=429, where="/resolve/", headers={"Retry-After": "1"}, times=1)
    desk.hub.faults.append(asking)
    start = time.monotonic()
    desk.fetch(OPEN)
    assert time.monotonic() - start > 1


def test_wait_longer_than_patience_is_not_begun(desk: Desk) -> None:
    fault = Fault("status", status=429, where="/resolve/", headers={"Retry-After": "3600"})
    desk.hub.faults.append(fault)
    message = desk.refusal(OPEN)
    assert "asks to wait 3600 seconds, 1 time." in message
    assert len(desk.hub.fetched()) == 1


def _no_token(desk: Desk) -> None:
    desk.access = replace(desk.access, token=None)


def _wrong_token(desk: Desk) -> None:
    desk.access = replace(desk.access, token=TOKEN + "Old")


def _not_accepted(desk: Desk) -> None:
    desk.hub.repos[GATED.repo].accepted = False


def _stranger(desk: Desk) -> None:
    _no_token(desk)
    desk.hub.faults.append(Fault("status", method="ANY", status=401))


def _answers(status: int, where: str = "", **more: Any) -> Callable[[Desk], None]:
    """Have the stand-in answer so; `more` is of its fault."""
    return _fault(Fault("status", status=status, where=where, **more))


def _fault(fault: Fault) -> Callable[[Desk], None]:
    return lambda desk: desk.hub.faults.append(fault)


def _no_repo(desk: Desk) -> None:
    desk.hub.repos.clear()
    desk.hub.github.clear()


def _hidden_repo(desk: Desk) -> None:
    _no_repo(desk)
    _no_token(desk)


def _no_revision(desk: Desk) -> None:
    for repo in (*desk.hub.repos.values(), *desk.hub.github.values()):
        repo.commit = "e" * 40


def _no_file(desk: Desk) -> None:
    for repo in (*desk.hub.repos.values(), *desk.hub.github.values()):
        repo.files = {f"other_{k}.json": b"{}" for k in range(2)}


def _two_runs(desk: Desk) -> None:
    files = desk.hub.repos[GATED.repo].files
    files["again/samples_leaderboard_mmlu_pro_2025-01-01T00-00-00.1.jsonl"] = BODY


def _seven_runs(desk: Desk) -> None:
    files = desk.hub.repos[GATED.repo].files
    for run in "abcdef":
        files[f"{run}/samples_leaderboard_mmlu_pro_2025-01-01T00-00-00.1.jsonl"] = BODY


def _endless(desk: Desk) -> None:
    link = f'<{desk.hub.endpoint}/api/datasets/{GATED.repo}/tree/{"d" * 40}>; rel="next"'
    fault = Fault("status", status=200, where="/tree/", body=b"[]", headers={"Link": link})
    desk.hub.faults.append(fault)


PAGE = f"https://huggingface.co/datasets/{GATED.repo}"
READ_ACCESS = "read access to public gated repositories"
NO_HUB = ("does not answer as a hub", "HF_ENDPOINT")
DISABLED = {"X-Error-Message": "Access to this resource is disabled."}
AWAY = {"Link": '<http://localhost:9/x>; rel="next"'}
LASTING: dict[str, tuple[str, Callable[[Desk], None], str, str]] = {
    "no token": ("gated", _no_token, "is gated, and there is no token", "set HF_TOKEN"),
    "terms": ("gated", _not_accepted, "terms of open/arcee-ai", f"open {PAGE} in the account"),
    "old token": ("gated", _wrong_token, "refuses the token (401)", "settings/tokens"),
    "old token, open": ("open", _wrong_token, "refuses the token (401)", "settings/tokens"),
    "narrow token": ("open", _answers(403, method="ANY"), "may not read", READ_ACCESS),
    "narrow at the body": ("open", _answers(403, "/resolve/"), "may not read", READ_ACCESS),
    "no repository": ("open", _no_repo, "the hub has no data set open-old/", "correct the reg"),
    "hidden repository": ("open", _hidden_repo, "shows it to its members only", "set HF_TOKEN"),
    "no repository, found by its list": ("gated", _no_repo, "the hub has no data set", "moved"),
    "no revision": ("open", _no_revision, "has no revision ccccc", "commits/main"),
    "no file": ("open", _no_file, "of 2 files the first are other_0.json", "tree/ccccc"),
    "no sample": ("gated", _no_file, "no file of open/arcee", "tree/ddddd"),
    "two runs": ("gated", _two_runs, "2 files match: again/samples", "the one that the board"),
    "disabled": ("open", _answers(403, method="ANY", headers=DISABLED), "disabled access", "why"),
    "teapot": ("open", _answers(418, method="ANY"), "answers with status 418", "in a browser"),
    "empty answer": ("open", _answers(204, "/resolve/"), *NO_HUB),
    "login page": ("gated", _fault(Fault("page")), "does not answer as a hub", "no login page"),
    "odd listing": ("gated", _answers(200, "/tree/", body=b'{"a": 1}'), *NO_HUB),
    "odd revision": ("gated", _answers(200, "/revision/", body=b'["main"]'), *NO_HUB),
    "odd entry": ("gated", _answers(200, "/tree/", body=b"[1]"), *NO_HUB),
    "odd path": ("gated", _answers(200, "/tree/", body=b'[{"type": "file"}]'), *NO_HUB),
    "odd commit": ("gated", _answers(200, "/revision/", body=b'{"sha": 7}'), *NO_HUB),
    "listing leads away": ("gated", _answers(200, "/tree/", body=b"[]", headers=AWAY), *NO_HUB),
    "listing that is no JSON": ("gated", _answers(200, "/tree/", body=b"{" * 5000), *NO_HUB),
    "endless listing": ("gated", _endless, "its list of files does not end", "HF_ENDPOINT"),
    "no commit": (
        *("open", _fault(Fault("no_commit", method="HEAD"))),
        *("serves no revision where ccccc", "HF_ENDPOINT"),
    ),
    "zip: no repository": ("zip", _no_repo, "no such file at commit ccccc", "github.com/TIGER"),
    "zip: no revision": ("zip", _no_revision, "no such file at commit", "github.com/TIGER"),
    "zip: no file": ("zip", _no_file, "no such file at commit", "correct the register"),
    "zip: forbidden": ("zip", _answers(403), "answers with status 403", "in a browser"),
}  # fmt: skip


@pytest.mark.parametrize("name", LASTING)
def test_refusal_has_its_own_message_and_no_second_attempt(desk: Desk, name: str) -> None:
    kind, change, problem, remedy = LASTING[name]
    change(desk)
    message = desk.refusal(KINDS[kind])
    assert problem in message.partition("Remedy")[0]
    assert remedy in message.partition("Remedy")[2]
    assert "times" not in message
    assert len(desk.hub.fetched()) <= 1


GONE, NOT_RUN = "no_data_set_on_the_hub", "no_file_of_the_displayed_run"
ABSENT = {
    **dict.fromkeys(["no token", "terms"], "only_gated_files"),
    **dict.fromkeys(["no repository", "hidden repository", "disabled"], GONE),
    "no repository, found by its list": GONE,
    **dict.fromkeys(["no revision", "no file", "no sample"], NOT_RUN),
    "two runs": "several_runs_on_the_hub",
}
NAMED = {"X-Error-Code": "RepoNotFound", "Retry-After": "3600"}
REFUSALS = {
    **LASTING,
    "outage": (
        *("open", _answers(503, method="ANY", headers={"Retry-After": "3600"})),
        *("has a fault of its own (status 503)", "start again later"),
    ),
    "outage that names a refusal": (
        *("open", _answers(503, method="HEAD", headers=NAMED)),
        *("has a fault of its own (status 503)", "start again later"),
    ),
    "401 that is not the hub's": ("open", _stranger, "answers with status 401", "in a browser"),
    "404 that is not the hub's": (
        *("open", _answers(404, method="ANY")),
        *("answers with status 404", "in a browser"),
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_model_is_absent_by_the_hubs_own_word_and_for_no_other_refusal(
    desk: Desk, name: str
) -> None:
    kind, change, problem, _ = REFUSALS[name]
    change(desk)
    one, path = KINDS[kind], desk.path(KINDS[kind])
    if name in ABSENT:
        download_if_there(one, desk.folder, desk.lock, access=desk.access)
        assert undefined_among([str(path)]) == ABSENT[name]
        return
    with pytest.raises(HubError, match=re.escape(problem)):
        download_if_there(one, desk.folder, desk.lock, access=desk.access)
    assert not path.exists()


def test_client_that_takes_a_401_for_no_repository_makes_no_model_absent() -> None:
    """Over https it does so, whoever answers."""
    url = f"{HUB}/api/datasets/{OPEN.repo}/revision/main"
    answer = httpx2.Response(401, request=httpx2.Request("GET", url))
    with pytest.raises(RepositoryNotFoundError) as caught:
        hf_raise_for_status(answer)
    assert servers._refusal(caught.value, OPEN, Access()).fault == ""


def test_file_that_was_absent_is_asked_for_again_but_offline(desk: Desk) -> None:
    repos = dict(desk.hub.repos)
    desk.hub.repos.clear()
    download_if_there(OPEN, desk.folder, desk.lock, access=desk.access)
    offline = replace(desk.access, offline=True)
    asked = len(desk.hub.requests)
    download_if_there(OPEN, desk.folder, desk.lock, access=offline)
    assert len(desk.hub.requests) == asked
    download_if_there(OPEN, desk.folder, desk.lock, access=desk.access)
    assert len(desk.hub.requests) > asked
    assert undefined_among([str(desk.path(OPEN))]) == GONE
    desk.hub.repos |= repos
    download_if_there(OPEN, desk.folder, desk.lock, access=desk.access)
    assert desk.path(OPEN).read_bytes() == BODY


def test_file_that_a_board_lists_has_no_substitute(desk: Desk) -> None:
    listed = replace(OPEN, listed_in="boards/mine, tasks/arc/download", sum=SUM)
    desk.hub.repos.clear()
    with pytest.raises(HubError, match="the hub has no data set"):
        download_if_there(listed, desk.folder, desk.lock, access=desk.access)


def test_of_many_runs_five_are_named(desk: Desk) -> None:
    _seven_runs(desk)
    listed = desk.refusal(KINDS["gated"]).partition("7 files match: ")[2].partition(" Remedy")[0]
    assert len(listed.split(", ")) == 5


def test_github_file_must_be_pinned(desk: Desk) -> None:
    assert "pinned by its commit" in desk.refusal(replace(ZIP, revision=None))
    assert desk.hub.requests == []


# Contents


def test_flipped_byte_is_found_by_the_hash_that_the_hub_declares(desk: Desk) -> None:
    desk.hub.faults.append(Fault("flip"))
    message = desk.refusal(OPEN)
    assert "the body is damaged: its SHA-256 is" in message
    assert f"that of the server's file {SUM}, 3 times" in message


def test_flipped_byte_is_found_by_the_register(desk: Desk) -> None:
    desk.hub.faults.append(Fault("flip"))
    message = desk.refusal(replace(ZIP, sum=SUM))
    assert f"the register says {SUM}" in message
    assert "do not use the file" in message


def test_flipped_byte_is_found_by_the_lock(desk: Desk) -> None:
    desk.fetch(ZIP).unlink()
    desk.hub.faults.append(Fault("flip"))
    message = desk.refusal(ZIP)
    assert f"datasets.lock.csv says {SUM}" in message
    assert "do not use the file" in message


@pytest.mark.parametrize("kind", ["open", "gated"])
def test_other_file_of_the_same_size_is_not_taken(desk: Desk, kind: str) -> None:
    dataset = KINDS[kind]
    desk.fetch(dataset).unlink()
    files = desk.hub.repos[dataset.repo].files
    files.update({name: body[::-1] for name, body in files.items() if body == BODY})
    message = desk.refusal(dataset)
    assert f"datasets.lock.csv says {SUM}" in message
    assert "times" not in message


def test_changed_file_does_not_replace_the_one_that_is_there(desk: Desk) -> None:
    path = desk.fetch(OPEN)
    path.write_bytes(b"edited")
    desk.hub.repos[OPEN.repo].files[OPEN.file] = BODY[::-1]
    desk.refusal(OPEN)
    assert path.read_bytes() == b"edited"


def test_main_may_move_on_after_the_first_download(desk: Desk) -> None:
    """What is locked is a commit: a later one is not looked at."""
    desk.fetch(GATED).unlink()
    desk.hub.requests.clear()
    desk.fetch(GATED)
    assert not any("/revision/" in r.path or "/tree/" in r.path for r in desk.hub.requests)


@pytest.mark.parametrize(
    "folder", ["../../..", "a/../..", "", "/etc", "C:\\x", "a|b:c d", "x" * 200]
)
def test_path_that_the_hub_lists_is_none_of_ours(desk: Desk, folder: str) -> None:
    """Whatever it is called there, the file lands where the register's name says."""
    name = f"{folder}/samples_leaderboard_mmlu_pro_..%2f|:x.json"
    desk.hub.repos[GATED.repo].files = {name: BODY}
    before = desk.files()
    try:
        desk.fetch(GATED)
    except HubError:
        assert desk.files() == before
    else:
        assert set(desk.files()) == {desk.path(GATED), desk.lock.path}


@pytest.mark.parametrize("mark", ["\n", "\x1b[31m", "\x00", "\u202e", "\ud800"])
def test_name_with_control_characters_does_not_reach_the_lock_file(desk: Desk, mark: str) -> None:
    name = f"a{mark}b/samples_leaderboard_mmlu_pro_1.json"
    desk.hub.repos[GATED.repo].files = {name: BODY}
    message = desk.refusal(GATED)
    assert f"the name of the file holds control characters: {name!r}" in message
    assert "rename it" in message
    assert desk.files() == {}


@pytest.mark.parametrize("kind", ["open", "zip"])
def test_redirects_in_a_circle_are_left(desk: Desk, kind: str) -> None:
    circle = Fault("status", status=302, where="/r", headers={"Location": "/raw/again"})
    desk.hub.faults.append(circle)
    message = desk.refusal(KINDS[kind])
    assert "cannot be asked (Exceeded maximum allowed redirects.)" in message
    assert "times" not in message


def lock_size(desk: Desk, dataset: Dataset, size: int) -> None:
    revision = dataset.revision or ""
    desk.lock.record(Locked(dataset.name, desk.hub.endpoint, revision, dataset.file, size, SUM, ""))


@pytest.mark.parametrize("size", [len(BODY) - 1, len(BODY) + 1])
def test_size_that_is_not_the_lock_files_is_refused_before_the_body(desk: Desk, size: int) -> None:
    lock_size(desk, OPEN, size)
    message = desk.refusal(OPEN)
    assert f"has {len(BODY)} bytes, {desk.lock.path} says {size}" in message
    assert desk.hub.fetched() == []


def test_body_longer_than_declared_is_cut_off(desk: Desk) -> None:
    desk.hub.faults.append(Fault("longer"))
    assert f"more than the {len(BODY)} bytes declared, 3 times" in desk.refusal(OPEN)


def test_body_shorter_than_declared_is_found_without_a_length(desk: Desk) -> None:
    desk.hub.faults.append(Fault("no_size"))
    lock_size(desk, ZIP, len(BODY) + 5)
    message = desk.refusal(ZIP)
    assert f"{len(BODY)} of the {len(BODY) + 5} bytes declared" in message


def test_body_of_absurd_size_is_cut_off(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "LARGEST", 1000)
    assert "the body is larger than" in desk.refusal(ZIP)


# This side


def test_no_room_is_found_before_the_body(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 100})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    message = desk.refusal(OPEN)
    assert f"the disk is full ({len(BODY)} bytes are needed and 100 are free)" in message
    assert "make room" in message
    assert desk.hub.fetched() == []


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the disk is full"),
        (errno.EROFS, "cannot be written (Read-only file system)"),
        (errno.EIO, "cannot be written (Input/output error)"),
    ],
)
def test_disk_that_refuses_half_way(
    desk: Desk, code: int, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(number: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)
    assert problem in desk.refusal(OPEN)


def test_disk_that_is_really_full(desk: Desk) -> None:
    """Four pages of a file system in memory, where this user may mount one."""
    desk.folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(desk.folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        desk.hub.github[ZIP.repo].files[ZIP.file] = BODY * 10
        desk.hub.faults.append(Fault("no_size"))
        message = desk.refusal(ZIP)
    finally:
        subprocess.run(["umount", str(desk.folder)], check=True)
    assert "the disk is full (No space left on device)" in message


def test_folder_that_is_a_file(desk: Desk) -> None:
    desk.folder.write_text("in the way")
    assert "cannot be written" in desk.refusal(OPEN)


def test_lock_that_cannot_be_read_stops_before_the_download(desk: Desk) -> None:
    desk.lock.path.mkdir()
    with pytest.raises(HubError, match="lock file cannot be read"):
        desk.fetch(OPEN)
    assert desk.hub.requests == []
    assert desk.files() == {}


def test_nobody_there(desk: Desk) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    desk.access = Access(hub=f"http://127.0.0.1:{port}", github=f"http://127.0.0.1:{port}")
    for dataset in KINDS.values():
        message = desk.refusal(dataset)
        assert f"no connection to http://127.0.0.1:{port}" in message
        assert ", 3 times" in message
        assert "offline: true" in message


DOWNLOAD = """
from dataclasses import replace
from pathlib import Path
import sys
sys.path.insert(0, {tests!r})
from desk import OPEN
from replication.hub.access import Access
from replication.hub.download import download
from replication.hub.lock import LockFile
root = Path({root!r})
download(OPEN, root / "downloads", LockFile(root / "datasets.lock.csv"),
         access=Access(hub={endpoint!r}))
"""


def started(desk: Desk) -> subprocess.Popen[bytes]:
    """A process of its own that fetches a file, of which something is here already."""
    program = DOWNLOAD.format(
        tests=str(Path(__file__).parent), root=str(desk.root), endpoint=desk.hub.endpoint
    )
    job = subprocess.Popen([sys.executable, "-c", program])
    while job.poll() is None and not any(desk.parts()):
        time.sleep(0.01)
    return job


@pytest.mark.slow
def test_killed_half_way_is_gone_on_with(desk: Desk) -> None:
    desk.hub.faults.append(Fault("drip", times=1))
    job = started(desk)
    os.kill(job.pid, signal.SIGKILL)
    job.wait()
    path = desk.path(OPEN)
    (part,) = desk.parts()
    assert BODY.startswith(part)
    assert not path.exists()
    assert not desk.lock.path.exists()
    desk.fetch(OPEN)
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == BODY
    assert desk.hub.requests[-1].range == f"bytes={len(part)}-"


@pytest.mark.slow
def test_file_that_another_process_fetches_is_waited_for(desk: Desk) -> None:
    half = BODY[:200]
    desk.hub.repos[OPEN.repo].files[OPEN.file] = half
    desk.hub.faults.append(Fault("drip", times=1))
    job = started(desk)
    assert desk.fetch(OPEN).read_bytes() == half
    assert job.wait() == 0
    assert len(desk.hub.fetched()) == 1
    assert [p.name for p in desk.path(OPEN).parent.iterdir()] == [desk.path(OPEN).name]


# What a broken line leaves


HASHED = {"open": OPEN, "zip": replace(ZIP, sum=SUM)}


def broken(desk: Desk, kind: str) -> bytes:
    """Let a download break off half way, and return what is kept of it."""
    desk.hub.faults = [Fault("truncate", where="/r")]
    desk.patience = replace(FAST, attempts=1)
    desk.refusal(HASHED[kind])
    desk.hub.faults.clear()
    desk.hub.requests.clear()
    desk.patience = FAST
    (part,) = desk.parts()
    assert 0 < len(part) < len(BODY)
    return part


def ranges(desk: Desk) -> list[str | None]:
    return [r.range for r in desk.hub.requests if r.method == "GET"]


@pytest.mark.parametrize("kind", ["open", "zip"])
def test_rest_alone_is_asked_for(desk: Desk, kind: str) -> None:
    part = broken(desk, kind)
    path = desk.fetch(HASHED[kind])
    assert path.read_bytes() == BODY
    assert ranges(desk) == [f"bytes={len(part)}-"]
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_attempts_of_one_run_go_on_with_each_other(desk: Desk) -> None:
    desk.hub.faults.append(Fault("truncate", where="/resolve/", times=2))
    assert desk.fetch(OPEN).read_bytes() == BODY
    half, quarter = len(BODY) // 2, len(BODY) // 4
    assert ranges(desk) == [None, f"bytes={half}-", f"bytes={half + quarter}-"]


@pytest.mark.parametrize(
    ("fault", "asked"),
    [
        ("no_range", 1),
        ("other_range", 2),
    ],
)
@pytest.mark.parametrize("kind", ["open", "zip"])
def test_server_that_does_not_send_the_rest_sends_the_whole(
    desk: Desk, kind: str, fault: str, asked: int
) -> None:
    part = broken(desk, kind)
    desk.hub.faults.append(Fault(fault))
    assert desk.fetch(HASHED[kind]).read_bytes() == BODY
    assert ranges(desk) == [f"bytes={len(part)}-", None][:asked]


def test_part_that_is_whole_is_not_asked_for(desk: Desk) -> None:
    broken(desk, "open")
    (path,) = desk.root.rglob("*.part")
    path.write_bytes(BODY)
    assert desk.fetch(OPEN).read_bytes() == BODY
    assert desk.hub.fetched() == []


def test_part_that_no_hash_can_check_is_fetched_anew(desk: Desk) -> None:
    broken(desk, "zip")
    assert desk.fetch(ZIP).read_bytes() == BODY
    assert ranges(desk) == [None]


@pytest.mark.parametrize("kind", HASHED)
@pytest.mark.parametrize("longer", [False, True])
def test_part_that_is_longer_or_was_damaged_is_fetched_anew(
    desk: Desk, kind: str, longer: bool
) -> None:
    part = broken(desk, kind)
    wrong = BODY + b"more" if longer else b"\xff" + part[1:]
    (path,) = desk.root.rglob("*.part")
    path.write_bytes(wrong)
    assert desk.fetch(HASHED[kind]).read_bytes() == BODY
    assert ranges(desk) == [f"bytes={len(wrong)}-", None]


def test_file_that_is_wrong_anew_is_refused(desk: Desk) -> None:
    """Of two halves one may be wrong; what came in one piece is the server's."""
    part = broken(desk, "zip")
    desk.hub.github[ZIP.repo].files[ZIP.file] = BODY[::-1]
    assert f"the register says {SUM}" in desk.refusal(HASHED["zip"])
    assert ranges(desk) == [f"bytes={len(part)}-", None]
    assert desk.parts() == []


def test_part_of_another_revision_is_not_gone_on_with(desk: Desk) -> None:
    broken(desk, "open")
    later = replace(OPEN, revision="e" * 40)
    desk.hub.repos[OPEN.repo].commit = "e" * 40
    assert desk.fetch(later).read_bytes() == BODY
    assert ranges(desk) == [None]
    assert desk.parts() == []


# Answers without end


def test_bodies_of_refusals_are_not_read(desk: Desk) -> None:
    fault = Fault("endless", status=404, headers={"X-Error-Code": "RepoNotFound"}, body=b"x" * 99)
    for kind, where in (("gated", "/revision/"), ("open", "/resolve/"), ("zip", "/raw/")):
        desk.hub.faults = [replace(fault, where=where)]
        # Read to the end, it would be the deadline that is over.
        message = desk.refusal(KINDS[kind])
        assert "no such file" in message or "has no data set" in message


def test_body_of_a_redirect_is_not_read(desk: Desk) -> None:
    place = {"Location": f"{desk.hub.endpoint}/raw/nowhere"}
    fault = Fault("endless", status=302, where=f"{ZIP.repo}/raw/", headers=place, body=b"x" * 99)
    desk.hub.faults.append(fault)
    assert "no such file" in desk.refusal(ZIP)


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_metadata_has_a_largest_size_when_unpacked(desk: Desk, encoding: str) -> None:
    blank = b" " * 2**26
    body = gzip.compress(blank, 9) if encoding == "gzip" else blank
    headers = {"Content-Encoding": encoding}
    fault = Fault("status", status=200, where="/revision/", headers=headers, body=body)
    desk.hub.faults.append(fault)
    tracemalloc.start()
    try:
        assert "its answer has more than 4 MB" in desk.refusal(GATED)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**25


def test_file_that_is_compressed_unasked_is_refused(desk: Desk) -> None:
    body, headers = gzip.compress(BODY), {"Content-Encoding": "gzip"}
    fault = Fault("status", status=200, where="/raw/", headers=headers, body=body)
    desk.hub.faults.append(fault)
    assert "sends the file compressed, unasked" in desk.refusal(ZIP)


@pytest.mark.parametrize(
    ("kind", "method", "where"),
    [
        ("gated", "GET", "/revision/"),
        ("open", "HEAD", "/resolve/"),
        ("open", "GET", "/resolve/"),
        ("zip", "GET", "/raw/"),
    ],
)
def test_request_that_is_kept_busy_ends_at_its_deadline(
    desk: Desk, kind: str, method: str, where: str
) -> None:
    desk.patience = replace(FAST, attempts=1, deadline=2)
    desk.hub.faults.append(Fault("slow_headers", method=method, where=where))
    message = desk.refusal(KINDS[kind])
    assert f"{desk.hub.endpoint} gave no whole answer within 2 seconds" in message


# Offline


@pytest.fixture
def no_sockets(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on; the desk's stand-in listens already."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "__init__", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@each_kind
def test_offline_needs_no_network_for_what_is_here(
    desk: Desk, kind: str, request: pytest.FixtureRequest
) -> None:
    path = desk.fetch(KINDS[kind])
    request.getfixturevalue("no_sockets")
    desk.access = replace(desk.access, offline=True)
    assert desk.fetch(KINDS[kind]) == path


@each_kind
@pytest.mark.usefixtures("no_sockets")
def test_offline_says_what_is_not_here(desk: Desk, kind: str) -> None:
    desk.access = replace(desk.access, offline=True)
    message = desk.refusal(KINDS[kind])
    assert "is not here, and the network is not to be used" in message
    assert "offline: false" in message


def test_offline_says_what_is_not_right(desk: Desk) -> None:
    desk.fetch(OPEN).write_bytes(b"edited")
    desk.access = replace(desk.access, offline=True)
    assert f"instead of {SUM}" in desk.refusal(OPEN)


def test_offline_takes_nothing_on_trust(desk: Desk) -> None:
    desk.fetch(OPEN)
    desk.lock.path.unlink()
    desk.access = replace(desk.access, offline=True)
    assert "nothing says what the file that is here should be" in desk.refusal(OPEN)


# Endpoints and tokens


def test_endpoint_is_part_of_the_lock_and_of_the_path(desk: Desk) -> None:
    """A hash that was seen at a stand-in says nothing about the hub."""
    path = desk.fetch(OPEN)
    assert desk.lock.find(OPEN, HUB) is None
    assert f"127.0.0.1_{desk.hub.port}" in str(path)


@pytest.mark.parametrize(
    ("endpoint", "origin"),
    [
        (HUB, f"https://huggingface.co/datasets/{OPEN.repo}"),
        (f"{HUB}/", f"https://huggingface.co/datasets/{OPEN.repo}"),
        ("http://127.0.0.1:9", f"http://127.0.0.1:9, {OPEN.repo}"),
        ("http://huggingface.co", f"http://huggingface.co, {OPEN.repo}"),
        ("https://me:secret@mirror.org/hf", "https://mirror.org/hf, "),
        ("https://huggingface.co:444", "https://huggingface.co:444, "),
        ("https://huggingface.co@evil.org", "https://evil.org, "),
    ],
)
def test_only_the_hub_is_called_the_hub(
    endpoint: str, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    access = Access.from_environment(with_token=False)
    found = access.origin(OPEN)
    assert found.startswith(origin)
    assert (access.kind(OPEN) == "raw") == (endpoint.rstrip("/") == HUB)
    assert "secret" not in found


@pytest.mark.parametrize("endpoint", ["mirror.org", "ftp://mirror.org", "http://", "http://a:b"])
def test_endpoint_must_be_an_address(endpoint: str) -> None:
    with pytest.raises(HubError, match="HF_ENDPOINT is not the address of a server"):
        Access(hub=endpoint)
    with pytest.raises(HubError, match="LLM_POWER_GITHUB_ENDPOINT is not"):
        Access(github=endpoint)


@pytest.mark.parametrize("token", ["hf_a\nb", "hf_ü", "hf_\x00"])
def test_token_that_is_none_is_not_shown(token: str) -> None:
    with pytest.raises(HubError, match="set HF_TOKEN") as caught:
        Access(token=token)
    assert token not in str(caught.value)


def test_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    access = Access.from_environment()
    assert access.token == TOKEN
    assert TOKEN not in repr(access)
    assert Access.from_environment(offline=True).token is None


@pytest.mark.parametrize("value", ["1", "true", "YES", "on"])
def test_the_clients_own_offline_switch_counts(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", value)
    assert Access.from_environment().offline


@pytest.mark.parametrize(
    "text",
    [
        f"got {TOKEN} back",
        f"Authorization: Bearer {TOKEN}",
        "authorization: bearer something-else.9",
        "https://cdn.example/f?X-Amz-Credential=abc&X-Amz-Signature=abcdef0123",
        "http://user:abcdef0123@proxy:3128 refused",
        "ghp_abcdef0123 and github_pat_abcdef0123",
    ],
)
def test_secrets_do_not_get_into_messages(text: str) -> None:
    message = str(HubError(text, remedy=text))
    for secret in (TOKEN, "abcdef0123", "something-else.9"):
        assert secret not in message
    assert "[removed]" in message


def test_server_that_echoes_the_token_is_not_quoted(desk: Desk) -> None:
    body = f'{{"error": "your token {TOKEN} is bad"}}'.encode()
    header = {"X-Error-Message": f"token {TOKEN}"}
    desk.hub.faults.append(Fault("status", method="ANY", status=418, headers=header, body=body))
    assert TOKEN not in desk.refusal(OPEN)


def test_client_asks_for_nothing_but_what_it_needs(desk: Desk) -> None:
    desk.fetch(GATED)
    parts = [(r.method, r.path.split("/")) for r in desk.hub.requests]
    asked = [(method, next(p for p in path if p in WORDS)) for method, path in parts]
    assert asked == [
        ("GET", "revision"),
        *[("GET", "tree")] * 3,
        ("HEAD", "resolve"),
        ("GET", "resolve"),
    ]
