"""Sentences of plans as they are wrapped, and any answer as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import inf, isnan
from textwrap import fill
from typing import Any, Final

_WIDTH: Final = 100


def answer_json(sentence: str, answer: Any) -> str:
    """Return the attributes of an answer by name, with its sentence."""
    said = {"sentence": sentence, **asdict(answer)}
    return json.dumps(_plain(said), indent=2, allow_nan=False)


def filled(*sentences: str) -> str:
    """Wrap each sentence to the width of a screen."""
    return "\n".join(fill(sentence, _WIDTH, break_on_hyphens=False) for sentence in sentences)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and isnan(value):
        return None
    return "inf" if value == inf else value
