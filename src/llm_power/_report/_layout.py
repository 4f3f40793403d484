"""How wide a table is, which of its texts wrap, and what of it fits a page.

LaTeX: a plain article of 8 points, in one column or in two. Markdown: a wide terminal.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import accumulate
from textwrap import wrap

# In digits of 8 points: a column of two, and the line of one.
_COLUMN, _LINE = 46, 80
# Half of what separates two columns, in points, and the whole in digits.
_SEPARATIONS = {6: 2.8, 4: 1.9, 3: 1.4}
#: Of a table whose texts wrap.
NARROWEST = min(_SEPARATIONS)
_NARROW = frozenset(" \u2008.,:;'|/()[]ijlt⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# A text up to so long is not wrapped, nor a header over narrower cells.
_UNWRAPPED, _HEADER = 12, 8
# The lines of 8 points that a page holds below caption and header.
_PAGE = 46
_TERMINAL, _BAR = 120, 3


def latex_width(text: str) -> int:
    """Return about how wide a text is in LaTeX, in digits."""
    return math.ceil(sum(0.6 if c in _NARROW else 1 for c in text if not unicodedata.combining(c)))


def header_lines(header: str, width: int) -> list[str]:
    """Return the lines of a header over cells of this width, two in most cases."""
    half = len(header) // 2 + 2
    return wrap(header, max(width, _HEADER, half), break_long_words=False) or [""]


def latex_environment(widths: Sequence[int]) -> tuple[str, int]:
    """Return the environment, and the widest separation that fits; 0 where text must wrap."""
    for environment, room in (("table", _COLUMN), ("table*", _LINE)):
        for separation, gap in _SEPARATIONS.items():
            tight = (environment, separation) == ("table", NARROWEST)
            if not tight and sum(widths) + gap * (len(widths) - 1) <= room:
                return environment, separation
    return "table*", 0


def latex_limits(texts: Sequence[bool], widths: Sequence[int]) -> dict[int, int]:
    """Return how many characters a line of each column that wraps has."""
    return _limits(texts, widths, _LINE, _SEPARATIONS[NARROWEST])


def terminal_limits(texts: Sequence[bool], widths: Sequence[int]) -> dict[int, int]:
    """Return the same where the table is wider than a terminal."""
    fits = sum(widths) + _BAR * len(widths) <= _TERMINAL
    return {} if fits else _limits(texts, widths, _TERMINAL, _BAR)


def wrapped_height(lines: Sequence[str], limit: int) -> int:
    """Return about how many lines LaTeX makes of these, which it breaks at spaces and hyphens."""
    widths = map(latex_width, lines)
    return sum(1 if width <= limit else math.ceil(1.2 * width / limit) for width in widths)


def rows_of_a_page(heights: Sequence[int], notes: str, environment: str, *, spaced: bool) -> int:
    """Return the number of rows of these heights on a page above the notes, at least one."""
    line = _COLUMN if environment == "table" else _LINE
    room = _PAGE - math.ceil(latex_width(notes) / line)
    ends = accumulate(height + (0.21 if spaced else 0) for height in heights)
    return max(1, sum(end <= room for end in ends))


def column_types(limits: Mapping[int, int]) -> dict[int, str]:
    """Return the types of tabularx for the columns that wrap."""
    mean = sum(limits.values()) / max(len(limits), 1)
    return {
        i: rf">{{\hsize={limit / mean:.2f}\hsize\raggedright\arraybackslash}}X"
        for i, limit in limits.items()
    }


def _limits(
    texts: Sequence[bool], widths: Sequence[int], room: float, gap: float
) -> dict[int, int]:
    """Share out the room: more for a longer text, though less than it asks."""
    roots = {
        i: math.sqrt(width)
        for i, (text, width) in enumerate(zip(texts, widths, strict=True))
        if text and width > _UNWRAPPED
    }
    left = room - gap * len(widths) - sum(w for i, w in enumerate(widths) if i not in roots)
    return {i: max(_UNWRAPPED, int(left * root / sum(roots.values()))) for i, root in roots.items()}
