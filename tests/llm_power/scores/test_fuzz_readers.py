"""Damaged bytes: an error of our own or what the bytes really say, and nothing else.

Valid files are damaged at seeded places: bytes flipped, deleted, put in, or cut off. What a reader
makes of the result is compared with what the plain parser of the format finds in the same bytes. In
a zip every byte of the data is under a check sum, so that a reader finds what was there or nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from zips import DEFLATED, ZSTANDARD, Member, zip_of

from llm_power._errors import ScoreError
from llm_power._plugins import load_reader, reader_names
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores, recognize
from llm_power._statistics.random_streams import named_rng

N_MUTATIONS = 200
# Of formats that share what reads them (`llm_power._scores._attempts`).
N_OF_ATTEMPTS = 60
NAN = float("nan")
Said = dict[str, float]
ACC = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0]


def n_mutations(name: str) -> int:
    return N_OF_ATTEMPTS if name in ATTEMPTS else N_MUTATIONS


def mutations(name: str, data: bytes) -> Iterator[bytes]:
    """Yield damaged copies of `data`, the same in every run; some by bytes it is made of."""
    rng = named_rng(20260528, f"fuzz/{name}")
    for _ in range(n_mutations(name)):
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


LIGHTEVAL = parquet(
    {
        "doc": [{"query": f"Why {k}?", "choices": ["a", "b"]} for k in range(6)],
        "metric": [{"acc": acc} for acc in ACC],
    }
)


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def said_by_lighteval(data: bytes) -> Said:
    rows = pq.read_table(BytesIO(data), columns=["metric"]).to_pylist()
    return said_by_rows([row["metric"] for row in rows])


INSPECT: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "demo",
        "model": "m",
        "dataset": {"name": "d", "sample_ids": [1, 2, 3]},
        "config": {"epochs": 2},
    },
}
SAMPLES_OF_INSPECT: list[dict[str, Any]] = [
    {
        "id": item,
        "epoch": epoch,
        "input": f"Why {item}?",
        "target": "é",
        "scores": {"acc": {"value": value}},
        **({"error": {"message": "x"}} if value == "N" else {}),
    }
    for item, values in ((1, "CC"), (2, "IC"), (3, "NC"))
    for epoch, value in enumerate(values, start=1)
]
JSON_LOG = json.dumps(INSPECT | {"samples": SAMPLES_OF_INSPECT}, ensure_ascii=False).encode()


def zipped_log(method: int) -> bytes:
    parts = {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in SAMPLES_OF_INSPECT}
    members = {"_journal/start.json": INSPECT} | parts | {"header.json": INSPECT}
    return zip_of(*(Member(n, json.dumps(m).encode(), method) for n, m in members.items()))


OUTPUTS = [
    {"question_id": k, "category": "é", "answer": "A", "pred": pred}
    for k, pred in enumerate(["A", "B", None, "A"])
]
ANSWERS = zip_of(Member("outputs.json", json.dumps(OUTPUTS).encode(), DEFLATED))
HELM = json.dumps(
    [
        {
            "instance_id": f"id{item}",
            "train_trial_index": trial,
            "stats": [{"name": {"name": "acc", "split": "test"}, "count": 1, "mean": mean}],
            **({"perturbation": {"name": "typos"}} if perturbed else {}),
        }
        for item in range(4)
        for trial in range(2)
        for perturbed, mean in ((False, item % 2), (True, 0.5))
    ]
).encode()

IDS = [f"django__django-{k}" for k in range(6)]
REPORT = {
    "total_instances": 6,
    "completed_ids": IDS[:4],
    "incomplete_ids": IDS[5:],
    "empty_patch_ids": IDS[4:5],
    "submitted_ids": IDS[:5],
    "resolved_ids": IDS[:2],
    "unresolved_ids": IDS[2:4],
    "error_ids": [],
    "schema_version": 2,
}
DETAILS = {item: {"cost": 0.5, "resolved": k % 2 == 0} for k, item in enumerate(IDS)}
RESULTS = {"no_generation": IDS[4:5], "no_logs": [], "resolved": IDS[:3]}

WIDE_ROWS = [{"item_id": f"q{k}", "é": k % 2, "b": [1, 0, None, 1][k]} for k in range(4)]
LONG_ROWS = [
    {"item_id": row["item_id"], "model": model, "score": row[model]}
    for row in WIDE_ROWS
    for model in ("é", "b")
]


def lines(records: Iterable[Any]) -> bytes:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()


def parsed_lines(data: bytes) -> list[dict[str, Any]]:
    """A record may go on in the next line, where a break was put in between two of its values."""
    records, rest = [], data.decode("utf-8-sig").strip()
    while rest:
        record, end = json.JSONDecoder().raw_decode(rest)
        records.append(record)
        rest = rest[end:].strip()
    return records


def parsed(data: bytes) -> Any:
    return json.loads(data.decode("utf-8-sig"))


def number(score: Any) -> float:
    return NAN if score is None else float(score)


def said_by_records(records: list[dict[str, Any]]) -> Said:
    scores = {str(record["doc_id"]): number(record["acc"]) for record in records}
    assert len(scores) == len(records)
    return scores


def said_by_old(data: bytes) -> Said:
    return said_by_rows(pq.read_table(BytesIO(data), columns=["acc"]).to_pylist())


def said_by_new(data: bytes) -> Said:
    rows = pq.read_table(BytesIO(data), columns=["metrics"]).to_pylist()
    return said_by_rows([row["metrics"] or {"acc": None} for row in rows])


def said_by_rows(rows: list[dict[str, Any]]) -> Said:
    return {str(k): number(row["acc"]) for k, row in enumerate(rows)}


LETTERS: dict[Any, float] = {"C": 1.0, "I": 0.0, "N": 0.0, "P": 0.5}


def said_by_inspect(data: bytes) -> Said:
    log = parsed(data)
    scores: dict[str, dict[int, float]] = {}
    for one in log["samples"]:
        score = (one.get("scores") or {}).get("acc")
        value = NAN if score is None or one.get("error") is not None else score["value"]
        assert one["epoch"] not in scores.setdefault(str(one["id"]), {})
        scores[str(one["id"])][one["epoch"]] = float(LETTERS.get(value, value))
    epochs = range(1, log["eval"].get("config", {}).get("epochs", 1) + 1)
    known = log["eval"].get("dataset", {}).get("sample_ids", [])
    return dict.fromkeys(map(str, known), NAN) | {
        item: sum(of_item.get(epoch, NAN) for epoch in epochs) / len(epochs)
        for item, of_item in scores.items()
    }


def said_by_helm(data: bytes) -> Said:
    scores: dict[str, dict[int, float]] = {}
    trials = set()
    for one in parsed(data):
        of_item = scores.setdefault(one["instance_id"], {})
        if one.get("perturbation") is not None or not one["stats"]:
            continue
        trials.add(one["train_trial_index"])
        for stat in one["stats"]:
            if stat["name"]["name"] == "acc":
                assert one["train_trial_index"] not in of_item
                of_item[one["train_trial_index"]] = stat["mean"] if stat["count"] else NAN
    return {
        item: sum(of_item.get(trial, NAN) for trial in trials) / len(trials)
        for item, of_item in scores.items()
    }


def said_by_report(data: bytes) -> Said:
    report = parsed(data)
    outcomes = {"resolved": 1.0, "unresolved": 0.0, "empty_patch": 0.0, "error": 0.0}
    return {
        item: score
        for name, score in (outcomes | {"incomplete": NAN}).items()
        for item in report.get(f"{name}_ids", [])
    }


def said_by_results(data: bytes) -> Said:
    resolved = parsed(data)["resolved"]
    assert {*resolved} <= {*IDS}
    return {item: float(item in resolved) for item in IDS}


EVALPLUS = {
    "hash": "é",
    "eval": {
        f"HumanEval/{k}": [{"base_status": one, "plus_status": one}]
        for k, one in enumerate(["pass", "fail", "timeout", "pass"])
    },
}
GRADES = [[True, False], [True, True], [False, False]]
LIVECODE = [{"question_id": f"é{k}", "graded_list": grades} for k, grades in enumerate(GRADES)]
TRIALS = [
    {"task_id": f"t{k // 2}", "is_resolved": one} for k, one in enumerate([True, None, False, True])
]
TERMINAL = {"results": TRIALS, "accuracy": 0.5}
DETAILS_OF_COMPASS = [
    {"example_abbr": f"é_{k}", "correct": [one], "answer": ["4"]}
    for k, one in enumerate([True, False, True])
]
COMPASS = {"accuracy": 200 / 3, "details": DETAILS_OF_COMPASS}
ALPACA = [
    {"instruction": f"Say {k}.", "generator_1": "é", "generator_2": "m", "preference": x}
    for k, x in enumerate([1.5, 2.0, 1.0, None])
]
EVERY = [
    {"schema_version": "0.3.0", "model_id": "é", "evaluation_name": "e", "sample_id": str(k)}
    | {"evaluation_result_id": "r", "input": {"raw": "?"}, "evaluation": {"score": x}}
    for k, x in enumerate([1.0, 0.0, 0.5])
]


def said_by_attempts(attempts: Iterable[tuple[str, Any]]) -> Said:
    scores: dict[str, list[float]] = {}
    for item, score in attempts:
        scores.setdefault(item, []).append(number(score))
    n_attempts = max(map(len, scores.values()))
    return {
        item: sum(of_item) / n_attempts if len(of_item) == n_attempts else NAN
        for item, of_item in scores.items()
    }


def said_by_evalplus(data: bytes) -> Said:
    return said_by_attempts(
        (item, one.get("base_status", "pass") == one.get("plus_status") == "pass")
        for item, solutions in parsed(data)["eval"].items()
        for one in solutions
    )


def said_by_livecode(data: bytes) -> Said:
    return said_by_attempts(
        (str(one["question_id"]), grade) for one in parsed(data) for grade in one["graded_list"]
    )


def said_by_terminal(data: bytes) -> Said:
    return said_by_attempts(
        (str(one["task_id"]), one.get("is_resolved") or False) for one in parsed(data)["results"]
    )


def said_by_compass(data: bytes) -> Said:
    found = parsed(data)["details"]
    return said_by_attempts(
        (str(one.get("example_abbr", number)), grade)
        for number, one in enumerate(found)
        for grade in (one["correct"] if isinstance(one["correct"], list) else [one["correct"]])
    )


def said_by_alpaca(data: bytes) -> Said:
    found = enumerate(parsed(data))
    return {str(k): number(one.get("preference")) - 1 for k, one in found}


def said_by_every(data: bytes) -> Said:
    return said_by_attempts(
        (str(one["sample_id"]), one["evaluation"].get("score"))
        for one in parsed_lines(data)
        if str(one.get("evaluation_result_id")) == "r"
    )


@dataclass(frozen=True)
class Format:
    """Files of one model each: a valid one, and what one that is damaged says."""

    reader: str
    data: bytes
    said: Callable[[bytes], Said]
    name: str = "{}"
    metric: str | None = "acc"
    beside: Mapping[str, bytes] = field(default_factory=dict)


def zipped(reader: str, data: bytes, scores: Iterable[float], first: int, **more: Any) -> Format:
    said = {str(item): score for item, score in enumerate(scores, start=first)}
    return Format(reader, data, lambda _: said, **more)


ANSWERS_NAMED = {"name": "model_outputs_{}_5shots.zip", "metric": None}
FORMATS = {
    "lm_eval of lines": Format("lm_eval", LINES, lambda data: said_by_records(parsed_lines(data))),
    "lm_eval of a list": Format("lm_eval", LIST, lambda data: said_by_records(parsed(data))),
    "details_v1 of the old schema": Format("details_v1", OLD, said_by_old),
    "details_v1 of the new schema": Format("details_v1", NEW, said_by_new),
    "inspect, JSON": Format("inspect", JSON_LOG, said_by_inspect),
    "inspect, deflated": zipped("inspect", zipped_log(DEFLATED), [1, 0.5, NAN], 1),
    "inspect, Zstandard": zipped("inspect", zipped_log(ZSTANDARD), [1, 0.5, NAN], 1),
    "mmlu_pro_zip": zipped("mmlu_pro_zip", ANSWERS, [1, 0, 0, 1], 0, **ANSWERS_NAMED),
    "helm": Format("helm", HELM, said_by_helm),
    "swe_bench, report": Format("swe_bench", json.dumps(REPORT).encode(), said_by_report),
    "swe_bench, details": Format(
        "swe_bench",
        json.dumps(DETAILS).encode(),
        lambda data: {item: float(one["resolved"]) for item, one in parsed(data).items()},
    ),
    "swe_bench, results": Format(
        "swe_bench",
        json.dumps(RESULTS).encode(),
        said_by_results,
        beside={"instance_ids.txt": "\n".join(IDS).encode()},
    ),
    "evalplus": Format("evalplus", as_json(EVALPLUS), said_by_evalplus, metric="plus"),
    "livecodebench": Format("livecodebench", as_json(LIVECODE), said_by_livecode),
    "terminal_bench": Format("terminal_bench", as_json(TERMINAL), said_by_terminal),
    "opencompass": Format("opencompass", as_json(COMPASS), said_by_compass),
    "alpaca_eval": Format("alpaca_eval", as_json(ALPACA), said_by_alpaca),
    "every_eval_ever": Format("every_eval_ever", lines(EVERY), said_by_every, metric="r"),
    "lighteval": Format("lighteval", LIGHTEVAL, said_by_lighteval),
}


ATTEMPTS = {
    *("evalplus", "livecodebench", "terminal_bench", "opencompass", "alpaca_eval"),
    *("every_eval_ever", "lighteval"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file(tmp_path: Path, name: str) -> None:
    """Beside a good one, as the only place an item could hide in is a file that is read."""
    form = FORMATS[name]
    reader = load_reader(form.reader)
    good, odd = (tmp_path / form.name.format(model) for model in ("good", "odd"))
    good.write_bytes(form.data)
    for beside, content in form.beside.items():
        (tmp_path / beside).write_bytes(content)
    paths = [good, odd, *(tmp_path / beside for beside in form.beside)]
    n_read = 0
    for damaged in mutations(name, form.data):
        odd.write_bytes(damaged)
        try:
            task = reader(paths, ReadOptions(metric=form.metric))
        except ScoreError:
            continue
        n_read += 1
        column = task.values[:, task.models.index("odd")]
        found = dict(zip(task.item_ids, column.tolist(), strict=True))
        expected = dict.fromkeys(form.said(form.data), NAN) | form.said(damaged)
        np.testing.assert_equal(found, expected)
    # Damage to what is not read is no fault; nearly everything of these small files is.
    assert 0 < n_read < n_mutations(name) / 2


def said_by_wide(data: bytes) -> dict[str, Said]:
    rows = parsed_lines(data)
    items = [str(row.pop("item_id")) for row in rows]
    scores = {model: [number(row[model]) for row in rows] for model in rows[0]}
    return {model: dict(zip(items, column, strict=True)) for model, column in scores.items()}


def said_by_long(data: bytes) -> dict[str, Said]:
    rows = parsed_lines(data)
    items, models = (dict.fromkeys(str(row[name]) for row in rows) for name in ("item_id", "model"))
    scores = {model: dict.fromkeys(items, NAN) for model in models}
    seen = set()
    for row in rows:
        cell = (str(row["model"]), str(row["item_id"]))
        assert cell not in seen
        seen.add(cell)
        scores[cell[0]][cell[1]] = number(row["score"])
    return scores


TABLES = {
    "wide": (lines(WIDE_ROWS), said_by_wide),
    "long": (lines(LONG_ROWS), said_by_long),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_damaged_table(tmp_path: Path, name: str) -> None:
    """Of JSON Lines; names of models and items are as they are in the damaged file."""
    data, said = TABLES[name]
    path = tmp_path / "table"
    n_read = 0
    for damaged in mutations(name, data):
        path.write_bytes(damaged)
        try:
            task = read_scores([path], ReadOptions(), reader=name)
        except ScoreError:
            continue
        n_read += 1
        found = {
            model: dict(zip(task.item_ids, column, strict=True))
            for model, column in zip(task.models, task.values.T.tolist(), strict=True)
        }
        np.testing.assert_equal(found, said(damaged))
    assert 0 < n_read < N_MUTATIONS / 2


DATA = {name: form.data for name, form in FORMATS.items()} | {n: t[0] for n, t in TABLES.items()}


@pytest.mark.parametrize("name", DATA)
def test_a_damaged_file_is_recognized_or_refused(tmp_path: Path, name: str) -> None:
    path, names = tmp_path / "odd", reader_names()
    for damaged in mutations(name, DATA[name]):
        path.write_bytes(damaged)
        try:
            assert recognize([path], ReadOptions()) in names
        except ScoreError:
            continue
