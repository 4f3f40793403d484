"""Lemma 1, the normal approximation, Miller's formula, and other forms of eq. (6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from kotawala2026.quantities.grounds import QUANTITIES, PublishedNumbers, summary_of
from kotawala2026.quantities.shortcut import admissible_delta, shortcut_constant
from llm_power._statistics.inversion import minimum_detectable_effect, required_n, z_sum
from llm_power._statistics.mcnemar import connor_required_n
from llm_power._statistics.paired_binary import (
    admissible_rho,
    miller_unpaired_required_n,
    required_n_paired_binary,
    shortcut_required_n,
)
from replication.findings import Finding, derived

Complex = NDArray[np.complex128]

# Points of (p, rho) at which the expansions are compared; C and all printed coefficients differ
# from zero at each of them.
_P: Final = (0.35, 0.5, 0.65, 0.8)
_RHO: Final = (-0.2, 0.0, 0.3, 0.6, 0.9)
# The example of Corollary 1, and the two accuracies of Section 1, in percent.
_COROLLARY: Final = (0.65, 0.3, 0.05)
_HEADLINE: Final = (78.3, 77.5)
# Per-question success probabilities (A, B), as unlike each other as they come.
_QUESTIONS: Final = ((0.9, 0.8), (0.5, 0.6), (0.2, 0.4), (1.0, 0.3))


def taylor_coefficient(function: Callable[[Complex], Complex], order: int) -> float:
    """Taylor coefficient at zero to about 12 digits, by Cauchy's integral on a circle."""
    radius, n_points = 0.1, 64
    angle = 2 * np.pi * np.arange(n_points) / n_points
    values = function(radius * np.exp(1j * angle)) * np.exp(-1j * order * angle)
    return float(values.mean().real / radius**order)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The functions of delta that Appendix A expands, at one midpoint and correlation."""

    p: float
    rho: float

    @property
    def u(self) -> float:
        """Variance of one score at the midpoint, p(1 - p)."""
        return self.p * (1 - self.p)

    @property
    def skew(self) -> float:
        """(1 - 2p) squared."""
        return (1 - 2 * self.p) ** 2

    def at(self, delta: Complex) -> dict[str, Complex]:
        """Return each function of delta by its name."""
        a, b = self.p + delta / 2, self.p - delta / 2
        of_a, of_b = a * (1 - a), b * (1 - b)
        angle = np.arcsin(np.sqrt(a)) - np.arcsin(np.sqrt(b))
        h2_scaled = 4 * self.u * (angle / delta) ** 2
        root = np.sqrt(of_a * of_b)
        variance = of_a + of_b - 2 * self.rho * root
        return {
            "angle": angle,  # left of eq. (12)
            "h2_scaled": h2_scaled,  # h^2 u / delta^2, the bracket of eq. (14)
            "variance_sum": of_a + of_b,  # left of eq. (15)
            "variance_product": of_a * of_b,  # left of eq. (16)
            "root_of_product": root,  # left of eq. (17)
            "variance": variance,  # of the paired difference, eq. (5)
            "ratio": (1 - self.rho) / (h2_scaled * (variance / self.u)),  # n_h/N*, eq. (19)
        }

    def coefficient(self, name: str, order: int) -> float:
        """Return a Taylor coefficient of one of the functions."""
        return taylor_coefficient(lambda delta: self.at(delta)[name], order)


# Midpoint, gap and correlation: Table 1, Corollary 1, and the last cell of Appendix A's grid.
_NAMED_CELLS: Final = ((0.625, 0.05, 0.3), (0.65, 0.43, 0.3), (0.8, 0.2, 0.5))


@QUANTITIES.on(PublishedNumbers)
def expansions(_: PublishedNumbers) -> Iterator[Finding]:
    """Taylor coefficients of Appendix A against the printed ones."""
    cells = [Expansion(p, rho) for p, rho in product(_P, _RHO)]
    method = "Taylor coefficient in delta by Cauchy's integral, over the printed one; worst cell"
    for name, extracted, printed in _coefficients():
        ratios = [extracted(cell) / printed(cell) for cell in cells]
        yield derived("coefficient_over_printed", name, _farthest(ratios, 1.0), method)
    method = "Taylor coefficient of n_h/N* in delta, farthest from what Lemma 1 says"
    for order, limit in ((0, 0.5), (1, 0.0), (3, 0.0)):
        farthest = _farthest([cell.coefficient("ratio", order) for cell in cells], limit)
        yield derived("shortcut_ratio_coefficient", f"order {order}", farthest, method)
    farthest = _farthest([c.coefficient("variance", 0) / (c.u * (1 - c.rho)) for c in cells], 2.0)
    yield derived("variance_over_single_arm", "", farthest, "eq. (5) over p(1-p)(1-rho)")
    method = "phi''; zero where phi is odd"
    for p in (0.5, 0.65):
        curvature = (2 * p - 1) / (4 * (p * (1 - p)) ** 1.5)
        yield derived("arcsine_second_derivative", f"p = {p:g}", curvature, method)


def second_of_variance(cell: Expansion) -> float:
    """The second-order coefficient of eq. (5) over its value without a gap."""
    return cell.coefficient("variance", 2) / cell.coefficient("variance", 0)


def _coefficients() -> Iterator[
    tuple[str, Callable[[Expansion], float], Callable[[Expansion], float]]
]:
    """Name, extracted and printed coefficient of each expansion of Appendix A."""

    def extract(function: str, order: int, scale: float = 1.0) -> Callable[[Expansion], float]:
        return lambda cell: scale * cell.coefficient(function, order)

    def third_over_first(cell: Expansion) -> float:
        # phi at p + t, so that the coefficients are those of phi itself.
        def phi(t: Complex) -> Complex:
            return np.asarray(np.arcsin(np.sqrt(cell.p + t)))

        return 6 * taylor_coefficient(phi, 3) / taylor_coefficient(phi, 1)

    def h2(cell: Expansion) -> float:
        return 1 / (12 * cell.u) + cell.skew / (16 * cell.u**2)  # eq. (20)

    def v2(cell: Expansion) -> float:
        return cell.rho * cell.skew / (8 * cell.u**2 * (1 - cell.rho)) - 1 / (4 * cell.u)  # (21)

    def sum22(cell: Expansion) -> float:
        factor = (1 + cell.rho) / (1 - cell.rho)
        return factor * cell.skew / (16 * cell.u**2) - 1 / (6 * cell.u)

    def third(cell: Expansion) -> float:
        return 1 / cell.u + 3 * cell.skew / (4 * cell.u**2)

    yield "phi'''/phi'", third_over_first, third

    def of_variance(c: Expansion) -> float:
        return (c.rho * c.skew / c.u - 2 * (1 - c.rho)) / 4

    yield "eq. (12)", extract("angle", 3), lambda c: third(c) / (24 * 2 * np.sqrt(c.u))
    yield "eq. (13)", extract("h2_scaled", 2), lambda c: third(c) / 12
    yield "eq. (14)", extract("h2_scaled", 2), h2
    yield "eq. (15)", extract("variance_sum", 2), lambda _: -0.5
    yield "eq. (16)", extract("variance_product", 2), lambda c: -c.u / 2 - c.skew / 4
    yield "eq. (17)", extract("root_of_product", 2), lambda c: -(0.25 + c.skew / (8 * c.u))
    yield "eq. (18)", extract("variance", 2), of_variance
    yield "eq. (20)", extract("h2_scaled", 2), h2
    yield "eq. (21)", second_of_variance, v2
    yield "eq. (22)", extract("ratio", 2, -2.0), sum22
    second_of_ratio, of_eq_11 = extract("ratio", 2), lambda c: float(shortcut_constant(c.p, c.rho))
    yield "eq. (11)", lambda c: abs(second_of_ratio(c)), of_eq_11


@QUANTITIES.on(PublishedNumbers)
def numbers_of_equations(_: PublishedNumbers) -> Iterator[Finding]:
    """Numbers in eqs. (11) and (20) to (22): coefficients as sums of the two terms they name."""
    # Of 1/(16 ...) - 1/(6 ...) they are 16 and -6; the factor before eq. (11)'s bars is the ratio's
    # own.
    cells = [Expansion(p, rho) for p, rho in product(_P, _RHO)]
    h2 = np.array([cell.coefficient("h2_scaled", 2) for cell in cells])
    v2 = np.array([second_of_variance(cell) for cell in cells])
    rho, u, skew = (np.array([getattr(c, name) for c in cells]) for name in ("rho", "u", "skew"))
    both = (1 + rho) / (1 - rho) * skew / u**2
    method = "coefficient of the term, by least squares over 20 cells; 1 over it"
    for equation, values, first in (
        ("eq. (20)", h2, skew / u**2),
        ("eq. (21)", v2, rho / (1 - rho) * skew / u**2),
        ("eq. (22)", h2 + v2, both),
        ("eq. (11)", h2 + v2, both),
    ):
        coefficients = np.linalg.lstsq(np.column_stack([first, 1 / u]), values)[0]
        for term, coefficient in zip(("(1 - 2p)^2", "1/u"), coefficients, strict=True):
            yield derived("denominator", f"{equation}, {term}", float(1 / coefficient), method)
    ratio = np.array([cell.coefficient("ratio", 2) for cell in cells])
    yield derived("factor_of_constant", "", float(np.median(-ratio / (h2 + v2))), "eq. (11)")


@QUANTITIES.on(PublishedNumbers)
def normal_approximation(published: PublishedNumbers) -> Iterator[Finding]:
    """Quantiles, tails and the detectable gap at the operating point."""
    alpha, power = published.settings["alpha"], published.settings["power"]
    total = float(z_sum(alpha, power))
    critical = float(-ndtri(alpha / 2))
    headline = _HEADLINE[0] - _HEADLINE[1]
    yield derived("headline_gap_pp", "", headline, "difference", unit="pp")
    items, sigma_d = np.array([100.0, 1172.0, 12032.0])[:, None], np.array([0.1, 0.5, 1.0])
    gap = minimum_detectable_effect(items, sigma_d, alpha=alpha, power=power)
    needed = required_n(gap, sigma_d, alpha=alpha, power=power) / items
    farthest = _farthest(needed.ravel().tolist(), 1.0)
    of_gap = "eq. (3) at the gap of eq. (4), over N; farthest of nine"
    for quantity, value, method in (
        ("z_sum", total, "z_{1-alpha/2} + z_{1-beta}"),
        ("p_at_q_of_one", 2 * ndtr(-total), "two-sided p of a Wald statistic z"),
        ("q_at_p_of_level", (critical / total) ** 2, "(z_{1-alpha/2} / z)^2"),
        ("far_tail_power", ndtr(-critical - total), "first term of footnote 1 at N*"),
        ("near_tail_power", ndtr(total - critical), "second term of footnote 1 at N*"),
        ("n_star_at_detectable_gap", farthest, of_gap),
    ):
        yield derived(quantity, "", float(value), method)


@QUANTITIES.on(PublishedNumbers)
def constant(_: PublishedNumbers) -> Iterator[Finding]:
    """C of eq. (11) and its changes, and on which side of one half n_h/N* lies."""
    for subject, *ends in (
        ("p from 0.65 to 0.8 at rho = 0", (0.65, 0.0), (0.8, 0.0)),
        ("rho from 0 to 0.7 at p = 0.65", (0.65, 0.0), (0.65, 0.7)),
    ):
        start, end = (float(shortcut_constant(p, rho)) for p, rho in ends)
        yield derived("change_of_constant", subject, end - start, "eq. (11), end minus start")
    for p, rho in ((0.5, 0.3), (0.65, 0.0), (0.8, 0.5), (0.65, 0.9)):
        value = float(shortcut_constant(p, rho))
        yield derived("constant", f"p = {p:g}, rho = {rho:g}", value, "eq. (11)")
    spread = [float(shortcut_constant(0.5, rho)) for rho in _RHO]
    yield derived("constant_spread_at_half", "", max(spread) - min(spread), "eq. (11) at p = 1/2")
    method = "sign of the second Taylor coefficient of n_h/N*"
    for p, rho in ((0.5, 0.3), (0.8, 0.5)):
        side = "above" if Expansion(p, rho).coefficient("ratio", 2) > 0 else "below"
        yield derived("side_of_one_half", f"p = {p:g}, rho = {rho:g}", side, method)


@QUANTITIES.on(PublishedNumbers)
def corollary(_: PublishedNumbers) -> Iterator[Finding]:
    """The example of Corollary 1."""
    p, rho, epsilon = _COROLLARY
    gap = admissible_delta(p, rho, epsilon)
    yield derived("admissible_gap", "", gap, "sqrt(epsilon/C), Cor. 1")
    # The gap to leading order, 0.4299, as Section 4 rounds it.
    ratio, subject = _ratio(p, rho, 0.43), "0.43"
    yield derived("shortcut_ratio_at_admissible_gap", subject, ratio, "eq. (9) over eq. (6)")
    for name, value, shown in (("half", 0.5, "1/2"), ("n_star", 1.0, "1")):
        word, near = "yes" if abs(ratio - value) <= 0.1 else "no", f"within 0.1 of {shown}"
        yield derived(f"shortcut_near_{name}_at_admissible_gap", subject, word, near)


@QUANTITIES.on(PublishedNumbers)
def correlations(_: PublishedNumbers) -> Iterator[Finding]:
    """Bounds of the correlation, eqs. (7) and (8)."""
    grid = np.linspace(0.02, 0.98, 25)
    a, b = (axis.ravel() for axis in np.meshgrid(grid, grid))
    # Frechet's bounds on the share of items both solve.
    both_least, both_most = np.maximum(0, a + b - 1), np.minimum(a, b)
    scale = np.sqrt(a * (1 - a) * b * (1 - b))
    pairs = (
        ("eq. (7)", a * (1 - b), (1 - a) * b, both_most, 1),
        ("eq. (8)", a * b, (1 - a) * (1 - b), both_least, -1),
    )
    for name, first, second, both, sign in pairs:
        printed = sign * np.sqrt(np.minimum(first, second) / np.maximum(first, second))
        error = float(np.abs(printed - (both - a * b) / scale).max())
        method = "against Frechet's bounds, 25 x 25 grid"
        yield derived("correlation_bound_error", name, error, method)
    corners = sum(float(admissible_rho(p + 0.1, p - 0.1)[1]) < 0.7 for p in (0.5, 0.65, 0.8))
    method = "midpoints of {0.5, 0.65, 0.8} whose rho_max, eq. (7), is below 0.7"
    yield derived("inadmissible_corners", "rho = 0.7, delta = 0.20", corners, method)
    p, gap, rho = np.transpose(_NAMED_CELLS)
    beyond = np.count_nonzero(admissible_rho(p + gap / 2, p - gap / 2)[1] < rho)
    named = "cells that the text names with accuracies, gap and rho"
    method = f"{named} whose rho_max is below that rho"
    yield derived("inadmissible_named_cells", "", int(beyond), method)


@QUANTITIES.on(PublishedNumbers)
def efficiency_gain(_: PublishedNumbers) -> Iterator[Finding]:
    """Independent over paired N against the textbook 1/(1 - rho)."""
    close = 1e-4
    limit = [
        (1 - rho)
        * float(miller_unpaired_required_n(p, p - close))
        / float(required_n_paired_binary(p, p - close, rho))
        for p, rho in product((0.5, 0.65, 0.8), (0.0, 0.3, 0.6, 0.9))
    ]
    yield derived(
        "gain_over_textbook_limit", "", _farthest(limit, 1.0), "times (1-rho), at nearly equal p"
    )


@QUANTITIES.on(PublishedNumbers)
def connor(_: PublishedNumbers) -> Iterator[Finding]:
    """Connor (1987), doi:10.2307/2531961, at a gap that vanishes, over eq. (6)."""
    only_a, only_b = (0.3 + 1e-4) / 2, (0.3 - 1e-4) / 2
    value = connor_required_n(only_a, only_b) / required_n(1e-4, np.sqrt(0.3 - 1e-8))
    yield derived("connor_over_equation_6", "delta = 0.0001", float(value), "psi = 0.3")


@QUANTITIES.on(PublishedNumbers)
def miller(_: PublishedNumbers) -> Iterator[Finding]:
    """Miller (2024), arXiv 2411.00640, with one answer a question: eq. (9) and Section 4.1."""
    a, b = np.array(_QUESTIONS).T
    omega2 = np.var(a) + np.var(b) - 2 * np.mean((a - a.mean()) * (b - b.mean()))
    numerator = omega2 + np.mean(a * (1 - a)) + np.mean(b * (1 - b))
    u_a, u_b = a.mean() * (1 - a.mean()), b.mean() * (1 - b.mean())
    paired = u_a + u_b - 2 * np.mean((a - a.mean()) * (b - b.mean()))  # eq. (5)
    # Section 4.1 adds the squared standard errors of the two models' means.
    added = np.var(a) + np.mean(a * (1 - a)) + np.var(b) + np.mean(b * (1 - b))
    unpaired_formula = "not found" if np.isclose(numerator, paired) else "found"
    method = "Miller's eq. (9), the one formula that Section 4.1 names, against eq. (5)"
    yield derived("pattern_in_published_work", "an unpaired formula", unpaired_formula, method)
    against = "against eq. (5) and against its value without covariance, on four questions"
    for quantity, variance, where in (
        ("miller_formula", numerator, "eq. (9)"),
        ("miller_standard_error", added, "Section 4.1"),
    ):
        word = "paired" if np.isclose(variance, paired) else "unpaired"
        yield derived(quantity, "", word, f"variance of Miller's {where} {against}")


def _ratio(p: float, rho: float, delta: float) -> float:
    p_a, p_b = p + delta / 2, p - delta / 2
    return float(shortcut_required_n(p_a, p_b, rho) / required_n_paired_binary(p_a, p_b, rho))


def _farthest(values: list[float], target: float) -> float:
    return max(values, key=lambda value: abs(value - target))


@QUANTITIES.on(PublishedNumbers)
def forms_of_required_n(published: PublishedNumbers) -> Iterator[Finding]:
    """Eq. (6) against candidates for "the discordance form", which Section 6.2 does not define."""
    counts = published.adjacent_pairs
    pairs = summary_of(counts)
    bernoulli = required_n_paired_binary(pairs.p_a, pairs.p_b, pairs.rho)
    connor = connor_required_n(counts.b / counts.n_items, counts.c / counts.n_items)
    for name, other, method in (
        ("same_variance", pairs.n_star, "eq. (6) in b and c, variance (b+c)/N - δ²"),
        ("connor", connor, "Connor (1987): (z_α sqrt(ψ) + z_β sqrt(ψ - δ²))²/δ²"),
    ):
        apart = float((100 * np.abs(other / bernoulli - 1)).max())
        yield Finding(f"forms_apart_{name}_max", "Table 7", apart, method, unit="%")
    farthest = _farthest((connor / pairs.n_star).tolist(), 1.0)
    method = "(z_a sqrt(psi) + z_b sqrt(psi - delta^2))^2 / delta^2 over eq. (6), psi = (b+c)/N"
    yield Finding("connor_over_equation_6", "Table 7, farthest from 1", farthest, method)


@QUANTITIES.on(PublishedNumbers)
def wald(published: PublishedNumbers) -> Iterator[Finding]:
    """Whether q >= 1 wherever the Wald statistic is at least z_α + z_β, and only there."""
    worst, disagreements = 0.0, 0
    for counts in published.counted.values():
        pairs = summary_of(counts)
        total = float(z_sum(pairs.alpha, pairs.power))
        statistic = pairs.delta / np.sqrt(pairs.var_d / pairs.n_items)  # eq. (1)
        apart = statistic != 0.0
        off = pairs.q[apart] * total**2 / statistic[apart] ** 2 - 1
        worst = max(worst, float(np.abs(off).max(initial=0.0)))
        disagreements += int(np.count_nonzero((np.abs(statistic) >= total) != pairs.resolved))
    tables = "Tables 6 and 7"
    yield Finding("q_against_wald", tables, worst, "largest |q K / T^2 - 1|")
    method = "pairs where q >= 1 and |T| >= z sum disagree"
    yield Finding("verdicts_against_wald", tables, float(disagreements), method)
