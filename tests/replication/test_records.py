"""Every file that is not what its job made is named, and nothing else is."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from needed import ROOT
from replication import records
from replication.records import (
    FOLDER,
    DamagedInput,
    Difference,
    Ledger,
    Record,
    forget,
    job_name,
    record,
)

DATA, STAGE, TABLE = "data/in.csv", "results/pairs/a.parquet", "results/tables/t.csv"
FIRST, SECOND = job_name("pairs", {"panel": "a/b"}), job_name("table", {})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two jobs: the table is made from the stage, the stage from data."""
    for name in (DATA, STAGE, TABLE):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(b"some bytes of " + name.encode())
    for job, source, made in ((FIRST, DATA, STAGE), (SECOND, STAGE, TABLE)):
        record(job, Ledger.read(tmp_path).check([source]), [made], tmp_path)
    return tmp_path


def flip(path: Path, bit: int) -> None:
    """Flip one bit, and leave size and times as they are."""
    times, content = path.stat(), bytearray(path.read_bytes())
    content[bit // 8 % len(content)] ^= 1 << bit % 8
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def found(run: Path) -> list[tuple[str, str]]:
    return [(one.kind, one.path) for one in Ledger.read(run).differences()]


def first(run: Path) -> list[str]:
    ledger = Ledger.read(run)
    return ledger.first_of(set().union(*map(ledger.damaged_by, ledger.differences())))


def test_a_run_that_nobody_touched_has_no_differences(run: Path) -> None:
    assert found(run) == []
    assert first(run) == []


@pytest.mark.parametrize("bit", [0, 77, 160])
def test_a_flipped_bit_is_named_and_its_job_refuses_to_go_on(run: Path, bit: int) -> None:
    flip(run / STAGE, bit)
    assert found(run) == [("changed", STAGE)]
    assert first(run) == [STAGE]
    message = f"{STAGE} is not what job {FIRST} made. Remedy: make reproduce"
    with pytest.raises(DamagedInput, match=message):
        Ledger.read(run).check([STAGE])


def test_a_truncated_and_a_missing_file_are_named(run: Path) -> None:
    os.truncate(run / STAGE, 5)
    (run / TABLE).unlink()
    assert found(run) == [("changed", STAGE), ("missing", TABLE)]
    # The table waits until the stage is made again.
    assert first(run) == [STAGE]


@pytest.mark.parametrize("bit", range(0, 4000, 97))
def test_a_damaged_record_is_noticed(run: Path, bit: int) -> None:
    (path,) = (path for path in (run / FOLDER).iterdir() if path.name.startswith("pairs"))
    flip(path, bit)
    assert ("record", str(path.relative_to(run))) in found(run)
    assert first(run) == [STAGE]
    with pytest.raises(DamagedInput, match="has no record"):
        Ledger.read(run).check([STAGE])


def test_a_lost_record_is_noticed(run: Path) -> None:
    forget(FIRST, run)
    assert found(run) == [("unrecorded", STAGE)]
    assert first(run) == [STAGE]


def test_a_record_under_another_name_counts_for_nothing(run: Path) -> None:
    path = run / FOLDER / "table.json"
    path.rename(path.with_name("other.json"))
    assert ("unrecorded", TABLE) in found(run)


def test_an_input_that_no_job_made_is_known_to_have_changed(run: Path) -> None:
    flip(run / DATA, 3)
    assert Ledger.read(run).differences() == [Difference("input", DATA, FIRST)]
    # It is older than what was made from it: a run would not see it by itself.
    assert first(run) == [STAGE]
    (run / DATA).touch()
    assert first(run) == []


def test_what_was_made_from_other_bytes_is_named(run: Path) -> None:
    flip(run / STAGE, 8)
    record(FIRST, Ledger.read(run).check([DATA]), [STAGE], run)
    assert Ledger.read(run).differences() == [Difference("input", STAGE, SECOND)]
    assert first(run) == [TABLE]


def test_strangers_among_records_and_a_half_written_one_are_no_record(run: Path) -> None:
    (run / FOLDER / ".pairs.json.17").write_text("{")
    assert found(run) == []
    (run / FOLDER / "stranger.json").write_text("[]")
    assert found(run) == [("record", str(FOLDER / "stranger.json"))]
    assert first(run) == []


def test_a_record_has_the_lock_and_the_interpreter(
    run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read = Ledger.read(run).of(FIRST)
    assert read.lock == sha256((ROOT / "requirements.lock").read_bytes()).hexdigest()
    major, minor, *_ = sys.version_info
    assert read.interpreter.startswith(f"CPython {major}.{minor}.")
    # Where a copy comes without a lock, and of records from before.
    monkeypatch.setattr(records, "_LOCK", tmp_path / "none")
    record(FIRST, {}, [STAGE], run)
    assert Ledger.read(run).of(FIRST).lock == ""
    assert Record("a", {}, {}).interpreter == ""


def test_a_job_that_makes_no_result_leaves_no_record(run: Path) -> None:
    record("hub_download", {}, ["downloads/a.parquet"], run)
    assert len(Ledger.read(run).records) == 2


def test_a_job_reads_the_records_of_its_inputs_makers_alone(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Ledger, "read")
    ledger = Ledger.before([DATA, STAGE], run)
    assert [one.job for one in ledger.records] == [FIRST]
    assert ledger.check([DATA, STAGE])[STAGE] == ledger.records[0].outputs[STAGE]


@pytest.mark.parametrize("told", [None, b"", b"no such job", b"\xff", b"a/../b\0", b"x" * 9999])
def test_a_maker_that_is_not_told_is_found_among_all_records(run: Path, told: bytes | None) -> None:
    named = run / FOLDER / "makers" / STAGE
    named.unlink() if told is None else named.write_bytes(told)
    assert Ledger.before([STAGE], run, patience=0).makers[STAGE].job == FIRST


def test_a_record_that_appears_late_is_waited_for(run: Path) -> None:
    place = run / FOLDER / "table.json"
    hidden = place.rename(place.with_suffix(".late"))
    with pytest.raises(DamagedInput, match="has no record"):
        Ledger.before([TABLE], run, patience=0).check([TABLE])
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(Ledger.before, [TABLE], run)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.05)
        hidden.rename(place)
        assert waiting.result(timeout=5).check([TABLE]).keys() == {TABLE}


def test_of_two_jobs_that_made_a_file_the_last_one_did(run: Path) -> None:
    (run / STAGE).write_bytes(b"other bytes")
    record("a rule of another name", Ledger.read(run).check([DATA]), [STAGE], run)
    assert Ledger.before([STAGE], run).check([STAGE]).keys() == {STAGE}
    assert FIRST not in {one.job for one in Ledger.read(run).records}
    assert found(run) == [("input", STAGE)]
