"""Oracle tests of the four forms of McNemar's test.

R 4.2.2 session::

    > p <- function(b,c) { m <- matrix(c(1000,c,b,1000),2)
    +   c(mcnemar.test(m,correct=FALSE)$p.value, binom.test(b,b+c)$p.value,
    +     mcnemar.test(m,correct=TRUE)$p.value,
    +     2*pbinom(min(b,c)-1,b+c,.5)+dbinom(min(b,c),b+c,.5)) }
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import binomial, mp, mpf
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar

from llm_power._errors import InvalidArgument
from llm_power._statistics.mcnemar import (
    log_mcnemar_exact,
    mcnemar_asymptotic,
    mcnemar_continuity_corrected,
    mcnemar_exact,
    mcnemar_mid_p,
    smallest_exact_p,
)

B = [295, 253, 1871, 5]
C = [249, 111, 1076, 0]
ASYMPTOTIC = [0.0485829309233583, 9.85565942015623e-14, 1.45889903291836e-48, 0.0253473186774683]
EXACT = [0.0535863776582949, 7.07631801084217e-14, 5.04306831648776e-49, 0.0625]
CORRECTED = [0.0536862996269764, 1.46378843413002e-13, 1.91271831138566e-48, 0.0736382701203028]
MID_P = [0.0486902922159605, 5.06948117676715e-14, 3.96804181443469e-49, 0.03125]
small_counts = st.integers(0, 400)


def test_all_forms_equal_r() -> None:
    np.testing.assert_allclose(mcnemar_asymptotic(B, C), ASYMPTOTIC, rtol=1e-10)
    np.testing.assert_allclose(mcnemar_exact(B, C), EXACT, rtol=1e-10)
    np.testing.assert_allclose(mcnemar_continuity_corrected(B, C), CORRECTED, rtol=1e-10)
    np.testing.assert_allclose(mcnemar_mid_p(B, C), MID_P, rtol=1e-10)


@given(small_counts, small_counts)
def test_asymptotic_and_exact_equal_statsmodels_and_scipy(b: int, c: int) -> None:
    if b + c == 0:
        return
    table = [[7, b], [c, 9]]
    expected = sm_mcnemar(table, exact=False, correction=False).pvalue
    np.testing.assert_allclose(mcnemar_asymptotic(b, c), expected, rtol=1e-10)
    np.testing.assert_allclose(mcnemar_exact(b, c), binomtest(b, b + c).pvalue, rtol=1e-10)
    if b != c:
        corrected = sm_mcnemar(table, exact=False, correction=True).pvalue
        np.testing.assert_allclose(mcnemar_continuity_corrected(b, c), corrected, rtol=1e-10)


@pytest.mark.parametrize(("b", "c"), [(3, 2), (40, 11), (1871, 1076), (60_000, 58_000)])
def test_mid_p_equals_the_sum_at_50_digits(b: int, c: int) -> None:
    with mp.workdps(50):
        n, m = b + c, min(b, c)
        term, tail = binomial(n, m), mpf(0)
        for k in range(m, -1, -1):
            tail += term / 2 if k == m else term
            term = term * k / (n - k + 1)
        expected = float(2 * tail / mpf(2) ** n)
    np.testing.assert_allclose(mcnemar_mid_p(b, c), expected, rtol=1e-10)


@given(small_counts, small_counts)
def test_forms_are_ordered_and_symmetric(b: int, c: int) -> None:
    for test in (mcnemar_asymptotic, mcnemar_exact, mcnemar_mid_p, mcnemar_continuity_corrected):
        p = float(test(b, c))
        assert 0 <= p <= 1
        assert p == float(test(c, b))
    assert mcnemar_mid_p(b, c) <= mcnemar_exact(b, c)
    assert mcnemar_asymptotic(b, c) <= mcnemar_continuity_corrected(b, c)


def test_no_discordant_item_is_no_evidence() -> None:
    for test in (mcnemar_asymptotic, mcnemar_exact, mcnemar_mid_p, mcnemar_continuity_corrected):
        np.testing.assert_array_equal(test([0, 4], [0, 4]), [1.0, 1.0])


def test_smallest_exact_p_is_a_clean_sweep() -> None:
    n = np.arange(1, 40)
    np.testing.assert_allclose(smallest_exact_p(n), mcnemar_exact(n, 0), rtol=1e-12)
    assert smallest_exact_p(0) == 1.0


@pytest.mark.parametrize(("b", "c"), [(295, 249), (5_000, 200), (60_000, 0), (40_000, 30_000)])
def test_the_logarithm_goes_on_below_the_smallest_float(b: int, c: int) -> None:
    with mp.workdps(60):
        n, term, tail = b + c, binomial(b + c, c), mpf(0)
        for k in range(c, max(c - 500, -1), -1):
            tail += term
            term = term * k / (n - k + 1)
        expected = float(mp.log(2 * tail) - n * mp.log(2))
    np.testing.assert_allclose(log_mcnemar_exact(b, c), expected, rtol=1e-12)


def test_counts_must_be_whole_and_not_negative() -> None:
    with pytest.raises(InvalidArgument, match="b must hold whole numbers, got 1.5"):
        mcnemar_exact(1.5, 2)
    with pytest.raises(InvalidArgument, match="c must not be negative, got -2.0"):
        mcnemar_mid_p(1, -2)
