"""A set of result files, its writer killed at every step: one whole set, and what is not of it."""

from __future__ import annotations

import errno
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from llm_power._errors import InvalidArgument
from llm_power._files import WORKSHOP, replacing, scratch_folder, write_together, write_whole

NAMES = ("a.csv", "b.csv", "c.json")
# Writes sets without end: each file holds the number of its set, and that only the writer knows.
WRITER = f"""
import itertools, sys
from pathlib import Path
from llm_power._files import write_together

def write(folder):
    for name in {NAMES}:
        (folder / name).write_text(f"{{number}} " * 500)

start, step = int(sys.argv[2]), int(sys.argv[3])
if step:
    import os, signal
    steps = itertools.count(1)
    kinds = {{"os.mkdir", "os.rename", "os.rmdir", "os.remove", "open"}}
    def kill(event, arguments):
        if event in kinds and {WORKSHOP!r} in str(arguments) and next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(kill)
print("started", flush=True)
for number in itertools.count(start) if not step else [start]:
    write_together(Path(sys.argv[1]), write)
"""


def writer(out: Path, *, number: int, killed_at: int = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, out, str(number), str(killed_at)],
        stdout=subprocess.PIPE,
        text=True,
    )


def write_number(out: Path, number: int) -> None:
    def write(folder: Path) -> None:
        for name in NAMES:
            put(folder / name, number)

    write_together(out, write)


def put(path: Path, number: int) -> None:
    path.write_text(f"{number} " * 500)


def seen(out: Path) -> set[str]:
    """The numbers of the sets whose files are to be seen; no file is half a file."""
    texts = [(out / name).read_text() for name in NAMES if (out / name).exists()]
    assert all(text == f"{text.split()[0]} " * 500 for text in texts)
    return {text.split()[0] for text in texts}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    write_number(folder, 0)
    (folder / "notes.txt").write_text("mine")
    return folder


def require_whole(out: Path, number: int) -> None:
    assert sorted(os.listdir(out)) == sorted([*NAMES, "notes.txt"])
    assert seen(out) == {str(number)}
    assert (out / "notes.txt").read_text() == "mine"


@pytest.mark.slow
def test_killed_before_each_step(out: Path) -> None:
    """No mixture is ever to be seen, and the next writer leaves nothing of it behind."""
    step, ended = 0, -signal.SIGKILL
    while ended == -signal.SIGKILL:
        step += 1
        ended = writer(out, number=step, killed_at=step).wait()
        assert len(seen(out)) <= 1
        # The next writer fails, and there is a whole set all the same: the last or the one before.
        with pytest.raises(OSError, match="No space left on device"):
            write_together(out, fail)
        assert seen(out) <= {str(step - 1), str(step), "1000"}
        require_whole(out, int(seen(out).pop()))
        write_number(out, step)
        require_whole(out, step)
    assert ended == 0
    assert step > 15


def fail(folder: Path) -> None:
    (folder / "a.csv").write_text("half")
    raise OSError(28, "full")


def test_killed_at_random(out: Path) -> None:
    rng = random.Random(20)
    for kill in range(1, 21):
        process = writer(out, number=1000 * kill)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.uniform(0, 0.02))
        process.kill()
        process.communicate()
        assert len(seen(out)) <= 1
        assert (out / "notes.txt").read_text() == "mine"
    write_number(out, 5)
    require_whole(out, 5)


def test_a_living_writer_is_waited_for(out: Path) -> None:
    """Two writers take turns: neither clears away what the other is at."""
    writers = [writer(out, number=10**6 * k) for k in (1, 2)]
    for process in writers:
        assert process.stdout is not None
        process.stdout.readline()
    for number in range(1, 30):
        write_number(out, number)
    assert [process.poll() for process in writers] == [None, None]
    for process in writers:
        process.kill()
        process.communicate()
    write_number(out, 5)
    require_whole(out, 5)


def test_a_folder_in_the_way_leaves_the_earlier_set(out: Path) -> None:
    (out / "d.json").mkdir()
    (out / "d.json" / "kept").touch()

    def write(folder: Path) -> None:
        for name in (*NAMES, "d.json"):
            put(folder / name, 1)

    with pytest.raises(InvalidArgument, match="d.json' is a folder of other files, where results"):
        write_together(out, write)
    (out / "d.json" / "kept").unlink()
    (out / "d.json").rmdir()
    require_whole(out, 0)


@pytest.mark.parametrize("call", range(1, 7))
def test_a_move_that_fails_is_taken_back(
    out: Path, call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk refuses one of the moves out or in."""
    rename, calls = Path.rename, iter(range(100))

    def refuse(self: Path, target: Path) -> Path:
        if "made" not in {self.name, target.name} and next(calls) == call:
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    if call < 6:
        with pytest.raises(OSError, match="Input/output"):
            write_number(out, 1)
        require_whole(out, 0)
    else:
        write_number(out, 1)
        require_whole(out, 1)


def test_a_fault_in_writing_keeps_the_name_of_its_file_and_the_earlier_set(out: Path) -> None:
    def write(folder: Path) -> None:
        put(folder / NAMES[0], 2)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), NAMES[1])

    write_number(out, 1)
    with pytest.raises(OSError, match="No space left") as raised:
        write_together(out, write)
    assert raised.value.filename == NAMES[1]
    assert seen(out) == {"1"}


def test_scratch_of_the_killed_is_cleared_and_that_of_the_living_stays(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as living:
        killed = living.with_name(living.name[:-1] + "~")
        (killed / "pairs").mkdir(parents=True)
        (living / "half").touch()
        with scratch_folder(tmp_path) as other:
            assert {living, other} == set(tmp_path.iterdir())
        assert [path.name for path in living.iterdir()] == ["half"]
    assert list(tmp_path.iterdir()) == []


def test_text_that_no_file_can_hold_leaves_none(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "report.json", "\ud800")
    assert [*tmp_path.iterdir()] == []


def test_a_dataset_goes_and_a_folder_like_it_stays(tmp_path: Path) -> None:
    for name, file in {"pairs": "part-00000.parquet", "own": "part-1.snappy.parquet"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / file).touch()
    write_together(tmp_path, lambda folder: put(folder / "a.csv", 1), replaces=["pairs", "own"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "own"]


def test_a_file_is_replaced_as_a_whole_and_a_failure_names_it(tmp_path: Path) -> None:
    path = tmp_path / "chart.svg"
    path.write_text("old")

    def fill_the_disk(part: Path) -> None:
        part.write_text("half")
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28]")

    with pytest.raises(OSError, match=re.escape(str(path))), replacing(path) as part:
        fill_the_disk(part)
    assert path.read_text() == "old"
    with replacing(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert [*tmp_path.iterdir()] == [path]
