"""Evidence from printed numbers: all of it as recorded, and its formulas against other routes.

The second derivations have every contradicted claim again, and the verdicts of the run hold every
other one against what is printed. `evidence.csv` keeps the digits of all.
"""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from statistics import NormalDist

import mpmath
import numpy as np
import pandas as pd
import pytest
from findings_by_name import PUBLISHED, Sets, Values, sets_of, values_of
from scipy import stats
from scipy.optimize import brentq, linprog
from second_derivations_paper import (
    N_MMLU_PRO,
    Z_ALPHA,
    Z_POWER,
    K,
    counts_n_star,
    shortcut_ratio,
    table,
    whole,
)
from second_derivations_sequential import log_e
from statsmodels.stats.multitest import multipletests

from kotawala2026.quantities.close_pairs import percentiles, resampled_required_n
from kotawala2026.quantities.closed_forms import Expansion, taylor_coefficient
from kotawala2026.quantities.grounds import PublishedNumbers, load_published
from replication.findings import Finding
from replication.views import evidence_view

RECORDED = Path(__file__).parents[1] / "evidence.csv"
NUMBERS = ["value", "lower", "upper", "standard_error"]
# An empty subject is a name, an empty end none.
EMPTY = {name: [""] for name in NUMBERS[1:]}


@pytest.fixture(scope="module")
def published() -> PublishedNumbers:
    return load_published(PUBLISHED)


@pytest.fixture(scope="module")
def found(evidence: list[Finding]) -> Values:
    return values_of(evidence)


@pytest.fixture(scope="module")
def sets(evidence: list[Finding]) -> Sets:
    return sets_of(evidence)


def test_the_evidence_is_as_recorded(evidence: list[Finding]) -> None:
    """To nine digits; `cp results/audit/evidence.csv tests/kotawala2026` records it anew."""
    made = evidence_view(evidence).astype({"value": str})
    recorded = pd.read_csv(RECORDED, keep_default_na=False, na_values=EMPTY)
    made, recorded = (x.set_index(["quantity", "subject"]).sort_index() for x in (made, recorded))
    assert list(made.index) == list(recorded.index)
    numbers = pd.to_numeric(recorded["value"], errors="coerce")
    words = numbers.isna()
    assert made.loc[words, "value"].to_list() == recorded.loc[words, "value"].to_list()
    for name in NUMBERS:
        expected = numbers if name == "value" else recorded[name]
        values = pd.to_numeric(made[name], errors="coerce")
        np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-12, err_msg=name)


def test_every_row_says_how_it_follows(evidence: list[Finding]) -> None:
    assert all(row.method and row.quantity for row in evidence)
    assert {row.basis for row in evidence} <= {"derived", "displayed", "counts", "none"}


# Lemma 1 and Appendix A


@pytest.mark.parametrize(("p", "rho"), [(0.35, -0.2), (0.5, 0.3), (0.65, 0.9), (0.8, 0.6)])
@pytest.mark.parametrize("function", ["variance", "h2_scaled", "root_of_product", "ratio"])
def test_taylor_coefficients_are_those_of_mpmath(p: float, rho: float, function: str) -> None:
    def h2(delta: mpmath.mpf) -> mpmath.mpf:
        a, b = p + delta / 2, p - delta / 2
        return (2 * mpmath.asin(mpmath.sqrt(a)) - 2 * mpmath.asin(mpmath.sqrt(b))) ** 2

    def root(delta: mpmath.mpf) -> mpmath.mpf:
        a, b = p + delta / 2, p - delta / 2
        return mpmath.sqrt(a * (1 - a) * b * (1 - b))

    def variance(delta: mpmath.mpf) -> mpmath.mpf:
        a, b = p + delta / 2, p - delta / 2
        return a * (1 - a) + b * (1 - b) - 2 * rho * root(delta)

    # Even functions of delta: f(x) = c0 + c2 x^2 + c4 x^4, solved at three tiny steps.
    functions = {
        "variance": variance,
        "root_of_product": root,
        "h2_scaled": lambda x: p * (1 - p) * h2(x) / x**2,
        "ratio": lambda x: (1 - rho) * x**2 / (h2(x) * variance(x)),
    }
    with mpmath.workdps(60):
        steps = [mpmath.mpf(10) ** -6 * k for k in (1, 2, 3)]
        matrix = mpmath.matrix([[1, x**2, x**4] for x in steps])
        values = mpmath.matrix([functions[function](x) for x in steps])  # type: ignore[no-untyped-call]
        oracle = mpmath.lu_solve(matrix, values)
        zeroth, second = float(oracle[0]), float(oracle[1])
    own = getattr(Expansion(p, rho), function)
    assert taylor_coefficient(own, 0) == pytest.approx(zeroth, rel=1e-10)
    assert taylor_coefficient(own, 2) == pytest.approx(second, rel=1e-9)


def rho_bounds(p: float, q: float) -> tuple[float, float]:
    """Least and largest correlation of two 0/1 scores, by linear programming."""
    rows = [[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0]]
    ends = [
        linprog([sign, 0, 0, 0], A_eq=rows, b_eq=[1, p, q], bounds=(0, 1))["fun"] * sign
        for sign in (1, -1)
    ]
    scale = math.sqrt(p * (1 - p) * q * (1 - q))
    return (ends[0] - p * q) / scale, (ends[1] - p * q) / scale


def test_the_corners_of_the_grid_that_no_two_models_have(found: Values) -> None:
    """Rho = 0.7 at delta = 0.20; and of the cells that the text names, none."""
    beyond = sum(rho_bounds(p + 0.1, p - 0.1)[1] < 0.7 for p in (0.5, 0.65, 0.8))
    assert found["inadmissible_corners", "rho = 0.7, delta = 0.20"] == beyond == 3
    named = ((0.65, 0.60, 0.3), (0.865, 0.435, 0.3), (0.9, 0.7, 0.5))
    beyond = sum(rho > rho_bounds(p_a, p_b)[1] for p_a, p_b, rho in named)
    assert found["inadmissible_named_cells", ""] == beyond == 0


# Displayed scores


def test_no_pair_reaches_the_printed_maximum(sets: Sets) -> None:
    # GSM8K 68.69 against 29.19; Section 4 prints 0.562.
    lower, upper = rho_bounds(0.6869, 0.2919)
    ratios = [shortcut_ratio(0.6869, 0.2919, x) for x in np.linspace(lower, upper, 401)[1:-1]]
    least, most = sets["shortcut_ratio_max_over_correlations", ""]
    assert most == pytest.approx(max(ratios), abs=1e-4)
    assert least < most < 0.5615
    # Rounded up to whole items it can be: 9/16 among them.
    least, most = sets["shortcut_ratio_of_whole_items_max_over_correlations", ""]
    assert least < 9 / 16 < most


def test_the_smallest_ratio_is_at_an_end_of_the_admissible_correlations(
    published: PublishedNumbers, sets: Sets
) -> None:
    least = []
    for one, other in combinations(published.board_scores["oll_v1"], 2):
        p_a, p_b = one.accuracy, other.accuracy
        if one.task == other.task and abs(p_a - p_b) > 0.02:
            low, high = rho_bounds(p_a, p_b)
            least += [shortcut_ratio(p_a, p_b, rho) for rho in (low + 1e-9, high - 1e-9)]
    ends = sets["shortcut_ratio_min_over_correlations", ""]
    assert ends[0] == pytest.approx(min(least), abs=2e-4)


def test_bounds_of_the_largest_gain_hold_the_printed_one(sets: Sets) -> None:
    gain, residual = (sets[f"largest_{name}", "OLL v1"] for name in ("gain", "residual"))
    assert gain[0] == pytest.approx(5.393, abs=5e-4)  # HellaSwag, Table 6
    # HellaSwag, 84.88 and 82.47: 242 items apart, and none that the worse one solves alone.
    p_a, p_b = 8524 / 10042, 8282 / 10042
    most = (p_a * (1 - p_a) + p_b * (1 - p_b)) / (p_a - p_b - (p_a - p_b) ** 2)
    assert gain[1] >= 0.99 * most
    assert residual[0] < 0.062 < residual[1]


# Tables 6 and 7


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


@pytest.mark.parametrize("row", _pairs(6), ids=[row[0] for row in _pairs(6)])
def test_share_of_resamples_by_two_binomials(row: tuple[str, int, int, int]) -> None:
    _, b, c, n = row
    # m discordant items in a resample, then b* of them: resolved where N d² >= K (N m - d²).
    reach = int(10 * math.sqrt(b + c))
    m = np.arange(max(1, b + c - reach), b + c + reach + 1)[:, None]
    b_star = np.arange(m.max() + 1)[None, :]
    d = 2 * b_star - m
    resolved = n * d.astype(float) ** 2 >= K * (n * m - d.astype(float) ** 2)
    inner = np.where(resolved & (b_star <= m), stats.binom.pmf(b_star, m, b / (b + c)), 0.0)
    share = 1 - stats.binom.pmf(m[:, 0], n, (b + c) / n) @ inner.sum(axis=1)
    needed, mass = resampled_required_n(b, c, n)
    assert mass[needed > n].sum() == pytest.approx(share, abs=1e-9)
    low, high = percentiles(needed, mass)
    assert (low > n) == (share > 0.95)
    assert low < counts_n_star(b, c, n) < high


def test_the_pair_of_figure_4_is_one_table(found: Values) -> None:
    """28 of 1,172 items and N* 2,362 leave b = 115 and c = 87, whose correlation is 0.64."""
    assert found["gap_nearest_to_printed", "Figure 4"] == pytest.approx(100 * 28 / 1172)
    needed = found["n_star_nearest_to_printed", "Figure 4"]
    assert needed == pytest.approx(counts_n_star(115, 87, 1172))
    phi = (1172 * (740 - 115) - 740 * 712) / math.sqrt(740 * 432 * 712 * 460)
    assert found["rho_nearest_to_printed", "Figure 4"] == pytest.approx(phi)
    assert round(phi, 2) == 0.64


def test_ten_accuracies_and_the_counts_leave_one_number_of_solved_items(found: Values) -> None:
    """4 vs 5: 8,424 and 7,629 of 12,031; nobody else's accuracy fits with 8,423 or 8,425."""
    solved = [7629 + 1871 - 1076, 7629]
    accuracies = [found[f"p_{side}_from_row", "4 vs 5"] for side in "ab"]
    assert accuracies == pytest.approx([x / 12_031 for x in solved], rel=1e-12)
    n11 = solved[0] - 1871
    margins = solved[0] * (12_031 - solved[0]) * solved[1] * (12_031 - solved[1])
    phi = (n11 * (12_031 - n11 - 1871 - 1076) - 1871 * 1076) / math.sqrt(margins)
    assert found["rho_from_row", "4 vs 5"] == pytest.approx(phi, rel=1e-12)


def test_holm_agrees_with_statsmodels(found: Values) -> None:
    # A pair is resolved at a level if its Wald statistic, moved by the quantile of the power,
    # rejects at that level: Holm on those p-values is Holm on required items.
    p = []
    for _, b, c, n in _pairs(7):
        wald = (b - c) / math.sqrt(b + c - (b - c) ** 2 / n)
        p.append(math.erfc((wald - Z_POWER) / math.sqrt(2)))
    holm = multipletests(np.clip(p, 0, 1), alpha=0.05, method="holm")[0]
    assert found["unresolved_holm_9_at_printed_n", "MMLU-Pro"] == int(np.sum(~holm))


def test_false_discovery_bounds(found: Values) -> None:
    p = []
    for r in (0.655, 1.0):
        squared = K / r  # T_N² of a pair with this r = N*/N
        p.append(stats.chi2.sf(squared / (1 + squared / 1172), 1))
    assert found["p_largest_above_5pp", "OLL v1"] == pytest.approx(p[0], rel=1e-10)
    # The least favorable p-values that Table 3 admits: 23 above 5 pp, six more resolved.
    worst = [p[0]] * 23 + [p[1]] * 6 + [1.0] * 11
    assert multipletests(worst, alpha=0.05, method="fdr_bh")[0][:29].all()
    assert found["bh_retracted_above_5pp_at_most", "OLL v1"] == 0
    assert found["bh_rejections_up_to_5pp_at_least", "OLL v1"] == 6


# The e-process


@pytest.mark.parametrize("number", [6, 7])
def test_evidence_threshold_and_inflation_of_every_printed_pair(found: Values, number: int) -> None:
    for name, b, c, _ in _pairs(number):
        with mpmath.workdps(40):
            points = [mpmath.mpf(k) / 50 for k in range(1, 100) if k != 50]
            expected = mpmath.log(mpmath.fsum(x**b * (2 - x) ** c for x in points) / 98)
        assert found["log_e", name] == pytest.approx(float(expected), rel=1e-9, abs=1e-10)
        u = _crossing_gap(b + c) / math.sqrt(b + c)
        inflation = ((u + Z_POWER) / (Z_ALPHA + Z_POWER)) ** 2
        assert found["anytime_threshold", name] == pytest.approx(u, rel=1e-9)
        assert found["anytime_inflation", name] == pytest.approx(inflation, rel=1e-9)


def _crossing_gap(m: int) -> float:
    """The b - c at which eq. (24) reaches 20 with b + c = m."""
    return float(brentq(lambda s: log_e((m + s) / 2, (m - s) / 2) - math.log(20), 0, m, xtol=1e-12))


def test_a_test_looked_at_twice(found: Values) -> None:
    # Armitage, McPherson and Rowe (1969), Table 2: 0.083 for two looks at the 5% level.
    assert found["type1_of_two_looks", "α = 0.05"] == pytest.approx(0.083, abs=0.0005)


# Table 4 to 9

PAIRS = [f"{i} vs {i + 1}" for i in range(1, 10)]
# At the N that the rows of Table 7 imply.
REQUIRED = [counts_n_star(b, c, N_MMLU_PRO - 1) for _, b, c, _ in _pairs(7)]
SIZE = (N_MMLU_PRO - 1) / 14
ICC = [0.0004, -0.0003, 0.0002, 0.036, 0.0067, 0.012, -0.0002, 0.0010, 0.0029]
EFFECT = [1.37, 1.00, 1.19, 31.5, 6.74, 11.5, 1.00, 1.88, 3.52]
CLUSTERED = [2_327, 778, 40_660, 13_621, 39_009, 31.4e6, 4_628, 24_632, 1.11e6]
HALF_UNIT = [0.5, 0.5, 0.5, 0.5, 0.5, 0.05e6, 0.5, 0.5, 0.005e6]


@pytest.mark.parametrize("i", range(9))
def test_design_effect_and_icc_follow_from_the_cluster_n_star(sets: Sets, i: int) -> None:
    # Rounded up or to the nearest, and 31.4M to the nearest after that.
    below = 1.0 if HALF_UNIT[i] == 0.5 else HALF_UNIT[i] + 1
    low = max((CLUSTERED[i] - below) / REQUIRED[i], 1.0)
    high = (CLUSTERED[i] + HALF_UNIT[i]) / REQUIRED[i]
    half = 0.00005 if abs(ICC[i]) < 0.01 else 0.0005
    of_icc = [1 + (SIZE - 1) * max(ICC[i] + s * half, 0) for s in (-1, 1)]
    effect = sets["design_effect_of_cluster_n_star_within_rounding", PAIRS[i]]
    assert effect == pytest.approx((max(low, of_icc[0]), min(high, of_icc[1])), rel=1e-9)
    half = 0.005 if EFFECT[i] < 10 else 0.05
    ends = [(x - 1) / (SIZE - 1) for x in (max(low, EFFECT[i] - half), min(high, EFFECT[i] + half))]
    icc = sets["icc_of_cluster_n_star_within_rounding", PAIRS[i]]
    if ICC[i] > 0:
        assert icc == pytest.approx(ends, rel=1e-9)
    else:
        # Any ICC up to zero has a design effect of one.
        assert icc[0] == -math.inf
        assert icc[1] == pytest.approx(ends[1], rel=1e-6)


def test_an_icc_bound_is_that_of_its_design_effect_at_some_mean_size(sets: Sets) -> None:
    """Resamples of 14 subjects have from 381 (history) to 1,351 items (math) a subject."""
    low, high = max(40.85, 17_671 / REQUIRED[3]), min(40.95, 17_672.5 / REQUIRED[3])
    ends = sets["icc_of_resample", "4 vs 5, 95%"]
    assert ends == pytest.approx(((low - 1) / 1350, (high - 1) / 380), rel=1e-9)
    # No design effect is below one, whatever a negative ICC; an ICC is at least -1/(m - 1).
    low, high = sets["icc_of_resample", "3 vs 4, 5%"]
    assert low == pytest.approx(-1 / 380, rel=1e-12)
    assert 0 <= high < 1e-6


def test_shares_follow_from_the_two_pairs_that_vary(found: Values) -> None:
    # In thousandths: of 1000 resamples, 552 leave 4 vs 5 unresolved, 997 leave 5 vs 6, 1 neither.
    both = 552 + 997 - (1000 - 1)
    assert found["bootstrap_share", "6 unresolved"] == pytest.approx(both / 1000, abs=1e-12)
    one = (552 - both + 997 - both) / 1000
    assert found["bootstrap_share", "5 unresolved"] == pytest.approx(one, abs=1e-12)


# Table 10: label, gap and N*.
TABLE_10 = [
    ("HS, Mistral-I / Llama-I", 0.063, 193),
    ("ARC, Llama-3-8B / gemma", 0.078, 294),
    ("HS, Llama-3-8B / gemma", 0.101, 120),
]


@pytest.mark.parametrize(("label", "gap", "n_star"), TABLE_10)
def test_powers_of_table_10(found: Values, label: str, gap: float, n_star: int) -> None:
    discordant = n_star * gap**2 / K + gap**2
    level = NormalDist().inv_cdf(0.975) ** 2
    for name, factor in (("080", 0.8), ("100", 1.0), ("120", 1.2)):
        n = round(factor * n_star)
        m = np.arange(1, n + 1)[:, None]
        b = np.arange(n + 1)[None, :]
        rejects = ((2 * b - m) ** 2 > level * m) & (b <= m)
        inner = np.where(rejects, stats.binom.pmf(b, m, (1 + gap / discordant) / 2), 0.0)
        exact = stats.binom.pmf(m[:, 0], n, discordant) @ inner.sum(axis=1)
        assert found[f"power_at_{name}", label] == pytest.approx(exact, abs=1e-10)
