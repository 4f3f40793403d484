"""``--explain``: every row and column of an answer, and every term of the trade, is explained."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd
import pytest

from command_line import Refusal, run
from llm_power import example_task, plan, resolve
from llm_power._board.operating_point import Declared
from llm_power._report.answer import Answer, Table
from llm_power._report.explained import meaning_of
from llm_power._report.pair_answers import answer_from_accuracies, answer_from_counts


def labels(answer: Answer) -> set[str]:
    """Headers, and the first column of tables whose rows have labels."""
    found = set()
    for part in answer.parts:
        if isinstance(part, Table):
            found |= {*part.rows[0]}
            if part.rows[0][0] in {"quantity", "test", "", "gap"}:
                found |= {row[0] for row in part.rows[1:]}
    return {label.strip() for label in found} - {"", "quantity", "value"}


COSTS = pd.DataFrame({"item": list("abcd"), "heron": [2.0, 3, 5, 7], "kite": [1.0, 4, 8, 2]})

ANSWERS: dict[str, Callable[[], Answer]] = {
    "counts": lambda: answer_from_counts(295, 249, 10_042, declared=Declared(margin=0.02)),
    "accuracies": lambda: answer_from_accuracies(0.812, 0.794, 1_319, rho=0.6),
    "gap": lambda: plan(gap=0.05, models=10, n=500).answer,
    "margin": lambda: plan(gap=0.0, discordance=0.1, margin=0.02).answer,
    "range": lambda: plan(p_a=0.65, p_b=0.6).answer,
    "clusters": lambda: plan(gap=0.02, discordance=0.1, clusters=14, icc=0.004).answer,
    "repeats": lambda: plan(gap=0.05, between=0.11, within_a=0.17).answer,
    "detectable": lambda: plan(n=500, between=0.11, within_a=0.17).answer,
    "costs": lambda: plan(gap=0.02, discordance=0.2, icc=0.01, cost_answer=0.02).answer,
    "board": lambda: resolve(example_task(), pairs="all", cluster="subject").answer,
    "costs of models": lambda: resolve(COSTS, kind="real", unit="USD").answer,
    "discoveries": lambda: resolve(example_task(), pairs="all", family="fdr").answer,
    "pilot": lambda: resolve(example_task()).plan("heron", "kite").answer,
    "declared pilot": lambda: resolve(example_task()).plan("heron", "kite", gap=0.05).answer,
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_every_row_and_column_is_explained(answer: Callable[[], Answer]) -> None:
    assert {label for label in labels(answer()) if meaning_of(label) is None} == set()


def test_an_unknown_row_has_no_meaning() -> None:
    assert meaning_of("sheep of the shepherd") is None


@pytest.mark.parametrize(
    ("command", "terms"),
    [
        ("pair --b 295 --c 249 --n 10042", "gap|p, exact test|q = N/N*|interval|power"),
        ("plan --gap .05 --models 10", "exact McNemar test|max-T|Holm|power|full discordance"),
    ],
)
def test_the_screen_ends_with_what_it_means(
    command: str, terms: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*command.split()) == 0
    plain = capsys.readouterr().out
    assert run(*command.split(), "--explain") == 0
    answer, _, rest = capsys.readouterr().out.partition("\nWhat it means\n")
    assert answer == plain
    explained = [line.partition(": ")[0] for line in rest.splitlines()]
    for term in terms.split("|"):
        assert any(term in one for one in explained), term
    assert not re.search(r"^.{101,}$", rest, re.MULTILINE)


def test_programs_have_the_columns_page(refusal: Refusal) -> None:
    error = refusal("plan", "--gap", ".05", "--format", "json", "--explain")
    assert "--explain must come without --format json" in error
