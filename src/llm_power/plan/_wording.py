"""Numbers, gaps and sentences of plans, as they are written; and any answer as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import ceil, floor, inf, isfinite, isnan, log10
from textwrap import fill
from typing import Any, Final

_NEVER: Final = "never"
_WIDTH: Final = 100


def answer_json(sentence: str, answer: Any) -> str:
    """Return the attributes of an answer by name, with its sentence."""
    said = {"sentence": sentence, **asdict(answer)}
    return json.dumps(_plain(said), indent=2, allow_nan=False)


def filled(*sentences: str) -> str:
    """Wrap each sentence to the width of a screen."""
    return "\n".join(fill(sentence, _WIDTH, break_on_hyphens=False) for sentence in sentences)


def whole(number: float) -> str:
    """Return a number of items, rounded up."""
    return f"{ceil(number - 1e-9):,}" if isfinite(number) else _NEVER


def points(gap: float, *, up: bool = False) -> str:
    """Return a gap in points to three digits; rounded up, if so much must be enough."""
    size = 100 * abs(gap)
    if not isfinite(size):
        return "no size"
    if up and size > 0:
        unit = 10.0 ** (floor(log10(size)) - 2)
        size = ceil(size / unit - 1e-9) * unit
    return f"{size:.3g} point{'' if f'{size:.3g}' == '1' else 's'}"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and isnan(value):
        return None
    return "inf" if value == inf else value
