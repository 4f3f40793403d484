"""Numbers as sentences and screens show them; those of tables are in `report.tables`."""

from __future__ import annotations

from math import ceil, floor, isfinite, isnan, log10


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


def signed_points(gap: float) -> str:
    """Return a gap in points to two decimals with its sign; one that rounds to none has none."""
    text = f"{100 * gap:+.2f}"
    return text[1:] if float(text) == 0 else text


def percent(share: float | None) -> str:
    """Return a share in percent to one decimal."""
    return "unknown" if share is None or isnan(share) else f"{100 * share:.1f}"


def percent_interval(low: float | None, high: float | None) -> str:
    """Return the ends of an interval in percent, if both are known."""
    ends = percent(low), percent(high)
    return "unknown" if "unknown" in ends else " to ".join(ends)


def p_value(p: float | None) -> str:
    """Return a p-value to two digits, small ones as such."""
    return "unknown" if p is None else "< 0.0001" if p < 1e-4 else f"{p:.2g}"
