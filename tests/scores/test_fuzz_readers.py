"""Damaged bytes: an error of our own or what the bytes really say, and nothing else.

Valid files are damaged at seeded places: bytes flipped, deleted, put in, or cut off. What a reader
makes of the result is compared with what the plain parser of the format finds in the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from llm_power.errors import ScoreError
from llm_power.scores.options import ReadOptions
from llm_power.scores.readers import load_reader, recognize
from llm_power.statistics._seeds import named_rng

N_MUTATIONS = 300
ACC = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0]


def mutations(name: str, data: bytes) -> Iterator[bytes]:
    """Yield damaged copies of `data`, the same in every run; some by bytes it is made of."""
    rng = named_rng(20260528, f"fuzz/{name}")
    for _ in range(N_MUTATIONS):
        at, until = sorted(rng.integers(0, len(data), 2).tolist())
        until = min(until, at + int(rng.integers(1, 40)))
        kind = rng.choice(["flip", "set", "delete", "insert", "repeat", "truncate"])
        bit = bytes([data[at] ^ 1 << int(rng.integers(8))])
        taken = data[int(rng.integers(len(data)))]
        yield {
            "flip": data[:at] + bit + data[at + 1 :],
            "set": data[:at] + bytes([taken]) + data[at + 1 :],
            "delete": data[:at] + data[until:],
            "insert": data[:at] + rng.bytes(3) + data[at:],
            "repeat": data[:until] + data[at:until] + data[until:],
            "truncate": data[:at],
        }[str(kind)]


def sample(doc_id: int) -> dict[str, Any]:
    return {
        "doc_id": doc_id,
        "doc": {"question": f"Why {doc_id}?", "category": "é"},
        "resps": [[["-0.5", "False"]]],
        "filter": "none",
        "metrics": ["acc"],
        "acc": ACC[doc_id],
    }


SAMPLES = [sample(k) for k in range(len(ACC))]
LINES = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in SAMPLES).encode()
LIST = json.dumps(SAMPLES, ensure_ascii=False, indent=1).encode()


def parquet(table: Mapping[str, Any]) -> bytes:
    sink = BytesIO()
    pq.write_table(pa.table(table), sink, compression="none", write_page_checksum=True)
    return sink.getvalue()


TEXTS = {"example": [f"Why {k}?" for k in range(6)], "choices": [["a", "b"]] * 6}
OLD = parquet(TEXTS | {"acc": ACC, "hashes": [{"example": "ab"}] * 6})
NEW = parquet(TEXTS | {"metrics": [{"acc": acc} for acc in ACC]})


def said_by_lines(data: bytes) -> dict[str, float]:
    """A record may go on in the next line, where a break was put in between two of its values."""
    records, rest = [], data.decode("utf-8-sig").strip()
    while rest:
        record, end = json.JSONDecoder().raw_decode(rest)
        records.append(record)
        rest = rest[end:].strip()
    return said_by_records(records)


def said_by_list(data: bytes) -> dict[str, float]:
    return said_by_records(json.loads(data.decode("utf-8-sig")))


def said_by_records(records: list[dict[str, Any]]) -> dict[str, float]:
    scores = {str(record["doc_id"]): record["acc"] for record in records}
    assert len(scores) == len(records)
    return {item: np.nan if acc is None else float(acc) for item, acc in scores.items()}


def said_by_old(data: bytes) -> dict[str, float]:
    return said_by_rows(pq.read_table(BytesIO(data), columns=["acc"]).to_pylist())


def said_by_new(data: bytes) -> dict[str, float]:
    rows = pq.read_table(BytesIO(data), columns=["metrics"]).to_pylist()
    return said_by_rows([row["metrics"] or {"acc": None} for row in rows])


def said_by_rows(rows: list[dict[str, Any]]) -> dict[str, float]:
    scores = {str(k): row["acc"] for k, row in enumerate(rows)}
    return {item: np.nan if acc is None else float(acc) for item, acc in scores.items()}


FORMATS: dict[str, tuple[str, bytes, Callable[[bytes], dict[str, float]]]] = {
    "lm_eval of lines": ("lm_eval", LINES, said_by_lines),
    "lm_eval of a list": ("lm_eval", LIST, said_by_list),
    "details_v1 of the old schema": ("details_v1", OLD, said_by_old),
    "details_v1 of the new schema": ("details_v1", NEW, said_by_new),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file(tmp_path: Path, name: str) -> None:
    """Beside a good one, as the only place an item could hide in is a file that is read."""
    reader_name, data, said = FORMATS[name]
    reader = load_reader(reader_name)
    good, odd = tmp_path / "good", tmp_path / "odd"
    good.write_bytes(data)
    options = ReadOptions(metric="acc")
    n_read = 0
    for damaged in mutations(name, data):
        odd.write_bytes(damaged)
        try:
            task = reader([good, odd], options)
        except ScoreError:
            continue
        n_read += 1
        column = task.values[:, task.models.index("odd")]
        found = dict(zip(task.item_ids, column.tolist(), strict=True))
        expected = dict.fromkeys(said(data), np.nan) | said(damaged)
        np.testing.assert_equal(found, expected)
    # Damage to what is not read is no fault; nearly everything of these small files is.
    assert 0 < n_read < N_MUTATIONS / 2


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_is_recognized_or_refused(tmp_path: Path, name: str) -> None:
    reader, data, _ = FORMATS[name]
    path = tmp_path / "odd"
    names = {reader, "wide", "long", "canonical", "mmlu_pro_zip"}
    for damaged in mutations(name, data):
        path.write_bytes(damaged)
        try:
            assert recognize([path], ReadOptions()) in names
        except ScoreError:
            continue
