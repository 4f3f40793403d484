"""How many tests the decided cells of an exhibit come to, as cells follow from one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from llm_power_audit.agreement import HOLDING

if TYPE_CHECKING:
    from llm_power_audit.evaluate import Judged

_DECIDED = (*HOLDING, "contradicted")


@dataclass(frozen=True, slots=True)
class IndependentTests:
    """Decided cells of one exhibit, and the tests that they come to."""

    decided: int  # Its printed cells that hold or are contradicted
    # Ids of cells to take as printed, as few as were found: all others follow from them, or from
    # what is printed elsewhere.
    given: tuple[str, ...]
    # Ids of cells that print a number again whose computation another cell tests.
    repeated: tuple[str, ...]

    @property
    def tests(self) -> int:
        """The cells that are neither."""
        return self.decided - len(self.given) - len(self.repeated)


def independent_tests(judged: Iterable[Judged]) -> dict[str, IndependentTests]:
    """Count decided cells and tests, by exhibit.

    A cell is repeated where one before it has the same value in the same row of the results or, in
    another exhibit, computed from the same numbers.
    """
    exhibits: dict[str, list[Judged]] = {}
    for one in judged:
        claim = one.claim
        if claim.exhibit and claim.cell and claim.kind == "claim" and one.verdict in _DECIDED:
            exhibits.setdefault(claim.exhibit, []).append(one)
    seen: set[Hashable] = set()
    counted = {name: _of_exhibit(cells, seen) for name, cells in exhibits.items()}
    return dict(sorted(counted.items()))


def _of_exhibit(cells: list[Judged], seen: set[Hashable]) -> IndependentTests:
    names = {one.claim.id for one in cells}
    given = _given({one.claim.id: names.intersection(one.claim.follows_from) for one in cells})
    repeated, inputs = [], set[Hashable]()
    for one in cells:
        if one.claim.id not in given:
            rows, of_inputs = set(_rows(one)), set(_inputs(one))
            if (rows | of_inputs) & seen:
                repeated.append(one.claim.id)
            seen |= rows
            inputs |= of_inputs
    # Two cells of one table that come of the same numbers are different functions of them.
    seen |= inputs
    return IndependentTests(len(cells), tuple(given), tuple(repeated))


def _given(needs: Mapping[str, set[str]]) -> list[str]:
    """Return names from which all others follow; each time the one that gives most."""
    needed = Counter(chain.from_iterable(needs.values()))
    known = _closure(needs, set())
    given: list[str] = []
    while len(known) < len(needs):
        unknown = [name for name in needs if name not in known]
        best = max(unknown, key=lambda name: (len(_closure(needs, known | {name})), needed[name]))
        given.append(best)
        known = _closure(needs, known | {best})
    return given


def _closure(needs: Mapping[str, set[str]], known: set[str]) -> set[str]:
    """Return `known`, and whatever follows from it."""
    known = set(known)
    while more := {name for name, need in needs.items() if name not in known and need <= known}:
        known |= more
    return known


def _rows(one: Judged) -> Iterator[Hashable]:
    """Name the computation behind a number by its place in the results."""
    if one.deciding and one.claim.statement.relation != "text":
        check = one.deciding.check
        if check.rows and check.aggregate is None:
            yield check.result, check.column, tuple(sorted(map(str, check.rows.items())))


def _inputs(one: Judged) -> Iterator[Hashable]:
    """Name it by the printed numbers that it is computed from, and by what came out."""
    if one.deciding and one.claim.statement.relation != "text" and one.claim.follows_from:
        yield one.deciding.value, frozenset(one.claim.follows_from)
