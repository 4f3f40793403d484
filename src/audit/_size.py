"""Limits on the size of a register, checked before its entries are repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from audit._errors import AuditError
from audit._templates import placeholders
from audit.claims import Scalar

# No register written by hand comes near these.
_MOST_CLAIMS: Final = 100_000
_MOST_CHARACTERS: Final = 128 * 1024 * 1024

# What a number, a text or a list takes by itself, in characters.
_OVERHEAD: Final = 50
# Lists of which each subject takes one entry.
_SHARED_OUT: Final = ("printed", "states", "printed_standard_error")

Subjects = Mapping[str, Sequence[Mapping[str, Scalar]]]


def refuse_excess(entries: Sequence[Mapping[str, Any]], subjects: Subjects) -> None:
    """Refuse entries that make too many claims, or too much text, when they are repeated."""
    longest = {name: _longest(rows) for name, rows in subjects.items()}
    claims = characters = 0
    for entry in entries:
        over = entry.get("over")
        n_rows = 1 if over is None else len(subjects.get(over, ()))
        lengths = {} if over is None else longest.get(over, {})
        claims += n_rows
        characters += sum(
            _filled(value, lengths)
            * (1 if name in _SHARED_OUT and isinstance(value, list) else n_rows)
            for name, value in entry.items()
        )
        if claims > _MOST_CLAIMS or characters > _MOST_CHARACTERS:
            raise AuditError(
                f"there are more than {_MOST_CLAIMS} claims"
                if claims > _MOST_CLAIMS
                else f"the claims come to more than {_MOST_CHARACTERS} characters",
                remedy="split the register, or shorten the list of subjects",
                claim=entry["id"],
            )


def refuse_excess_of_patterns(entries: Sequence[Any]) -> None:
    """Refuse patterns that come to too many entries, or too much text, before they are filled."""
    rows = characters = 0
    for entry in entries:
        each = entry.get("each") if isinstance(entry, dict) else None
        if isinstance(each, list):
            rows += len(each)
            longest = _longest([row for row in each if isinstance(row, dict)])
            shared = {name: value for name, value in entry.items() if name != "each"}
            characters += len(each) * _filled(shared, longest)
    if rows > _MOST_CLAIMS or characters > _MOST_CHARACTERS:
        raise AuditError(
            f"the patterns come to more than {_MOST_CLAIMS} claims, or too much text",
            remedy="split the register, or shorten the lists under `each`",
            field="each",
        )


def _longest(rows: Sequence[Mapping[str, Scalar]]) -> dict[str, int]:
    """Return the length of the longest text that each placeholder stands for."""
    lengths = {"n": len(str(len(rows)))}
    for row in rows:
        for name, value in row.items():
            lengths[name] = max(lengths.get(name, 0), len(str(value)))
    return lengths


def _filled(value: Any, longest: Mapping[str, int]) -> int:
    """Return the greatest length of a field of one claim, placeholders filled in."""
    if isinstance(value, dict):
        return _OVERHEAD + sum(_filled(part, longest) for part in value.values())
    if isinstance(value, list):
        return _OVERHEAD + sum(_filled(part, longest) for part in value)
    if isinstance(value, str):
        filled = sum(longest.get(name, 0) for name in placeholders(value))
        return _OVERHEAD + len(value) + filled
    return _OVERHEAD
