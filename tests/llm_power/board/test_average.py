"""The verdict on the average over several tasks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri, stdtr

from board_examples import screen, task_of
from llm_power._board.all_pairs import pairs_of_board
from llm_power._board.average import TaskAverage, read_weights
from llm_power._board.operating_point import UNDECLARED, USUAL, Declared
from llm_power._board.page_data import page_data
from llm_power._board.resolve import board_of, held_pairs, resolve_board, stream_board
from llm_power._board.summary import describe_board
from llm_power._choices import Family, Kind
from llm_power._errors import InvalidArgument
from llm_power._scores.frames import read_frame
from llm_power._scores.options import ReadOptions
from llm_power._scores.readers import read_scores, read_tasks
from llm_power._scores.selection import prepare_task, select_models
from llm_power._scores.store import TaskScores
from llm_power._statistics.average_gap import average_gap, binary_gap
from llm_power._statistics.cluster_moments import moments_from_differences
from llm_power._statistics.cluster_robust import cluster_robust_test
from llm_power._statistics.predictive_power import mean_gap_seen
from llm_power._statistics.random_streams import named_rng


def drawn(name: str, n: int, ability: list[float], *, models: str = "abcd") -> TaskScores:
    rng = named_rng(0, f"average/{name}")
    solved = rng.normal(size=(n, 1)) + rng.normal(size=(n, len(ability))) + ability > 0
    names = models[: len(ability)]
    return prepare_task(task_of(solved, name, models=names, ids=f"{name}-", subjects=6))


TASKS = [
    drawn("exam", 300, [1.0, 0.9, 0.3, 0.0]),
    drawn("quiz", 60, [0.0, 0.4, 0.9, -0.2]),
    drawn("average", 500, [0.8, 0.5, 0.4, 0.3]),
]


def average_of(
    tasks: list[TaskScores], family: Family = "all", cluster: str | None = None, **declared: Any
) -> TaskAverage:
    board = resolve_board(
        tasks, family=family, cluster=cluster, declared=replace(Declared(), **declared)
    )
    assert board.average is not None
    return board.average


def test_scores_and_gaps_are_weighted_means_and_no_name_is_taken() -> None:
    found = average_of(TASKS)
    means = [dict(zip(task.models, task.mean_scores, strict=True)) for task in TASKS]
    for row in found.ranks.to_dict("records"):
        assert row["score"] == pytest.approx(np.mean([mean[row["model"]] for mean in means]))
    assert found.ranks["score"].is_monotonic_decreasing
    rows = found.verdicts
    np.testing.assert_allclose(rows["delta"], rows["p_a"] - rows["p_b"])
    assert ((rows["gap_low"] < rows["delta"]) & (rows["delta"] < rows["gap_high"])).all()
    assert set(rows["n_items"]) == {860}
    assert (rows["p_family"] >= rows["p_single"]).all()


def test_a_board_of_tasks_that_are_not_averaged_is_otherwise_the_same() -> None:
    pairs = pairs_of_board(TASKS, "all", None, USUAL, UNDECLARED)
    board = board_of(held_pairs(pairs), pairs, averaged=False)
    assert board.average is None
    pd.testing.assert_frame_equal(board.verdicts, resolve_board(TASKS, family="all").verdicts)


def test_one_task_with_all_the_weight_is_as_that_task_alone() -> None:
    found = average_of(TASKS[:2], weights={"exam": 1.0, "quiz": 1e-9}).verdicts
    alone = resolve_board(TASKS[:1], family="all", declared=Declared(test="asymptotic")).verdicts
    z, df = ndtri(alone["p_single"] / 2), 2.0 * (alone["b"] + alone["c"])
    np.testing.assert_allclose(found["p_single"], 2 * stdtr(df, z), rtol=1e-4)
    ends = ["gap_low_single", "gap_high_single"]
    np.testing.assert_allclose(found[ends], alone[ends], atol=0.003)
    np.testing.assert_allclose(found["n_star"] / 360, alone["n_star"] / 300, rtol=1e-4)


def test_further_items_multiply_all_tasks_alike() -> None:
    row = average_of(TASKS, family="adjacent").verdicts.query("verdict == 'undetermined'").iloc[0]
    tasks = [select(task, row) for task in TASKS]
    single = average_of(tasks).verdicts.iloc[0]
    discordant = [np.sum(np.diff(task.values) != [[0.0]], axis=0) for task in tasks]
    leads = [np.diff(task.values).sum(axis=0) for task in tasks]
    b_and_c = [((m - lead) / 2, (m + lead) / 2) for m, lead in zip(discordant, leads, strict=True)]
    gaps = [binary_gap(*two, task.n_items) for two, task in zip(b_and_c, tasks, strict=True)]
    df = average_gap(gaps, [1 / 3] * 3).df[0]
    seen = mean_gap_seen(single["p_single"], np.asarray(0.01), single["n_items"], df)
    assert single["items_even"] == seen.items(0.05, 0.5)
    assert single["more_items_needed"] == seen.items(0.05, 0.8, further=True)


def select(task: TaskScores, row: Any) -> TaskScores:
    columns = [task.models.index(row[name]) for name in ("model_a", "model_b")]
    chosen = replace(task, models=(row["model_a"], row["model_b"]), values=task.values[:, columns])
    return prepare_task(chosen)


def test_models_that_answer_alike_have_no_smallest_gap() -> None:
    twins = [
        replace(task, values=task.values[:, [0, 0, 1]], models=("a", "b", "c")) for task in TASKS
    ]
    alike = average_of(twins, margin=0.02).verdicts.iloc[0]
    assert alike["gap"] == 0
    assert alike["smallest_gap"] == alike["items_assured"] == np.inf
    always = [drawn(name, 12, [9.0, -9.0]) for name in ("exam", "quiz")]
    certain = average_of(always).verdicts.iloc[0]
    assert certain["verdict"] == "different"
    assert 0 < certain["smallest_gap"] < 1
    assert certain["items_assured"] <= 24


def test_weights_by_items_are_those_of_all_items_pooled() -> None:
    found = average_of(TASKS, weights="items")
    pooled = np.concatenate([t.values[:, [t.models.index(m) for m in "abcd"]] for t in TASKS])
    scores = dict(zip("abcd", pooled.mean(axis=0), strict=True))
    for row in found.ranks.to_dict("records"):
        assert row["score"] == pytest.approx(scores[row["model"]])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("by size", "weights must be one of"),
        ({"exam": 1}, "weights must name each task once"),
        ({"exam": 1, "quiz": 0}, "weight of task 'quiz' must be a positive number, got 0"),
        ({"exam": 1e308, "quiz": 1e308}, "weights must have a finite sum"),
        ({"exam": 1, "quiz": "two"}, "weight of task 'quiz' must be a positive number"),
    ],
)
def test_weights_that_are_none_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        average_of(TASKS[:2], weights=weights)


def test_a_weight_that_is_given_twice_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="weights name task 'exam' twice"):
        read_weights("exam=1,quiz=1,exam=3")


def test_models_that_a_task_lacks_are_left_out_by_name() -> None:
    tasks = [TASKS[0], drawn("trivia", 80, [0.3, 0.2, 0.6], models="abx")]
    board = resolve_board(tasks)
    assert board.average is not None
    assert [*board.average.ranks["model"]] == ["a", "b"]
    assert len(board.average.verdicts) == 1
    (warning,) = board.average.warnings()
    assert warning == (
        "the average over tasks leaves out c (not in trivia), d (not in trivia), x (not in exam)"
    )
    strangers = [TASKS[0], drawn("trivia", 80, [0.3, 0.2], models="ax")]
    board = resolve_board(strangers)
    assert board.average is not None
    (warning,) = board.average.warnings()
    assert warning.startswith("no average over tasks: fewer than two models are in all of them; b")
    assert "average over tasks" not in screen(board)
    why = "fewer than two models have every task"
    assert screen(board).startswith(f"no average over 2 tasks: {why}; ")
    assert describe_board(board, strangers, missing="error")["average"]["n_pairs"] == 0


def test_clusters_that_are_a_sample_decide_the_average_too() -> None:
    items, sample = average_of(TASKS), average_of(TASKS, cluster="subject")
    assert set(sample.verdicts["test"]) == {"cluster"}
    assert (sample.verdicts["p_single"] >= items.verdicts["p_single"] - 1e-12).all()
    assert set(average_of(TASKS, cluster="subject", clusters="fixed").verdicts["test"]) == {
        "stratified"
    }


def test_a_task_of_one_cluster_counts_in_the_average_by_its_items() -> None:
    """It used to have an infinite interval, and the average with it."""
    one = [replace(TASKS[0], clusters=c) for c in ({"subject": ("s",) * 300}, {})]
    found, lacking = (average_of([task, *TASKS[1:]], cluster="subject").verdicts for task in one)
    assert np.isfinite(found[["gap_low", "gap_high", "n_star"]]).all(axis=None)
    pd.testing.assert_frame_equal(found, lacking)
    items = average_of(TASKS).verdicts
    assert (found["p_single"] >= items["p_single"] - 1e-12).all()
    assert (found["test"] == "cluster").all()
    ranks = average_of([one[0], *TASKS[1:]], cluster="subject").ranks
    assert (ranks["rank_high"] - ranks["rank_low"]).min() < 3
    alone = [replace(task, clusters={"subject": (task.task,) * task.n_items}) for task in TASKS]
    pd.testing.assert_frame_equal(average_of(alone, cluster="subject").verdicts, items)


def test_few_items_all_one_way_are_not_attainable_whatever_their_weights() -> None:
    pair = np.ones((20, 2))
    pair[10:] = 0
    pair[:2, 1] = 0
    tasks = [
        replace(TASKS[0], task=name, models=("a", "b"), values=pair, clusters={}, item_ids=ids)
        for name, ids in (("x", tuple(map(str, range(20)))), ("y", tuple(map(str, range(20, 40)))))
    ]
    row = average_of(tasks).verdicts.iloc[0]
    assert (row["p_single"], row["verdict"], row["attainable"]) == (0.125, "undetermined", False)


def test_the_screen_shows_the_average_below_the_tasks() -> None:
    text = screen(resolve_board(TASKS, declared=Declared(weights="items")))
    tail = text.partition("average over tasks (exam 0.349, quiz 0.0698, average 0.581): 4 models")[
        2
    ]
    assert tail.splitlines()[1].startswith("rank  possible  model  score")
    assert "Method: test stratified by task, adjusted for these 3 pairs by max-T" in tail


@pytest.mark.parametrize("kind", ["binary", "graded"])
@pytest.mark.parametrize(("cluster", "weighted"), [(None, False), ("half", False), ("half", True)])
def test_models_that_share_no_item_of_a_task_have_no_average(
    kind: Any, cluster: str | None, weighted: bool
) -> None:
    holes = TASKS[1].values.copy()
    if kind == "graded":
        holes = (holes + 1) / 3
    holes[:30, 0], holes[30:, 1] = np.nan, np.nan
    half = {"half": tuple("ab" * 30)}
    lacking = prepare_task(
        replace(TASKS[1], values=holes, kind=kind, clusters=half), missing="pairwise"
    )
    average = average_of([TASKS[0], lacking], cluster=cluster, weighted=weighted)
    rows = average.verdicts.set_index(["model_a", "model_b"])
    row = rows[rows["n_items"] == 0]
    assert [{*pair} for pair in row.index] == [{*TASKS[1].models[:2]}]
    assert (
        row[["delta", "gap", "gap_low", "gap_high", "p_a", "items_assured"]].isna().all(axis=None)
    )
    assert row["verdict"].tolist() == ["undetermined"]
    assert row[["p_single", "p_family"]].eq(1).all(axis=None)
    others = rows[rows["n_items"] > 0]
    assert others[["gap", "gap_low", "gap_high"]].notna().all(axis=None)
    alone = average_of(
        [select_models(task, list(others.index[0])) for task in (TASKS[0], lacking)],
        cluster=cluster,
        weighted=weighted,
    )
    assert alone.verdicts["p_single"].iloc[0] == pytest.approx(others["p_single"].iloc[0])
    text = screen(resolve_board([TASKS[0], lacking], cluster=cluster))
    assert "no item in common" in text


@pytest.mark.parametrize("kind", ["binary", "graded"])
@pytest.mark.parametrize("settings", [{}, {"cluster": "subject"}], ids=["items", "clusters"])
def test_possible_ranks_are_those_of_the_verdicts_on_all_pairs(
    kind: Kind, settings: dict[str, Any]
) -> None:
    rng = np.random.default_rng(11)
    tasks = []
    for task in TASKS:
        easy, gaps = rng.random((task.n_items, 1)), np.array([0.0, 0.01, 0.25, 0.3])
        values = np.clip(easy - gaps + 0.4 * rng.normal(size=task.values.shape), 0, 1)
        values = values if kind == "graded" else (values > 0.4).astype(float)
        tasks.append(prepare_task(replace(task, kind=kind, values=values)))
    some, every = (average_of(tasks, family=family, **settings) for family in ("adjacent", "all"))
    pd.testing.assert_frame_equal(some.ranks, every.ranks)
    different = every.verdicts[every.verdicts["verdict"] == "different"]
    better = np.bincount(different["rank_b"], minlength=len(every.ranks) + 1)[1:]
    worse = np.bincount(different["rank_a"], minlength=len(every.ranks) + 1)[1:]
    assert 0 < len(different) < len(every.verdicts)
    assert (every.ranks["rank_low"] == 1 + better).all()
    assert (every.ranks["rank_high"] == len(every.ranks) - worse).all()


def test_a_task_that_is_solved_whole_leaves_the_clusters_of_the_others_in_the_score() -> None:
    rng = np.random.default_rng(2)
    subjects, n = np.repeat(np.arange(10), 20), 200
    hard = (rng.random((n, 2)) < np.where(subjects % 2, 0.95, 0.25)[:, np.newaxis]).astype(float)
    easy = np.ones((n, 2))
    easy[::3, 1] = 0.0
    tasks = [
        prepare_task(task_of(x, name, models="ab", ids=f"{name}-", subjects=subjects))
        for name, x in (("hard", hard), ("easy", easy))
    ]
    widths = []
    for clusters in ("fixed", "random"):
        ranks = average_of(tasks, cluster="subject", clusters=clusters).ranks
        (width,) = (ranks["score_high"] - ranks["score_low"])[ranks["model"] == "a"]
        widths.append(width)
    robust = cluster_robust_test(moments_from_differences(hard[:, 0], subjects))
    assert widths[1] > 2 * widths[0]
    assert widths[1] == pytest.approx((robust.high - robust.low) / 2, rel=0.1)


def test_a_task_of_one_item_leaves_every_rank_of_the_average_possible() -> None:
    text = screen(resolve_board([TASKS[0], drawn("one", 1, [1.0, 0.9, 0.8, 0.7])]))
    assert "4 of 4 models could be first on the average of 2 tasks" in " ".join(text.split())
    assert "Any of the 4 models could be first." in text


def test_verdicts_of_tasks_that_draws_could_change_are_not_counted_of_the_average() -> None:
    board = stream_board(TASKS)
    assert board.streamed is not None
    board.streamed.tally.counts["close"] = 7
    text = " ".join(screen(board).split())
    # Once in the text, and once as a sentence of its own.
    assert text.count("Other draws of the test could change 7 verdicts.") == 2
    assert "1 of 3 adjacent pairs" in text.partition("average over tasks (")[2]


def test_a_margin_calls_close_averages_equivalent() -> None:
    rows = average_of(TASKS, margin=0.2).verdicts
    assert (rows["p_equivalence"] <= 0.05).any()
    assert (rows.loc[rows["verdict"] == "equivalent", "more_items_needed"] == 0).all()


def test_missing_scores_of_a_task_are_weighted_in_the_average_too() -> None:
    holes = TASKS[0].values.copy()
    subject = np.array([label == "s0" for label in TASKS[0].clusters["subject"]])
    holes[np.flatnonzero(subject)[:40], 0] = np.nan
    tasks = [prepare_task(replace(TASKS[0], values=holes), missing="weighted"), TASKS[1]]
    found = average_of(tasks, cluster="subject", clusters="fixed", weighted=True).verdicts
    boards = [
        resolve_board(
            [task],
            family="all",
            cluster="subject",
            declared=Declared(clusters="fixed", weighted=True),
        ).verdicts
        for task in tasks
    ]
    for row in found.to_dict("records"):
        gaps = [
            pair["gap"] * (1 if pair["model_a"] == row["model_a"] else -1)
            for table in boards
            for pair in table.to_dict("records")
            if {pair["model_a"], pair["model_b"]} == {row["model_a"], row["model_b"]}
        ]
        assert row["delta"] == pytest.approx(np.mean(gaps))


LM_EVAL = Path(__file__).parents[1] / "scores" / "logs" / "lm_eval-0.4.13"
BIRDS = {"metric": "acc,exact_match", "filter": "none,strict-match", "latest": True}


def birds(**options: Any) -> list[TaskScores]:
    read = read_tasks(LM_EVAL, ReadOptions(**BIRDS, **options))  # type: ignore[arg-type]
    return [prepare_task(task, missing="pairwise") for task in read]


def test_a_group_and_its_members_are_not_averaged_together() -> None:
    groups, both = birds(pool="groups"), birds(pool="both")
    assert [task.task for task in both] == ["exam", "spelling", "exam_algebra", "exam_botany"]
    expected = average_of(groups)
    for tasks in (both, both[::-1]):
        found = average_of(tasks)
        assert found.weights == {"exam": 0.5, "spelling": 0.5}
        assert found.repeated == {"exam_algebra": "exam", "exam_botany": "exam"}
        pd.testing.assert_frame_equal(found.verdicts, expected.verdicts)
        pd.testing.assert_frame_equal(found.ranks, expected.ranks)
    (left,) = average_of(both).warnings()
    assert left == (
        "the average over tasks leaves out exam_algebra, exam_botany: items of exam do not count "
        "twice"
    )
    given = {"exam": 1, "spelling": 3, "exam_algebra": 1, "exam_botany": 1}
    assert average_of(both, weights=given).weights == {"exam": 0.25, "spelling": 0.75}
    nothing = average_of([both[0], *both[2:]])
    assert (len(nothing.verdicts), nothing.weights) == (0, {"exam": 1.0})
    assert nothing.warnings()[0].startswith("no average over tasks without exam_algebra, exam_b")
    assert nothing.why_none == "they share items"


def test_the_page_counts_the_items_and_pairs_of_the_average() -> None:
    """Not those of tasks that it leaves out, and all pairs of a family that is shown in part."""
    exam, quiz, _ = TASKS
    tasks = [exam, quiz, replace(exam, task="copy")]
    board = resolve_board(tasks, family="all", top=2)
    summary = describe_board(board, tasks, missing="error")
    page = page_data(board.verdicts, summary, title="exams", average=board.average)["tasks"][-1]
    assert (page["items"], page["family_pairs"]) == (300 + 60, 6)


@pytest.mark.parametrize("way", ["log", "name", "copy", "frame", "scores"])
def test_no_item_is_twice_in_an_average_whichever_way_it_came_in(way: str, tmp_path: Path) -> None:
    """By the log of a member under another name, a table of it, a copy of the file, or a frame."""
    tasks, member = birds(pool="groups"), birds(pool="both")[2]
    exam = TASKS[0]
    frame = pd.DataFrame(exam.values, columns=exam.models).assign(item_id=exam.item_ids)
    if way == "log":
        options = ReadOptions(task="sums", metric="acc")
        logs = [*LM_EVAL.glob("birds__*/samples_exam_algebra_*.jsonl")]
        tasks.append(read_scores(logs, options))
    elif way == "name":
        scores = pd.DataFrame(1 - member.values, columns=member.models).assign(
            item_id=member.item_ids
        )
        tasks.append(read_frame(scores, ReadOptions(task="exam_algebra")))
    elif way == "copy":
        for name in ("exam", "quiz"):
            frame.to_csv(tmp_path / f"{name}.csv", index=False)
        tasks = read_tasks([tmp_path / "exam.csv", tmp_path / "quiz.csv"])
    elif way == "frame":
        part = frame.sample(frac=0.5, random_state=1).drop(columns="c").assign(e=1.0)
        tasks = [read_frame(frame, ReadOptions(task="exam"))]
        tasks += [read_frame(part, ReadOptions(task="part")), TASKS[1]]
    else:
        tasks = [exam, replace(exam, task="again"), TASKS[1]]
    found = average_of([prepare_task(task, missing="pairwise") for task in tasks])
    assert len(found.repeated) == 1
    assert sum(found.weights.values()) == pytest.approx(1.0)
    assert {*found.weights} == {task.task for task in tasks} - {*found.repeated}


def test_ids_that_several_tasks_have_are_other_items(tmp_path: Path) -> None:
    """Tasks number their items alike: in tables, in one long table, and where all are solved."""
    tables = []
    for task in TASKS[1:]:
        ids = range(task.n_items)
        frame = pd.DataFrame(task.values, columns=task.models).assign(item=ids, solved=1, also=1)
        frame[:60].to_csv(tmp_path / f"{task.task}.csv", index=False)
        tables.append(tmp_path / f"{task.task}.csv")
        frame = frame[["item", "solved", "also"]].melt("item", var_name="model", value_name="score")
        frame.assign(task=task.task).to_csv(
            tmp_path / "long", mode="a", index=False, header=not (tmp_path / "long").exists()
        )
    boards = read_tasks(tables), read_tasks(tmp_path / "long", ReadOptions(task_column="task"))
    for read in boards:
        found = average_of([prepare_task(task) for task in read])
        assert (found.repeated, len(found.weights)) == ({}, 2)


def test_no_interval_of_a_score_is_beyond_its_ends() -> None:
    exam = drawn("exam", 4, [1.5, 0.0])
    half = replace(exam, task="quiz", kind="graded", values=1 - exam.values / 2)
    board = resolve_board([exam, half])
    for ranks in (board.ranks, board.average.ranks if board.average else pd.DataFrame()):
        assert ranks["score_low"].min() >= 0
        assert ranks["score_high"].max() <= 1
    costs = replace(exam, kind="real")
    assert resolve_board([costs]).ranks["score_high"].max() > 1


def test_graded_and_binary_tasks_are_averaged_together() -> None:
    rng = named_rng(1, "graded task")
    graded = prepare_task(
        replace(TASKS[1], kind="graded", values=rng.uniform(0.1, 0.9, size=TASKS[1].values.shape))
    )
    rows = average_of([TASKS[0], graded]).verdicts
    assert ((rows["gap_low"] < rows["delta"]) & (rows["delta"] < rows["gap_high"])).all()
    np.testing.assert_allclose(rows["delta"], rows["p_a"] - rows["p_b"])
