"""README, changelog and docs say of the paper what a run made."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from kotawala2026 import findings  # noqa: F401  (registers what is evaluated)
from kotawala2026.quantities.raw_sample import (
    at_sample_rates,
    read_sample,
    sample_table,
    sampled_items,
    witness_beside_sample,
)
from llm_power._scores.store import read_task
from llm_power_audit.agreement import MONTE_CARLO_STANDARD_ERRORS
from needed import ROOT, page
from replication.constraints import load_board_scores

DATA = ROOT / "data" / "kotawala2026"
CAPTIONS = {"counts": "closed forms", "simulated": "simulation", "panel": "*witness*"}


@pytest.fixture(scope="module")
def claims(whole_run: Path) -> pd.DataFrame:
    return pd.read_csv(whole_run / "results/audit/claims.csv", index_col="id")


@pytest.fixture(scope="module")
def exhibits() -> dict[str, dict[str, object]]:
    loaded: dict[str, dict[str, dict[str, object]]] = yaml.safe_load(
        (DATA / "paper.yaml").read_text(encoding="utf-8")
    )
    return loaded["exhibits"]


def test_the_readme_counts_claims_by_verdict(claims: pd.DataFrame) -> None:
    found = claims["verdict"].value_counts()
    assert (
        f"of {len(claims):,} claims {found['holds'] + found['holds_rounded']} hold, "
        f"{found['contradicted']} are contradicted, {found['ambiguous']} are ambiguous, "
        f"{found['feasible']} are feasible and {found['not_checkable']} are not checkable"
    ) in page("README.md")
    held = claims[claims["verdict"].isin(["holds", "holds_rounded"])]
    twice = (held["kind"] == "cross_check") | (held["evidence"] == "consistency")
    labels = ~twice & held["half_unit"].isna() & held.index.str.match("table_")
    evident = len(held) - twice.sum() - labels.sum()
    for document in ("README.md", "docs/audit.md"):
        assert str(evident) in page(document)
    assert f"{evident} rest on evidence; {twice.sum()} are" in page("README.md")
    assert f"{labels.sum()} are row labels" in page("README.md")


def test_the_page_says_which_share_of_gross_misprints_is_noticed(whole_run: Path) -> None:
    misprints = pd.read_csv(whole_run / "results/audit/mutation.csv")["fate"].value_counts()
    noticeable = misprints[["detected", "weakened", "survived"]].sum()
    share = 100 * misprints["detected"] / noticeable
    assert share >= 90
    text = page("docs/audit.md")
    assert f"Of {misprints.sum():,} misprints {noticeable:,} change what a claim that holds" in text
    assert f"says; {share:.1f}% of them are contradicted. Not counted are " in text
    assert f" are {misprints['implied']} that follow from what is printed" in text
    assert f", {misprints['equivalent']} that say the same, " in text
    assert f" and {misprints['not claimed']:,} of claims" in text


def test_the_audit_shows_the_tables_of_the_run(whole_run: Path) -> None:
    text = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    for file, headings in {
        "claims.md": ("Totals",),
        "mutation.md": ("By kind", "By class of evidence"),
    }.items():
        made = (whole_run / "results" / "audit" / file).read_text(encoding="utf-8")
        for heading in headings:
            assert made.split(f"## {heading}\n\n")[1].split("\n\n")[0] in text


def test_the_bounds_of_table_9_are_as_printed_within_chance(whole_run: Path) -> None:
    table = pd.read_csv(whole_run / "results/tables/table_09.csv")
    bounds = table.filter(regex="_p(05|95)_agrees").to_numpy()
    assert bounds.shape == (9, 6)
    assert bounds.all()
    said = f"all {bounds.size} bounds were fitted and agree within chance"
    assert said in page("docs/exhibits.md")


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("audit", "returns <table_01/3/per_arm:,.2f> an arm"),
        ("audit", "documented formula <table_01/2/per_arm:,.2f>"),
        ("audit", "log e = <s6.5/fails-to-cross:.2f> against log 20 = 3.00"),
        ("audit", "<app-c/stopping-ratio/1:.2f> and <app-c/stopping-ratio/2:.2f> N*"),
        ("audit", "<s4/deviation-at-005:.4f> and <s4/deviation-at-020:.3f>; Appendix A"),
        (
            "audit",
            "<table_02/3/power_max_dev_pp:.1f> to <table_02/4/power_max_dev_pp:.1f> with the noise",
        ),
        ("audit", "<table-7-caption/n-items:,.0f>, by all nine N"),
        ("audit", "| <s6.2/shortcut-ratio-min:.4f> |"),
        ("exhibits", "every cell holds at N = <table-7-caption/n-items:,.0f> rounded up"),
        ("exhibits", "held out: <table_09/4/pr_unresolved:.3f> for the printed 0.552"),
        ("exhibits", "residual of Figure 1 is <s2/gain-matches:.3f>, printed 0.062"),
        ("exhibits", "<fig-4/h0-stay-below:.1%> of the null trajectories cross (5% may)"),
    ],
)
def test_a_sentence_has_the_number_of_the_run(
    document: str, sentence: str, claims: pd.DataFrame
) -> None:
    value = pd.to_numeric(claims["value"], errors="coerce")
    expected = re.sub(
        r"<(.+?):(.+?)>", lambda found: f"{float(value[found[1]]):{found[2]}}", sentence
    )
    assert expected in page(f"docs/{document}.md").replace("\\*", "*")


def test_crossings_and_powers_are_those_of_the_simulations(whole_run: Path) -> None:
    crossed = pd.read_csv(whole_run / "results/figures/figure_04.csv").set_index("hypothesis")
    text = page("docs/exhibits.md")
    assert f"{crossed['within']['H1']:.0%} cross in the stated range" in text
    assert f"within {MONTE_CARLO_STANDARD_ERRORS:.1f} standard errors" in text


def test_every_exhibit_has_a_row_and_stands_with_what_it_rests_on(
    exhibits: dict[str, dict[str, object]],
) -> None:
    table = (ROOT / "docs" / "exhibits.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"`((?:table|figure)_\d+)`", table.partition("|---")[2])) == sorted(
        exhibits
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for caption, words in CAPTIONS.items():
        (row,) = [line for line in readme.splitlines() if line.startswith("|") and words in line]
        named = {
            f"{kind.lower()}_{int(number):02}"
            for kind, numbers in re.findall(r"(Table|Figure)s? ([\d, ]+)", row)
            for number in re.findall(r"\d+", numbers)
        }
        assert named == {name for name, made in exhibits.items() if made["caption"] == caption}


def test_the_changelog_counts_exhibits_and_claims(
    exhibits: dict[str, dict[str, object]], claims: pd.DataFrame
) -> None:
    kinds = [name.partition("_")[0] for name in exhibits]
    counted = f"all {kinds.count('table')} tables, {kinds.count('figure')} figures"
    assert counted in page("CHANGELOG.md")
    assert "more than a thousand claims" in page("CHANGELOG.md")
    assert 1_000 < len(claims) < 2_000


def test_the_readme_counts_the_jobs_of_a_run(whole_run: Path) -> None:
    logs = [path.read_text() for path in (whole_run / ".snakemake" / "log").glob("*.log")]
    steps = [int(found) for log in logs for found in re.findall(r"^(\d+) of \1 steps", log, re.M)]
    jobs = max(steps)  # Further runs make again what has changed.
    for document in ("README.md", "docs/running.md"):
        assert re.search(rf"all papers (together )?\d+ s \({jobs} jobs\)", page(document))


def test_the_coverage_of_the_text_is_that_of_its_files() -> None:
    roles = pd.read_csv(DATA / "spans.csv")["role"].value_counts()
    excused = len(pd.read_csv(DATA / "excused.csv"))
    text = page("docs/audit.md")
    assert f"Of the {roles.sum() + excused:,} numbers in the paper's text" in text
    assert f"{roles['number']} are a claim's number, {roles['part']} stand within what" in text
    assert f"and {excused} need no claim" in text


@pytest.mark.parametrize(
    ("panel", "name"),
    [
        ("oll_v1", "Open LLM Leaderboard v1"),
        ("mmlu_pro", "MMLU-Pro top ten"),
        ("frontier", "Frontier panel"),
    ],
)
def test_the_page_of_evidence_counts_what_a_witness_was_given(
    whole_run: Path, panel: str, name: str
) -> None:
    roles = pd.read_csv(whole_run / "results/witness/roles.csv")
    roles = roles[roles["panel"] == panel]
    held_out = roles["role"] == "held_out"
    met = (~held_out & roles["status"].isin(["exact", "within rounding"])).sum()
    right = (roles["status"] == "held out: right").sum()
    row = f"| {name} | {(~held_out).sum()} | {met} | {held_out.sum()} | {right} |"
    assert row in page("docs/evidence.md")


@pytest.mark.parametrize(
    ("name", "adjacent"),
    [
        ("Open LLM Leaderboard v1, all 40", False),
        ("MMLU-Pro top ten, 9 adjacent", True),
        ("MMLU-Pro top ten, all 45", False),
    ],
)
def test_the_page_of_evidence_counts_what_displayed_scores_decide(
    whole_run: Path, name: str, adjacent: bool
) -> None:
    pairs = pd.read_csv(whole_run / "results/prose/displayed_correlations.csv")
    pairs = pairs[(pairs["task"] == "MMLU-Pro") == name.startswith("MMLU-Pro")]
    pairs = pairs[pairs["is_adjacent"]] if adjacent else pairs
    never, always, depends = (
        (pairs["verdict"] == verdict).sum() for verdict in ("unresolved", "resolved", "depends")
    )
    row = f"| {name} | {never} | {always} | {depends} | {never} to {never + depends} |"
    assert row in page("docs/evidence.md")


@pytest.mark.parametrize(
    ("row", "quantity", "subject", "printed"),
    [
        ("all 40 pairs", "unresolved", "all", 11),
        ("the ten with gaps of 2 to 5 %", "unresolved", "2%–5%", 4),
        ("all 40, Bonferroni", "unresolved_bonferroni", "all", 14),
        ("all 40, every rho higher by 0.1", "unresolved_at_moved_rho", "fewest", 9),
        ("all 40, every rho lower by 0.1", "unresolved_at_moved_rho", "most", 12),
    ],
)
def test_the_page_of_evidence_has_the_ranges_of_counts(
    whole_run: Path, row: str, quantity: str, subject: str, printed: int
) -> None:
    found = pd.read_csv(whole_run / "results/audit/evidence.csv").set_index(["quantity", "subject"])
    of_row = found.loc[[(f"{quantity}_of_printed_numbers", subject)]]
    low, high = of_row["lower"].iloc[0], of_row["upper"].iloc[0]
    said = f"| {row} | {low:.0f} to {high:.0f} | {printed} |"
    assert said in page("docs/evidence.md")


def test_the_page_of_evidence_says_how_the_sample_and_the_witness_part(
    whole_run: Path, data_root: Path
) -> None:
    """The items are real, and in a folder beside the clone."""
    listed = yaml.safe_load((DATA / "paper.yaml").read_text("utf-8"))["sample"]["tasks"]
    scores = load_board_scores(DATA / "board_scores.csv")["oll_v1"]
    models = list(dict.fromkeys(score.hub_id for score in scores))
    samples = {
        task: read_sample([data_root / file for file in files], models)
        for task, files in listed.items()
    }
    items = sampled_items(scores, samples)
    witness = [read_task(path) for path in (whole_run / "results/witness/oll_v1").glob("*.parquet")]
    fixed = pd.read_csv(whole_run / "results/witness/oll_v1/pairs.csv")
    table = sample_table(items, witness, fixed)
    found = at_sample_rates(items.board, table, seed=1)
    said = str(witness_beside_sample(table, found, 11).value)
    text = page("docs/evidence.md").replace("\\*", "*").replace("Winogrande", "Wino")
    for numbers in (
        "2.3 standard errors too low on average (root mean square 2.8, 5 of 10 pairs beyond 2.5)",
        "N* 1,937 and 1,193 ± 328 for 1,267 items. If the rates on these items were the task's, 10",
    ):
        assert numbers in said
        assert numbers in text
    assert "rho is 0.543 there and 0.742 ± 0.070 on" in said
    assert "rho is 0.543 in the witness and 0.742 ± 0.070 in the sample" in text
    moved = {f.quantity: f.value for f in found if f.quantity.startswith("rho_sensitivity")}
    low, high, flips = (moved[f"rho_sensitivity_{name}"] for name in ("fewest", "most", "flips"))
    assert flips == 2
    assert f"with correlations moved by 0.1, {low:.0f} to {high:.0f}, with two flips" in text
