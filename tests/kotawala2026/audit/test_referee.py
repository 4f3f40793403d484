"""The answers to the published review have the numbers of the run and of what is measured."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from llm_power._statistics.intervals import tango_interval
from llm_power._statistics.paired_binary import required_n_discordance
from llm_power._statistics.verdict_stability import required_n_interval
from needed import ROOT, page

PAGE = page("docs/referee.md").replace("\\*", "*")


@pytest.fixture(scope="module")
def results(whole_run: Path) -> Path:
    return whole_run / "results"


def test_q_is_a_function_of_the_p_value() -> None:
    z = norm.isf(0.025) + norm.isf(0.2)
    b, c = np.array([295, 1871, 1449]), np.array([249, 1076, 1439])
    n = np.array([10042, 12031, 12031])
    gap = (b - c) / n
    t = gap / np.sqrt(((b + c) / n - gap**2) / n)
    assert n / required_n_discordance(b, c, n) == pytest.approx((t / z) ** 2)
    assert f"q = (T/{z:.2f})²" in PAGE
    assert f"q ≥ 1 means p ≤ {2 * norm.sf(z):.4f}, and a pair with p = 0.05 has q = " in PAGE
    assert f"has q = {(norm.isf(0.025) / z) ** 2:.2f}." in PAGE


def test_the_page_has_the_findings_of_the_run(results: Path) -> None:
    found = pd.read_csv(results / "audit/evidence.csv").set_index("quantity")
    assert f"p ≤ {float(found['value']['p_at_q_of_one']):.4f}" in PAGE
    assert f"q = {float(found['value']['q_at_p_of_level']):.2f}" in PAGE
    claims = pd.read_csv(results / "audit/claims.csv", index_col="id")
    value = pd.to_numeric(claims["value"], errors="coerce")
    close, adjacent = value["s3/covariance-close-pairs"], value["s3/covariance-adjacent-pairs"]
    assert f"at least {close:.2f} among the close pairs, at least {adjacent:.2f} among" in PAGE
    assert f"multiply N* by {value['s3/independent-inflates']:.1f} or more" in PAGE
    margins, beside = (
        found.loc[[name]].set_index("subject").loc["all"]
        for name in ("unresolved_over_correlations", "unresolved_beside_table_6")
    )
    allowed = "displayed scores alone allow {:.0f} to {:.0f} unresolved pairs, with Table 6 they"
    assert allowed.format(margins["lower"], margins["upper"]) in PAGE
    assert f"they allow {beside['lower']:.0f} to {beside['upper']:.0f} (" in PAGE
    true = found.loc[["unresolved_of_printed_numbers"]].set_index("subject").loc["all"]
    assert f"printed number {true['lower']:.0f} to {true['upper']:.0f}, [" in PAGE
    assert f"N = {value['table-7-caption/n-items']:,.0f}, which is" in PAGE
    assert f"m̄ = N/14 = {value['table-7-caption/n-items'] / 14:.1f} items" in PAGE


def test_the_pair_on_hellaswag_has_the_interval_of_its_gap() -> None:
    b, c, n = 295, 249, 10042
    q = n / float(required_n_discordance(b, c, n))
    assert f"have q = {q:.3f}" in PAGE
    gap = tango_interval(b, c, n)
    least, most = map(float, required_n_interval(gap.low, gap.high, (b + c) / n))
    assert f"interval is {n / most:.5f} to {n / least:.2f}: " in PAGE
    assert f"between {least:,.0f} and {most / 1e6:.0f} million items" in PAGE


def test_the_halves_are_those_of_the_page_of_verdicts() -> None:
    text = (ROOT / "docs" / "verdicts.md").read_text("utf-8")
    measured = text.partition("| unresolved, q < 1")[2]
    rows = [re.split(r"\s*\|\s*", line) for line in measured.splitlines()[2:8]]
    assert len(rows) == 6
    for row in rows:
        assert f"| {row[1]} | {' | '.join(row[-4:-1])} |" in PAGE


def test_each_step_from_four_to_six_is_that_of_table_4(results: Path) -> None:
    table = pd.read_csv(results / "tables/table_04.csv")
    words = {True: "resolved", False: "unresolved"}
    for row in table.to_dict(orient="records"):
        before, after = words[row["resolved"]], words[row["resolved_cluster"]]
        after = after if after == before else f"**{after}**"
        numbers = [
            f"{row['n_star']:,.0f}",
            f"{row['icc']:.4f}",
            f"{row['design_effect']:.2f}",
            f"{row['n_star_cluster']:,.0f}",
            f"{row['r_cluster']:,.2f}",
        ]
        assert f"| {row['label']} | {' | '.join(numbers)} | {before}, {after} |" in PAGE
        size = row["n_items"] / 14
        effect = 1 + (size - 1) * max(row["icc"], 0)
        assert row["design_effect"] == pytest.approx(effect, rel=1e-9)
        assert row["n_star_cluster"] == pytest.approx(row["n_star"] * effect, rel=1e-9)
    assert (~table["resolved"]).sum() == 4
    assert (~table["resolved_cluster"]).sum() == 6
    assert f"up to {table['design_effect'].max():.1f} times" in PAGE


def test_the_calculators_are_those_of_table_1(results: Path) -> None:
    table = pd.read_csv(results / "tables/table_01.csv")
    for row in table.to_dict(orient="records"):
        per_arm = "–" if np.isnan(row["per_arm"]) else f"{np.ceil(row['per_arm']):,.0f}"
        said = f"| {row['calculator']} | {per_arm} | {np.ceil(row['times_one_minus_rho']):,.0f} | "
        assert f"{said}{row['times_one_minus_rho_printed']} |" in PAGE


def test_the_statements_of_the_review_have_the_verdicts_of_the_audit(results: Path) -> None:
    claims = pd.read_csv(results / "audit/claims.csv", index_col="id")
    verdict, value = claims["verdict"], pd.to_numeric(claims["value"], errors="coerce")
    assert verdict["abstract/category-bootstrap"] == "holds"
    assert verdict[["abstract/oll-unresolved", "abstract/mmlu-unresolved"]].tolist() == [
        *("feasible", "holds")
    ]
    remains = verdict[["abstract/pattern-remains-oll", "abstract/pattern-remains-mmlu"]]
    assert (remains == "holds").all()
    monitored = [claims["printed"][f"table_05/3/{board}/count"] for board in ("oll_v1", "mmlu_pro")]
    monitored = [one.replace("/", " of ") for one in monitored]
    assert f"Under monitoring {' and '.join(monitored)} are unresolved" in PAGE
    ends = claims.loc["s2/miller-median", ["lower", "upper"]].astype(float)
    items = claims.loc["fig-4/n-star", ["lower", "upper"]].astype(float)
    assert f"gains of {ends['lower']:.2f} to {ends['upper']:.2f}, and" in PAGE
    assert f"{items['lower']:,.0f} to {items['upper']:,.0f} items" in PAGE
    assert verdict[["app-b/all-three-gaps", "fig-6/within-6"]].tolist() == ["ambiguous"] * 2
    assert verdict["abstract/three-of-five"] == "contradicted"
    assert verdict["abstract/factor-of-two"] == "holds"
    assert f"A witness gives {100 * value['s6.4/share-at-least-5']:.1f} %" in PAGE
    five, six = (pd.read_csv(results / f"figures/figure_0{n}_points.csv") for n in (5, 6))
    for table, form in ((five, "{}, {} and {}"), (six, "{} to {}")):
        for _, rows in table.groupby("reference"):
            ratios = rows["crossing_to_n_star"].unique()
            shown = ratios if form.startswith("{},") else [ratios.min(), ratios.max()]
            assert form.format(*(f"{one:.3f}" for one in shown)) in PAGE
