"""Plans from a pilot and at least cost, on the command line and from Python, and their pictures."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from command_line import run
from llm_power import TaskScores, write_task
from llm_power._errors import InvalidArgument, ScoreError
from llm_power._example import example_task, write_example_board
from llm_power._planning.answer import plan_pair
from llm_power._planning.costs import plan_costs, variances_of_levels
from llm_power._planning.pilot import AssuredN, pilot_curves, plan_pilot, variances_of_pilot
from llm_power._planning.question import Question, pair_from_gap
from llm_power._scores.store import Repeats
from llm_power._statistics.design_costs import Costs, Variances
from llm_power._statistics.designs import required_units
from llm_power._statistics.pilot_design import BinaryPilot, McNemarAssurance, pilot_design
from looked_at import check_looks, drawn_as_locked

TWO = ("--model-a", "Meta-Llama-3-70B", "--model-b", "Yi-34B")
COSTS = ("--cost-subject", 50, "--cost-item", 1, "--cost-answer", 0.02)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_example_board(tmp_path_factory.mktemp("board"))


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def said(*arguments: object) -> tuple[int, str, str]:
        code = run("plan", *arguments)
        return code, *capsys.readouterr()

    return said


Say = Callable[..., tuple[int, str, str]]


def test_a_declared_gap_has_an_interval(say: Say, board: Path) -> None:
    pilot = ("--pilot", board, "--cluster", "category", *TWO)
    code, out, _ = say(*pilot, "--gap", 0.03)
    assert code == 0
    assert out.startswith("Plan 154 clusters of 43 items, 6,622 in all: they detect a gap of 3")
    assert "items, from these clusters alone" in out
    said = json.loads(say(*pilot, "--gap", 0.03, "--format", "json")[1])
    assert said["design"]["high"] == 154
    assert said["same_clusters"]["high"] == "inf"


def test_without_a_gap_the_promise_of_the_pilot_is_told_and_mended(say: Say, board: Path) -> None:
    scores = pd.read_csv(board).drop(columns="category")
    flat = board.with_name("flat.csv")
    scores.to_csv(flat, index=False)
    code, out, _ = say("--pilot", flat, "--model-a", "Yi-34B", "--model-b", "Meta-Llama-3-8B")
    assert code == 0
    assert out.startswith("Plan 2,480 items: they detect a gap of 3.04 points")
    said = "555 items promise power 0.8; their power averaged over the pilot's uncertainty is 0.73"
    assert said in out.replace("\n", " ")


def test_what_the_plan_rests_on_is_the_pair() -> None:
    task = example_task()
    d = task.values[:, 0] - task.values[:, 2]
    b, c = int((d > 0).sum()), int((d < 0).sum())
    declared = plan_pilot(task, "heron", "kite", gap=0.05, question=Question(models=4))
    level = Question(models=4).level
    assert declared.design == pilot_design(BinaryPilot(b, c, 400, alpha=level), 0.05)
    n = int(declared.assured or 0)
    below, at = BinaryPilot(b, c, 400, alpha=level).expected(0.05).power([n - 1, n])
    assert below < 0.8 <= at
    own = plan_pilot(task, "kite", "heron").own
    assert own is not None
    assurance = McNemarAssurance(b, c, 400)
    assert own.assured == AssuredN(required_units(assurance, 0.8), assurance.largest)
    assert own.limit.gap < own.median.gap < own.observed.gap
    assert own.observed.assurance < 0.8 < own.limit.assurance


def test_items_without_a_score_are_left_out() -> None:
    task = example_task()
    values = task.values.copy()
    values[:40, 1] = np.nan
    missing = TaskScores("exam", "binary", task.item_ids, task.models, values)
    assert plan_pilot(missing, "heron", "osprey", gap=0.02).n_items == 360


@pytest.mark.parametrize("costs", [(), COSTS])
def test_missing_scores_stop_a_plan_until_they_may_be_left_out(
    tmp_path: Path, say: Say, costs: tuple[object, ...]
) -> None:
    scores = example_task().values[:, :2].copy()
    scores[:40, 1] = np.nan
    table = pd.DataFrame(scores, columns=["heron", "osprey"]).rename_axis("item")
    table.to_csv(pilot := tmp_path / "pilot.csv")
    given = ("--pilot", pilot, "--gap", 0.05, *costs)
    code, out, err = say(*given)
    assert (code, out) == (2, "")
    assert "40 of 400 items have no score of 'heron' or of 'osprey'" in err
    assert f"{given[-1]} --missing pairwise" in err
    code, out, _ = say(*given, "--missing", "pairwise")
    assert code == 0
    if not costs:
        assert "Pilot: 360 items (40 items left out for want of a score)" in " ".join(out.split())
        said = json.loads(say(*given, "--missing", "pairwise", "--format", "json")[1])
        assert (said["n_items"], said["n_unscored"]) == (360, 40)


def test_a_refused_pilot_is_planned_by_the_command_that_the_refusal_shows(
    tmp_path: Path, say: Say
) -> None:
    task, rng = example_task(), np.random.default_rng(3)
    rows = [
        (item, model, attempt, int(rng.random() < 0.4 + 0.2 * (model == "a")))
        for item in task.item_ids
        for model in ("a", "b")
        for attempt in (1, 2)
    ]
    columns = ["item", "model", "attempt", "score"]
    pd.DataFrame(rows, columns=columns).to_csv(pilot := tmp_path / "pilot.csv", index=False)
    code, _, err = say("--pilot", pilot, "--gap", 0.05)
    command = err.splitlines()[-1].split("llm-power plan ")[-1].split()
    assert (code, command[-2:]) == (2, ["--repeat-column", "attempt"])
    code, out, _ = say(*command)
    assert code == 0
    assert "by the paired t test" in out


@pytest.mark.parametrize("gap", [None, 0.02])
def test_graded_scores(gap: float | None, tmp_path: Path, say: Say) -> None:
    rng = np.random.default_rng(1)
    scores = np.clip(rng.normal([0.6, 0.5], 0.2, (300, 2)), 0, 1)
    items = tuple(map(str, range(300)))
    write_task(TaskScores("exam", "graded", items, ("a", "b"), scores), tmp_path / "exam.parquet")
    # Two models need no naming.
    given = () if gap is None else ("--gap", gap)
    code, out, _ = say("--pilot", tmp_path / "exam.parquet", *given, "--plot", tmp_path / "a.png")
    assert code == 0
    assert "by the paired t test" in out
    assert (tmp_path / "a.png").read_bytes().startswith(STARTS[".png"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model-a", "Yi-34B", "--cluster", "category"), "the pilot has 6 models"),
        ((*TWO, "--cluster", "category", "--margin", 0.1), "without margin"),
        ((*TWO, "--cluster", "category", "--discordance", 0.1), "give --gap with --pilot"),
        ((*TWO[:2], "--model-b", "Yi-34", "--cluster", "category"), "did you mean 'Yi-34B'"),
        ((*TWO, "--cluster", "subject"), "subject"),
        ((*TWO[:2], "--model-b", TWO[1], "--cluster", "category"), "must differ"),
        ((*TWO, "--cluster", "category", "--gap", 0), "gap must be positive"),
    ],
)
def test_bad_pilots_have_one_line(
    say: Say, board: Path, arguments: tuple[object, ...], message: str
) -> None:
    code, out, err = say("--pilot", board, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_text_column_is_no_reason_to_cluster(say: Say, board: Path) -> None:
    code, out, _ = say("--pilot", board, *TWO, "--gap", 0.03)
    assert code == 0
    assert "clusters" not in out


def test_no_file_no_pilot(say: Say, tmp_path: Path) -> None:
    assert say("--pilot", tmp_path / "none.csv", *TWO)[0] == 2
    code, _, err = say("--p-a", 0.6, "--p-b", 0.5, "--cluster", "subject")
    assert (code, err) == (2, "error: give --pilot with --cluster, which says how it is read\n")


@pytest.mark.parametrize("cluster", [(), ("--cluster", "category")])
def test_a_gap_too_near_zero_for_a_pilot_is_named(
    say: Say, board: Path, cluster: tuple[str, ...]
) -> None:
    code, _, err = say("--pilot", board, *TWO, *cluster, "--gap", 1e-12)
    assert code == 2
    assert err.startswith(
        "error: --gap must be farther from 0: 1e-12 may take more than 1e+14 units"
    )
    assert err.count("\n") == 1


def test_models_that_never_differ_tell_nothing() -> None:
    items = tuple(map(str, range(30)))
    same = TaskScores("exam", "binary", items, ("a", "b"), np.ones((30, 2)))
    with pytest.raises(ScoreError, match="'a' and 'b' differ on none of 30 items"):
        plan_pilot(same, "a", "b")
    tied = TaskScores("exam", "binary", items, ("a", "b"), np.tile(np.eye(2), (15, 1)))
    with pytest.raises(InvalidArgument, match="gap must be given: that of the pilot is zero"):
        plan_pilot(tied, "a", "b")
    shifted = TaskScores("exam", "graded", items, ("a", "b"), np.tile([0.5, 0.25], (30, 1)))
    with pytest.raises(ScoreError, match="30 items with 1 different gaps tell of no variance"):
        plan_pilot(shifted, "a", "b")


def test_costs_from_numbers(say: Say) -> None:
    code, out, _ = say("--gap", 0.02, "--discordance", 0.2, "--icc", 0.01, *COSTS)
    assert code == 0
    assert out.startswith("Plan 100 subjects of 67 items with 1 repeat: the cheapest design that")
    asked = ("--budget", 500, "--discordance", 0.2, "--within-a", 0.05, *COSTS[2:])
    said = json.loads(say(*asked, "--format", "json")[1])
    variances = variances_of_levels(0.2, within=0.1)
    plan = plan_costs(variances, Costs(0, 1, 0.02), budget=500)
    assert (said["design"]["subjects"], said["design"]["repeats"]) == (416, 5)
    assert said["design"]["detectable_gap"] == plan.design.detectable_gap


@pytest.mark.parametrize("gap", [0.02, 0.05])
def test_single_answers_of_0_and_1_are_planned_for_the_test_of_the_board(gap: float) -> None:
    items = plan_pair(pair_from_gap(gap, 0.2)).items
    found = plan_costs(Variances(0, 0.2 - gap**2), Costs(0, 1, 0.02), gap=gap, discordance=0.2)
    assert (found.design.subjects, found.test) == (items, "exact")
    assert found.design.detectable_gap <= gap
    # The gap that so many items find, and no cheaper way by repeats.
    paid = plan_costs(found.variances, found.costs, budget=found.design.cost, discordance=0.2)
    assert paid.design == found.design
    noisy = Variances(0, 0.19 - gap**2, 0.01)
    twice = plan_costs(noisy, Costs(0, 1, 0.02), gap=gap, discordance=0.2)
    assert (twice.design.repeats, twice.test) == (2, "student")
    assert twice.design.cost < found.design.cost


def test_costs_from_a_pilot(say: Say, board: Path) -> None:
    code, out, _ = say("--pilot", board, "--cluster", "category", *TWO, "--gap", 0.03, *COSTS)
    assert code == 0
    assert out.startswith("Plan 38 subjects of 91 items with 1 repeat")


def test_repeats_of_a_pilot_are_its_innermost_level() -> None:
    rng = np.random.default_rng(8)
    effect = rng.normal(0, 0.05, 30)[:, np.newaxis] + rng.normal(0, 0.1, (30, 40))
    chance = np.clip(0.5 + np.stack([effect, np.zeros_like(effect)], axis=2).reshape(-1, 2), 0, 1)
    answers = (rng.random((1200, 2, 5)) < chance[:, :, np.newaxis]).astype(float)
    task = TaskScores(
        *("exam", "graded", tuple(map(str, range(1200))), ("a", "b"), answers.mean(axis=2)),
        clusters={"subject": tuple(str(i // 40) for i in range(1200))},
        repeats=Repeats.of_answers(answers),
    )
    found = variances_of_pilot(task, "a", "b", cluster="subject")
    np.testing.assert_allclose(found.repeats, 0.49, atol=0.01)
    np.testing.assert_allclose(found.items, 0.01, atol=0.01)
    np.testing.assert_allclose(found.subjects, 0.0025, atol=0.002)


def test_the_variance_between_subjects_is_a_share() -> None:
    assert variances_of_levels(0.5, icc=0.25, within=0.25) == Variances(0.125, 0.125, 0.25)


STARTS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


DRAWN: dict[str, tuple[object, ...]] = {
    "counts": ("--b", 36, "--c", 18, "--n", 300),
    "accuracies": ("--p-a", 0.65, "--p-b", 0.6),
    "repeats": ("--gap", 0.05, "--between", 0.11, "--within-a", 0.17),
}


@pytest.mark.parametrize(
    ("ending", "name"), [(".png", "counts"), (".pdf", "accuracies"), (".svg", "repeats")]
)
def test_a_plan_is_drawn(say: Say, tmp_path: Path, ending: str, name: str) -> None:
    plot = tmp_path / f"plan{ending}"
    assert say(*DRAWN[name], "--plot", plot)[0] == 0
    assert plot.read_bytes().startswith(STARTS[ending])
    assert os.listdir(tmp_path) == [plot.name]


@drawn_as_locked
@pytest.mark.parametrize("name", DRAWN)
def test_a_drawn_plan_is_the_one_that_was_looked_at(say: Say, tmp_path: Path, name: str) -> None:
    assert say(*DRAWN[name], "--plot", tmp_path / "plan.svg")[0] == 0
    check_looks(f"plan/{name}", tmp_path / "plan.svg")


@pytest.mark.parametrize("gap", [None, 0.03])
def test_a_plan_from_a_pilot_is_drawn(gap: float | None) -> None:
    task = example_task()
    for cluster in (None, "subject"):
        plan = plan_pilot(task, "heron", "wren", gap=gap, cluster=cluster)
        curves = pilot_curves(plan, task, cluster=cluster)
        for n, power in [*curves.power.values()][:1]:
            # The curve crosses the target where the plan is: at the estimates, or at the limit.
            size = [*curves.planned.values()][-1 if gap else 0]
            below, at = np.interp([size - 1, size], n, power)
            assert below - 0.01 < curves.target < at + 0.01
        for n, power in curves.assurance.values():
            assert np.all(np.diff(power) > -1e-3)
            assert n[-1] >= 1.5 * curves.planned["planned"]


@pytest.mark.parametrize("plot", ["plan.gif", "plan", "none/plan.png"])
def test_nothing_is_written_where_no_picture_can_be(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plot: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = say("--b", 36, "--c", 18, "--n", 300, "--plot", plot)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert os.listdir(tmp_path) == []


def test_a_picture_that_fails_leaves_the_one_before(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.png").write_bytes(b"earlier")

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fails)
    plot = tmp_path / "plan.png"
    code, _, err = say("--b", 36, "--c", 18, "--n", 300, "--plot", plot)
    assert (code, err) == (
        2,
        f"error: {plot}: No space left on device. Remedy: make room there, or write elsewhere.\n",
    )
    assert os.listdir(tmp_path) == ["plan.png"]
    assert (tmp_path / "plan.png").read_bytes() == b"earlier"


@pytest.mark.parametrize(
    "question",
    [
        ("--gap", 0, "--discordance", 0.1, "--margin", 0.01),
        ("--gap", 0.02, "--discordance", 0.1, "--clusters", 14, "--icc", 0.004),
    ],
)
def test_what_has_no_picture_says_so(
    say: Say, tmp_path: Path, question: tuple[object, ...]
) -> None:
    code, _, err = say(*question, "--plot", tmp_path / "plan.png")
    assert code == 2
    assert "a plot must be of a plan of independent items" in err
