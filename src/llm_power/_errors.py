"""The errors this package raises; every message stands alone and names a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


class LLMPowerError(Exception):
    """Base of every error raised on purpose by :mod:`llm_power`.

    Examples
    --------
    >>> from llm_power import LLMPowerError, required_n
    >>> try:
    ...     required_n(0.05, -1.0)
    ... except LLMPowerError as error:
    ...     print(error)
    ...
    sigma_d must not be negative, got -1.0
    """


class InvalidArgument(LLMPowerError, ValueError):
    """An argument is outside the domain of the function that received it.

    Examples
    --------
    >>> from llm_power import InvalidArgument, required_n
    >>> try:
    ...     required_n(0.05, 0.5, power=1.5)
    ... except InvalidArgument as error:
    ...     print(error)
    ...
    power must lie strictly between 0 and 1, got 1.5
    """


class ScoreError(LLMPowerError):
    """Per-item scores cannot be used as they are.

    Parameters
    ----------
    problem : str
        What is wrong, in one sentence.
    file, model, item : str, optional
        Where it is wrong; whatever is known is part of the message.
    remedy : str
        What the user can do about it.

    Examples
    --------
    >>> from llm_power import ScoreError
    >>> print(ScoreError("a score of 2", remedy="give 0 or 1", file="exam.csv", item="q7"))
    file 'exam.csv', item 'q7': a score of 2. Remedy: give 0 or 1.
    """

    def __init__(
        self,
        problem: str,
        *,
        remedy: str,
        file: str | None = None,
        model: str | None = None,
        item: str | None = None,
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.file = file
        self.model = model
        self.item = item
        super().__init__(message_at({"file": file, "model": model, "item": item}, problem, remedy))


def message_at(place: Mapping[str, str | None], problem: str, remedy: str) -> str:
    """Return one line that says where, as far as it is known, what, and what to do."""
    said = ", ".join(
        f"{label} {one_line(value)!r}" for label, value in place.items() if value is not None
    )
    where = f"{said}: " if said else ""
    return one_line(f"{where}{problem}. Remedy: {remedy}.")


def one_line(text: str, limit: int = 2000) -> str:
    """Return `text` on one line, without control characters, cut at `limit` characters."""
    flat = "".join(c if c.isprintable() else " " for c in text)
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def counted(number: int, noun: str) -> str:
    """Return a number of things as text."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Return the first few of `names` for a message."""
    shown = list(names)
    more = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return ", ".join(repr(name) for name in shown[:limit]) + more


def first_names(names: Sequence[str], most: int = 5) -> str:
    """Return the first names of a list, and the number of the others."""
    hidden = len(names) - most
    shown = ", ".join(names[:most])
    return f"{shown} and {hidden:,} more" if hidden > 0 else shown
