"""What displayed scores and some real items leave of a pair, against every table that fits them."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from kotawala2026.findings import on_grounds, on_printed_numbers
from kotawala2026.quantities.displayed_scores import (
    PairBounds,
    correlations_table,
    displayed_pairs,
    missing_item,
)
from kotawala2026.quantities.grounds import (
    DisplayedScores,
    PublishedNumbers,
    ResolvedBoard,
)
from kotawala2026.quantities.raw_sample import (
    SampledItems,
    at_sample_rates,
    estimates,
    sample_table,
    sampled_items,
    witness_beside_sample,
)
from llm_power._scores.store import TaskScores
from llm_power._statistics.paired_binary import required_n_discordance, summarize_counts
from llm_power_audit.printed import parse_printed
from needed import ROOT
from replication.constraints import BoardScore
from replication.findings import Finding

MODELS = ("wren", "heron", "finch", "falcon")
Sets = dict[tuple[str, str], Finding]


@pytest.fixture(scope="module")
def found(evidence: list[Finding]) -> Sets:
    return {
        (f.quantity, f.subject): f
        for f in evidence
        if f.topic in ("displayed_scores", "gap_buckets") and f.ground == "displayed scores"
    }


@pytest.fixture(scope="module")
def answers() -> pd.DataFrame:
    """The items that four models of different strength solve, of 60."""
    rng = np.random.default_rng(5)
    ability, difficulty = np.array([0.9, 0.5, 0.0, -0.6]), rng.normal(size=60)
    solved = rng.normal(size=(60, 4)) + ability > difficulty[:, None]
    return pd.DataFrame(solved.astype(float), columns=list(MODELS))


def displayed(answers: pd.DataFrame) -> tuple[BoardScore, ...]:
    solved = answers.sum().astype(int)
    return tuple(BoardScore("exam", m, m, len(answers), int(solved[m])) for m in MODELS)


def test_what_rests_on_printed_counts_too_is_of_their_class(found: Sets) -> None:
    counts = {quantity for (quantity, _), f in found.items() if f.basis == "counts"}
    assert counts == {"unresolved_beside_table_6"}
    assert {f.basis for f in found.values()} == {"displayed", "counts"}


def test_displayed_counts_are_those_of_tables_6_and_7(
    numbers: PublishedNumbers, found: Sets
) -> None:
    for counts in (numbers.adjacent_pairs, numbers.close_pairs):
        names = counts.label
        if counts is numbers.close_pairs:
            names = tuple(map(", ".join, zip(names, counts.model_a, counts.model_b, strict=True)))
        shown = [found["difference_displayed", name].value for name in names]
        assert shown == (counts.b - counts.c).tolist()
    assert [found["model_of_rank", str(rank)].value for rank in range(1, 10)] == list(
        numbers.adjacent_pairs.model_a
    )


def test_the_missing_item_was_solved_by_all_ten(numbers: PublishedNumbers, found: Sets) -> None:
    """Solved by all, since the differences are those of all items, and by none gives one of ten."""
    explained = {s: f.value for (q, s), f in found.items() if q == "accuracies_explained"}
    assert explained == {
        "all items": 8,
        "without an item that none solved": 1,
        "without an item that all solved": 10,
    }
    assert found["n_items_of_displayed_scores", "Table 7"].value == 12031


def test_a_misprinted_accuracy_leaves_no_number_of_items(numbers: PublishedNumbers) -> None:
    p_a = list(numbers.adjacent_pairs.p_a)
    p_a[2] = parse_printed("0.7062")
    misprinted = dataclasses.replace(numbers.adjacent_pairs, p_a=tuple(p_a))
    ground = DisplayedScores(dataclasses.replace(numbers, adjacent_pairs=misprinted))
    found = {finding.quantity: finding for finding in missing_item(ground)}
    assert np.isnan(found["n_items_of_displayed_scores"].value)
    assert found["n_items_of_displayed_scores"].basis == "none"


def test_forty_pairs_over_all_correlations(numbers: PublishedNumbers, found: Sets) -> None:
    table = correlations_table(DisplayedScores(numbers))
    oll, mmlu = table[table["task"] != "MMLU-Pro"], table[table["task"] == "MMLU-Pro"]
    assert oll["verdict"].value_counts().to_dict() == {
        "resolved": 25,
        "depends": 13,
        "unresolved": 2,
    }
    everything = found["unresolved_over_correlations", "all"]
    assert (everything.lower, everything.upper) == (2, 15)
    # Table 6 fixes seven of the pairs, all unresolved: five of those that depend on it.
    beside = found["unresolved_beside_table_6", "all"]
    assert (beside.lower, beside.upper, beside.basis) == (7, 15, "counts")
    assert mmlu["is_adjacent"].sum() == 9
    assert mmlu.loc[mmlu["is_adjacent"], "verdict"].value_counts().to_dict() == {
        "depends": 8,
        "resolved": 1,
    }
    # Printed b and c are among those that the scores admit, on the printed side of the critical b.
    for name, row in mmlu[mmlu["is_adjacent"]].set_index("model_a").iterrows():
        i = numbers.adjacent_pairs.model_a.index(str(name))
        b, c = int(numbers.adjacent_pairs.b[i]), int(numbers.adjacent_pairs.c[i])
        needed = float(required_n_discordance(b, c, 12032))
        assert row["n_star_at_highest_rho"] <= needed <= row["n_star_at_lowest_rho"]
        if row["verdict"] == "depends":
            assert (needed <= 12032) == (b <= row["critical_b"])


def test_a_count_of_table_6_that_the_scores_exclude_is_left_aside(
    numbers: PublishedNumbers,
) -> None:
    close = numbers.close_pairs
    wrong = dataclasses.replace(close, b=close.b + np.array([0, 0, 0, 0, 0, 10, 0]))
    planted = dataclasses.replace(numbers, close_pairs=wrong)
    findings = on_printed_numbers(planted, {"gap_buckets"})
    (one,) = [
        f for f in findings if (f.quantity, f.subject) == ("unresolved_beside_table_6", "all")
    ]
    assert (one.lower, one.upper) == (6, 15)


def test_sets_hold_every_board_with_these_scores(answers: pd.DataFrame) -> None:
    """Every permutation of a model's answers has its score: none leaves the sets."""
    scores = displayed(answers)
    board = PairBounds.of(displayed_pairs(scores))
    assert all(a.correct >= b.correct for a, b in board.pairs)
    every = np.ones(len(board.pairs), dtype=np.bool_)
    sets = {f.quantity: f for f in (*board.ratios("", every), *board.gains(), board.unresolved(""))}
    rng = np.random.default_rng(6)
    for _ in range(200):
        drawn = answers.apply(rng.permutation)
        pairs = [
            summarize_counts(
                *(int(((drawn[a.model] == x) & (drawn[b.model] == y)).sum()) for x, y in CELLS)
            )
            for a, b in board.pairs
        ]
        r = [float(pair.n_star) / 60 for pair in pairs]
        gain = [float((p.p_a * (1 - p.p_a) + p.p_b * (1 - p.p_b)) / p.var_d) for p in pairs]
        for name, value in (
            ("r_median", np.median(r)),
            ("r_worst", max(r)),
            ("unresolved", sum(x > 1 for x in r)),
            ("miller_gain_q1", np.quantile(gain, 0.25)),
            ("miller_gain_max", max(gain)),
        ):
            one = sets[f"{name}_over_correlations"]
            assert one.lower - 1e-12 <= value <= one.upper + 1e-12


# Whether the first and the second model solve an item, in the order of `summarize_counts`.
CELLS = ((1, 1), (1, 0), (0, 1), (0, 0))


def test_a_sample_narrows_the_sets_and_never_to_a_wrong_one(answers: pd.DataFrame) -> None:
    scores = displayed(answers)
    whole = sampled_items(scores, {"exam": answers}).board
    truth = {(f.quantity, f.subject): f.value for f in whole.cells()}
    widths = []
    # Not at random: the items that most models solve.
    order = answers.sum(axis=1).sort_values(ascending=False).index
    for size in (0, 20, 40, 60):
        found = sampled_items(scores, {"exam": answers.loc[order[:size]]}).board.cells()
        sets = {(f.quantity, f.subject): f for f in found}
        for key, value in truth.items():
            assert sets[key].lower <= float(value) <= sets[key].upper
        widths.append(sum(f.upper - f.lower for f in sets.values() if f.quantity.startswith("b_")))
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == 0


def test_standard_errors_are_those_of_samples_drawn_at_random() -> None:
    rng = np.random.default_rng(7)
    common = rng.normal(size=(4000, 1))
    values = (0.6 * common + 0.8 * rng.normal(size=(4000, 2)) < [0.5, 0.2]).astype(float)
    whole = pd.DataFrame(values, columns=["wren", "heron"])
    solved = whole.sum().astype(int)
    scores = [BoardScore("exam", m, m, 4000, int(solved[m])) for m in ("wren", "heron")]
    drawn = [
        estimates(sampled_items(scores, {"exam": whole.sample(400, random_state=k)}))
        for k in range(250)
    ]
    for name in ("discordance", "rho", "n_star"):
        found = np.array([one[f"{name}_sample"][0] for one in drawn])
        errors = np.array([one[f"{name}_sample_se"][0] for one in drawn])
        assert errors.mean() == pytest.approx(found.std(ddof=1), rel=0.12)
    pair = summarize_counts(
        *(int(((whole["wren"] == x) & (whole["heron"] == y)).sum()) for x, y in CELLS)
    )
    mean = np.mean([one["rho_sample"][0] for one in drawn])
    assert mean == pytest.approx(float(pair.rho), abs=0.01)


def test_a_pair_that_the_sample_lacks_can_have_every_correlation(answers: pd.DataFrame) -> None:
    sample = answers.assign(falcon=np.nan)
    items = sampled_items(displayed(answers), {"exam": sample})
    found = {(f.quantity, f.subject): f for f in on_grounds(items)}
    lacking = [name for name in items.board.names if "falcon" in name]
    assert len(lacking) == 3
    for name in lacking:
        one, every = found["rho_of_sample", name], found["rho_over_correlations", name]
        assert (one.lower, one.upper) == (every.lower, every.upper)
    assert {f.basis for f in found.values()} == {"raw_sample"}


def test_the_table_sets_the_witness_beside_the_sample(answers: pd.DataFrame) -> None:
    items = sampled_items(displayed(answers), {"exam": answers.iloc[:30]})
    ids = tuple(map(str, range(60)))
    witness = TaskScores("exam", "binary", ids, MODELS, answers.to_numpy())
    names = list(combinations(MODELS, 2))
    fixed = pd.DataFrame([("exam", b, a, a == "wren") for a, b in names])
    table = sample_table(items, [witness], fixed)
    assert (table["kind"] == "printed").sum() == 3
    assert table["b_witness"].between(table["b_least"], table["b_most"]).all()
    assert (table["values_of_b_with_sample"] < table["values_of_b_without"]).all()
    assert table["n_sample"].eq(30).all()


def beside(answers: pd.DataFrame, witness: pd.DataFrame, size: int) -> pd.DataFrame:
    """The table of a sample of the first items beside another data set with the same scores."""
    names = [("exam", a, b, False) for a, b in combinations(MODELS, 2)]
    return sample_table(first_items(answers, size), [exam(witness)], pd.DataFrame(names))


def first_items(answers: pd.DataFrame, size: int) -> SampledItems:
    return sampled_items(displayed(answers), {"exam": answers.iloc[:size]})


def exam(answers: pd.DataFrame) -> TaskScores:
    return TaskScores("exam", "binary", tuple(map(str, range(60))), MODELS, answers.to_numpy())


def test_the_rates_of_all_items_give_the_board_of_these_items(answers: pd.DataFrame) -> None:
    """And those of none the board of the witness."""
    witness = answers.apply(np.random.default_rng(8).permutation)
    for size, truth in ((60, answers), (0, witness)):
        board = PairBounds.of(displayed_pairs(displayed(answers)))
        table = beside(answers, witness, size)
        found = at_sample_rates(board, table, seed=1)
        assert {f.basis for f in found} == {"raw_sample"}
        values = {(f.quantity, f.subject): f.value for f in found}
        names = ["unresolved_fixed", "unresolved_bonferroni", "unresolved_anytime"]
        names += ["miller_residual_max", "rho_sensitivity_most"]
        expected = {
            (f.quantity, f.subject): f.value
            for f in on_grounds(ResolvedBoard.of("oll_v1", [exam(truth)], seed=1))
        }
        for name in names:
            assert values[name, ""] == pytest.approx(expected[name, ""])
        assert values["unresolved_fixed", ""] not in (0, 6)


def test_a_sentence_says_where_the_sample_and_the_witness_part(answers: pd.DataFrame) -> None:
    witness = answers.apply(np.random.default_rng(8).permutation)
    board = PairBounds.of(displayed_pairs(displayed(answers)))
    table = beside(answers, witness, 40)
    found = at_sample_rates(board, table, seed=1)
    said = str(witness_beside_sample(table, found, 6).value)
    z = table["rho_z"]
    assert f"On exam its correlations are {-z.mean():.1f} standard errors too low" in said
    assert f"square {np.sqrt((z**2).mean()):.1f}, {(z.abs() > 2.5).sum()} of 6 pairs" in said
    (count,) = (f.value for f in found if f.quantity == "unresolved_fixed")
    assert said.endswith(f"{count:.0f} of 6 pairs would be unresolved, not 6.")
    agreed = str(witness_beside_sample(table, found, int(float(count))).value)
    assert agreed.endswith(f"items {count:.0f} of 6 pairs are unresolved too.")


def test_no_witness_is_fitted_to_the_sample() -> None:
    rules = (ROOT / "workflow/rules/kotawala2026.smk").read_text(encoding="utf-8")
    for name in ("witness_oll_v1", "witness_mmlu_pro", "witness_frontier"):
        rule = rules.partition(f"rule {name}:")[2].partition("\n\n\n")[0]
        assert "output:" in rule
        assert "sample" not in rule.lower()
    for path in (ROOT / "src/kotawala2026").glob("witness/*.py"):
        assert "sample" not in path.read_text(encoding="utf-8").replace("resample", "")
