"""Results of SWE-bench in its three forms.

The report is what `make_run_report` of the harness writes (schema version 2), the other two are
what submissions of the leaderboard hold (github.com/SWE-bench/experiments).
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_power._errors import ScoreError
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import recognize
from llm_power._scores.store import TaskScores
from llm_power._scores.swe_bench import FORMAT

IDS = ("astropy__astropy-12907", "django__django-11099", "django__django-9296", "sympy__sympy-1")
A, B, C, D = IDS
NAN = float("nan")
Json = dict[str, Any]


def report(
    resolved: Collection[str],
    *,
    empty: Collection[str] = (),
    error: Collection[str] = (),
    incomplete: Collection[str] = (),
    **changes: Any,
) -> Json:
    """The report on a data set of `IDS`, of which the rest was not resolved."""
    unresolved = [i for i in IDS if i not in {*resolved, *empty, *error, *incomplete}]
    lists = {
        "completed": sorted([*resolved, *unresolved]),
        "incomplete": sorted(incomplete),
        "empty_patch": sorted(empty),
        "submitted": [i for i in IDS if i not in incomplete],
        "resolved": sorted(resolved),
        "unresolved": unresolved,
        "error": sorted(error),
    }
    counts = {f"{name}_instances": len(ids) for name, ids in lists.items() if name != "incomplete"}
    ids = {f"{name}_ids": ids for name, ids in lists.items()}
    return {"total_instances": len(IDS)} | counts | ids | {"schema_version": 2} | changes


def results(resolved: Collection[str], **changes: Any) -> Json:
    return {"no_generation": [], "no_logs": [], "resolved": [*resolved]} | changes


def details(resolved: Collection[str], **changes: Any) -> Json:
    return {i: {"cost": 0.5, "api_calls": 9, "resolved": i in resolved} for i in IDS} | changes


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content, indent=4)
    path.write_text(text, encoding="utf-8")
    return path


def write_ids(folder: Path, ids: Collection[str] = IDS) -> Path:
    return write(folder / "instance_ids.txt", "\n".join(ids) + "\n")


def read(folder: Path, **options: Any) -> TaskScores:
    return FORMAT([folder], ReadOptions(**options))


def test_reports_of_the_harness(tmp_path: Path) -> None:
    """They have every instance in a list, and need nothing beside them."""
    path = write(tmp_path / "org__b.run1.json", report([A, B]))
    write(tmp_path / "org__a.run1.json", report([C], empty=[A], error=[B]))
    assert recognize([tmp_path], ReadOptions()) == recognize([path], ReadOptions()) == "swe_bench"
    task = read(tmp_path, clusters=["repo"], task="lite")
    assert (task.task, task.kind) == ("lite", "binary")
    assert (task.item_ids, task.models) == (IDS, ("org__a.run1", "org__b.run1"))
    np.testing.assert_array_equal(task.values, [[0, 1], [0, 1], [1, 0], [0, 0]])
    assert task.clusters["repo"] == ("astropy__astropy", *["django__django"] * 2, "sympy__sympy")


def test_logs_in_the_working_folder_are_a_task_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lite").mkdir()
    monkeypatch.chdir(tmp_path / "lite")
    write(Path("a.run.json"), report([A]))
    write(Path("b.run.json"), report([B]))
    assert read(Path()).task == "lite"


def test_what_was_not_submitted_has_no_score(tmp_path: Path) -> None:
    """A patch that is empty, or fails to run, was submitted and resolved nothing."""
    write(tmp_path / "a.run.json", report([A], empty=[B], error=[C], incomplete=[D]))
    write(tmp_path / "b.run.json", report([B]))
    np.testing.assert_array_equal(read(tmp_path).values, [[1, 0], [0, 1], [0, 0], [NAN, 0]])


def test_submissions_of_the_leaderboard(tmp_path: Path) -> None:
    """Two forms, called after the folder of the submission."""
    write(tmp_path / "20240402_gpt4" / "results" / "results.json", results([A], no_generation=[B]))
    write(tmp_path / "20260217_mini" / "per_instance_details.json", details([A, D]))
    write_ids(tmp_path)
    task = read(tmp_path)
    assert task.models == ("20240402_gpt4", "20260217_mini")
    np.testing.assert_array_equal(task.values, [[1, 1], [0, 0], [0, 0], [0, 1]])
    assert {Path(name).name for name in task.provenance.files} == {
        "instance_ids.txt",
        "results.json",
        "per_instance_details.json",
    }


def test_which_instances_there_are_is_never_guessed(tmp_path: Path) -> None:
    """Neither from what was resolved, nor from the files of other models."""
    write(tmp_path / "a" / "results.json", results([A, B]))
    write(tmp_path / "b" / "results.json", results([C]))
    write(tmp_path / "c" / "per_instance_details.json", details([A, D]))
    message = (
        "model 'a': it lists the instances that were resolved, and not which there are. Remedy: "
        "put the ids of all instances of the data set into instance_ids.txt, one a line"
    )
    with pytest.raises(ScoreError, match=message):
        read(tmp_path)
    write_ids(tmp_path)
    assert read(tmp_path).n_items == 4


def test_the_list_among_files(tmp_path: Path) -> None:
    """With the files themselves; blank lines and spaces around an id are none of it."""
    paths = [write(tmp_path / m / "results.json", results([i])) for m, i in (("a", A), ("b", B))]
    ids = write(tmp_path / "instance_ids.txt", f"\ufeff{A}\r\n\n {B} \n{C}")
    task = FORMAT([*paths, ids], ReadOptions())
    assert task.item_ids == (A, B, C)
    with pytest.raises(ScoreError, match="it lists the instances that were resolved"):
        FORMAT(paths, ReadOptions())
    with pytest.raises(ScoreError, match="there is no file of results. Remedy: give those of"):
        FORMAT([ids], ReadOptions())


def test_the_list_holds_all_files_to_it(tmp_path: Path) -> None:
    write(tmp_path / "a.run.json", report([A]))
    write(tmp_path / "b.run.json", report([B]))
    write_ids(tmp_path, [*IDS, "new__new-1", "new__new-2"])
    with pytest.raises(
        ScoreError, match="item 'new__new-1': instance_ids.txt has this inst.*and 1"
    ):
        read(tmp_path)
    write_ids(tmp_path, IDS[:-1])
    with pytest.raises(
        ScoreError, match="item 'sympy__sympy-1': this instance is not in instance_"
    ):
        read(tmp_path)


def test_reports_on_different_data_sets(tmp_path: Path) -> None:
    """Instances that one file has and another has not are missing, for a policy to decide on."""
    write(tmp_path / "a.run.json", report([A]))
    other = report([B], resolved_ids=[B, "new__new-1"], total_instances=5)
    write(tmp_path / "b.run.json", other)
    task = read(tmp_path)
    assert task.item_ids == (A, B, C, "new__new-1", D)
    np.testing.assert_array_equal(task.values[3], [NAN, 1])


FAULTS: dict[str, tuple[Any, str]] = {
    "nothing": ("", "not JSON in UTF-8 .*Remedy: write or download the file again"),
    "half of it": (json.dumps(report([A]))[:-9], "not JSON in UTF-8"),
    "a list": ([A], "not results of SWE-bench: there is no list resolved or resolved_ids, and"),
    "an empty object": ({}, "not results of SWE-bench.*Remedy: give results.json, per_instance_de"),
    "counts alone": ({"resolved": 7, "total": 9}, "not results of SWE-bench"),
    "details without an outcome": (details([A]) | {B: {"cost": 1}}, "not every member says whet"),
    "details of text": (details([A]) | {B: {"resolved": "yes"}}, "not every member says whether"),
    "a key twice": ('{"resolved_ids": [], "resolved_ids": []}', "the key 'resolved_ids' twice"),
    "deep nesting": ('{"resolved": ' + "[" * 10**5, "nested too deeply"),
    "ids that are no text": (report([A], error_ids=[7]), "error_ids is not a list of ids. Remedy"),
    "no list of ids": (report([A], unresolved_ids={}), "unresolved_ids is not a list of ids"),
    "an id twice": (report([A, A]), f"item '{A}': resolved_ids has this instance more than once"),
    "two outcomes": (
        report([A], error_ids=[A]),
        f"item '{A}': it is in error_ids and in another list of outcomes. Remedy: have the harn",
    ),
    "instances in no list": (
        report([A], total_instances=300),
        "'incomplete_ids' have 4 instances, total_instances is 300. Remedy: have the harness",
    ),
    "no number of instances": (
        report([A], total_instances=None),
        "have 4 instances, total_instances is None",
    ),
    "a name that no terminal shows": (
        details([A]) | {"\x1b[2J": {"resolved": True}},
        "item id number . .*invisible character",
    ),
}


@pytest.mark.parametrize(("content", "message"), FAULTS.values(), ids=FAULTS)
def test_faults(tmp_path: Path, content: Any, message: str) -> None:
    write(tmp_path / "good.run.json", report([A, B]))
    write(tmp_path / "odd.run.json", content)
    with pytest.raises(ScoreError, match=message) as caught:
        read(tmp_path)
    assert "Remedy: " in str(caught.value)


LIST_FAULTS: dict[str, tuple[Json, str]] = {
    "beyond the list": (
        results([A, "new__new-1"]),
        "item 'new__new-1': resolved has this instance, which is not in instance_ids.txt. Remedy",
    ),
    "not generated beyond the list": (
        results([A], no_generation=["new__new-1"]),
        "item 'new__new-1': no_generation has this instance, which is not in",
    ),
    "resolved without a patch": (
        results([A], no_generation=[A]),
        f"item '{A}': it is in resolved and in no_generation. Remedy: correct the file",
    ),
    "an id twice": (results([A, A]), "resolved has this instance more than once. Remedy: keep it"),
    "ids that are no text": (results([A], no_logs=[7]), "no_logs is not a list of ids"),
    "no list": (results([A], no_generation=7), "no_generation is not a list of ids"),
}


@pytest.mark.parametrize(("content", "message"), LIST_FAULTS.values(), ids=LIST_FAULTS)
def test_faults_of_lists(tmp_path: Path, content: Json, message: str) -> None:
    write(tmp_path / "good" / "results.json", results([A, B]))
    write(tmp_path / "odd" / "results.json", content)
    write_ids(tmp_path)
    with pytest.raises(ScoreError, match=f"model 'odd'.*{message}"):
        read(tmp_path)


def test_lists_of_the_instances_that_cannot_be_used(tmp_path: Path) -> None:
    write(tmp_path / "a.run.json", report([A]))
    write(tmp_path / "b.run.json", report([B]))
    write_ids(tmp_path, [A, B, A])
    with pytest.raises(ScoreError, match=f"item '{A}': the list has this instance more than once"):
        read(tmp_path)
    (tmp_path / "instance_ids.txt").write_bytes(b"a\n\xff")
    with pytest.raises(ScoreError, match="ids.txt': not UTF-8 text, at byte 2. Remedy: save it as"):
        read(tmp_path)
    write_ids(tmp_path)
    write_ids(tmp_path / "other")
    with pytest.raises(ScoreError, match="is another list of the instances. Remedy: keep the one"):
        read(tmp_path)


def test_clusters(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"1": {"resolved": True}, "2": {"resolved": False}})
    write(tmp_path / "b.json", {"1": {"resolved": False}, "2": {"resolved": True}})
    paths = sorted(tmp_path.iterdir())
    assert FORMAT(paths, ReadOptions()).models == ("a", "b")
    with pytest.raises(ScoreError, match="item '1': its id does not say which repository it is of"):
        FORMAT(paths, ReadOptions(clusters=["repo"]))
    with pytest.raises(
        ScoreError, match="nothing to take 'level' of. Remedy: name repo as cluster"
    ):
        FORMAT(paths, ReadOptions(clusters=["level"]))


def test_two_files_of_one_model(tmp_path: Path) -> None:
    write(tmp_path / "a" / "results" / "results.json", results([A]))
    write(tmp_path / "a" / "per_instance_details.json", details([A]))
    with pytest.raises(ScoreError, match="several runs of this model.*keep one file per model"):
        read(tmp_path)


@given(
    columns=st.lists(
        st.tuples(
            st.lists(st.booleans(), min_size=4, max_size=4).filter(lambda c: len({*c}) == 2),
            st.sampled_from(["report", "results", "details"]),
        ),
        min_size=2,
        max_size=4,
    ),
    failed=st.sampled_from(["empty", "error"]),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, columns: list[tuple[list[bool], str]], failed: str
) -> None:
    folder = tmp_path_factory.mktemp("board")
    write_ids(folder)
    for k, (column, form) in enumerate(columns):
        resolved = [item for item, is_resolved in zip(IDS, column, strict=True) if is_resolved]
        others = [item for item in IDS if item not in resolved]
        if form == "report":
            write(folder / f"m{k}.run.json", report(resolved, **{failed: others[:1]}))
        elif form == "results":
            write(folder / f"m{k}.run" / "results" / "results.json", results(resolved))
        else:
            write(folder / f"m{k}.run" / "per_instance_details.json", details(resolved))
    expected = np.column_stack([column for column, _ in columns])
    np.testing.assert_array_equal(read(folder).values, expected)
