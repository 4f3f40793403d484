"""Make any text harmless inside a Markdown table.

Model names come from strangers. A name may hold whatever a hub or a CSV lets through:
pipes, dollars, backslashes, newlines, other scripts. Here it becomes text and nothing else.
"""

from __future__ import annotations

import re

# What CommonMark, GitHub's tables or its mathematics could act upon, and no more: the source is
# read in terminals. A star between a word and a space or stop can open nothing (N* of), an
# underscore inside a word neither, and brackets are a link only before another bracket. < and &
# that could begin a tag or an entity are entities, because older converters do not know \<.
_MARKDOWN = re.compile(
    r"[\\`{}|~$#]"
    r"|\*(?![\s/).,;:\]]|$)|(?<![^\W_])\*"
    r"|(?<![^\W_])(?<![\u0302\u0304])_|_(?![^\W_])"
    r"|\](?=[(\[:])"
)
_TAGS = re.compile(r"<(?=[A-Za-z/!?])|&(?=[A-Za-z#])")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}

#: As wide as a digit, and as a point: they line up the numbers of a column.
DIGIT_SPACE, POINT_SPACE = "\u2007", "\u2008"

SUPERSCRIPTS = dict(zip("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", strict=True))


def escape_markdown(text: str) -> str:
    """Return `text` as one line of literal Markdown (CommonMark, GFM)."""
    flat = _TAGS.sub(lambda match: _ENTITIES[match[0]], flattened(text))
    return _MARKDOWN.sub(r"\\\g<0>", flat)


def flattened(text: str) -> str:
    """Return `text` without line breaks, controls and doubled spaces."""
    # isprintable is false for line breaks, tabs, controls, bidirectional overrides, surrogates.
    kept = DIGIT_SPACE + POINT_SPACE
    flat = "".join(c if c.isprintable() or c in kept else " " for c in text)
    return " ".join(filter(None, flat.split(" ")))
