"""Numbers as sentences and screens show them; those of tables are in `report.tables`."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10

from llm_power._board.measure import POINTS, Measure


def whole(number: float) -> str:
    """Return a number of items, rounded up."""
    return f"{ceil(number - 1e-9):,}" if isfinite(number) else "never"


def points(gap: float, *, up: bool = False) -> str:
    """Return a gap in points to three digits; rounded up, if so much must be enough."""
    size = 100 * abs(gap)
    if not isfinite(size):
        return "no size"
    if up and size > 0:
        unit = 10.0 ** (floor(log10(size)) - 2)
        size = ceil(size / unit - 1e-9) * unit
    return f"{size:.3g} point{'' if f'{size:.3g}' == '1' else 's'}"


def margin_shown(margin: float | None, measure: Measure = POINTS) -> str:
    """Return an equivalence margin with its unit."""
    if measure == POINTS:
        return points(margin or 0.0)
    return measure.with_unit(measure.shown(margin or 0.0))


def signed_gap(gap: float, measure: Measure = POINTS) -> str:
    """Return a gap with its sign, to one decimal more than usual; none has no sign."""
    text = gap_end(measure.factor * gap, measure.decimals + 1)
    return f"+{text}" if gap > 0 and any(digit in text for digit in "123456789") else text


def percent(share: float | None, measure: Measure = POINTS) -> str:
    """Return a score or a gap, in percent to one decimal or as it is measured."""
    return "unknown" if share is None or not isfinite(share) else measure.shown(share)


def percent_interval(low: float | None, high: float | None, measure: Measure = POINTS) -> str:
    """Return the ends of an interval of scores, if both are known."""
    ends = percent(low, measure), percent(high, measure)
    return "unknown" if "unknown" in ends else " to ".join(ends)


def gap_end(points: float, digits: int = 2) -> str:
    """Return one end of an interval: what is not 0 does not read 0."""
    text = f"{points + 0.0:,.{digits}f}"
    return text if points == 0 or text.strip("-0.") else f"{points:.1g}"


def gap_interval(low: float | None, high: float | None, measure: Measure = POINTS) -> str:
    """Return the ends of the interval of a gap, if both are known."""
    ends = [end for end in (low, high) if end is not None and isfinite(end)]
    shown = (gap_end(measure.factor * end, measure.decimals) for end in ends)
    return "unknown" if len(ends) < 2 else " to ".join(shown)


def p_value(p: float | None) -> str:
    """Return a p-value to two digits, small ones as such."""
    return "unknown" if p is None else "< 0.0001" if p < 1e-4 else f"{p:.2g}"


def p_of_sentence(p: float) -> str:
    """Return a p-value as a sentence has it: p = 0.012, or p < 0.0001."""
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"
