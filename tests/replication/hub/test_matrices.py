"""Response matrices that others published: the right rows are found, and nothing else is read."""

from __future__ import annotations

import io
import resource
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest

from llm_power._errors import ScoreError
from replication.hub.matrices import Matrix, Scores, block_labels, read_matrix

MEMBERS = ("M1.csv", "M2.csv")
CORRECT = {"org/heron": 3, "org/wren": 2}
HERON, WREN = [1, 1, 0, 1], [0, 1, 1, 0]


def table(
    rows: Iterable[tuple[str, Iterable[object]]],
    items: Iterable[object] = range(4),
    labels: Iterable[str] = ("model", "created_date", "sha"),
) -> str:
    """A matrix as pandas writes it."""
    more = ["2024-06-26 15:35:12+00:00", "f" * 40][: len(list(labels)) - 1]
    lines = [[*labels, *items], *([name, *more, *scores] for name, scores in rows)]
    return "".join(",".join(map(str, line)) + "\n" for line in lines)


def zipped(path: Path, members: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return path


@pytest.fixture
def halves() -> dict[str, str | bytes]:
    other = ("org__magpie", [1, 1, 1, 1])
    return {
        "mmlu-pro/M1_nfobs=0_p=0.1.csv": "model,0,1,2,3\norg__heron,,,1,\n",
        "mmlu-pro/M1.csv": table([other, ("org__heron", HERON)]),
        "mmlu-pro/M2.csv": table([("org__wren", map(float, WREN)), other]),
        "__MACOSX/mmlu-pro/._M1.csv": b"\0\1",
    }


def refusal(paths: Path | list[Path], correct: Mapping[str, int] = CORRECT) -> str:
    with pytest.raises(ScoreError) as caught:
        read_matrix(paths if isinstance(paths, list) else [paths], correct, MEMBERS)
    message = str(caught.value)
    assert "\n" not in message
    assert ". Remedy: " in message
    return message


def absence(path: Path, correct: Mapping[str, int], model: str, fault: str) -> str:
    read = read_matrix([path], correct, MEMBERS)
    assert model not in read.scores
    assert read.absent[model].fault == fault
    message = str(read.absent[model])
    assert "\n" not in message
    assert ". Remedy: " in message
    return message


def columns(read: Matrix) -> Scores:
    return np.column_stack(list(read.scores.values()))


def test_rows_are_found_by_name_in_both_halves(tmp_path: Path, halves: dict[str, str]) -> None:
    read = read_matrix([zipped(tmp_path / "m.zip", halves)], CORRECT, MEMBERS)
    assert read.items == ("0", "1", "2", "3")
    np.testing.assert_array_equal(columns(read), np.column_stack([HERON, WREN]))


def test_displayed_count_decides_between_rows_of_one_name(
    tmp_path: Path, halves: dict[str, str]
) -> None:
    halves["mmlu-pro/M2.csv"] += table([("org__wren", [1, 1, 1, 0])]).partition("\n")[2]
    path = zipped(tmp_path / "m.zip", halves)
    np.testing.assert_array_equal(columns(read_matrix([path], CORRECT, MEMBERS))[:, 1], WREN)
    three = read_matrix([path], CORRECT | {"org/wren": 3}, MEMBERS)
    np.testing.assert_array_equal(columns(three)[:, 1], [1, 1, 1, 0])
    assert "its rows have 2, 3 correct answers, and 4 were displayed" in absence(
        path, CORRECT | {"org/wren": 4}, "org/wren", "no_row_with_the_displayed_score"
    )
    # The same row twice is one.
    halves["mmlu-pro/M1.csv"] += table([("org__heron", HERON)]).partition("\n")[2]
    read_matrix([zipped(tmp_path / "m.zip", halves)], CORRECT, MEMBERS)


def test_two_different_rows_with_the_displayed_count(
    tmp_path: Path, halves: dict[str, str]
) -> None:
    halves["mmlu-pro/M2.csv"] += table([("org__wren", [1, 1, 0, 0])]).partition("\n")[2]
    path = zipped(tmp_path / "m.zip", halves)
    message = absence(path, CORRECT, "org/wren", "several_rows_with_the_displayed_score")
    assert "2 different rows have the displayed 2 correct answers" in message
    assert "org/wren" in message


def test_model_without_a_row(tmp_path: Path, halves: dict[str, str]) -> None:
    path = zipped(tmp_path / "m.zip", halves)
    assert list(read_matrix([path], CORRECT | {"org/owl": 1}, MEMBERS).scores) == list(CORRECT)
    message = absence(path, CORRECT | {"org/owl": 1}, "org/owl", "no_row")
    assert "model 'org/owl': it has no row, where 1 correct answers were displayed" in message
    assert "hub: matrices" in message


def test_files_with_other_items_continue_the_rows(tmp_path: Path) -> None:
    """As the 14 files of ATLAS do, under names with a slash and a nameless first column."""
    paths = []
    for name, items in (("law", [2, 3]), ("math", [0, 1])):
        rows = [
            (model, [float(scores[i]) for i in items])
            for model, scores in (("org/wren", WREN), ("org/heron", HERON))
        ]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text(table(rows, items, labels=[""]))
    read = read_matrix(paths, CORRECT)
    assert read.items == ("0", "1", "2", "3")
    np.testing.assert_array_equal(columns(read), np.column_stack([HERON, WREN]))
    assert read.items_of[paths[0]] == {"2", "3"}
    paths[0].write_text(table([("org/wren", [1, 1])], [1, 2], labels=[""]))
    assert "two parts of the matrix share some of their items" in refusal(paths)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ([1, 1, 0, ""], "item '3': its score is '', not 0 or 1"),
        ([1, 1, 0, "nan"], "its score is 'nan', not 0 or 1"),
        ([1, 0.5, 0, 1], "item '1': its score is '0.5', not 0 or 1"),
        ([1, 1, 1], "its row has 3 scores for 4 items"),
        ([1, 1, 0, 1, 0], "its row has 5 scores for 4 items"),
        (['"1', 1, 0, 1], "a line cannot be read"),
    ],
)
def test_row_that_is_not_of_scores(tmp_path: Path, row: list[object], problem: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(table([("org/heron", row)]))
    assert problem in refusal(path)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("", "its header is not one of labels and then numbers of items"),
        ("<html>Please log in</html>", "its header is not one of labels"),
        ("version https://git-lfs.github.com/spec/v1\n", "its header is not one of labels"),
        ("model,0,1,x\n", "its header is not one of labels"),
        ("0,1,2\n", "its header is not one of labels"),
        ("model,0,1,1\n", "its header names an item twice"),
        ("model,0\n" + "x" * (2**20 + 1), "a line has more than 1 MB"),
        ("model,0,1\n" + "org/wren,1,0\n" * 17, "there are more than 16 rows of this model"),
    ],
)
def test_file_that_is_no_matrix(tmp_path: Path, body: str, problem: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(body)
    assert problem in refusal(path)


def test_zip_without_the_members(tmp_path: Path, halves: dict[str, str]) -> None:
    del halves["mmlu-pro/M2.csv"]
    message = refusal(zipped(tmp_path / "m.zip", halves))
    assert "0 of its 3 members are called 'M2.csv'" in message
    halves |= {"mmlu-pro/M2.csv": "", "../../M2.csv": ""}
    assert "2 of its 5 members are called 'M2.csv'" in refusal(zipped(tmp_path / "m.zip", halves))
    assert not (tmp_path.parent / "M2.csv").exists()


def test_path_in_a_zip_is_a_name_and_leads_nowhere(tmp_path: Path, halves: dict[str, str]) -> None:
    outside = {name.replace("mmlu-pro", "../.."): body for name, body in halves.items()}
    read_matrix([zipped(tmp_path / "m.zip", outside)], CORRECT, MEMBERS)
    assert [path.name for path in tmp_path.iterdir()] == ["m.zip"]


def test_zip_that_is_cut_flipped_or_encrypted(tmp_path: Path, halves: dict[str, str]) -> None:
    path = zipped(tmp_path / "m.zip", halves)
    body = path.read_bytes()
    at = body.index(b"mmlu-pro/M1.csv") + 40
    encrypted = bytearray(body)
    for start in _found(body, b"PK\x03\x04"):
        encrypted[start + 6] |= 1
    for start in _found(body, b"PK\x01\x02"):
        encrypted[start + 8] |= 1
    flipped = body[:at] + bytes([body[at] ^ 16]) + body[at + 1 :]
    for damaged in (body[: len(body) // 2], body[:-1], flipped, bytes(encrypted)):
        path.write_bytes(damaged)
        assert "not a readable zip" in refusal(path)


def test_sum_of_a_member_is_checked_though_no_wanted_row_is_damaged(
    tmp_path: Path, halves: dict[str, str]
) -> None:
    path = tmp_path / "m.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, text in halves.items():
            archive.writestr(name, text)
    body = path.read_bytes().replace(b"org__magpie", b"org__magpif")
    path.write_bytes(body)
    assert "Bad CRC-32" in refusal(path)


def test_bombs_are_refused_in_little_memory(tmp_path: Path) -> None:
    """A line without end, and a member that declares more than a matrix can have."""
    path = tmp_path / "m.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(MEMBERS[0], "w") as member:
            member.write(b"model,0\norg/x,")
            for _ in range(300):
                member.write(bytes(2**20))
        archive.writestr(MEMBERS[1], "model,0\norg/x,1\n")
    assert path.stat().st_size < 2**20
    code = (
        "import sys; from pathlib import Path; from replication.hub.matrices import read_matrix\n"
        "try: read_matrix([Path(sys.argv[1])], {'org/x': 1}, ('M1.csv', 'M2.csv'))\n"
        "except Exception as error: print(error)"
    )
    limit = 512 * 2**20
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)),
    )
    assert "has more than 1048576 bytes" in done.stdout, done.stderr
    body = bytearray(path.read_bytes())
    for start in _found(bytes(body), b"PK\x01\x02"):
        body[start + 24 : start + 28] = struct.pack("<I", 2**32 - 2)
    path.write_bytes(bytes(body))
    assert "Remedy" in refusal(path)


def test_blocks_give_each_item_its_label(tmp_path: Path) -> None:
    path = tmp_path / "blocks.csv"
    path.write_text("category,n_items\nlaw,2\ncomputer science,1\n")
    assert block_labels(path) == ("law", "law", "computer science")


def _found(body: bytes, mark: bytes) -> list[int]:
    stream, found, at = io.BytesIO(body), [], 0
    while (at := stream.getvalue().find(mark, at)) >= 0:
        found.append(at)
        at += 1
    return found
