"""Texts with placeholders in braces."""

from __future__ import annotations

import re
from collections.abc import Mapping

from audit._errors import AuditError
from llm_power.errors import one_line

_BRACES = re.compile(r"\{\{|\}\}|\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}|[{}]")


def placeholders(text: str) -> list[str]:
    """Return the names in braces, each as often as it occurs."""
    return [match["name"] for match in _BRACES.finditer(text) if match["name"]]


def fill_braces(text: str, values: Mapping[str, str]) -> str:
    """Replace ``{name}`` by its value and a doubled brace by a single one."""

    def replace(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if match["name"] in values:
            return values[match["name"]]
        known = ", ".join(f"{{{name}}}" for name in values) or "none here"
        raise AuditError(
            f"unknown placeholder or single brace {match[0]!r} in {one_line(text, 80)!r}",
            remedy=f"use a known placeholder ({known}), or double the brace to print it",
        )

    return _BRACES.sub(replace, text)
