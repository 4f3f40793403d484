"""The answer on one pair of models without files: from its counts, or two accuracies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from llm_power._board.measure import confidence, p_of_sentence, p_value, points
from llm_power._board.operating_point import UNDECLARED, USUAL, Declared, OperatingPoint
from llm_power._board.pair_items import PairCells
from llm_power._choices import McNemarTest
from llm_power._errors import counted, grouped
from llm_power._report.answer import Answer, Table
from llm_power._statistics._numerics import smallest_that
from llm_power._statistics.argument_checks import positive_count, proportions
from llm_power._statistics.correlation_bounds import resolution_over_correlations
from llm_power._statistics.designs import required_units
from llm_power._statistics.e_process import log_e_value
from llm_power._statistics.inversion import resolution_ratio
from llm_power._statistics.mcnemar import (
    P_VALUES,
    McNemarDesign,
    mcnemar_design_errors,
    mcnemar_detectable_gap,
)
from llm_power._statistics.paired_binary import (
    required_n_discordance,
    required_n_paired_binary,
)
from llm_power._statistics.paired_equivalence import score_equivalence_required_n
from llm_power._statistics.verdict import EQUIVALENT, Verdicts, binary_verdicts
from llm_power._statistics.verdict_stability import required_n_interval

Value = float | int | str | bool | None

# Monitoring of more items takes minutes to plan, and more than are counted.
_MOST_MONITORED: Final = 1e15


@dataclass(frozen=True, slots=True)
class PairResult:
    """One named result on a pair: value at full precision, and as displayed."""

    name: str
    label: str
    value: Value
    shown: str


def answer_from_counts(
    b: int,
    c: int,
    n_items: int,
    *,
    point: OperatingPoint = USUAL,
    declared: Declared = UNDECLARED,
) -> Answer:
    """Return the answer on a pair of 0/1 scored models from its discordant counts."""
    settings: dict[str, Any] = {"alpha": point.alpha, "power": point.power}
    verdict = binary_verdicts(b, c, n_items, test=declared.test, margin=declared.margin, **settings)
    # Which of the others both solve is not known, and matters to nothing here.
    cells = PairCells(*map(np.asarray, (0, b, c, n_items - b - c)))
    n_star = float(required_n_discordance(b, c, n_items, **settings))
    low, high = required_n_interval(
        verdict.interval.low, verdict.interval.high, (b + c) / n_items, **settings
    )
    level = confidence(point.alpha)
    why_none = "the gap is 0" if b == c else "which is better is too uncertain"
    if b + c == 0:
        why_none = "no item differs"
    seen = mcnemar_detectable_gap(n_items, b / n_items + c / n_items, declared.test, **settings)
    answers = [
        _gap("delta", "gap", verdict.interval.delta),
        _gap("gap_low", f"gap, {level} interval from", verdict.interval.low),
        _gap("gap_high", f"gap, {level} interval to", verdict.interval.high),
        *(_p(f"p_{name}", f"p, {_TESTS[name]}", p_of(b, c)) for name, p_of in P_VALUES.items()),
        _text("verdict", f"verdict, {_TESTS[declared.test]}", str(verdict.verdict)),
        _text("attainable", "significance attainable", bool(verdict.attainable)),
    ]
    if declared.margin is not None:
        within = f"gap within {declared.margin:g}"
        answers += [
            _p("p_equivalence", f"p, {within}", verdict.p_equivalence),
            _items(
                "n_equivalence",
                f"items that show a {within}",
                score_equivalence_required_n(
                    b / n_items, c / n_items, margin=declared.margin, **settings
                ),
                "the gap is not",
            ),
        ]
    turning = cells.chance_of_turning(verdict, np.asarray(declared.test), point.alpha)
    connor = cells.required_columns(point)["n_connor"]
    answers += [
        _items("items_even", "new items, chance of 0.5 to decide it", verdict.even_items, why_none),
        _items(
            "items_assured",
            f"new items, chance of {point.power:g} to decide it",
            verdict.assured_items,
            why_none,
        ),
        _items(
            "more_items_needed",
            f"items to add to these, chance of {point.power:g}",
            verdict.further_items,
            why_none,
        ),
        _text("decided_as", "likely verdict with these added", str(verdict.decided_as)),
        _number("chance_of_turning", "chance a new sample changes the verdict", turning),
        PairResult(
            *("detectable_gap", f"detectable gap, power {point.power:g}"),
            *(seen, points(seen, up=True) if np.isfinite(seen) else "none"),
        ),
        _items("n_star", "N* at the observed gap", n_star),
        _items("n_star_low", f"N*, {level} interval from", low),
        _items("n_star_high", f"N*, {level} interval to", high, "the gap can be 0"),
        _number("q", "q = N/N*", resolution_ratio(n_items, n_star)),
        _text("resolved", "resolved, as in the paper", n_star <= n_items),
        _items("n_connor", "at this gap, two variances (Connor)", connor),
        _items("n_exact", "at this gap, exact test", _counted_n(b, c, n_items, point, "exact")),
        _items("n_mid_p", "at this gap, mid-p test", _counted_n(b, c, n_items, point, "mid_p")),
    ]
    answers += _monitored(cells, n_star, point) + _errors(b, c, n_items, point, declared)
    return _answer(_decided(verdict, n_items, point, declared), answers)


def answer_from_accuracies(
    p_a: float,
    p_b: float,
    n_items: int,
    *,
    rho: float | None = None,
    point: OperatingPoint = USUAL,
    declared: Declared = UNDECLARED,
) -> Answer:
    """Return the answer from two accuracies and N alone, over all admissible correlations."""
    for name, value in (("p_a", p_a), ("p_b", p_b)):
        proportions(name, value)
    positive_count("n_items", n_items)
    solved = round(p_a * n_items), round(p_b * n_items)
    settings: dict[str, Any] = {"alpha": point.alpha, "power": point.power}
    resolution = resolution_over_correlations(*solved, n_items, **settings)
    answer = "always" if resolution.always_resolved else _DEPENDS if resolution.depends else "never"
    answers = [
        _text("solved_a", "items that A solves", solved[0]),
        _text("solved_b", "items that B solves", solved[1]),
        _gap("delta", "gap", (solved[0] - solved[1]) / n_items),
        _number("rho_lowest", "lowest correlation", resolution.lowest.rho),
        _number("rho_highest", "highest correlation", resolution.highest.rho),
        _items("n_star_lowest_rho", "N* at the lowest correlation", resolution.lowest.n_star),
        _items("n_star_highest_rho", "N* at the highest correlation", resolution.highest.n_star),
        _text("resolved", "resolved, as in the paper", answer),
    ]
    if answer == _DEPENDS:
        answers += [
            _number("critical_rho", "from the correlation", resolution.critical_rho),
            _text("critical_b", "that is, b at most", int(resolution.critical_b)),
        ]
    of_tests = _tests_over_correlations(solved, n_items, int(resolution.b_lowest), point, declared)
    answers += of_tests
    if rho is not None:
        n_star = required_n_paired_binary(p_a, p_b, rho, **settings)
        answers += [
            _items("n_star", f"N* at a correlation of {rho:g}", n_star),
            _number("q", "q = N/N* there", resolution_ratio(n_items, n_star)),
        ]
        return _answer(_at_correlation(solved, n_items, rho, point, declared), answers)
    return _answer(_over_correlations(of_tests, declared), answers)


def _answer(headline: str, results: Sequence[PairResult]) -> Answer:
    rows = [("quantity", "value"), *((each.label, each.shown) for each in results)]
    return Answer(headline, {each.name: each.value for each in results}, parts=(Table(rows),))


def _decided(
    verdict: Verdicts, n_items: int, at: OperatingPoint, asked: Declared, where: str = ""
) -> str:
    """Return the verdict in a sentence."""
    of, delta = counted(n_items, "item"), float(verdict.interval.delta)
    if delta == 0:
        gap = f"A and B solve equally many of {of}"
    else:
        leads, trails = ("A", "B") if delta > 0 else ("B", "A")
        gap = f"{leads} is {points(delta)} ahead of {trails} on {of}"
    why = f"{p_of_sentence(float(verdict.p))} by the {_TESTS[asked.test]}"
    if verdict.verdict == EQUIVALENT:
        why = f"within {points(asked.margin or 0)} by two one-sided tests"
    return f"{str(verdict.verdict).capitalize()}{where}: {gap}, {why}, level {at.alpha:g}."


def _over_correlations(of_tests: Sequence[PairResult], asked: Declared) -> str:
    """Return what holds over every correlation in a sentence."""
    values = {each.name: each.value for each in of_tests}
    of = f"that the accuracies admit, by the {_TESTS[asked.test]}"
    if values["different"] == _DEPENDS:
        most = counted(int(values["critical_b_test"] or 0), "item")
        return (
            "The verdict depends on the correlation, which accuracies leave open: A and B are "
            f"different if A alone solves at most {most}, by the {_TESTS[asked.test]}."
        )
    verdict = "Different" if values["different"] == "always" else "Undetermined"
    return f"{verdict} at every correlation {of}."


def _at_correlation(
    solved: tuple[int, int], n: int, rho: float, at: OperatingPoint, asked: Declared
) -> str:
    """Return the verdict on the whole counts nearest to a correlation in a sentence."""
    p_a, p_b = solved[0] / n, solved[1] / n
    lead = solved[0] - solved[1]
    only_a = p_a * (1 - p_b) - rho * np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b))
    b = min(max(round(n * only_a), lead, 0), solved[0], n - solved[1])
    verdict = binary_verdicts(
        b, b - lead, n, test=asked.test, margin=asked.margin, alpha=at.alpha, power=at.power
    )
    counts = f"where A alone solves about {counted(b, 'item')} and B alone {grouped(b - lead)}"
    return _decided(verdict, n, at, asked, f" at a correlation of {rho:g}, {counts}")


_DEPENDS: Final = "depends on the correlation"
_TESTS: Final = {"exact": "exact test", "mid_p": "mid-p test", "asymptotic": "score test"}


def _counted_n(b: int, c: int, n: int, at: OperatingPoint, test: McNemarTest) -> float:
    design = McNemarDesign(b / n, c / n, test=test, alpha=at.alpha)
    return required_units(design, at.power)


def _monitored(cells: PairCells, n_star: float, at: OperatingPoint) -> list[PairResult]:
    log_e = float(log_e_value(cells.b, cells.c))
    most = mean = ninety = np.asarray(np.inf)
    if n_star <= _MOST_MONITORED:
        most, mean, ninety = cells.monitored_columns(at).values()
    why = "the gap is 0" if cells.b == cells.c else "more than are counted"
    return [
        _number("log_e_beta", "log e-value, Beta(4, 4)", log_e),
        _text("crossed_beta", "monitoring has crossed", bool(log_e >= -np.log(at.alpha))),
        _items("n_star_monitored", "testing after every item, at most", most, why),
        _items("items_monitored", "  used on average", mean, why),
        _items("items_monitored_90", "  at most, for power 0.9", ninety, why),
    ]


def _errors(b: int, c: int, n: int, at: OperatingPoint, asked: Declared) -> list[PairResult]:
    if b == c:
        return []
    errors = mcnemar_design_errors(n, b / n, c / n, test=asked.test, alpha=at.alpha)
    return [
        _number("power", "power, if the gap is the true one", errors.power),
        PairResult(
            "type_s",
            "wrong sign, if significant",
            float(errors.type_s),
            "-" if np.isnan(errors.type_s) else p_value(float(errors.type_s)),
        ),
        _number("type_m", "times the gap, if significant", errors.type_m),
    ]


def _tests_over_correlations(
    solved: tuple[int, int], n: int, b_lowest: int, at: OperatingPoint, asked: Declared
) -> list[PairResult]:
    """Return the declared test's p-value at both ends, and the most items that only A may solve."""
    lead = solved[0] - solved[1]
    fewest = max(lead, 0)

    def p_at(b: int) -> float:
        return float(P_VALUES[asked.test](b, b - lead))

    p_highest, p_lowest = p_at(fewest), p_at(b_lowest)
    # With the gap fixed p rises with b.
    some, every = p_highest <= at.alpha, p_lowest <= at.alpha
    name, answer = _TESTS[asked.test], "always" if every else _DEPENDS if some else "never"
    answers = [
        _p("p_lowest_rho", f"p, {name}, at the lowest correlation", p_lowest),
        _p("p_highest_rho", "p at the highest correlation", p_highest),
        _text("different", "different", answer),
    ]
    if answer == _DEPENDS:
        last = smallest_that(lambda b: p_at(b) > at.alpha, fewest, b_lowest) - 1
        answers.append(_text("critical_b_test", "that is, b at most", last))
    return answers


def _gap(name: str, label: str, value: float | np.ndarray) -> PairResult:
    gap = float(value)
    return PairResult(name, label, gap, f"{100 * gap:.3g} pp" if np.isfinite(gap) else "none")


def _p(name: str, label: str, value: float | np.ndarray) -> PairResult:
    p = float(value)
    return PairResult(name, label, p, p_value(p) if p < 1e-4 else f"{p:.4g}")


def _number(name: str, label: str, value: float | np.ndarray) -> PairResult:
    if np.isnan(value):
        return PairResult(name, label, None, "-")
    number = float(value)
    shown = f"{number:.3f}" if abs(number) < 1e12 else f"{number:.3g}"
    return PairResult(name, label, number, shown)


def _items(
    name: str, label: str, value: float | np.ndarray, why_none: str = "the gap is 0"
) -> PairResult:
    number = float(value)
    shown = grouped(np.ceil(number)) if np.isfinite(number) else f"no number: {why_none}"
    return PairResult(name, label, number, shown)


def _text(name: str, label: str, value: str | int) -> PairResult:
    if isinstance(value, bool):
        return PairResult(name, label, value, "yes" if value else "no")
    return PairResult(name, label, value, value if isinstance(value, str) else grouped(value))
