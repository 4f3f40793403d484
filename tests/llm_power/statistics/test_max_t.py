"""Family-wise p-values by max-T: the cases that have a closed form, and the error rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from llm_power.errors import InvalidArgument
from llm_power.statistics.arrays import FloatArray
from llm_power.statistics.max_t import gap_deviates, holm_family, max_t_family
from llm_power.statistics.mcnemar import mcnemar_exact
from llm_power.statistics.multiplicity import adjust_holm, sidak_level
from llm_power.statistics.random_streams import named_rng

DRAWS = 40_000


def normal(n_pairs: int) -> FloatArray:
    return named_rng(0, "deviates").standard_normal((n_pairs, DRAWS))


def test_independent_pairs_are_adjusted_as_sidak_steps_down() -> None:
    p, z = np.array([0.2, 0.001, 0.03, 0.008]), normal(4)
    family = max_t_family(p, lambda pair: z[pair], n_draws=DRAWS)
    exact = 1 - (1 - np.array([0.2, 0.001, 0.03, 0.008])) ** np.array([1, 4, 2, 3])
    np.testing.assert_allclose(family.p, exact, atol=4 * np.sqrt(0.25 / DRAWS))
    hopeless = max_t_family(np.full(4, 0.9), lambda pair: z[pair], n_draws=DRAWS)
    assert hopeless.level == pytest.approx(sidak_level(4), rel=0.08)


def test_pairs_that_move_as_one_are_not_adjusted() -> None:
    p, z = np.array([0.01, 0.04, 0.3]), normal(1)
    family = max_t_family(p, lambda _: z[0], n_draws=DRAWS)
    np.testing.assert_allclose(family.p, p, atol=0.01)


@given(hnp.arrays(float, st.integers(1, 12), elements=st.floats(0, 1)))
def test_between_the_own_p_value_and_holms(p: FloatArray) -> None:
    z = named_rng(1, "deviates").standard_normal((12, 99))
    family = max_t_family(p, lambda pair: z[pair], n_draws=99)
    assert np.all((p <= family.p) & (family.p <= adjust_holm(p)))
    assert np.all(np.diff(family.p[np.argsort(p, kind="stable")]) >= 0)
    assert 0.05 / p.size <= family.level <= 0.05


def test_a_pair_alone_keeps_its_p_value() -> None:
    z = normal(1)
    assert max_t_family([0.0625], lambda pair: z[pair], n_draws=DRAWS).p.tolist() == [0.0625]


def test_deviates_are_correlated_as_the_gaps_are() -> None:
    rng = named_rng(2, "scores")
    scores = (rng.normal(size=(900, 1)) + rng.normal(size=(900, 4)) > 0).astype(float)
    first, second = np.triu_indices(4, k=1)
    deviates = gap_deviates(scores, first, second, n_draws=DRAWS)
    found = np.corrcoef([deviates(pair) for pair in range(6)])
    expected = np.corrcoef((scores[:, first] - scores[:, second]).T)
    np.testing.assert_allclose(found, expected, atol=0.03)
    np.testing.assert_allclose([deviates(pair).std() for pair in range(6)], 1, atol=0.02)


def test_a_part_of_a_family_stays_as_large_as_the_family() -> None:
    family = holm_family([0.001, 0.02, 0.2])
    part = family.of(np.array([False, True, False]))
    assert (part.p.tolist(), part.level, part.size) == ([0.04], family.level, 3)


def test_a_table_of_p_values_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="one-dimensional"):
        max_t_family([[0.1]], lambda _: np.zeros(9), n_draws=9)


@pytest.mark.slow
def test_the_family_wise_error_stays_below_its_level() -> None:
    """Five equal models, all pairs, 200 items: exact p-values, nominal .05."""
    rng, rejected = named_rng(3, "null"), 0
    first, second = np.triu_indices(5, k=1)
    for _ in range(1_000):
        scores = (rng.normal(size=(200, 1)) + rng.normal(size=(200, 5)) > 0).astype(float)
        d = scores[:, first] - scores[:, second]
        p = mcnemar_exact((d > 0).sum(axis=0), (d < 0).sum(axis=0))
        deviates = gap_deviates(scores, first, second, n_draws=999, rng=rng)
        rejected += bool((max_t_family(p, deviates, n_draws=999).p <= 0.05).any())
    assert rejected / 1_000 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1_000)
