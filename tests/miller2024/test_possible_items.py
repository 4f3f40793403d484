"""Items of which a misprint would be printed with everything else: those of the committed table."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from test_miller_register import CONTRADICTED, DATA

from llm_power._statistics.arrays import FloatArray
from llm_power_audit import load_register
from llm_power_audit.agreement import agrees
from llm_power_audit.printed import DisplayRule, Printed, parse_printed
from llm_power_audit.printed_tables import load_table
from miller2024.possible_items import items_of, written
from needed import ROOT

EVALS = ("MATH", "HumanEval", "MGSM")
CLUSTERED = ("DROP", "RACE-H", "MGSM")
STATED = {claim.id: claim.statement for claim in load_register(DATA / "claims.yaml").claims}
TABLES = {number: load_table(DATA / f"printed/table_0{number}.csv") for number in range(1, 6)}
RECORDED = pd.read_csv(
    ROOT / "data/recorded/audit_power/miller2024.csv", dtype=str, keep_default_na=False
)
PASSED = RECORDED[RECORDED["fate"] != "noticed"]


def items(data: str) -> tuple[FloatArray, FloatArray]:
    """Scores, shape (n_items, n_models), and the cluster of each item."""
    scores: list[list[float]] = []
    clusters: list[int] = []
    for group in data.split("; "):
        n, _, inside = group.partition(" × ")
        alike = [
            [float(score) for score in of.split("/")]
            for of, count in re.findall(r"(\S+):(\d+)", inside)
            for _ in range(int(count))
        ]
        for _ in range(int(n)):
            clusters += [clusters[-1] + 1 if clusters else 0] * len(alike)
            scores += alike
    return np.array(scores), np.array(clusters)


def naive_error(scores: FloatArray) -> float:
    """Eq. (1)."""
    return float(np.sqrt(np.var(scores, ddof=1) / len(scores)))


def clustered_error(scores: FloatArray, clusters: FloatArray) -> float:
    """Eq. (4), of which eq. (8) has another divisor in one term."""
    options: dict[str, Any] = {"groups": clusters, "use_correction": False}
    fitted = sm.OLS(scores, np.ones(len(scores))).fit(cov_type="cluster", cov_kwds=options)
    return float(fitted.bse[0])


def numbers_of_two(name: str, scores: FloatArray, clusters: FloatArray) -> dict[str, list[float]]:
    """What the paper prints of two models on an eval, by claim, or table, row and column."""
    a, b = scores.T
    row, has_clusters = EVALS.index(name) + 1, name in CLUSTERED
    error = clustered_error(a - b, clusters) if has_clusters else naive_error(a - b)
    difference = float(np.mean(a - b))
    correlations = [float(np.corrcoef(a, b)[0, 1])]
    numbers = {
        **{f"table_0{t}/{row}/galleon": [a.mean()] for t in (1, 2)},
        **{f"table_0{t}/{row}/dreadnought": [b.mean()] for t in (1, 2)},
        **{f"table_0{t}/{row}/difference": [difference] for t in (1, 5)},
        f"table_02/{row}/n": [len(a)],
        f"table_02/{row}/galleon_se": [naive_error(a)],
        f"table_02/{row}/dreadnought_se": [naive_error(b)],
        f"table_05/{row}/se": [error],
        f"table_05/{row}/low": [difference - 1.96 * error],
        f"table_05/{row}/high": [difference + 1.96 * error],
        f"table_05/{row}/correlation": correlations,
        f"table-5-caption/{name.lower()}": [difference / error],
    }
    if has_clusters:
        of_both = [clustered_error(x, clusters) for x in (a, b)]
        relation = (np.square(of_both).sum() - error**2) / 2 / np.prod(of_both)
        correlations.append(float(relation))
        numbers |= {
            "table_03/3/n": [len(a)],
            "table_03/3/clusters": [len(set(clusters))],
            "table_03/3/galleon": [a.mean()],
            "table_03/3/dreadnought": [b.mean()],
            "table_03/3/galleon_se": of_both[:1],
            "table_03/3/dreadnought_se": of_both[1:],
        }
    return numbers


def numbers_of_one(name: str, scores: FloatArray, clusters: FloatArray) -> dict[str, list[float]]:
    """What the paper prints of the errors of Table 4, DROP's in points."""
    row = CLUSTERED.index(name) + 1
    unit = 100 if name == "DROP" else 1
    naive, clustered = naive_error(scores[:, 0]), clustered_error(scores[:, 0], clusters)
    return {
        f"table_03/{row}/n": [len(scores)],
        f"table_03/{row}/clusters": [len(set(clusters))],
        f"table_04/{row}/naive": [unit * naive],
        f"table_04/{row}/clustered": [unit * clustered],
        f"table_04/{row}/ratio": [clustered / naive],
    }


def printed(name: str) -> Printed:
    """The number of a claim, or of a cell that no claim is about."""
    if name in STATED:
        return STATED[name]
    table, row, column = name.split("/")
    cell = TABLES[int(table[-2:])][column][int(row) - 1]
    assert isinstance(cell, Printed)
    return cell


def rule_of(name: str) -> DisplayRule:
    """The rule of rounding that the audit chose for a column."""
    return "up" if re.fullmatch(r"table_02/\d/dreadnought_se", name) else "nearest"


@pytest.mark.parametrize(
    ("claim", "misprint", "data"), PASSED[["claim", "misprinted", "data"]].to_numpy()
)
def test_items_have_a_misprint_and_every_other_number(claim: str, misprint: str, data: str) -> None:
    """But for what is contradicted as it is printed, such as HumanEval's errors."""
    scores, clusters = items(data)
    assert scores.min() >= 0
    assert scores.max() <= 1
    row = int(claim.split("/")[1]) - 1
    of_one = claim.startswith("table_04")
    numbers = (
        numbers_of_one(CLUSTERED[row], scores, clusters)
        if of_one
        else numbers_of_two(EVALS[row], scores, clusters)
    )
    assert claim in numbers
    # What is contradicted beside its error is one eval's: 3.2% has no scores in [0, 1].
    held = [
        name
        for name in numbers
        if name not in CONTRADICTED - {"table_05/2/se", "table_05/2/correlation"}
    ]
    assert len(held) == len(numbers) - (3 if row == 1 and not of_one else 0)
    for name in held:
        statement = parse_printed(misprint) if name == claim else printed(name)
        for value in numbers[name]:
            assert agrees(statement, value, rounding=rule_of(name)), (name, value)


def test_every_misprint_that_passes_has_items() -> None:
    assert (PASSED["stands"] == "items").all()
    assert len(PASSED) > 20
    assert PASSED["data"].str.len().max() < 500


@pytest.mark.parametrize("name", ["MATH", "DROP"])
def test_items_are_found_for_what_is_printed(name: str) -> None:
    clusters = items_of(TABLES, 4 if name in CLUSTERED else 5, name)
    assert clusters is not None
    numbers_of = numbers_of_one if name in CLUSTERED else numbers_of_two
    for claim, values in numbers_of(name, *items(written(clusters))).items():
        assert all(agrees(printed(claim), value, rounding=rule_of(claim)) for value in values)


def test_no_items_have_what_none_can() -> None:
    """An interval from 1.2% to 4.0% takes errors above those of scores of 0 and 1."""
    table = TABLES[5].copy()
    table["high"] = table["high"].map(
        lambda cell: parse_printed("4.0%") if cell.text == "+3.8%" else cell
    )
    assert items_of({**TABLES, 5: table}, 5, "MATH") is None
