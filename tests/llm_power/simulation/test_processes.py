"""Each process beside a closed form, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr

from llm_power import InvalidArgument
from llm_power._example import example_task
from llm_power._statistics.copula_pairs import graded_difference_variance, paired_bernoulli_cells
from llm_power._statistics.paired_binary import paired_difference_variance
from llm_power.simulation._engine import Simulation
from llm_power.simulation._outcomes import PairedOutcomes, accuracy_gap, cohens_g, f1_gap, win_rate
from llm_power.simulation._processes import (
    PROCESSES,
    AgreementRate,
    AnnotatorNoise,
    CopulaBernoulli,
    CorrelatedBernoulli,
    GradedBeta,
    IndependentBinomials,
    ItemDifficulty,
    PairedMultinomial,
    Preferences,
    Process,
    PromptVariants,
    ResampledPairs,
    ResampledPredictions,
)

RNG = np.random.default_rng(20261122)
MANY = RNG.random((600, 2))

EXAMPLES = [
    PairedMultinomial(0.5, 0.12, 0.08, 0.3),
    AgreementRate(0.75, 0.70, 0.85),
    CorrelatedBernoulli(0.65, 0.60, 0.3),
    CopulaBernoulli(0.65, 0.60, 0.5),
    IndependentBinomials(0.7, 0.6),
    Preferences(0.6, tie_rate=0.2),
    ItemDifficulty(0.65, 0.60, repeats_a=3, repeats_b=2, shared=0.7),
    AnnotatorNoise(Preferences(0.6), 0.0),
    PromptVariants(0.65, 0.60, rho_z=0.5, spread=0.3, shared=0.4, n_prompts=3),
    GradedBeta(0.1, 0.6),
    ResampledPairs([1, 1, 0, 1], [0, 1, 0, 0]),
    ResampledPairs(*MANY.T),
    ResampledPredictions(list("aabb"), list("abbb"), list("abab"), positive="a"),
]


def test_every_process_has_an_example() -> None:
    assert {type(process) for process in EXAMPLES} == set(PROCESSES.values())


def test_a_law_of_many_repeats_is_one_of_chances() -> None:
    law = ItemDifficulty(0.6, 0.5, repeats_a=1_030).law()
    assert float(law.counts.sum()) == pytest.approx(1)
    assert_allclose(law.gap, 0.1)


def variance(process: Process) -> float:
    """Variance of one item's difference, from the population."""
    population = process.population()
    assert isinstance(population, PairedOutcomes)
    return float(population.deviations(population.difference).squares[0])


@pytest.mark.parametrize("process", EXAMPLES, ids=lambda process: type(process).__name__)
def test_drawn_trials_have_the_mean_of_the_population(process: Process) -> None:
    trials = process.draw(200, 500 if process.by_items else 4_000, np.random.default_rng(1))
    gaps = accuracy_gap(trials)
    standard_error = gaps.std() / np.sqrt(gaps.size)
    assert abs(gaps.mean() - accuracy_gap(process.population())[0]) < 4.5 * standard_error + 1e-4
    assert np.all(trials.n_items == 200)


@pytest.mark.parametrize(
    "process",
    [one for one in EXAMPLES if not isinstance(one, IndependentBinomials | PromptVariants)],
    ids=lambda process: type(process).__name__,
)
def test_drawn_trials_have_the_spread_of_the_population(process: Process) -> None:
    trials = 500 if process.by_items else 4_000
    gaps = accuracy_gap(process.draw(200, trials, np.random.default_rng(2)))
    assert_allclose(gaps.var() * 200, variance(process), rtol=4 * np.sqrt(2 / trials))


def test_cells_from_agreement_correlation_and_copula_are_those_of_the_closed_forms() -> None:
    assert_allclose(AgreementRate(0.75, 0.7, 0.85).law().counts[0], [0.2, 0.05, 0.1, 0.65])
    assert_allclose(
        variance(CorrelatedBernoulli(0.65, 0.6, 0.3)),
        paired_difference_variance(0.65, 0.6, 0.3),
        rtol=1e-12,
    )
    cells = paired_bernoulli_cells(0.65, 0.6, 0.5)
    expected = [float(p) for p in (cells.p00, cells.p01, cells.p10, cells.p11)]
    assert_allclose(CopulaBernoulli(0.65, 0.6, 0.5).law().counts[0], expected)
    assert_allclose(variance(GradedBeta(0.1, 0.6)), graded_difference_variance(0.1, 0.6), rtol=1e-3)


@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("shared", [-1.0, 0.8, 1.0])
def test_one_answer_to_items_of_normal_difficulty_is_the_copula(
    spread: float, shared: float
) -> None:
    rho_z = shared * spread**2 / (1 + spread**2)
    found = ItemDifficulty(0.65, 0.60, spread=spread, shared=shared).law().counts
    assert_allclose(found, CopulaBernoulli(0.65, 0.60, rho_z).law().counts, atol=3e-5)


def test_repeats_shrink_the_variance_within_items_alone() -> None:
    """Miller (2024), section 3.1: omega^2 + (sigma_A^2 + sigma_B^2) / K."""
    one, two, four = (
        variance(ItemDifficulty(0.65, 0.6, repeats_a=k, repeats_b=k)) for k in (1, 2, 4)
    )
    within = 2 * (one - two)
    assert within > 0
    assert_allclose(four, one - within * 3 / 4, rtol=1e-9)


def test_annotators_hide_a_part_of_the_gap_and_a_majority_less() -> None:
    truth = PairedMultinomial(0.5, 0.2, 0.1, 0.2)
    assert_allclose(AnnotatorNoise(truth, 0.2).law().gap, 0.1 * (1 - 2 * 0.2))
    # Two or three of three are wrong with probability 3 e^2 (1 - e) + e^3.
    assert_allclose(AnnotatorNoise(truth, 0.2, 3).law().gap, 0.1 * (1 - 2 * 0.104))
    assert_allclose(AnnotatorNoise(Preferences(0.6, 0.2), 0.2).law().gap, 0.2 * (1 - 2 * 0.2))
    found = Simulation(n_trials=4_000).power(AnnotatorNoise(truth, 0.2), 5_000)
    assert found.true_effect == pytest.approx(0.1)
    assert found.type_m == pytest.approx(0.6, abs=0.02)


def test_wordings_make_tests_of_items_reject_a_gap_of_zero_the_more_the_more_items() -> None:
    sizes = []
    for n_items, n_prompts in ((100, 1), (1_000, 1), (10_000, 1), (1_000, 20)):
        process = PromptVariants(0.6, 0.6, rho_z=0.5, spread=0.1, n_prompts=n_prompts)
        sizes.append(Simulation(n_trials=4_000).power(process, n_items).power)
        # By the normal law, with the variance of a gap beside the one that the test takes.
        spread = accuracy_gap(process.draw(n_items, 4_000, np.random.default_rng(4))).std()
        taken = np.sqrt(variance(process) / n_items)
        assert abs(sizes[-1] - 2 * ndtr(-1.96 * taken / spread)) < 0.03
    assert 0.1 < sizes[0] < 0.5 * sizes[1] < 0.5 * sizes[2]
    assert sizes[3] < 0.2 * sizes[1]


def test_resampled_scores_of_a_task_are_those_both_models_have() -> None:
    task = example_task()
    pairs = ResampledPairs.of_task(task, "heron", "wren")
    heron, wren = (task.values[:, task.models.index(name)] for name in ("heron", "wren"))
    assert_allclose(pairs.population().gap, np.mean(heron - wren))
    with pytest.raises(InvalidArgument, match="model must be one of 'heron'.*got 'owl'"):
        ResampledPairs.of_task(task, "heron", "owl")


def test_many_distinct_scores_are_drawn_item_by_item_and_stream_on() -> None:
    pairs = ResampledPairs(*MANY.T)
    assert pairs.by_items
    whole, parts = np.random.default_rng(3), np.random.default_rng(3)
    drawn = pairs.draw(7, 5, whole).difference
    split = [pairs.draw(7, rows, parts).difference for rows in (2, 3)]
    assert_allclose(np.concatenate(split), drawn)


def test_effects_of_a_population_by_hand() -> None:
    cells = PairedMultinomial(0.5, 0.12, 0.08, 0.3).population()
    assert_allclose(accuracy_gap(cells), 0.04)
    assert_allclose(cohens_g(cells), 0.12 / 0.20 - 0.5)
    assert_allclose(win_rate(cells), 0.02)
    assert_allclose(win_rate(Preferences(0.6, tie_rate=0.2).population()), 0.1)


def test_f1_is_that_of_the_predictions() -> None:
    """F1 of A: 2 x 3 / (4 + 4); of B: 2 x 2 / (3 + 4)."""
    truth = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    a = np.array([1, 1, 1, 0, 1, 0, 0, 0])
    b = np.array([1, 1, 0, 0, 1, 0, 0, 0])
    found = f1_gap(ResampledPredictions(a, b, truth, positive=1).population())
    assert_allclose(found, 6 / 8 - 4 / 7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PairedMultinomial(0.5, 0.2, 0.1, 0.3), "p00 must be 0.2 beside the other three"),
        (lambda: PairedMultinomial(0.5, -0.2, 0.1, 0.6), r"must lie in \[0, 1\], got -0.2"),
        (lambda: AgreementRate(0.75, 0.7, 0.96), r"agreement must lie in \[0.45, 0.95\]"),
        (lambda: CorrelatedBernoulli(0.65, 0.6, 0.9), r"rho must lie in \[-0.599145, 0.898717\]"),
        (lambda: CopulaBernoulli(0.65, 0.6, 1.0), r"rho_z must lie strictly in \(-1, 1\), got 1.0"),
        (lambda: IndependentBinomials(0.65, 1.6), r"p_b must lie in \[0, 1\], got 1.6"),
        (lambda: Preferences(0.6, 0.9), r"tie_rate must lie in \[0, 0.8\] for win_rate=0.6"),
        (lambda: ItemDifficulty(1.0, 0.6), "p_a must lie strictly between 0 and 1"),
        (lambda: ItemDifficulty(0.7, 0.6, shared=1.1), r"shared must lie in \[-1, 1\], got 1.1"),
        (lambda: AnnotatorNoise(Preferences(0.6), 0.6), r"error_rate must lie in \[0, 0.5\]"),
        (lambda: AnnotatorNoise(Preferences(0.6), 0.1, 2), "n_annotators must be odd, got 2"),
        (
            lambda: AnnotatorNoise(ItemDifficulty(0.7, 0.6, repeats_a=2), 0.1),
            "process must have 0/1 scores or be of preferences",
        ),
        (lambda: PromptVariants(0.7, 0.6, 0.5, -0.1), r"spread must lie in \[0, 4\], got -0.1"),
        (lambda: GradedBeta(0.7, 0.5), r"mean_shift must lie strictly in \(-0.333333, 0.666667\)"),
        (
            lambda: AnnotatorNoise(PromptVariants(0.7, 0.6, 0.5, 0.1), 0.1),  # type: ignore[arg-type]
            "process must be of items that are alike",
        ),
        (lambda: ResampledPairs([1, 0], [1]), r"over the same items, got shapes \(2,\) and \(1,\)"),
        (lambda: ResampledPredictions([1], [1, 0], [1, 0]), "vectors over the same items"),
        (lambda: ResampledPredictions([1, 2], [1, 3], [1, 2], positive=1), "F1 is of two classes"),
    ],
)
def test_what_no_population_has_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        make()
