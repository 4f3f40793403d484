"""``llm-power plan``: one line a question, the number to take first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from llm_power.cli import main
from llm_power.plan.answer import plan_accuracies, plan_any_correlation, plan_gap
from llm_power.plan.question import Question
from llm_power.statistics.exact_required_n import mcnemar_required_n


def run(*arguments: object) -> int:
    try:
        main(["plan", *map(str, arguments)])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def said(*arguments: object) -> str:
        assert run(*arguments) == 0
        return capsys.readouterr().out

    return said


@pytest.mark.parametrize(
    ("question", "start"),
    [
        (("--p-a", 0.65, "--p-b", 0.60, "--rho", 0.3), "Plan 1,069 items: the exact McNemar"),
        (("--p-a", 0.65, "--p-b", 0.60), "Plan 2,392 items: enough at every correlation"),
        (("--b", 295, "--c", 249, "--n", 10042), "Plan 20,662 items: the exact McNemar"),
        (("--gap", 0.02, "--discordance", 0.1, "--test", "mid_p"), "Plan 1,949 items: the mid-p"),
        (("--n", 2000, "--discordance", 0.1), "2,000 items find gaps of 2.03 points or more"),
        (("--n", 20, "--discordance", 0.1), "20 items find no gap"),
        (("--gap", 1, "--discordance", 1), "Plan 6 items: the exact"),
        (("--gap", 0, "--discordance", 0.1), "No number of items tells models apart"),
        (("--gap", 0, "--discordance", 0.1, "--margin", 0.01), "Plan 8,602 items: two one-sided"),
        (
            ("--gap", 0.02, "--discordance", 0.1, "--clusters", 14, "--icc", 0.004),
            "Plan 6,594 items, 471 from each of 14 clusters",
        ),
        (
            ("--gap", 0.02, "--discordance", 0.1, "--clusters", 8, "--icc", 0.004),
            "8 clusters are never enough at an ICC of 0.004",
        ),
    ],
)
def test_the_number_to_take_comes_first(
    ask: Callable[..., str], question: tuple[object, ...], start: str
) -> None:
    text = ask(*question)
    assert text.startswith(start)
    # The same sentence, for programs.
    sentence = json.loads(ask(*question, "--json"))["sentence"]
    assert text.replace("\n", " ").startswith(sentence)


def test_json_has_what_python_has(ask: Callable[..., str]) -> None:
    said = json.loads(
        ask("--p-a", 0.65, "--p-b", 0.6, "--agreement", 0.8, "--comparisons", 45, "--json")
    )
    plan = plan_accuracies(0.65, 0.6, agreement=0.8, question=Question(comparisons=45))
    assert said["items"] == plan.items == plan.exact
    assert said["pair"]["p10"] == plan.pair.p10
    assert said["items"] == mcnemar_required_n(plan.pair.p10, plan.pair.p01, alpha=0.05 / 45)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--p-a", 0.65, "--p-b", 0.6, "--rho", 0.95), "rho must lie in [-0.599145, 0.898717]"),
        (("--p-a", 0.65, "--p-b", 0.6, "--agreement", 0.97), "agreement must lie in [0.25, 0.95]"),
        (("--p-a", 0.65, "--p-b", 0.6, "--rho", 0.1, "--agreement", 0.8), "rho or agreement"),
        (("--p-a", 1.2, "--p-b", 0.6), "p_a must lie in [0, 1], got 1.2"),
        (("--gap", 0.2, "--discordance", 0.1), "discordance must lie in [0.2, 1]"),
        (("--gap", 2, "--discordance", 0.1), "gap must lie in [-1, 1]"),
        (("--gap", 0.02), "give --p-a and --p-b"),
        ((), "give --p-a and --p-b"),
        (("--b", 8, "--c", 5, "--n", 10), "n_items"),
        (("--n", 100, "--discordance", 1.5), "sum in (0, 1]"),
        (("--n", 100, "--discordance", 0.5, "--margin", 0.1), "margin must come with a gap"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_with_what_can(
    arguments: tuple[object, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"clusters": 14}, "clusters and icc must be given together"),
        ({"clusters": 14, "icc": 1.5}, "icc must lie in [0, 1], got 1.5"),
        ({"clusters": 1, "icc": 0.1}, "clusters must be at least 2"),
        ({"clusters": 14, "icc": 0.1, "margin": 0.1}, "margin is for items alone"),
        ({"models": 10, "comparisons": 45}, "models must be at least 2, and given without"),
        ({"power": 0.03}, "power must lie in (0.05, 1)"),
        ({"margin": 1.5}, "margin must lie strictly between 0 and 1"),
        ({"comparisons": 0}, "comparisons must be at least 1"),
    ],
)
def test_questions_that_contradict_themselves_are_refused(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Question(**settings)


def test_without_a_correlation_both_ends_are_told() -> None:
    found = plan_any_correlation(0.65, 0.60)
    assert found.fewest.items == plan_gap(0.05, 0.05).items
    assert found.most.items == plan_gap(0.05, 0.75).items
