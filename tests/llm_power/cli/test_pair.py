"""``llm-power pair``: answers for one pair without files, the same as a board gives."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import numpy as np
import pytest

from board_examples import task_of
from command_line import Refusal
from command_line import run as run_command
from llm_power._board.operating_point import Declared
from llm_power._board.resolve import resolve_board
from llm_power._scores.selection import prepare_task
from llm_power._statistics.mcnemar import P_VALUES, mcnemar_exact
from llm_power._statistics.paired_binary import required_n_paired_binary, summarize_counts

run = partial(run_command, "pair")


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(*arguments: object) -> Any:
        assert run(*arguments, "--format", "json") == 0
        return json.loads(capsys.readouterr().out)

    return ask


@pytest.mark.parametrize("test", ["exact", "mid_p", "asymptotic"])
def test_a_pair_is_told_what_a_board_of_it_is(answer: Any, test: Any) -> None:
    b, c, n = 36, 17, 400
    values = np.zeros((n, 2))
    values[:b, 0], values[b : b + c, 1], values[b + c :: 2] = 1, 1, 1
    declared = Declared(test=test, margin=0.02, monitored=True)
    board = resolve_board([prepare_task(task_of(values))], declared=declared)
    row = board.verdicts.iloc[0]
    said = answer("--b", b, "--c", c, "--n", n, "--test", test, "--margin", 0.02)
    same = set(said) & set(row.index)
    assert len(same) > 20
    for name in same - {"n_exact", "type_s", "type_m"}:  # exact here, approximate on a board
        expected = row[name]
        assert said[name] == (pytest.approx(expected) if isinstance(expected, float) else expected)
    assert said["n_exact"] == pytest.approx(row["n_exact"], rel=0.03)
    assert said["type_m"] == pytest.approx(row["type_m"], rel=0.1)


@pytest.mark.parametrize("test", ["exact", "mid_p", "asymptotic"])
@pytest.mark.parametrize("counts", ["6 0 6", "12 0 12", "7 3 10", "8 2 400", "6 1 20", "0 0 5"])
def test_a_pair_detects_the_gap_that_a_plan_says(
    answer: Any, capsys: pytest.CaptureFixture[str], counts: str, test: str
) -> None:
    b, c, n = counts.split()
    given = ("--b", b, "--c", c, "--n", n, "--test", test)
    said = answer(*given)["detectable_gap"]
    assert run_command("plan", *given, "--format", "json") == 0
    assert said == json.loads(capsys.readouterr().out)["at_hand"]["detectable"]
    assert run(*given) == run_command("plan", *given) == 0
    text = " ".join(capsys.readouterr().out.split())
    shown = re.search(r"detectable gap, power 0.8 (none|[\d.]+ points)", text)
    assert shown is not None
    of_plan = "no gap at this" if said == "inf" else f"gaps of {shown[1]} or more with power 0.8"
    assert of_plan in text
    assert (shown[1] == "none") == (said == "inf")


def test_two_accuracies_answer_over_every_correlation(answer: Any) -> None:
    said = answer("--p-a", 0.812, "--p-b", 0.794, "--n", 1319, "--rho", 0.6)
    assert (said["solved_a"], said["solved_b"]) == (1071, 1047)
    assert said["resolved"] == said["different"] == "depends on the correlation"
    for b, resolved in ((said["critical_b"], True), (said["critical_b"] + 1, False)):
        cells = (1071 - b, b, b - 24, 1319 - 1071 - b + 24)
        pair = summarize_counts(*cells)
        assert bool(pair.resolved) is resolved
        if resolved:
            assert said["critical_rho"] == pytest.approx(float(pair.rho))
    b = said["critical_b_test"]
    assert mcnemar_exact(b, b - 24) <= 0.05 < mcnemar_exact(b + 1, b - 23)
    assert said["n_star"] == pytest.approx(float(required_n_paired_binary(0.812, 0.794, 0.6)))
    of_counts = answer("--b", 96, "--c", 72, "--n", 1319)["headline"]
    where = "at a correlation of 0.6, where A alone solves about 96 items and B alone 72"
    assert said["headline"] == of_counts.replace("Undetermined", f"Undetermined {where}")


@pytest.mark.parametrize(
    ("accuracies", "n", "said"),
    [((0.9, 0.5), 1000, "always"), ((0.5, 0.9), 1000, "always"), ((0.8, 0.8), 1000, "never")],
)
def test_some_gaps_do_not_hang_on_the_correlation(
    answer: Any, accuracies: tuple[float, float], n: int, said: str
) -> None:
    found = answer("--p-a", accuracies[0], "--p-b", accuracies[1], "--n", n)
    assert (found["resolved"], found["different"]) == (said, said)
    assert "critical_b" not in found


@pytest.mark.parametrize("test", ["exact", "mid_p", "asymptotic"])
def test_accuracies_on_very_many_items_need_no_array_of_them(answer: Any, test: Any) -> None:
    said = answer("--p-a", 0.50001, "--p-b", 0.5, "--n", 10**12, "--test", test, "--alpha", 1e-5)
    assert said["different"] == "always"
    said = answer("--p-a", 0.5 + 1e-10, "--p-b", 0.5, "--n", 10**12, "--test", test)
    b, lead = said["critical_b_test"], said["solved_a"] - said["solved_b"]
    below, above = P_VALUES[test]([b, b + 1], [b - lead, b + 1 - lead])
    assert below <= 0.05 < above


@pytest.mark.parametrize(("b", "c"), [(5 * 10**9, 4 * 10**9), (5 * 10**15, 4 * 10**15)])
def test_counts_beyond_those_of_binomial_tails_have_errors_by_the_normal_law(
    answer: Any, b: int, c: int
) -> None:
    said = answer("--b", b, "--c", c, "--n", max(b + c, 10**10))
    assert (said["power"], said["type_s"], said["type_m"]) == (1, 0, pytest.approx(1))


@pytest.mark.parametrize("n", [10**6, 10**9, 9 * 10**15])
def test_items_of_a_new_run_do_not_grow_with_those_at_hand(answer: Any, n: int) -> None:
    said = answer("--b", n // 2, "--c", n // 2 - n // 10, "--n", n)
    assert said["items_even"] == pytest.approx(366, abs=4)
    assert said["items_assured"] == pytest.approx(724, abs=8)


@pytest.mark.parametrize(("b", "n"), [(10**6, 9 * 10**15), (10**12, 2 * 10**12)])
def test_a_gap_that_is_not_zero_is_not_said_to_be(
    capsys: pytest.CaptureFixture[str], b: int, n: int
) -> None:
    assert run("--b", b, "--c", b - 1, "--n", n) == 0
    shown = capsys.readouterr().out
    assert "the gap is 0" not in shown
    assert shown.count("no number: more than are counted") == 3


def test_models_that_never_differ_leave_everything_open(answer: Any) -> None:
    said = answer("--b", 0, "--c", 0, "--n", 5)
    assert (said["verdict"], said["n_star"], said["attainable"]) == ("undetermined", "inf", False)


def test_equal_models_get_the_items_of_an_equivalence_plan(answer: Any) -> None:
    assert answer("--b", 0, "--c", 0, "--n", 100, "--margin", 0.02)["n_equivalence"] <= 133
    assert answer("--b", 9, "--c", 1, "--n", 100, "--margin", 0.02)["n_equivalence"] == "inf"


def test_items_too_few_for_significance_have_no_errors_of_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("--b", 2, "--c", 1, "--n", 3) == 0
    table = capsys.readouterr().out
    assert re.search(r"^chance a new sample changes the verdict +0\.000$", table, re.MULTILINE)
    assert re.search(r"^wrong sign, if significant +-$", table, re.MULTILINE)


def test_answers_are_a_table_or_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--b", 295, "--c", 249, "--n", 10042) == 0
    table = capsys.readouterr().out
    assert re.search(r"^N\* at the observed gap +20,256$", table, re.MULTILINE)
    assert re.search(r"^new items, chance of 0\.8 to decide it +37,4\d\d$", table, re.MULTILINE)
    assert run("--b", 295, "--c", 249, "--n", 10042, "--format", "markdown") == 0
    assert "| q = N/N* | 0.496 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--b", 5, "--n", 10), "give --n with --b and --c, or"),
        (("--b", 5, "--c", 1, "--n", 10, "--rho", 0.5), "give --n with --b and --c, or"),
        (("--b", 5, "--c", 1, "--n", 10, "--p-a", 0.5), "or --n with --p-a and --p-b"),
        (("--b", 8, "--c", 5, "--n", 10), "--n must be positive and at least b + c"),
        (("--b", -1, "--c", 5, "--n", 10), "--b must"),
        (("--p-a", 65, "--p-b", 0.5, "--n", 10), "--p-a must lie in [0, 1], got 65.0; is 0.65"),
        (("--p-a", 0.9, "--p-b", 0.1, "--n", 100, "--rho", 0.9), "--rho must lie in [-1, 0.111"),
        (("--b", 5, "--c", 1), "give --n with"),
        (("--b", 10**26, "--c", 1, "--n", 9), "--b must be at most 2**53, got 1e+26"),
        (("--b", 1, "--c", 10**26, "--n", 9), "--c must be at most 2**53, got 1e+26"),
        (("--b", 1, "--c", 1, "--n", 10**26), "--n must be at most 2**53, got 1e+26"),
        (("--p-a", 0.5, "--p-b", 0.4, "--n", 10**26), "--n must be at most 2**53, got 1e+26"),
        (("--b", 1, "--c", 1, "--n", 10**400), "--n must be below 1.8e308, got 1000"),
    ],
)
def test_what_cannot_be_answered_is_one_line(
    arguments: tuple[object, ...], message: str, refusal: Refusal
) -> None:
    error = refusal("pair", *arguments)
    assert message in error
