"""``llm-power plan``: one line a question, the number to take first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from command_line import Refusal
from command_line import run as run_command
from llm_power._errors import InvalidArgument
from llm_power._planning.answer import plan_pair
from llm_power._planning.ask import plan
from llm_power._planning.question import Question, pair_from_accuracies
from llm_power._statistics.designs import required_units
from llm_power._statistics.mcnemar import McNemarDesign

run = partial(run_command, "plan")
REPEATS = "--between 0.11 --within-a 0.17"
COSTS = "--cost-subject 50 --cost-item 1 --cost-answer 0.02"


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    def answer(question: str) -> str:
        assert run(*question.split()) == 0
        return capsys.readouterr().out

    return answer


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("--p-a 0.65 --p-b 0.6 --rho 0.3", "Plan 1,069 items or more: they detect"),
        (
            "--gap 0.05",
            "Plan 3,213 items: enough for power 0.8 on however many items the models differ; 157",
        ),
        ("--gap 0.05 --p-a 0.65", "Plan 2,392 items: enough at every correlation"),
        ("--gap -0.05 --p-b 0.65", "Plan 2,392 items: enough at every correlation"),
        ("--gap 0.05 --p-a 0.65 --rho 0.3", "Plan 1,069 items or more: they detect"),
        # Of the two ends one alone has a plan of monitoring.
        ("--gap 0.001", "Plan 7,850,878 items: enough for power 0.8 on however many"),
        ("--gap 0", "No number of items separates models"),
        ("--gap 0 --margin 0.01", "Plan 85,634 items: enough for power 0.8"),
        (
            "--gap 0.05 --clusters 14 --icc 0.004",
            "Where the models differ on every item, 14 clusters are too few",
        ),
        ("--p-a 0.65 --p-b 0.6", "Plan 2,392 items: enough at every correlation"),
        ("--b 295 --c 249 --n 10042", "Plan 20,662 items or more: they detect"),
        ("--gap 0.02 --discordance 0.1 --test mid_p", "Plan 1,949 items or more: they detect"),
        ("--n 2000 --discordance 0.1", "2,000 items detect gaps of 2.03 points or more"),
        ("--gap 0.02 --discordance 0.1 --n 1319", "Plan 2,043 items or more: they detect"),
        ("--p-a 0.65 --p-b 0.6 --n 800", "Plan 2,392 items: enough at every"),
        ("--n 1000000000 --discordance 1", "1,000,000,000 items detect gaps of 0.00886 points"),
        ("--n 20 --discordance 0.1", "No gap is detectable on 20 items: plan more."),
        ("--gap 1 --discordance 1", "Plan 6 items or more: they detect"),
        ("--gap 0 --discordance 0.1", "No number of items separates models"),
        ("--gap 0 --discordance 0.1 --margin 0.01", "Plan 8,602 items: two one-sided"),
        (
            "--gap 0.02 --discordance 0.1 --clusters 14 --icc 0.004",
            "Plan 9,058 items, 647 from each of 14 clusters",
        ),
        (
            "--gap 0.02 --discordance 0.1 --clusters 8 --icc 0.004",
            "8 clusters are too few at an ICC of 0.004",
        ),
        (
            "--p-a 0.65 --p-b 0.6 --clusters 14 --icc 0.004",
            "Plan 22,708 items, 1,622 from each of 14 clusters: enough at every correlation",
        ),
        (
            "--p-a 0.65 --p-b 0.6 --clusters 14 --icc 0.05",
            "At the lowest correlation, 14 clusters are too few",
        ),
        (
            "--n 2000 --discordance 0.1 --clusters 14 --icc 0.004",
            "2,000 items detect gaps of 2.81 points or more with power 0.8.",
        ),
        (
            "--n 2000 --discordance 0.1 --clusters 2 --icc 0.5",
            "No gap is detectable on 2,000 items from 2 clusters: plan more clusters.",
        ),
        ("--n 2000 --discordance 0", "No number of items separates models that never"),
        (
            "--gap 0.05 --discordance 0.33 --margin 0.02",
            "A gap of 5 points is not within 2 points. Plan 1,069 items or more: they detect",
        ),
        ("--p-a 0 --p-b 1", "Plan 6 items: enough at every correlation"),
        ("--gap 0.02 --discordance 0.1 --margin 0.9999", "Plan 1 item: two one-sided"),
        (f"--gap 0.05 {REPEATS}", "Plan 1,4"),
        (f"--gap 0 {REPEATS}", "No number of items"),
        (f"--n 198 {REPEATS}", "The items detect gaps of 13."),
    ],
)
def test_the_number_to_take_comes_first(
    ask: Callable[[str], str], question: str, start: str
) -> None:
    text = ask(question)
    assert text.startswith(start)
    # The same sentence, for programs.
    headline = json.loads(ask(f"{question} --format json"))["headline"]
    assert text.replace("\n", " ").startswith(headline)


def test_what_has_no_number_has_none_in_the_text(ask: Callable[[str], str]) -> None:
    never_significant = ask("--gap 0.5 --discordance 0.5")
    assert "nan" not in never_significant
    assert re.search(r"4   0.00  -", never_significant)
    assert "is never" not in ask("--gap 0 --between 0.1 --within-a 0.1")


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_a_number_of_very_many_items_is_a_power_of_ten(
    ask: Callable[[str], str], form: str
) -> None:
    answer = ask(f"--gap 1e-12 --discordance 0.1 --n 500000000000000 --format {form}")
    assert "Plan 7.85e+23 items or more" in answer
    assert "The 500,000,000,000,000 items at hand" in answer
    assert len(re.findall(r"7\.85e\+23", answer)) >= 5
    plan = json.loads(ask("--gap 1e-12 --discordance 0.1 --format json"))
    assert plan["items"] == 784879129620803525541888


@pytest.mark.parametrize(
    ("design", "head"),
    [
        ("--discordance 0.1 --clusters 20 --icc 0.1", "20 clusters are too few at an ICC of 0.1"),
        ("--discordance 0.1 --clusters 20 --icc 0", "Plan 9.28e+23 items, 4.64e+22 from each"),
        ("--between 0.1 --within-a 0.1 --repeats-a 3", "Plan 1.31e+24 items with 3 answers"),
    ],
)
def test_a_gap_near_zero_is_planned_for_clusters_and_repeats(
    ask: Callable[[str], str], design: str, head: str
) -> None:
    assert ask(f"--gap 1e-12 {design}").startswith(head)


@pytest.mark.parametrize("budget", ["7", "1e6", "1e13"])
def test_a_budget_is_not_exceeded(ask: Callable[[str], str], budget: str) -> None:
    answer = ask(f"--discordance 0.2 --cost-answer 1 --budget {budget} --format json")
    assert json.loads(answer)["design"]["cost"] <= float(budget)


@pytest.mark.parametrize(("n", "own"), [(6, 9), (10, 12), (30, 35), (50, 49), (1000, 1014)])
def test_the_gap_of_some_items_has_its_power_on_them_and_for_good_from_others(
    ask: Callable[[str], str], n: int, own: int
) -> None:
    said = ask(f"--n {n} --discordance 1")
    assert "(this plan)" not in said
    powers = dict(re.findall(r"^ *([\d,]+) +(0\.\d\d|1\.00) ", said, re.MULTILINE))
    assert float(powers[f"{n:,}"]) >= 0.8
    assert f"or more on {own:,} items and on every larger number" in " ".join(said.split())


def test_one_item_is_no_items(ask: Callable[[str], str]) -> None:
    assert "The 1 item at hand detects no gap" in ask("--b 1 --c 0 --n 1")


@pytest.mark.parametrize("within", ["", "--within-a 0.05"])
def test_a_budget_below_every_possible_gap_is_to_be_raised(
    ask: Callable[[str], str], within: str
) -> None:
    costs = f"--discordance 0.2 --cost-item 1 --cost-answer 0.02 {within} --budget"
    said = " ".join(ask(f"{costs} 5").split())
    assert said.startswith("No gap that these models can have is detectable with power 0.8")
    assert "at a cost of at most 5: raise --budget." in said
    assert "Smallest gap" not in said
    assert json.loads(ask(f"{costs} 5 --format json"))["design"]["detectable_gap"] == "inf"
    assert json.loads(ask(f"{costs} 500 --format json"))["design"]["detectable_gap"] < 0.2


def test_json_has_what_python_has(ask: Callable[[str], str]) -> None:
    question = "--p-a 0.65 --p-b 0.6 --agreement 0.8 --comparisons 45"
    answer = json.loads(ask(f"{question} --format json"))
    plan = plan_pair(
        pair_from_accuracies(0.65, 0.6, agreement=0.8), question=Question(comparisons=45)
    )
    assert answer["items"] == plan.items == plan.exact
    assert answer["pair"]["p10"] == plan.pair.p10
    assert answer["items"] == required_units(
        McNemarDesign(plan.pair.p10, plan.pair.p01, alpha=0.05 / 45), 0.8
    )


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("--p-a 0.65 --p-b 0.6 --rho 0.95", "rho must lie in [-0.599145, 0.898717]"),
        ("--p-a 0.65 --p-b 0.6 --agreement 0.97", "agreement must lie in [0.25, 0.95]"),
        ("--p-a 0.65 --p-b 0.6 --rho 0.1 --agreement 0.8", "rho or agreement"),
        ("--p-a 1.2 --p-b 0.6", "--p-a must lie in [0, 1], got 1.2\n"),
        ("--p-a 65 --p-b 0.6", "--p-a must lie in [0, 1], got 65.0; is 0.65 meant?"),
        ("--p-a 65", "--p-a must lie in [0, 1], got 65.0; is 0.65 meant?"),
        ("--gap 0.05 --p-b 60", "--p-b must lie in [0, 1], got 60.0; is 0.6 meant?"),
        ("--gap 5", "--gap must lie in [-1, 1], got 5.0; is 0.05 meant?"),
        ("--gap 0.05 --discordance 33", "got 33.0; is 0.33 meant?"),
        ("--gap 0.05 --power 80", "--power must lie strictly between 0 and 1, got 80.0; is"),
        ("--gap 0.05 --p-b 0.98", "--gap must leave both accuracies from 0 to 1"),
        ("--gap 0.2 --discordance 0.1", "discordance must lie in [0.2, 1]"),
        ("--gap 2 --discordance 0.1", "gap must lie in [-1, 1]"),
        (
            "--gap 0.3 --discordance 0.2 --cost-answer 1",
            "discordance must lie in [0.3, 1] for a gap of 0.3, got 0.2",
        ),
        (
            "--discordance 1.5 --cost-answer 1 --budget 100",
            "discordance must lie in [0, 1] for a gap of 0, got 1.5",
        ),
        ("--gap 0.02 --discordance 0.2 --cost-answer 1 --test mid_p", "--test out"),
        ("--gap 0.05 --between 0.1 --within-a 0.2 --test mid_p", "--test out"),
        ("--discordance 0.02", "--discordance and --n, --between"),
        ("", "give --gap (alone, or with --p-a"),
        ("--b 8 --c 5 --n 10", "--n must be positive and at least b + c"),
        ("--n 100 --discordance 1.5", "sum in (0, 1]"),
        ("--n 100 --discordance 0.5 --margin 0.1", "margin must come with a gap"),
        ("--gap 0.02 --discordance 0.2 --cost-item 1", "give a positive --cost-answer"),
        (f"--gap 0.02 {COSTS}", "give --discordance or --between with the costs"),
        (f"--gap 0.02 --budget 5 --discordance 0.2 {COSTS}", "give gap or budget"),
        (f"--discordance 0.2 {COSTS}", "give gap or budget"),
        (f"--gap 0.02 --discordance 0.2 --clusters 9 {COSTS}", "leave --clusters out"),
        (f"--gap 0.02 --discordance 0.2 --within-a 0.2 {COSTS}", "--within-a must be smaller"),
        ("--gap 0.05 --discordance 0.2 --cost-item -1 --cost-answer 1", "--cost-item must not be"),
        ("--gap 0.05 --discordance 0.2 --cost-answer -1", "--cost-answer must not be negative"),
        ("--gap 0.05 --discordance 0.2 --cost-answer 0", "give a positive --cost-answer"),
        (f"--gap 0.02 --discordance 0.2 {COSTS} --plot a.png", "leave --plot out"),
        ("--gap 1e-16 --discordance 0.1", "--gap must be 0, or farther from it beside"),
        ("--gap 1e-13 --p-a 0.5", "--gap must be 0, or farther from it beside"),
        ("--gap 0 --discordance 0.1 --margin 1e-13", "--margin must be at least 1e-09"),
        (f"--gap 1e-9 --discordance 0.2 {COSTS}", "--gap must be farther from 0, or the budget"),
        (f"--budget 1e30 --discordance 0.2 {COSTS}", "or the budget smaller"),
        ("--gap 1e-12 --discordance 0.1 --plot a.png", "at most 1e+14 items or clusters"),
        ("--gap 1e-12 --between 0.1 --within-a 0.1 --plot a.png", "at most 1e+14 items or"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_with_what_can(
    question: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*question.split()) == 2
    out, error = capsys.readouterr()
    assert bool(out) == (not question)  # called bare, it shows its help
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "others"),
    [
        ("--n", "--discordance 0.1"),
        ("--n", "--gap 0.05"),
        ("--n", "--p-a 0.5 --p-b 0.4"),
        ("--n", "--b 1 --c 2"),
        ("--n", "--between 0.1 --within-a 0.1"),
        ("--b", "--c 2 --n 900"),
        ("--c", "--b 2 --n 900"),
        ("--comparisons", "--gap 0.05"),
        ("--models", "--gap 0.05"),
        ("--clusters", "--gap 0.02 --discordance 0.1 --icc 0.004"),
        ("--repeats-a", "--gap 0.05 --between 0.1 --within-a 0.1"),
        ("--repeats-b", "--gap 0.05 --between 0.1 --within-a 0.1"),
    ],
)
@pytest.mark.parametrize(
    ("count", "must"), [(10**26, "be at most 2**53, got 1e+26"), (10**400, "be below 1.8e308, got")]
)
def test_a_count_that_no_float_tells_from_the_next_is_refused_by_its_option(
    option: str, others: str, count: int, must: str, refusal: Refusal
) -> None:
    assert f"{option} must {must}" in refusal("plan", *others.split(), option, count)
    name = option.removeprefix("--").replace("-", "_")
    words = [word.removeprefix("--").replace("-", "_") for word in others.split()]
    numbers = dict(zip(words[::2], map(float, words[1::2]), strict=True))
    with pytest.raises(InvalidArgument, match=re.escape(f"{name} must {must}")):
        plan(**{**numbers, name: count})  # type: ignore[arg-type]


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
