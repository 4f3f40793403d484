"""Commands at once, killed, and on a disk that is full: no answer is lost, and none is half."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.slow

AT_ONCE = 25
PROGRAM = "from llm_power._cli import console; console()"


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("soak")
    rng, skill = np.random.default_rng(0), np.linspace(-0.5, 1, 12)
    ease = rng.normal(size=(400, 1))
    solved = (ease + rng.normal(size=(400, 12)) < skill).astype(int)
    board = pd.DataFrame(solved, columns=[f"model-{k}" for k in range(12)])
    board.rename_axis(index="item").to_csv(folder / "board.csv")
    return folder


def command(where: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, *arguments[:1], str(where / "board.csv"), *arguments[1:]]


def resolve(where: Path, out: Path) -> list[str]:
    return command(where, "resolve", "--out", str(out))


def compare(where: Path, out: Path) -> list[str]:
    models = ("--baseline", "model-9", "--candidate", "model-1")
    return command(where, "compare", *models, "--report", str(out / "gate.json"))


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def alone(where: Path) -> dict[str, bytes]:
    """What each command writes where nothing else runs."""
    out = where / "alone"
    out.mkdir()
    assert subprocess.run(resolve(where, out), capture_output=True, check=False).returncode == 0
    assert subprocess.run(compare(where, out), capture_output=True, check=False).returncode == 10
    return files(out)


def of_gate(made: dict[str, bytes]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """What `compare` wrote, and what `resolve` did."""
    board = dict(made)
    return {"gate.json": board.pop("gate.json")}, board


def limited_to(megabytes: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


def test_two_hundred_calls_give_what_one_gives(where: Path, alone: dict[str, bytes]) -> None:
    """Every fourth into one folder, every fourth in too little memory."""
    shared = where / "shared"

    gate, board = of_gate(alone)

    def call(number: int) -> None:
        out = shared if number % 4 == 1 else where / f"own-{number}"
        out.mkdir(exist_ok=True)
        make = compare if number % 4 == 2 else resolve
        tight = number % 4 == 3
        done = subprocess.run(
            make(where, out),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=limited_to(120 if tight else 1500),
        )
        if tight:
            assert done.returncode == 3
            assert done.stderr.startswith("error: the memory does not suffice (`ulimit -d` allows ")
            assert files(out) == {}
        else:
            assert done.returncode == (10 if make is compare else 0), done.stderr
            if out is not shared:
                assert files(out) == (gate if make is compare else board)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(call, range(200)))
    assert files(shared) == board


def test_a_hundred_kills_leave_one_whole_answer(where: Path, alone: dict[str, bytes]) -> None:
    out = where / "killed"
    _, whole = of_gate(alone)
    subprocess.run(resolve(where, out), capture_output=True, check=True)

    rng = random.Random("kills")
    for _ in range(100):
        process = subprocess.Popen(resolve(where, out), stdout=subprocess.DEVNULL)
        try:
            process.wait(rng.uniform(0.3, 1.2))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        # A kill between the old set's leaving and the new one's coming leaves fewer, never a half.
        seen = {name: text for name, text in files(out).items() if not name.startswith(".")}
        assert seen == {name: whole[name] for name in seen}
    subprocess.run(resolve(where, out), capture_output=True, check=True)
    assert files(out) == whole


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system in memory that the answer does not fit on, where this user may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_named_and_keeps_what_was_there(where: Path, small_disk: Path) -> None:
    (small_disk / "pairs.csv").write_text("of an earlier answer")
    done = subprocess.run(resolve(where, small_disk), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"error: {small_disk}: No space left on device. Remedy: make room"
    )
    assert done.stderr.count("\n") == 1
    assert files(small_disk) == {"pairs.csv": b"of an earlier answer"}
