"""Tables in every form people have: separators, compression, workbooks, nested fields, repeats."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from zips import DEFLATED, STORED, Member, zip_of

from llm_power._errors import ScoreError
from llm_power._scores import _table
from llm_power._scores._source import read_file
from llm_power._scores.frames import read_frame
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores, read_tasks

WIDE = "item_id,topic,m1,m2\nq1,law,1,0\nq2,math,,1\nq3,law,1,1\n"
SCORES = [[1, 0], [np.nan, 1], [1, 1]]


def workbook(sheets: dict[str, str]) -> bytes:
    from io import BytesIO  # noqa: PLC0415

    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, text in sheets.items():
        sheet = book.create_sheet(title)
        for line in text.splitlines():
            sheet.append([int(c) if c.isdecimal() else c or None for c in line.split(",")])
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "exam.tsv": lambda data: data.replace(b",", b"\t"),
    "exam.csv": lambda data: data.replace(b",", b";"),
    "exam.csv.gz": gzip.compress,
    "exam.csv.xz": lzma.compress,
    "exam.csv.zip": lambda data: zip_of(Member("exam.csv", data, DEFLATED)),
    "exam.xlsx": lambda data: workbook({"scores": data.decode(), "empty": ""}),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_one_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FORMS[name](WIDE.encode()))
    task = read_scores(path, ReadOptions(clusters=["topic"]))
    assert (task.task, task.models, task.item_ids) == ("exam", ("m1", "m2"), ("q1", "q2", "q3"))
    np.testing.assert_array_equal(task.values, SCORES)
    assert task.clusters["topic"] == ("law", "math", "law")


def test_compressed_json_lines_and_parquet(tmp_path: Path) -> None:
    rows = [{"item": k, "m1": k % 2, "m2": 1} for k in range(4)]
    path = tmp_path / "exam.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    assert read_scores(path).n_items == 4
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "exam.parquet")
    packed = tmp_path / "packed.zip"
    member = Member("exam.parquet", (tmp_path / "exam.parquet").read_bytes(), DEFLATED)
    packed.write_bytes(zip_of(member))
    assert read_scores(packed).n_items == 4


def test_a_zip_of_one_table_as_the_finder_makes_it(tmp_path: Path) -> None:
    packed = tmp_path / "exam.zip"
    packed.write_bytes(
        zip_of(
            Member("exam/", b"", STORED),
            Member("exam/exam.csv", WIDE.encode(), DEFLATED),
            Member("__MACOSX/exam/._exam.csv", b"\0\5\x16\7", DEFLATED),
        )
    )
    np.testing.assert_array_equal(read_scores(packed, reader="wide").values, SCORES)


BAD: dict[str, tuple[str, bytes, str]] = {
    "half of a gz": ("t.csv.gz", gzip.compress(WIDE.encode())[:30], "what it compresses cannot"),
    "half of an xz": ("t.csv.xz", lzma.compress(WIDE.encode())[:50], "what it compresses cannot"),
    "two in a zip": (
        "t.zip",
        zip_of(*(Member(name, WIDE.encode(), DEFLATED) for name in ("a.csv", "b.csv"))),
        "the zip holds 2 files: 'a.csv', 'b.csv'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_expanded(tmp_path: Path, name: str) -> None:
    file, data, message = BAD[name]
    (tmp_path / file).write_bytes(data)
    with pytest.raises(ScoreError, match=message):
        read_scores(tmp_path / file, reader="wide")


def test_a_workbook_of_two_sheets(tmp_path: Path) -> None:
    path = tmp_path / "exam.xlsx"
    path.write_bytes(workbook({"a": WIDE, "b": WIDE}))
    with pytest.raises(ScoreError, match="2 sheets with content: 'a', 'b'. Remedy: keep one.*'a'"):
        read_scores(path)
    assert read_scores(path, ReadOptions(task="b")).task == "b"
    path.write_bytes(path.read_bytes()[:900] + b"\0" * 100 + path.read_bytes()[1000:])
    with pytest.raises(ScoreError, match="not a readable"):
        read_scores(path)


def test_a_workbook_row_of_zeros_is_an_item(tmp_path: Path) -> None:
    path = tmp_path / "exam.xlsx"
    path.write_bytes(workbook({"exam": "item_id,m1,m2\n0,0,0\n1,1,0\n,,\n"}))
    assert read_scores(path).item_ids == ("0", "1")


def write(tmp_path: Path, text: str, name: str = "exam.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["noten.xlsx", "semicolon.csv", "utf16.csv"])
def test_what_libreoffice_saves_in_a_german_locale(name: str) -> None:
    path = Path(__file__).parent / "spreadsheets/libreoffice-7.4.7" / name
    task = read_scores(path, ReadOptions(kind="graded", item="Frage"))
    expected = [[0.825, 0.5, 0.25, 1, 0.125, 0.375], [0.75, 0.625, np.nan, 0.9, 0.3, 0.5]]
    np.testing.assert_array_equal(task.values.T, expected)
    assert task.item_ids[-1] == 'f6 "Zitat"; mit Komma, und Umlaut ä'


def test_a_column_that_a_spreadsheet_leaves_empty_is_one_to_exclude(tmp_path: Path) -> None:
    text = "Frage;alt;neu;Kommentar\nf1;0,5;0,25;\nf2;1;;\n"
    with pytest.raises(
        ScoreError, match="model 'Kommentar': this model has no score at all"
    ) as one:
        read_tasks(write(tmp_path, text, "noten.csv"))
    assert one.value.settings["exclude"] == ["Kommentar"]
    options = ReadOptions(exclude=["neu"], item="Frage", kind="graded")
    with pytest.raises(ScoreError) as both:
        read_tasks(tmp_path / "noten.csv", options)
    assert both.value.settings == {"exclude": ["neu", "Kommentar"]}


def test_a_spreadsheet_of_another_format_is_to_be_saved_as_one_that_is_read() -> None:
    path = Path(__file__).parent / "spreadsheets/libreoffice-7.4.7/noten.fods"
    with pytest.raises(ScoreError, match=r"not read\. Remedy: save it as \.xlsx or \.csv"):
        read_scores(path)


def test_quotes_take_the_fast_reader_and_say_what_the_slow_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, 'item,"a ""b"", c",m2\n"q,1",1,"0"\n"q\n""2""",0,1\n"",1,1\n', "x.csv")
    slow = _table._of_rows(_table._csv_rows(path.read_bytes(), read_file(path)), read_file(path))

    def refused(*_: object) -> None:
        raise AssertionError("read row by row")

    monkeypatch.setattr(_table, "_of_rows", refused)
    fast = _table.read_csv(read_file(path))
    assert {name: fast.labels(name) for name in fast.columns} == {
        name: slow.labels(name) for name in slow.columns
    }


def test_words_that_mean_one(tmp_path: Path) -> None:
    path = write(tmp_path, "item,m1,m2\nq1,Pass,fail\nq2,pass,\nq3,timeout,pass\n")
    with pytest.raises(ScoreError, match="'Pass' in column 'm1' is not a score.*Besides, .*'m2'"):
        read_scores(path)
    task = read_scores(path, ReadOptions(true=["pass"]))
    np.testing.assert_array_equal(task.values, [[1, 0], [1, np.nan], [0, 1]])
    rows = [{"item": k, "m1": "pass", "m2": "fail"} for k in range(2)]
    lines = write(tmp_path, "\n".join(map(json.dumps, rows)), "exam.jsonl")
    assert read_scores(lines, ReadOptions(true=["pass"])).mean_scores.tolist() == [1, 0]


def test_percent(tmp_path: Path) -> None:
    for sign in ("%", ""):
        path = write(tmp_path, f"item,m1,m2\nq1,100,40{sign}\nq2,12.5,0{sign}\n")
        task = read_scores(path, ReadOptions(percent=True, kind="graded"))
        np.testing.assert_array_equal(task.values, [[1, 0.4], [0.125, 0]])
    with pytest.raises(ScoreError, match=r"outside \[0, 1\].*Remedy: rescale .*percent"):
        read_scores(path, ReadOptions(kind="graded"))


def test_a_spreadsheet_of_a_country_with_decimal_commas(tmp_path: Path) -> None:
    text = "item;heron;wren\r\nq1;0,5;62,5 %\r\nq2;1;#N/A\r\nq3;,25;100%\r\n"
    path = write(tmp_path, text)
    graded = ReadOptions(kind="graded")
    expected = [[0.5, 0.625], [1, np.nan], [0.25, 1]]
    np.testing.assert_array_equal(read_scores(path, graded).values, expected)
    # As "Unicode text", which has tabs.
    path.write_bytes(text.replace(";", "\t").encode("utf-16"))
    np.testing.assert_array_equal(read_scores(path, graded).values, expected)
    # Every cell quoted, as R writes it.
    quoted = "\n".join(";".join(f'"{c}"' for c in line.split(";")) for line in text.splitlines())
    np.testing.assert_array_equal(
        read_scores(write(tmp_path, quoted), graded).values,
        expected,
    )


def test_what_a_spreadsheet_writes_is_said(tmp_path: Path) -> None:
    for name, text in {
        "wide.csv": "item;heron;wren\nq1;0,5;62,5 %\nq2;1;#NV\n",
        "long.csv": "item;model;score\nq1;heron;0,5\nq1;wren;62,5 %\nq2;wren;#NV\n",
    }.items():
        folder = tmp_path / name.removesuffix(".csv")
        folder.mkdir()
        (folder / name).write_text(text, encoding="utf-8-sig")
        (folder / "~$open.xlsx").write_text("")
        notes: list[str] = []
        read_tasks(folder, ReadOptions(kind="graded"), on_note=notes.append)
        assert notes == [
            f"folder {folder}: reads its one table, {name}",
            f"task {folder.name}: 0,5 is 0.5; #NV is a missing score; 62,5 % is 0.625",
        ]
    (folder / "more.csv").write_text(text)
    with pytest.raises(ScoreError, match=r"holds no logs, and 2 tables.*long\.csv .*more\.csv"):
        read_scores(folder)


def test_a_comma_that_may_separate_thousands_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "item;heron;wren\nq1;1,234;2,5\n")
    with pytest.raises(ScoreError, match=r"'1,234' in column 'heron' may be 1\.234 or 1234"):
        read_scores(path, ReadOptions(kind="real", unit="ms"))


def test_not_available_is_no_word_of_failure(tmp_path: Path) -> None:
    path = write(tmp_path, "item,heron,wren\nq1,pass,#N/A\nq2,fail,pass\n")
    values = read_scores(path, ReadOptions(true=["pass"])).values
    np.testing.assert_array_equal(values, [[1, np.nan], [0, 1]])


def test_a_long_table_of_several_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels keep their codes from one block of the file to the next."""
    monkeypatch.setattr(_table, "_CSV_BLOCK", 64)
    rows = [(f"q{i}", f"m{j}", (i * j) % 2) for j in range(3) for i in (2, 0, 1, 3)]
    text = "item,model,score\n" + "".join(f"{i},{m},{s}\n" for i, m, s in rows)
    task = read_scores(write(tmp_path, text))
    assert (task.item_ids, task.models) == (("q2", "q0", "q1", "q3"), ("m0", "m1", "m2"))
    np.testing.assert_array_equal(task.values, [[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 0]])


LONG = [
    (task, item, model, repeat, (len(task) + item + len(model) + repeat) % 2)
    for task in ("law", "math")
    for item in (1, 2, 3)
    for model in ("m1", "m22")
    for repeat in (1, 2)
]


def long_table(tmp_path: Path, rows: list[tuple[Any, ...]]) -> Path:
    lines = ["exam,item,model,run,score", *(",".join(map(str, row)) for row in rows)]
    return write(tmp_path, "\n".join(lines))


def test_tasks_and_repeats_of_a_long_table(tmp_path: Path) -> None:
    path = long_table(tmp_path, LONG)
    with pytest.raises(ScoreError, match="once more.*name the column of the repeats"):
        read_tasks(path, ReadOptions(task_column="exam"))
    options = {"task_column": "exam", "repeat_column": "run"}
    law, math = read_tasks(path, ReadOptions(**options))  # type: ignore[arg-type]
    assert (law.task, math.task, law.kind) == ("law", "math", "graded")
    np.testing.assert_array_equal(law.values, np.full((3, 2), 0.5))
    (only,) = read_tasks(path, ReadOptions(task="math", **options))  # type: ignore[arg-type]
    np.testing.assert_array_equal(only.values, math.values)
    with pytest.raises(ScoreError, match="no task 'art'; the tasks are 'law', 'math'"):
        read_tasks(path, ReadOptions(task="art", **options))  # type: ignore[arg-type]
    with pytest.raises(ScoreError, match="several tasks: 'law', 'math'. Remedy: choose one"):
        read_scores(path, ReadOptions(**options))  # type: ignore[arg-type]


def test_a_repeat_that_is_not_there_is_a_missing_score(tmp_path: Path) -> None:
    path = long_table(tmp_path, LONG[1:])
    law, _ = read_tasks(path, ReadOptions(task_column="exam", repeat_column="run"))
    assert np.isnan(law.values).sum() == 1
    assert np.isnan(law.values[law.item_ids.index("1"), law.models.index("m1")])


def test_fields_by_their_path(tmp_path: Path) -> None:
    rows = [
        {
            "doc": {"id": item, "topic": {"name": "law"}},
            "model": model,
            "metrics": {"acc": item % 2},
        }
        for item in (1, 2)
        for model in ("a", "b")
    ]
    names = {"item": "doc.id", "score": "metrics.acc", "clusters": ["doc.topic.name"]}
    lines = write(tmp_path, "\n".join(map(json.dumps, rows)), "exam.jsonl")
    table = tmp_path / "exam.parquet"
    pq.write_table(pa.Table.from_pylist(rows), table)
    for path in (lines, table):
        task = read_scores(path, ReadOptions(**names))  # type: ignore[arg-type]
        assert (task.item_ids, task.models) == (("1", "2"), ("a", "b"))
        np.testing.assert_array_equal(task.values, [[1, 1], [0, 0]])
        assert task.clusters["doc.topic.name"] == ("law", "law")
        with pytest.raises(ScoreError, match=r"there is no column 'metrics.em'|no score at all"):
            read_scores(path, ReadOptions(item="doc.id", score="metrics.em"))


def test_a_column_that_looks_like_a_property_is_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path, "item,m1,difficulty,m2\nq1,1,0,0\nq2,0,1,1\n")
    with pytest.raises(ScoreError, match="is column 'difficulty' a model.*would be 'm1', 'm2'"):
        read_scores(path)
    assert read_scores(path, ReadOptions(exclude=["difficulty"])).models == ("m1", "m2")
    assert read_scores(path, ReadOptions(clusters=["difficulty"])).models == ("m1", "m2")


def test_two_faults_are_told_together(tmp_path: Path) -> None:
    path = write(tmp_path, "item,m1,m2,m3\nq1,1,no,0\nq2,0,1,x\n")
    with pytest.raises(ScoreError, match="'no' in column 'm2'.*Besides, model 'm3', item 'q2'"):
        read_scores(path)
    path = write(tmp_path, "item,m1,m2\nq1,1,3\nq2,7,1\n")
    with pytest.raises(ScoreError, match=r"model 'm2', item 'q1': score 3.0 .*1 more"):
        read_scores(path)


@pytest.mark.parametrize(("bad", "more"), [(4, False), (5, True)])
def test_four_faults_are_named_and_more_only_counted_in(
    bad: int, more: bool, tmp_path: Path
) -> None:
    names = ",".join(f"m{i}" for i in range(bad))
    path = write(tmp_path, f"item,{names}\nq1{',no' * bad}\nq2{',1' * bad}\n")
    with pytest.raises(ScoreError, match="'no' in column 'm0'") as fault:
        read_scores(path)
    assert [f"'m{i}'" in str(fault.value) for i in range(5)] == [True] * 4 + [False]
    assert ("and more" in str(fault.value)) is more


@pytest.mark.parametrize(
    ("form", "reads"),
    [
        ("csv", "llm_power._scores._source.open_file"),
        ("parquet", "pyarrow.parquet.read_schema"),
        ("parquet", "pyarrow.parquet.read_table"),
        ("parquet", "pyarrow.compute.struct_field"),
        ("xlsx", "openpyxl.load_workbook"),
    ],
)
def test_a_lack_of_memory_is_no_fault_of_the_file(
    form: str, reads: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"exam.{form}"
    rows = [{"item": f"q{k}", "who": {"name": f"m{k % 2}"}, "solved": k % 2} for k in range(4)]
    if form == "csv":
        path.write_text(WIDE)
    elif form == "xlsx":
        path.write_bytes(workbook({"exam": WIDE}))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)

    def fail(*_: object, **__: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    monkeypatch.setattr(reads, fail)
    with pytest.raises(MemoryError):
        read_scores(path, ReadOptions(item="item", model="who.name", score="solved"))


def test_a_lack_of_memory_is_no_fault_of_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    monkeypatch.setattr("narwhals.from_native", fail)
    with pytest.raises(MemoryError):
        read_frame(pa.table({"item_id": ["q1"], "m1": [1]}))
