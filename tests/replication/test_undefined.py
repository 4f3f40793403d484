"""Results that are undefined say why, and so does what would have been computed from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from llm_power._errors import InvalidArgument
from replication.findings import Basis, Finding, Quantities
from replication.stages import undefined_among, write_undefined


@dataclass(frozen=True)
class Ground:
    name: ClassVar[str] = "printed numbers"
    panel: ClassVar[str] = "general"
    basis: ClassVar[Basis] = "counts"


def test_a_result_says_why_it_has_no_value(tmp_path: Path) -> None:
    made, unmade = tmp_path / "made.csv", tmp_path / "unmade.parquet"
    made.write_text("quantity,value\nundefined,1\n")
    write_undefined([str(unmade)], "b + c is more than N")
    assert undefined_among([str(made), str(tmp_path / "absent")]) == ""
    assert undefined_among([str(made), str(unmade)]) == "b + c is more than N"


def test_a_function_that_refuses_its_numbers_leaves_the_others_alone() -> None:
    quantities = Quantities()

    @quantities.on(Ground)
    def refused(ground: Ground) -> Iterator[Finding]:
        yield Finding("first", "", 1.0)
        raise InvalidArgument("b + c is more than N")

    @quantities.on(Ground)
    def computed(ground: Ground) -> Iterator[Finding]:
        yield Finding("second", "", 2.0)

    found = quantities.evaluate(Ground())
    assert [(f.quantity, f.basis) for f in found] == [
        ("first", "counts"),
        ("undefined", "none"),
        ("second", "counts"),
    ]
    assert found[1].method == "refused: b + c is more than N"
