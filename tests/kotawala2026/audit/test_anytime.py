"""The e-process at the printed counts, against the standard library, mpmath and scipy."""

from __future__ import annotations

from math import exp, isinf, log, sqrt
from statistics import median

import mpmath
import pytest
from scipy.optimize import brentq
from scipy.stats import multivariate_normal
from second_derivations_paper import N_MMLU_PRO, Z_ALPHA, Z_POWER, K, counts_n_star, table, whole
from second_derivations_sequential import POINTS, log_e

from findings_by_name import Values
from replication.findings import Finding


def _pairs(number: int) -> list[tuple[str, int, int, int]]:
    """Name, b, c and N of the rows of Table 6 or 7, read with nothing but the csv module."""
    return [
        (
            row.get("pair") or f"{row['task']}, {row['model_a']}, {row['model_b']}",
            int(row["b"]),
            int(row["c"]),
            whole(row.get("n", str(N_MMLU_PRO))),
        )
        for row in table(number)
    ]


# With nothing but the standard library and the printed numbers


def test_four_of_the_terms_are_enough() -> None:
    # The derivation by hand: four points of the mixture take e beyond 20.
    four = sum(exp(1680 * log(2 * t) + 1454 * log(2 - 2 * t)) for t in (0.52, 0.53, 0.54, 0.55))
    assert four / 98 == pytest.approx(77.9, abs=0.05)


# Against other implementations


@pytest.mark.parametrize("number", [6, 7])
def test_log_e_of_every_printed_pair(found: Values, number: int) -> None:
    for name, b, c, _ in _pairs(number):
        with mpmath.workdps(40):
            e = mpmath.fsum(
                (mpmath.mpf(k) / 50) ** b * (2 - mpmath.mpf(k) / 50) ** c
                for k in range(1, 100)
                if k != 50
            )
            expected = float(mpmath.log(e / 98))
        assert found["log_e", name] == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("number", [6, 7])
def test_threshold_inflation_and_verdicts(found: Values, number: int) -> None:
    inflations, unresolved, alone, waiting = [], [], [], []
    for name, b, c, n in _pairs(number):
        m = b + c
        gap = brentq(lambda s, m=m: log_e((m + s) / 2, (m - s) / 2) - log(20), 0, m, xtol=1e-12)
        u = gap / sqrt(m)
        inflations.append(((u + Z_POWER) / (Z_ALPHA + Z_POWER)) ** 2)
        fixed = counts_n_star(b, c, n)
        assert found["anytime_threshold", name] == pytest.approx(u, rel=1e-9)
        assert found["anytime_inflation", name] == pytest.approx(inflations[-1], rel=1e-9)
        unresolved += [name] if inflations[-1] * fixed > n else []
        alone += [name] if inflations[-1] * fixed > n >= fixed else []
        waiting += [name] if log_e(b, c) < log(20) and n >= fixed else []
    table = f"Table {number}"
    for which, value in (
        ("min", min(inflations)),
        ("median", median(inflations)),
        ("max", max(inflations)),
    ):
        assert found[f"anytime_inflation_{which}", table] == pytest.approx(value, rel=1e-9)
    if number == 7:
        # Section 6.5 and Table 5: five unresolved, the extra one being 5 vs 6; none by crossing.
        assert found["unresolved_anytime", table] == len(unresolved) == 5
        assert found["unresolved_by_anytime_alone", table] == len(alone)
        assert found["unresolved_by_anytime_alone_which", table] == "; ".join(alone) == "5 vs 6"
        assert found["not_crossed_by_anytime_alone", table] == len(waiting) == 0


def test_no_pair_of_table_7_has_the_printed_inflation(found: Values) -> None:
    # Section 6.5 prints 2.15 for all nine.
    values = [found["anytime_inflation", name] for name, *_ in _pairs(7)]
    assert not any(abs(value - 2.15) <= 0.005 for value in values)
    assert found["anytime_inflation_nearest", "Table 7"] == found["anytime_inflation", "2 vs 3"]
    u = sqrt(2.15) * sqrt(K) - Z_POWER
    crossing = brentq(
        lambda x: log_e((x + u * sqrt(x)) / 2, (x - u * sqrt(x)) / 2) - log(20), 100, 300
    )
    assert not any(abs(b + c - crossing) < 4 for _, b, c, _ in _pairs(7))


def test_inflation_if_every_item_were_discordant(found: Values) -> None:
    gap = brentq(lambda s: log_e((12_032 + s) / 2, (12_032 - s) / 2) - log(20), 0, 1000)
    expected = ((gap / sqrt(12_032) + Z_POWER) / (Z_ALPHA + Z_POWER)) ** 2
    assert found["anytime_inflation", "every item discordant"] == pytest.approx(expected, rel=1e-9)


def test_a_test_looked_at_twice(found: Values) -> None:
    # Armitage, McPherson and Rowe (1969), Table 2: 0.083 for two looks at the 5% level.
    assert found["type1_of_two_looks", "α = 0.05"] == pytest.approx(0.083, abs=0.0005)
    quadrant = multivariate_normal(cov=[[1, sqrt(0.5)], [sqrt(0.5), 1]])
    z = Z_ALPHA
    inside = (
        quadrant.cdf([z, z])
        - quadrant.cdf([-z, z])
        - quadrant.cdf([z, -z])
        + quadrant.cdf([-z, -z])
    )
    assert found["type1_of_two_looks", "α = 0.05"] == pytest.approx(1 - inside, rel=1e-5)


def test_mixture_and_calibration(found: Values, evidence: list[Finding]) -> None:
    assert found["mixture_points", "98-point mixture"] == len(POINTS)
    assert found["posterior_weight_ratio", "98-point mixture"] == pytest.approx(99, rel=1e-12)
    assert found["posterior_mass_on_points", "98-point mixture"] == pytest.approx(1, rel=1e-12)
    # Appendix C: 0.9 pp at the nominal level; sqrt(0.05 × 0.95/600) = 0.0088976.
    assert found["type1_mc_se", "nominal"] == pytest.approx(0.88976, abs=0.000005)
    # N* = 2362 exceeds ARC's 1,172 items, 294 does not.
    assert found["calibration_pairs_resolved", "Appendix C"] == 1
    values = [row.value for row in evidence if row.topic == "anytime"]
    assert not any(isinf(value) for value in values if isinstance(value, float))
