"""Arguments that no function can use are named in one line, whatever they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from llm_power._errors import InvalidArgument
from llm_power._statistics.anytime_horizon import anytime_horizon
from llm_power._statistics.cluster_requirement import cluster_power
from llm_power._statistics.copula_pairs import paired_bernoulli_cells
from llm_power._statistics.correlation_bounds import resolution_over_correlations
from llm_power._statistics.design_effect import design_effect
from llm_power._statistics.e_process import anytime_required_n, log_e_value
from llm_power._statistics.inversion import (
    exact_two_sided_power,
    minimum_detectable_effect,
    required_n,
    resolution_ratio,
    wald_power,
)
from llm_power._statistics.mcnemar import mcnemar_asymptotic, mcnemar_exact
from llm_power._statistics.missing_scores import missing_gap_bounds, missingness_by_difficulty
from llm_power._statistics.multiplicity import adjust_holm
from llm_power._statistics.paired_binary import (
    attainable,
    cohens_h,
    miller_unpaired_required_n,
    paired_difference_variance,
    required_n_discordance,
    shortcut_required_n,
    summarize_counts,
)
from llm_power._statistics.paired_bootstrap import percentile_bootstrap_rejects

MASKED = np.ma.array([3, 4], mask=[False, True])
MASKED_SCORES = np.ma.array([[1.0, 0.0]], mask=[[True, False]])
TWO, THREE = [3, 4], [3, 4, 5]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: mcnemar_exact(TWO, THREE), r"b, c must have shapes that fit together, got \(2,\)"),
        (lambda: log_e_value(TWO, THREE), "b, c must have shapes that fit"),
        (lambda: summarize_counts(TWO, THREE, 1, 1), "n11, b, c, n00 must have shapes"),
        (lambda: required_n_discordance(TWO, THREE, 99), "b, c, n_items must have shapes"),
        (lambda: anytime_required_n(TWO, THREE, 99), "b, c, n_items must have shapes"),
        (lambda: anytime_horizon(TWO, THREE, 99), "b, c, n_items must have shapes"),
        (lambda: percentile_bootstrap_rejects(TWO, THREE, 99), "b, c, n_items must have shapes"),
        (lambda: required_n([0.1] * 2, [0.4] * 3), "delta, sigma_d, alpha must have shapes"),
        (lambda: required_n([0.1] * 2, 0.4, alpha=[0.1] * 3), "delta, sigma_d, alpha must have"),
        (lambda: minimum_detectable_effect(TWO, [0.4] * 3), "n_items, sigma_d, alpha must have"),
        (lambda: wald_power([0.1] * 2, [0.4] * 3, 9), "delta, sigma_d, n_items, alpha must have"),
        (lambda: exact_two_sided_power(0.1, [0.4] * 3, TWO), "n_items, alpha must have shapes"),
        (lambda: resolution_ratio(TWO, THREE), "n_items, n_star must have shapes"),
        (lambda: paired_difference_variance([0.5] * 2, [0.5] * 3, 0), "p_a, p_b, rho must have"),
        (lambda: paired_bernoulli_cells([0.5] * 2, [0.5] * 3, 0), "p_a, p_b, rho_z must have"),
        (lambda: cohens_h([0.1] * 2, [0.2] * 3), "p1, p2 must have shapes"),
        (lambda: shortcut_required_n(0.1, [0.2] * 2, [0.3] * 3), "p_a, rho must have shapes"),
        (lambda: miller_unpaired_required_n([0.1] * 2, [0.2] * 3), "p_a, p_b must have shapes"),
        (lambda: design_effect(TWO, [0.1] * 3), "mean_cluster_size, icc must have shapes"),
        (lambda: cluster_power([0.1] * 2, [0.4] * 3, 0.1, 5, 9), "sigma_d, delta must have shapes"),
        (
            lambda: resolution_over_correlations(TWO, THREE, 9),
            "correct_a, correct_b, n_items must have",
        ),
        (lambda: design_effect(MASKED, 0.1), "mean_cluster_size must not have masked entries"),
        (lambda: shortcut_required_n(0.1, 0.2, MASKED / 9), "rho must not have masked entries"),
        (lambda: missing_gap_bounds(MASKED_SCORES), "scores must not have masked entries"),
        (lambda: missingness_by_difficulty(MASKED_SCORES), "scores must not have masked entries"),
        (lambda: mcnemar_exact(MASKED, 3), "b must not have masked entries"),
        (lambda: required_n(0.1, MASKED), "sigma_d must not have masked entries"),
        (lambda: adjust_holm(MASKED), "p must not have masked entries"),
        (lambda: mcnemar_exact("many", 3), "b must hold numbers, got 'many'"),
        (lambda: required_n([[0.1], [0.1, 0.2]], 0.4), "delta must hold numbers"),
        (lambda: mcnemar_asymptotic(1e19, 5), r"b must be at most 2\*\*53, got 1e\+19"),
        (
            lambda: anytime_horizon(5, 3, 20, alpha=[0.1, 0.2]),  # type: ignore[arg-type]
            "alpha must be a single number",
        ),
        (
            lambda: attainable(4, alpha="x"),  # type: ignore[arg-type]
            "alpha must hold numbers, got 'x'",
        ),
    ],
)
def test_the_argument_is_named(call: Callable[[], object], text: str) -> None:
    with pytest.raises(InvalidArgument, match=text) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_mask_that_hides_nothing_is_no_mask() -> None:
    whole = np.ma.array([3, 4], mask=[False, False])
    np.testing.assert_array_equal(mcnemar_exact(whole, 3), mcnemar_exact([3, 4], 3))


def test_counts_up_to_the_largest_whole_float_are_taken() -> None:
    assert mcnemar_asymptotic(2**53, 5) == 0
