"""The errors this package raises; every message stands alone and names a remedy."""

from __future__ import annotations

from collections.abc import Mapping


class LLMPowerError(Exception):
    """Base of every error raised on purpose by :mod:`llm_power`."""


class InvalidArgument(LLMPowerError, ValueError):
    """An argument is outside the domain of the function that received it."""


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
