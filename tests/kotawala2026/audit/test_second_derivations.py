"""Every contradicted claim again, from the printed numbers and the standard library alone."""

from __future__ import annotations

import ast
import csv
import math
import sys
from pathlib import Path

import pytest
from second_derivations import DERIVATIONS
from second_derivations_paper import MONTE_CARLO_ERRORS, Derivation

MODULES = sorted(Path(__file__).parent.glob("second_derivations*.py"))
# What the run simulates it simulates with 5,000 trials: data/kotawala2026/claims.yaml, Appendix C.
RUN_TRIALS = 5000


@pytest.fixture(scope="module")
def contradicted(whole_run: Path) -> dict[str, str]:
    """The run's value of every claim that it contradicts."""
    with (whole_run / "results/audit/claims.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["id"]: row["value"] for row in rows if row["verdict"] == "contradicted"}


def test_every_contradicted_claim_and_no_other_is_derived_twice(
    contradicted: dict[str, str],
) -> None:
    assert set(contradicted) == set(DERIVATIONS)


@pytest.mark.parametrize(("claim", "derive"), DERIVATIONS.items(), ids=DERIVATIONS)
def test_both_derivations_agree(
    claim: str, derive: Derivation, contradicted: dict[str, str]
) -> None:
    derived, found = derive(), contradicted[claim]
    if isinstance(derived.value, str):
        assert found == derived.value
    elif isinstance(derived.value, int):
        assert float(found) == derived.value
    elif derived.one_trial:
        error = derived.one_trial / math.sqrt(RUN_TRIALS)
        assert abs(float(found) - derived.value) <= MONTE_CARLO_ERRORS * error
    else:
        assert float(found) == pytest.approx(derived.value, rel=1e-9, abs=0)


@pytest.mark.parametrize(("claim", "derive"), DERIVATIONS.items(), ids=DERIVATIONS)
def test_the_second_derivation_contradicts_the_claim_by_itself(
    claim: str, derive: Derivation
) -> None:
    assert derive().contradicts, claim


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_second_derivations_rest_on_the_standard_library_alone(module: Path) -> None:
    allowed = sys.stdlib_module_names | {path.stem for path in MODULES}
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module or ""]
        else:
            continue
        assert {name.partition(".")[0] for name in names} <= allowed
