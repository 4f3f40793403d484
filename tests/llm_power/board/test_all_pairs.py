"""All pairs in chunks: the numbers of single pairs, bit for bit, however they are cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from board_examples import task_of, written_pairs
from llm_power._board import all_pairs
from llm_power._board.all_pairs import (
    BoardPairs,
    FamilyValues,
    family_of,
    p_values_between,
)
from llm_power._board.columns import CORE_COLUMNS, PAIRS_COLUMNS
from llm_power._board.counts import ScoreMoments
from llm_power._board.operating_point import (
    Declared,
    OperatingPoint,
    pair_indices,
    pairs_at,
    place_of,
)
from llm_power._board.pair_items import Columns, DifferenceMoments
from llm_power._board.pair_store import read_family, write_family
from llm_power._board.resolve import board_of, resolve_board, shown_verdicts, stream_board
from llm_power._board.stream import (
    Keep,
    Tally,
    columns_between,
    is_streamed,
    shown_pairs,
    stream_pairs,
)
from llm_power._choices import Family, Kind
from llm_power._errors import InvalidArgument
from llm_power._scores.selection import prepare_task
from llm_power._scores.store import TaskScores
from llm_power._statistics.arrays import FloatArray, IntArray
from llm_power._statistics.max_t import max_t_family
from llm_power._statistics.multiplicity import adjust_benjamini_hochberg, adjust_holm

POINT = OperatingPoint()


@st.composite
def boards(draw: st.DrawFn) -> tuple[list[TaskScores], str | None, Declared]:
    """Boards with ties, gaps, constant and equal models, b = c, strangers, and few items."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    graded = draw(st.booleans())
    n_models, n_tasks = draw(st.integers(2, 6)), draw(st.integers(1, 2))
    missing = draw(st.sampled_from([0.0, 0.1, 0.6]))
    tasks = []
    for number in range(n_tasks):
        n_items = draw(st.sampled_from([1, 2, 7, 40, 90]))
        values = rng.uniform(size=(n_items, n_models)) + rng.uniform(-0.3, 0.3, size=(n_items, 1))
        values = np.clip(values, 0, 1) if graded else (values > 0.5).astype(float)
        if draw(st.booleans()):
            values[:, 0] = 1.0
            values[:, -1] = values[:, -2]
        holes = rng.uniform(size=values.shape) < missing
        holes[rng.integers(n_items, size=n_models), np.arange(n_models)] = False
        values[holes] = np.nan
        tasks.append(task_of(values, f"task {number}", kind="graded" if graded else "binary"))
    cluster = draw(st.sampled_from([None, "subject"]))
    declared = Declared(
        test=draw(st.sampled_from(["exact", "mid_p", "asymptotic"])),
        margin=draw(st.sampled_from([None, 0.1])),
        clusters=draw(st.sampled_from(["random", "fixed"])),
        weighted=cluster is not None and missing > 0 and draw(st.booleans()),
    )
    return tasks, cluster, declared


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    if found.dtype.kind in "OUT":
        return bool(np.all(found == expected))
    # The products of graded scores are rounded by the number of cores of the linear algebra.
    numbers = found.astype(float), expected.astype(float)
    return np.allclose(*numbers, rtol=1e-12, atol=1e-14, equal_nan=True)


def frame(parts: list[Columns]) -> pd.DataFrame:
    return pd.concat([pd.DataFrame(dict(part)) for part in parts], ignore_index=True)


def whole_family(pairs: BoardPairs) -> FamilyValues:
    return pairs.adjusted(*p_values_between(pairs, 0, pairs.n_pairs))


# Whole boards are not worth shrinking: it takes minutes.
@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(boards(), st.integers(1, 5), st.integers(1, 4), st.integers(1, 3))
def test_columns_are_those_of_single_pairs_however_they_are_cut(
    board: tuple[list[TaskScores], str | None, Declared], chunk: int, block: int, threads: int
) -> None:
    tasks, cluster, declared = board
    pairs = BoardPairs(tasks, "all", cluster, POINT, declared)
    family = whole_family(pairs)
    whole = frame([pairs.columns(0, pairs.n_pairs, family)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(all_pairs, "CHUNK", chunk)
        patch.setattr(all_pairs, "BLOCK", block)
        patch.setattr(all_pairs, "MOST_SUMS", 6)
        cut = BoardPairs(tasks, "all", cluster, POINT, declared)
        p = p_values_between(cut, 0, cut.n_pairs, threads=threads)
        np.testing.assert_array_equal(cut.adjusted(*p).decided.p, family.decided.p)
        parts = columns_between(cut, 0, cut.n_pairs, family, threads=threads)
        in_parts = frame([columns for _, columns in parts])
    assert [
        name for name in whole if not same(whole[name].to_numpy(), in_parts[name].to_numpy())
    ] == []
    for place in range(pairs.n_pairs):
        at = np.array([place])
        row = shown_verdicts(pairs, family.of(at), at)
        columns = {
            name: (whole[name].to_numpy()[[place]], row[name].to_numpy())
            for name in set(whole) - {"task"}
        }
        assert [name for name, both in columns.items() if not same(*both)] == []


def test_sums_of_clusters_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [prepare_task(drawn_task(6, 80)), prepare_task(replace(drawn_task(5, 70), task="quiz"))]
    whole = resolve_board(tasks, family="all", cluster="subject").verdicts
    monkeypatch.setattr(all_pairs, "MOST_SUMS", 20)
    cut = resolve_board(tasks, family="all", cluster="subject").verdicts
    pd.testing.assert_frame_equal(cut, whole, rtol=1e-12)


def drawn_task(n_models: int = 12, n_items: int = 300, seed: int = 1) -> TaskScores:
    rng = np.random.default_rng(seed)
    skill = np.linspace(1.5, -0.5, n_models)
    values = rng.normal(size=(n_items, n_models)) + rng.normal(size=(n_items, 1)) + skill > 0
    return task_of(values, subjects=7)


def test_places_and_pairs_are_inverse() -> None:
    for n_models in (2, 3, 50):
        first, second = pair_indices(n_models, "all")
        np.testing.assert_array_equal(first, np.triu_indices(n_models, k=1)[0])
        np.testing.assert_array_equal(second, np.triu_indices(n_models, k=1)[1])
        np.testing.assert_array_equal(place_of(n_models, first, second), np.arange(len(first)))
    # The last of the pairs of a hundred thousand models.
    last = 100_000 * 99_999 // 2 - 1
    assert [int(x[0]) for x in pairs_at(100_000, "all", np.array([last]))] == [99_998, 99_999]


def test_a_streamed_board_counts_and_writes_the_pairs_of_the_board(tmp_path: Path) -> None:
    task, folder = drawn_task(), tmp_path / "pairs"
    board = resolve_board([task], family="all", cluster="subject")
    streamed = stream_board([task], cluster="subject", folder=folder, keep=Keep("band", 11))
    pd.testing.assert_frame_equal(streamed.verdicts, board.verdicts)
    pd.testing.assert_frame_equal(streamed.ranks, board.ranks)
    table, held = written_pairs(folder), board.verdicts
    assert [*table][:5] == PAIRS_COLUMNS[:5]
    for name in set(table) & set(held):
        assert same(table[name].to_numpy(), held[name].to_numpy()), name
    assert streamed.streamed is not None
    tally = streamed.streamed.tally
    assert tally.verdicts["different"] == (held["verdict"] == "different").sum()
    for name in ("resolved", "crossed"):
        assert tally.counts[name] == held[name].sum()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["binary", "graded"])
def test_new_names_of_models_change_no_rank_set_and_no_verdict(kind: Kind) -> None:
    rng = np.random.default_rng(6)
    tasks = [drawn_task(9, 80, seed=11), replace(drawn_task(9, 40, seed=12), task="quiz")]
    # Equal scores by other answers, and equal answers.
    tied = [task.values[rng.permutation(task.n_items)] for task in tasks]
    values = [
        np.column_stack([task.values, other[:, :5], task.values[:, 2]])
        * (0.7 if kind == "graded" else 1)
        for task, other in zip(tasks, tied, strict=True)
    ]
    names = [f"m{j}" for j in range(15)]

    def told(family: Family, names: list[str], top: int | None) -> list[pd.DataFrame]:
        order = np.argsort(names)
        ranked = [
            prepare_task(
                replace(
                    task,
                    kind=kind,
                    models=tuple(names[j] for j in order),
                    values=x[:, order],
                )
            )
            for task, x in zip(tasks, values, strict=True)
        ]
        board = resolve_board(ranked, family=family, cluster="subject", top=top)
        assert board.average is not None
        return [
            table.drop(columns=["model", "model_a", "model_b"], errors="ignore").reset_index(
                drop=True
            )
            for table in (board.ranks, board.verdicts, board.average.ranks, board.average.verdicts)
        ]

    for family in ("adjacent", "all"):
        expected = told(family, names, None)
        for _ in range(2):
            for found, table in zip(
                told(family, rng.permutation(names).tolist(), None), expected, strict=True
            ):
                pd.testing.assert_frame_equal(found, table, rtol=1e-9, atol=1e-12)
        for found, table in zip(told(family, names, 4), expected, strict=True):
            rows = (
                table[table["rank_b"] <= 4].reset_index(drop=True) if "rank_b" in table else table
            )
            pd.testing.assert_frame_equal(found, rows, rtol=1e-12)


@pytest.mark.parametrize("cluster", [pytest.param(None, marks=pytest.mark.slow), "subject"])
@pytest.mark.parametrize(
    "kind", ["binary", pytest.param("graded", marks=pytest.mark.slow), "missing"]
)
def test_neither_names_nor_order_nor_what_is_kept_change_a_number(
    kind: str, cluster: str | None, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    task = drawn_task(14, 150, seed=5)
    values = task.values.copy()
    if kind == "graded":
        values = np.clip(values * 0.7 + rng.uniform(0, 0.3, values.shape), 0, 1)
    if kind == "missing":
        values[rng.uniform(size=values.shape) < 0.1] = np.nan
    values[:, 3] = values[:, 7]
    task = replace(task, kind="graded" if kind == "graded" else "binary", values=values)
    other = drawn_task(5, 60, seed=8)

    def ranked(scores: TaskScores) -> TaskScores:
        return prepare_task(scores, missing="pairwise" if kind == "missing" else "error")

    def told(
        family: Family, *scores: TaskScores, keep: str | None = None, threads: int = 2
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        tasks = [ranked(each) for each in scores]
        if keep is None:
            board = resolve_board(tasks, family=family, cluster=cluster)
        else:
            kept = Keep.parsed(keep)
            board = stream_board(tasks, cluster=cluster, keep=kept, threads=threads)
        ranks = board.ranks[board.ranks["task"] == tasks[0].task].drop(columns="task")
        rows = board.verdicts[board.verdicts["task"] == tasks[0].task].drop(columns="task")
        return ranks.reset_index(drop=True), rows.reset_index(drop=True)

    order, columns = rng.permutation(task.n_items), rng.permutation(14)
    moved = replace(
        task.part(items=order.tolist(), models=columns.tolist()), task="a file of another name"
    )
    ranks = told("adjacent", task)[0]
    for family in ("adjacent", "all"):
        expected = told(family, task, replace(other, task="quiz"))
        found = told(family, moved, replace(other, task="another quiz"))
        pd.testing.assert_frame_equal(found[0], expected[0], rtol=1e-12, atol=1e-14)
        # N* at the end of an interval that is next to 0 has fewer digits than the end.
        left_out = ["n_star_high", "q_low"]
        one, two = (each[1].drop(columns=left_out) for each in (found, expected))
        pd.testing.assert_frame_equal(one, two, rtol=1e-12, atol=1e-13)
        # Neither the pairs that are compared nor other tasks change the sets of ranks.
        pd.testing.assert_frame_equal(expected[0], ranks)
    # Names that sort alike, for equal means are ranked by name.
    renamed = replace(task, models=tuple(f"a longer {name}" for name in task.models))
    whole = told("all", task)
    numbers = whole[1].columns.drop(["model_a", "model_b"])
    pd.testing.assert_frame_equal(told("all", renamed)[1][numbers], whole[1][numbers])
    every = whole[1].set_index(["rank_a", "rank_b"])
    for keep in ("all", "top:4", "undecided", "band:3"):
        for threads in (1, 3):
            found = told("all", task, keep=keep, threads=threads)
            pd.testing.assert_frame_equal(found[0], whole[0])
            rows = found[1].set_index(["rank_a", "rank_b"])
            names = rows.columns.drop(["n_star_holm", "n_star_bh"])
            shared = [name for name in names if name in every]
            pd.testing.assert_frame_equal(rows[shared], every.loc[rows.index, shared])


@pytest.mark.parametrize("kinds", [("binary", "graded"), ("graded", "binary")])
def test_binary_and_graded_tasks_are_written_into_one_dataset(
    tmp_path: Path, kinds: tuple[Kind, Kind]
) -> None:
    rng = np.random.default_rng(3)
    ids, models = tuple(f"q{i}" for i in range(30)), ("heron", "kite", "wren")
    tasks = [
        TaskScores(k, k, ids, models, rng.integers(0, 2, (30, 3)).astype(float)) for k in kinds
    ]
    stream_pairs(BoardPairs(tasks, "all", None, POINT, Declared()), Keep(), folder=tmp_path)
    table = written_pairs(tmp_path).set_index("task")
    assert table["gap"].notna().all()
    for name in ("n11", "b", "c", "n00", "log_e", "crossed"):
        assert table[name].isna().groupby("task").all().to_dict() == {
            "binary": False,
            "graded": True,
        }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all", lambda t: t["rank_a"] > 0),
        ("adjacent", lambda t: t["rank_b"] - t["rank_a"] == 1),
        ("top:4", lambda t: t["rank_b"] <= 4),
        ("band:3", lambda t: t["rank_b"] - t["rank_a"] <= 3),
        ("undecided", lambda t: t["verdict"] == "undetermined"),
        ("different", lambda t: t["verdict"] == "different"),
    ],
)
def test_what_is_kept_is_written_and_the_family_is_all(
    text: str, expected: object, tmp_path: Path
) -> None:
    task = drawn_task()
    whole = stream_board([task], folder=tmp_path / "whole")
    every = written_pairs(tmp_path / "whole")
    board = stream_board([task], keep=Keep.parsed(text), folder=tmp_path / "kept")
    kept = written_pairs(tmp_path / "kept")
    chosen = every[expected(every)].reset_index(drop=True)  # type: ignore[operator]
    pd.testing.assert_frame_equal(kept, chosen)
    assert board.streamed is not None
    assert whole.streamed is not None
    assert board.streamed.tally.verdicts == whole.streamed.tally.verdicts
    shown = "adjacent pairs" if text == "all" else board.streamed.keep.words
    assert board.shown_words == shown


def test_the_dictionary_names_the_columns_of_a_dataset(tmp_path: Path) -> None:
    task = drawn_task()
    boards = {"plain": (task, None), "clusters": (task, "subject")}
    boards["graded"] = (replace(task, kind="graded"), None)
    found = set()
    for name, (scores, cluster) in boards.items():
        stream_board([scores], cluster=cluster, folder=tmp_path / name)
        found |= set(written_pairs(tmp_path / name))
    assert found == set(CORE_COLUMNS)


def test_the_parts_of_a_board_are_the_board_in_one_piece(tmp_path: Path) -> None:
    tasks = [drawn_task(), replace(drawn_task(9, 120, seed=2), task="quiz")]
    pairs = BoardPairs(tasks, "all", "subject", POINT, Declared())
    bounds = pairs.parts(5)
    p = [p_values_between(pairs, *part) for part in bounds]
    every = [np.concatenate(x) for x in zip(*p, strict=True)]
    family = pairs.adjusted(*every)
    path = tmp_path / "family.parquet"
    write_family(path, family, pairs.rank_ends(family))
    tally, columns = Tally.empty(tasks), []
    for values, part in zip(p, bounds, strict=True):
        own = Tally.empty(tasks)
        for _, block in columns_between(pairs, *part, read_family(path, *values)[0]):
            own.add(tasks[int(block["task"][0])], block)
            columns.append(block)
        tally.merge(Tally.from_json(own.to_json()))
    one = stream_pairs(pairs, Keep())
    whole = board_of(one, pairs)
    parts = board_of(shown_pairs(pairs, *read_family(path, *every), tally, Keep()), pairs)
    pd.testing.assert_frame_equal(parts.verdicts, whole.verdicts)
    pd.testing.assert_frame_equal(parts.ranks, whole.ranks)
    assert one.streamed
    assert parts.streamed
    assert tally.to_json() == one.streamed.tally.to_json()
    assert one.streamed == replace(parts.streamed, tally=one.streamed.tally)
    assert len(frame(columns)) == pairs.n_pairs


def test_the_ranks_count_the_leads_that_all_pairs_declare() -> None:
    task = drawn_task()
    ranks = resolve_board([task]).ranks
    every = resolve_board([task], family="all").verdicts
    leads = every[every["verdict"] == "different"]
    ahead = leads["model_a"].where(leads["direction"] > 0, leads["model_b"]).value_counts()
    behind = leads["model_b"].where(leads["direction"] > 0, leads["model_a"]).value_counts()
    expected_low = [1 + behind.get(model, 0) for model in ranks["model"]]
    expected_high = [len(ranks) - ahead.get(model, 0) for model in ranks["model"]]
    assert ranks["rank_low"].tolist() == expected_low
    assert ranks["rank_high"].tolist() == expected_high


def test_the_family_is_adjusted_as_a_whole() -> None:
    p = np.random.default_rng(0).uniform(size=200) ** 4

    def largest(start: int, stop: int) -> FloatArray:
        return np.random.default_rng(start).normal(3, 0.3, stop - start)

    family = family_of(p, p / 2, largest, alpha=0.05)
    np.testing.assert_array_equal(family.decided.p, max_t_family(p, largest).p)
    np.testing.assert_array_equal(family.adjusted["p_holm"], adjust_holm(p / 2))
    np.testing.assert_array_equal(family.adjusted["p_bh"], adjust_benjamini_hochberg(p / 2))


@pytest.mark.parametrize("text", ["none", "top", "top:1", "band:0", "band:x", "all:3", "top:٣"])
def test_what_is_to_be_kept_is_one_of_five(text: str) -> None:
    with pytest.raises(InvalidArgument, match="Remedy: top:K keeps"):
        Keep.parsed(text)


def test_only_all_pairs_are_streamed() -> None:
    task = drawn_task(500, 3)
    assert is_streamed([task], "all", None)
    assert not is_streamed([task], "adjacent", None)
    assert is_streamed([drawn_task(3, 3)], "all", Keep())
    with pytest.raises(InvalidArgument, match="pairs='all'"):
        is_streamed([task], "adjacent", Keep("undecided"))


def test_pairs_of_a_held_board_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    whole = ScoreMoments.moments

    def moments(self: ScoreMoments, first: IntArray, second: IntArray) -> DifferenceMoments:
        counted.append(len(first))
        return whole(self, first, second)

    monkeypatch.setattr(ScoreMoments, "moments", moments)
    scores = np.random.default_rng(3).random((80, 6))
    task = prepare_task(replace(task_of(scores, subjects=7), kind="graded"))
    resolve_board([task], family="all", cluster="subject")
    leader_alone = len(task.models) - 1
    assert counted == [15, leader_alone]
