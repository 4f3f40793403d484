"""Quantities evaluated on what is at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from replication.findings import Basis, Finding, Quantities, derived, findings_frame


@dataclass(frozen=True)
class Counts:
    name: ClassVar[str] = "counts"
    basis: ClassVar[Basis] = "counts"

    panel: str
    n: int


@dataclass(frozen=True)
class Scores(Counts):
    name: ClassVar[str] = "scores"
    basis: ClassVar[Basis] = "witness"


def registered() -> Quantities:
    quantities = Quantities()

    @quantities.on(Counts)
    def items(counts: Counts) -> Iterator[Finding]:
        yield Finding("n_items", "", counts.n)

    @quantities.on(Scores)
    def models(scores: Scores) -> Iterator[Finding]:
        yield derived("n_models", "", scores.n // 2)

    return quantities


def test_a_function_runs_on_every_ground_that_it_fits() -> None:
    found = registered().evaluate(Counts("a", 4), Scores("b", 6))
    assert [(f.panel, f.quantity, f.value, f.ground) for f in found] == [
        ("a", "n_items", 4, "counts"),
        ("b", "n_items", 6, "scores"),
        ("b", "n_models", 3, "scores"),
    ]


def test_a_finding_says_what_it_rests_on_or_its_ground_does() -> None:
    found = registered().evaluate(Scores("b", 6))
    assert [f.basis for f in found] == ["witness", "derived"]
    assert {f.topic for f in found} == {"test_findings"}


def test_functions_are_chosen_by_their_module() -> None:
    quantities = registered()
    assert quantities.evaluate(Counts("a", 4), topics={"another_module"}) == []
    assert len(quantities.evaluate(Counts("a", 4), topics={"test_findings"})) == 1


def test_the_table_has_one_row_a_finding() -> None:
    frame = findings_frame(registered().evaluate(Counts("a", 4)))
    assert frame["panel"].tolist() == ["a"]
    assert frame["value"].tolist() == [4]
    assert frame["basis"].tolist() == ["counts"]
