"""Zips as they may come: harmless whatever they hold or claim, and never more than they hold."""

from __future__ import annotations

import io
import re
import tracemalloc
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from zips import DEFLATED, ENCRYPTED, LZMA, STORED, ZSTANDARD, Member, zip_of

from llm_power._errors import ScoreError
from llm_power._scores import _source
from llm_power._scores._source import open_archive

METHODS = pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])
DATA = b'{"id": 1}' * 50


def read(data: bytes, name: str = "a") -> bytes:
    with open_archive(data, "x.zip") as archive:
        return archive.read(name)


def refusal(data: bytes, name: str = "a") -> str:
    with pytest.raises(ScoreError) as caught:
        read(data, name)
    message = str(caught.value)
    assert message.startswith("file 'x.zip': ")
    assert "Remedy: " in message
    return message


@METHODS
def test_members_come_back(method: int) -> None:
    data = zip_of(Member("a", DATA, method), Member("é", b"", method))
    assert (read(data), read(data, "é")) == (DATA, b"")
    with open_archive(data, "x.zip") as archive:
        assert archive.names == ["a", "é"]


def test_zips_by_hand_are_those_of_zipfile() -> None:
    """So that what is hostile in one of them is what was made so."""
    with zipfile.ZipFile(io.BytesIO(zip_of(Member("a", DATA, DEFLATED)))) as archive:
        assert archive.testzip() is None
        assert archive.read("a") == DATA


def test_from_a_file_as_from_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(zip_of(Member("a", DATA)))
    with open_archive(path, str(path)) as archive:
        assert archive.read("a") == DATA
    with (
        pytest.raises(ScoreError, match="not a readable zip .*No such file"),
        open_archive(tmp_path / "absent", "absent"),
    ):
        pass


@METHODS
def test_the_last_of_one_name_counts(method: int) -> None:
    """And damage to one that it replaced is found all the same."""
    members = [Member("a", b"first", method), Member("a", b"second", method)]
    assert read(zip_of(*members)) == b"second"
    damaged = Member("a", b"first", method, crc=0)
    assert "Bad CRC-32 for file 'a'" in refusal(zip_of(damaged, members[1]))


# What a zip says of its member, and is not so.
FALSE: list[tuple[dict[str, Any], str]] = [
    (
        {"declared_size": _source.LARGEST_PAYLOAD + 1},
        "it expands to more than 128 MB",
    ),
    ({"declared_size": 2**40}, r"it expands to more than 128 MB\. Remedy: write the file again"),
    ({"declared_size": len(DATA) + 1}, "not a readable zip"),
    ({"declared_packed": 2**62}, "more than 128 MB"),
    ({"flags": ENCRYPTED}, "not a readable zip .*File .*'a'.* is encrypted"),
    ({"name_in_directory": "b"}, "in directory"),
    *(({"offset": at}, "not a readable zip") for at in (10**6, 2**40, 2**63 - 1, 2**64 - 1)),
]


@METHODS
@pytest.mark.parametrize(("claim", "message"), FALSE)
def test_a_member_of_which_the_zip_says_what_is_not_so(
    method: int, claim: dict[str, Any], message: str
) -> None:
    data = zip_of(Member("a", DATA, method, **claim))
    assert re.search(message, refusal(data, claim.get("name_in_directory", "a")))


@pytest.mark.parametrize("method", [DEFLATED, ZSTANDARD])
def test_a_size_that_is_understated(method: int) -> None:
    """What is expanded is bounded by what was declared, and not by what there is."""
    bomb = zip_of(Member("a", bytes(64 * 2**20), method, declared_size=1000))
    assert len(bomb) < 100_000
    tracemalloc.start()
    try:
        assert "Bad CRC-32" in refusal(bomb)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_all_members_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_source, "LARGEST_LOG", 2**20)
    members = [Member(f"{k}", bytes(2**19 - k)) for k in range(3)]
    with open_archive(zip_of(*members), "x.zip") as archive:
        archive.check_size(["0", "1"])
        with pytest.raises(ScoreError, match="it expands to more than 1 MB"):
            archive.check_size(archive.names)


def test_a_compression_without_bound() -> None:
    """LZMA, as bzip2, expands as far as it can: refused before any of it is."""
    assert "compressed by method 14" in refusal(zip_of(Member("a", DATA, LZMA)))


@METHODS
def test_any_byte_that_is_another(method: int) -> None:
    """Each is found, or is of what nothing depends on, such as a date."""
    data = zip_of(Member("a", b'{"id": 1}', method), Member("b", b"{}", method))
    n_found = 0
    for at in range(len(data)):
        damaged = data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]
        try:
            with open_archive(damaged, "x.zip") as archive:
                read_back: Sequence[object] = [(n, archive.read(n)) for n in archive.names]
        except ScoreError:
            n_found += 1
        else:
            assert read_back == [("a", b'{"id": 1}'), ("b", b"{}")]
    assert n_found > len(data) / 3


def test_a_million_entries_that_are_declared_and_not_there() -> None:
    """Memory goes by what there is, and what there is not was lost."""
    assert read(zip_of(Member("a", DATA), declared_entries=1)) == DATA
    data = zip_of(Member("a", DATA), declared_entries=10**6)
    tracemalloc.start()
    try:
        assert "Other number of files in directory than declared" in refusal(data)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(17), b"x" * 1000])
def test_what_is_no_zip(data: bytes) -> None:
    assert "not a readable zip" in refusal(data)


@METHODS
def test_a_cut_zip(method: int) -> None:
    data = zip_of(Member("a", DATA, method))
    for end in range(0, len(data), 7):
        assert "not a readable zip" in refusal(data[:end])
