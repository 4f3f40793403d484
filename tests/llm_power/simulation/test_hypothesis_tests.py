"""Each test beside scipy and statsmodels, and its size under the null hypothesis."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_ind, ttest_rel
from scipy.stats import permutation_test as scipy_permutation
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportions_ztest

from llm_power import InvalidArgument
from llm_power._statistics.mcnemar import McNemarDesign
from llm_power.simulation._engine import Simulation
from llm_power.simulation._outcomes import TESTS, IndependentOutcomes, PairedOutcomes
from llm_power.simulation._processes import (
    CopulaBernoulli,
    GradedBeta,
    IndependentBinomials,
    ItemDifficulty,
    Preferences,
    Process,
    ResampledPredictions,
    one_by_one,
)

TABLES = np.array([[n00, c, b, 3] for n00, b, c in product((0, 4), (0, 2, 9, 15), (0, 1, 5))])
BINARY = PairedOutcomes(TABLES, np.array([0.0, 0, 1, 1]), np.array([0.0, 1, 0, 1]))
GRADED = np.random.default_rng(5).random((40, 12, 2)) - [[[0.0, 0.15]]]


def decided(name: str, outcomes: PairedOutcomes | IndependentOutcomes) -> list[bool]:
    return [bool(one) for one in TESTS[name](outcomes, 0.05, np.random.default_rng(1))]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("asymptotic", {"exact": False, "correction": False}),
        ("continuity_corrected", {"exact": False, "correction": True}),
        ("exact", {"exact": True}),
    ],
)
def test_mcnemar_decides_as_statsmodels(name: str, kind: dict[str, bool]) -> None:
    expected = [
        b + c > 0 and mcnemar([[n00, c], [b, n11]], **kind).pvalue <= 0.05
        for n00, c, b, n11 in TABLES
    ]
    assert decided(name, BINARY) == expected


def test_sign_test_counts_what_is_no_tie() -> None:
    outcomes = one_by_one(*np.moveaxis(GRADED, 2, 0))
    wins = (GRADED[..., 0] > GRADED[..., 1]).sum(axis=1)
    expected = [binomtest(int(k), 12).pvalue <= 0.05 for k in wins]
    assert decided("sign", outcomes) == decided("binomial", outcomes) == expected


def test_t_tests_decide_as_scipy_on_items_and_on_counts() -> None:
    a, b = np.moveaxis(GRADED, 2, 0)
    outcomes = one_by_one(a, b)
    assert decided("paired_t", outcomes) == (ttest_rel(a, b, axis=1).pvalue <= 0.05).tolist()
    welch = ttest_ind(a, b, axis=1, equal_var=False).pvalue
    assert decided("two_sample_t", outcomes) == (welch <= 0.05).tolist()
    varying = BINARY.counts[BINARY.wins * 1 + BINARY.losses > 0]
    of_items = [np.repeat([0.0, -1.0, 1.0, 0.0], cells) for cells in varying]
    with np.errstate(all="ignore"):
        expected = [
            float(ttest_rel(d, np.zeros(d.size)).pvalue) <= 0.05 for d in of_items if np.ptp(d) > 0
        ]
    mixed = varying[[bool(np.ptp(d) > 0) for d in of_items]]
    assert decided("paired_t", PairedOutcomes(mixed, BINARY.score_a, BINARY.score_b)) == expected


def test_equal_differences_are_decided_by_the_sign_test() -> None:
    """Ten wins of ten have an infinite t statistic, and p = 2^-9; five of five have 2^-4."""
    alike = PairedOutcomes(np.array([[10], [5]]), np.array([0.3]), np.array([0.1]))
    assert decided("paired_t", alike) == [True, False]


def test_unpaired_z_decides_as_statsmodels() -> None:
    solved = np.random.default_rng(6).integers(1, 40, size=(50, 2))
    expected = [proportions_ztest(pair, [40, 40])[1] <= 0.05 for pair in solved]
    assert decided("unpaired_z", IndependentOutcomes(solved[:, 0], solved[:, 1], 40)) == expected
    nothing = IndependentOutcomes(np.array([0, 40]), np.array([0, 40]), 40)
    assert decided("unpaired_z", nothing) == [False, False]
    assert decided("two_sample_t", nothing) == [False, False]


def test_permutation_decides_as_scipy_with_all_flips() -> None:
    """Away from the level, where 1,999 flips cannot tell."""
    differences = GRADED[..., 0] - GRADED[..., 1]
    p = np.array(
        [
            scipy_permutation(
                (d,), np.mean, permutation_type="samples", n_resamples=5_000, rng=1
            ).pvalue
            for d in differences[:12]
        ]
    )
    clear = np.abs(p - 0.05) > 0.02
    found = np.array(decided("permutation", one_by_one(*np.moveaxis(GRADED[:12], 2, 0))))
    assert clear.sum() >= 8
    assert (found[clear] == (p[clear] <= 0.05)).all()


def test_permutation_of_counts_sums_all_flips() -> None:
    assert decided("permutation", BINARY) == decided("exact", BINARY)


# Items that are right by (neither, b alone, a alone, both), of the class 0 and of the class 1.
@pytest.mark.parametrize("cells", [((3, 4, 9, 14), (3, 5, 8, 14)), ((30, 1, 2, 4), (2, 3, 12, 6))])
def test_permutation_of_f1_is_that_of_swapped_answers(cells: tuple[tuple[int, ...], ...]) -> None:
    rng = np.random.default_rng(7)
    truth = np.repeat([0, 1], [sum(of_class) for of_class in cells])
    right = np.concatenate([np.repeat([0, 1, 2, 3], of_class) for of_class in cells])
    a, b = (np.where(right & bit, truth, 1 - truth) for bit in (2, 1))
    n = truth.size
    pairs = ResampledPredictions(a, b, truth, positive=1)

    def f1(answers: np.ndarray) -> np.ndarray:
        found = (answers * truth).sum(axis=-1)
        return np.asarray(2 * found / (answers.sum(axis=-1) + truth.sum()))

    swap = rng.random((20_000, n)) < 0.5
    drawn = np.abs(f1(np.where(swap, a, b)) - f1(np.where(swap, b, a)))
    p = float((drawn >= abs(f1(a) - f1(b)) - 1e-12).mean())
    population = pairs.population()
    seen = PairedOutcomes(
        np.rint(population.counts * n).astype(np.int64),
        *(population.score_a, population.score_b, population.positive),
    )
    for alpha in (p * 0.7, p * 1.4):
        assert TESTS["f1_permutation"](seen, alpha, rng).tolist() == [alpha > p]


@pytest.mark.parametrize("name", ["exact", "mid_p", "asymptotic"])
def test_power_is_that_of_the_exact_sum(name: str) -> None:
    process = CopulaBernoulli(0.65, 0.60, 0.5)
    law = process.law()
    rates = float(law.wins[0]), float(law.losses[0])
    found = Simulation(test=name, n_trials=20_000).power(process, 400)
    expected = float(McNemarDesign(*rates, test=name).power(400))  # type: ignore[arg-type]
    assert abs(found.power - expected) < 4 * found.standard_error


#: Largest type I error of each test on the processes below, to be exceeded by Monte Carlo alone.
SIZES = {
    "asymptotic": 0.053,
    "score": 0.053,
    "exact": 0.05,
    "continuity_corrected": 0.05,
    "mid_p": 0.051,
    "sign": 0.05,
    "binomial": 0.05,
    "paired_t": 0.055,
    "permutation": 0.05,
    "paired_bootstrap": 0.06,
    "f1_permutation": 0.05,
    "unpaired_z": 0.053,
    "two_sample_t": 0.053,
}


def null_of(name: str) -> list[Process]:
    if name == "f1_permutation":
        mirrored = [1, 0, 1, 1, 1, 0, 0, 0], [0, 1, 1, 1, 0, 1, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]
        return [ResampledPredictions(*mirrored, positive=1)]
    if name in {"unpaired_z", "two_sample_t"}:
        return [IndependentBinomials(0.6, 0.6)]
    alike: list[Process] = [CopulaBernoulli(0.6, 0.6, 0.5), Preferences(0.5, 0.2)]
    if name in {"paired_t", "permutation", "paired_bootstrap"}:
        alike += [GradedBeta(0.0, 0.6), ItemDifficulty(0.6, 0.6, repeats_a=2, repeats_b=2)]
    return alike


def test_every_test_has_a_size_that_is_known() -> None:
    assert set(SIZES) == set(TESTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("n_items", [50, 200])
def test_size_under_the_null_hypothesis(name: str, n_items: int) -> None:
    trials = 1_000 if name == "f1_permutation" else 10_000
    for process in null_of(name):
        found = Simulation(test=name, n_trials=trials).power(process, n_items)
        assert found.power <= SIZES[name] + 4 * np.sqrt(0.05 * 0.95 / trials), process


@pytest.mark.parametrize("name", ["asymptotic", "sign", "paired_t", "permutation"])
def test_tests_of_pairs_refuse_models_with_items_of_their_own(name: str) -> None:
    with pytest.raises(InvalidArgument, match="both models on the same items; use unpaired_z"):
        Simulation(test=name).power(IndependentBinomials(0.7, 0.6), 50)


def test_tests_of_0_1_scores_refuse_graded_ones() -> None:
    with pytest.raises(InvalidArgument, match="differences of 1, 0 or -1; use paired_t"):
        Simulation(test="exact").power(GradedBeta(0.1, 0.5), 50)
    with pytest.raises(InvalidArgument, match="unpaired_z is a test of 0/1 scores"):
        Simulation(test="unpaired_z").power(GradedBeta(0.1, 0.5), 50)
    with pytest.raises(InvalidArgument, match="use resampled_predictions with positive"):
        Simulation(test="f1_permutation").power(CopulaBernoulli(0.7, 0.6, 0.5), 50)
