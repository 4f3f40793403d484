"""The MMLU-Pro authors' zips: real ones cell for cell, and made-up ones with every fault."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from llm_power._errors import ScoreError
from llm_power._scores import _source
from llm_power._scores.mmlu_pro_zip import FORMAT
from llm_power._scores.options import ReadOptions

NAN = np.nan
SKIP = ReadOptions(skip_malformed=True)


def record(question: int, prediction: str | None, **changes: Any) -> dict[str, Any]:
    return {
        "question_id": question,
        "category": "law" if question % 2 else "math",
        "answer": "A",
        "pred": prediction,
        "src": "exam",
        "generated_text": "The answer is (A).",
    } | changes


RIGHT_WRONG = [record(2, "A"), record(10, "B")]
WRONG_RIGHT = [record(10, "A"), record(2, None), record(3, "A")]


def write_zip(
    folder: Path, model: str, payload: Any, *, extra: Mapping[str, bytes] | None = None
) -> Path:
    """Write one output zip; `payload` that is not bytes becomes JSON."""
    folder.mkdir(exist_ok=True)
    path = folder / f"model_outputs_{model}_5shots.zip"
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"model_outputs_{model}_5shots.json", data)
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    return path


def write_pair(folder: Path, first: Any, second: Any = WRONG_RIGHT) -> list[Path]:
    return [write_zip(folder, "one", first), write_zip(folder, "two", second)]


def test_union_of_items_in_order_of_question_id(tmp_path: Path) -> None:
    """No answer found is wrong; no record is missing; 10 comes after 2 and 3."""
    write_pair(tmp_path / "raw", RIGHT_WRONG)
    task = FORMAT([tmp_path / "raw"], ReadOptions())
    assert task.item_ids == ("2", "3", "10")
    assert task.models == ("one", "two")
    np.testing.assert_array_equal(task.values, [[1, 0], [NAN, 1], [0, 1]])
    assert task.clusters == {"category": ("math", "law", "math")}
    assert (task.task, task.kind, task.provenance.source) == ("raw", "binary", "raw")
    assert list(task.provenance.files) == [
        "model_outputs_one_5shots.zip",
        "model_outputs_two_5shots.zip",
    ]
    assert task.provenance.tolerated == {}


def test_other_fields_may_be_clusters(tmp_path: Path) -> None:
    paths = write_pair(tmp_path, RIGHT_WRONG)
    task = FORMAT(paths, ReadOptions(clusters=["src", "category"]))
    assert list(task.clusters) == ["src", "category"]
    with pytest.raises(ScoreError, match="first is record 1, which has no text as subject"):
        FORMAT(paths, ReadOptions(clusters=["subject"]))


def test_zips_may_be_given_one_by_one_in_any_order(tmp_path: Path) -> None:
    paths = write_pair(tmp_path / "raw", RIGHT_WRONG)
    one = FORMAT(paths[::-1], ReadOptions())
    other = FORMAT([tmp_path / "raw"], ReadOptions())
    np.testing.assert_array_equal(one.values, other.values)
    assert (one.models, one.provenance) == (other.models, other.provenance)


def test_what_is_not_data_is_passed_over(tmp_path: Path) -> None:
    finder = {"__MACOSX/._model_outputs_one_5shots.json": b"\x00\x05\x16\x07", "folder/": b""}
    write_zip(tmp_path, "one", RIGHT_WRONG, extra=finder)
    write_zip(tmp_path, "two", WRONG_RIGHT)
    (tmp_path / "SHA256SUMS").write_text("sums", encoding="utf-8")
    assert FORMAT([tmp_path], ReadOptions()).n_models == 2


MALFORMED: list[Any] = [
    "total",
    None,
    ["list"],
    {},
    record(4, "A", question_id="4"),
    record(4, "A", question_id=True),
    record(4, "A", question_id=4.0),
    record(4, "A", pred=1),
    record(4, "A", answer=None),
    record(4, "A", category=None),
    {key: value for key, value in record(4, "A").items() if key != "pred"},
]


@pytest.mark.parametrize("bad", MALFORMED, ids=lambda bad: json.dumps(bad)[:60])
def test_malformed_records_stop_the_run_or_are_counted(tmp_path: Path, bad: Any) -> None:
    paths = write_pair(tmp_path, [*RIGHT_WRONG, bad, bad])
    with pytest.raises(
        ScoreError,
        match="model 'one': 2 of 4 records are malformed, the first is record 3.*skip_malformed",
    ):
        FORMAT(paths, ReadOptions())
    task = FORMAT(paths, SKIP)
    assert task.n_items == 3
    assert task.provenance.tolerated == {"malformed_records": {"one": 2}}


def test_two_answer_keys_stop_the_run_or_are_counted(tmp_path: Path) -> None:
    """Two of three files say A: the model of the third was judged by another key."""
    paths = write_pair(tmp_path, RIGHT_WRONG)
    paths.append(write_zip(tmp_path, "late", [record(2, "B", answer="B"), record(10, "B")]))
    with pytest.raises(
        ScoreError, match=r"model 'late', item '2': .* 1 of its answers .*'B' instead of 'A'"
    ):
        FORMAT(paths, ReadOptions())
    task = FORMAT(paths, ReadOptions(answer_key="own"))
    assert task.values[0, task.models.index("late")] == 1
    assert task.provenance.tolerated == {"other_answer_key": {"late": 1}}
    excluded = FORMAT(paths, ReadOptions(exclude=["late"]))
    assert excluded.models == ("one", "two")
    assert len(excluded.provenance.files) == 2


BAD: dict[str, tuple[Sequence[Any], str]] = {
    "category differs": (
        [*RIGHT_WRONG[:1], record(10, "B", category="art")],
        r"model 'two', item '10': its labels are 'math', in .*model_outputs_one_5shots.zip 'art'",
    ),
    "question twice": ([*RIGHT_WRONG, record(2, "B")], "item '2': this question occurs more than"),
    "no records": ([], "model 'one': this model has no score at all"),
}


@pytest.mark.parametrize(("records", "message"), BAD.values(), ids=BAD.keys())
def test_records_that_contradict_each_other(
    tmp_path: Path, records: Sequence[Any], message: str
) -> None:
    with pytest.raises(ScoreError, match=message):
        FORMAT(write_pair(tmp_path, records), ReadOptions())


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b'[{"question_id": 1, "question_id": 2}]', "an object has the key 'question_id' twice"),
        (b'[{"question_id": 1}', "not JSON in UTF-8"),
        (b"[" * 100_000, "not JSON in UTF-8"),
        (b"[" + b"9" * 5000 + b"]", "not JSON in UTF-8"),
        (b'["\xff"]', "not JSON in UTF-8"),
        (b"", "not JSON in UTF-8"),
        (b'{"question_id": 1}', "not a list of records"),
    ],
    ids=["twice", "cut", "deep", "long number", "latin-1", "nothing", "object"],
)
def test_a_payload_that_is_no_list_of_records(tmp_path: Path, payload: bytes, message: str) -> None:
    with pytest.raises(ScoreError, match=message) as raised:
        FORMAT(write_pair(tmp_path, payload), SKIP)
    assert "model_outputs_one_5shots.zip" in str(raised.value)


def test_names_in_records_are_hostile_text(tmp_path: Path) -> None:
    """A lone surrogate is legal JSON and cannot be written to any file."""
    paths = write_pair(tmp_path, [record(2, "A"), record(11, "B", category="\ud800")])
    with pytest.raises(ScoreError, match="contains a control or invisible character"):
        FORMAT(paths, ReadOptions())


def test_one_payload_a_zip(tmp_path: Path) -> None:
    paths = write_pair(tmp_path, RIGHT_WRONG)
    write_zip(tmp_path, "one", RIGHT_WRONG, extra={"more.json": b"[]"})
    with pytest.raises(ScoreError, match="holds 2 files instead of one"):
        FORMAT(paths, ReadOptions())
    with zipfile.ZipFile(paths[0], "w"):
        pass
    with pytest.raises(ScoreError, match="holds 0 files instead of one"):
        FORMAT(paths, ReadOptions())


def test_what_a_zip_expands_to_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_source, "LARGEST_PAYLOAD", 2 * 2**20)
    paths = write_pair(tmp_path, b"[" + b" " * (3 * 2**20) + b"]")
    assert paths[0].stat().st_size < 10_000
    with pytest.raises(ScoreError, match="expands to more than 2 MB"):
        FORMAT(paths, ReadOptions())


def test_a_damaged_zip(tmp_path: Path) -> None:
    paths = write_pair(tmp_path, RIGHT_WRONG)
    whole = paths[0].read_bytes()
    for length in range(0, len(whole), 7):
        paths[0].write_bytes(whole[:length])
        with pytest.raises(ScoreError, match="not a readable zip"):
            FORMAT(paths, ReadOptions())
    # Bytes flipped inside of the compressed data: the checksum of the zip finds them.
    start = whole.index(b".json") + len(b".json")
    for place in range(start, start + 40):
        paths[0].write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(ScoreError, match="not a readable zip"):
            FORMAT(paths, ReadOptions())


def test_an_encrypted_zip(tmp_path: Path) -> None:
    paths = write_pair(tmp_path, RIGHT_WRONG)
    data = bytearray(paths[0].read_bytes())
    # General purpose bit 0 in the local and in the central header says: encrypted.
    data[data.index(b"PK\x03\x04") + 6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    paths[0].write_bytes(data)
    with pytest.raises(ScoreError, match="not a readable zip .*encrypted"):
        FORMAT(paths, ReadOptions())


def test_a_path_inside_a_zip_is_never_followed(tmp_path: Path) -> None:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("../../escaped.json", json.dumps(RIGHT_WRONG))
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    paths = write_pair(folder, RIGHT_WRONG)
    paths[0].write_bytes(sink.getvalue())
    FORMAT(paths, ReadOptions())
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "model_outputs_one_5shots.zip",
        "model_outputs_two_5shots.zip",
    ]


def test_file_names_say_the_model(tmp_path: Path) -> None:
    paths = write_pair(tmp_path, RIGHT_WRONG)
    odd = tmp_path / "results.zip"
    odd.write_bytes(paths[0].read_bytes())
    with pytest.raises(ScoreError, match=r"results\.zip': the file name does not say"):
        FORMAT([tmp_path], ReadOptions())


def test_two_zips_of_one_model(tmp_path: Path) -> None:
    paths = write_pair(tmp_path, RIGHT_WRONG)
    again = tmp_path / "model_outputs_one_0shots.zip"
    again.write_bytes(paths[0].read_bytes())
    with pytest.raises(ScoreError, match="model 'one': there are several runs .*one_0shots.zip"):
        FORMAT([tmp_path], ReadOptions())


def test_declarations_that_cannot_be_met(tmp_path: Path) -> None:
    paths = write_pair(tmp_path, RIGHT_WRONG)
    with pytest.raises(ScoreError, match="scores of this format are binary"):
        FORMAT(paths, ReadOptions(kind="graded"))


@pytest.mark.slow
def test_the_real_zips_give_the_correctness_table(data_root: Path) -> None:
    """15 real files against the table made from them by others: pred == answer, cell by cell.

    DeepSeek-Coder-V2 holds 43 records that are strings. gemini-1.5-flash-002 gives another
    answer than the 14 others on 33 items, 32 of which DeepSeek-Coder-V2 covers.
    """
    folder = data_root / "mmlu_pro" / "raw"
    with pytest.raises(ScoreError, match="model 'DeepSeek-Coder-V2': 43 of 10394 records"):
        FORMAT([folder], ReadOptions())
    options = ReadOptions(task="mmlu_pro", skip_malformed=True, answer_key="own")
    task = FORMAT([folder], options)
    assert task.provenance.tolerated == {
        "malformed_records": {"DeepSeek-Coder-V2": 43},
        "other_answer_key": {"gemini-1.5-flash-002": 33},
    }
    table = pd.read_parquet(data_root / "mmlu_pro" / "correctness.parquet")
    assert task.item_ids == tuple(table.index.astype(str))
    assert task.clusters == {"category": tuple(table["category"])}
    assert task.models == tuple(table.columns.drop("category"))
    expected = table.drop(columns="category").to_numpy(dtype=np.float64, na_value=NAN)
    np.testing.assert_array_equal(task.values, expected)
    sums = (data_root / "mmlu_pro" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    published = {Path(line.split()[1]).name: line.split()[0] for line in sums}
    assert task.provenance.files.items() <= published.items()


def test_the_real_zips_do_not_share_an_answer_key(data_root: Path) -> None:
    """Compared with one other model the disagreement is found as well as among 15."""
    folder = data_root / "mmlu_pro" / "raw"
    names = ("Yi-6B", "gemini-1.5-flash-002", "gemma-7b")
    paths = [folder / f"model_outputs_{name}_5shots.zip" for name in names]
    with pytest.raises(ScoreError, match=r"model 'gemini-1\.5-flash-002', .*33 of its answers"):
        FORMAT(paths, ReadOptions())
