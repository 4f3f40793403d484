"""The errors this package raises; every message stands alone and names a remedy."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from llm_power import _choices

# A setting of how scores are read, by the name that it has in Python.
Setting = str | bool | Sequence[str]

_WORDS: Final = "|".join(
    sorted(
        {re.escape(w) for name, words in vars(_choices).items() if name.isupper() for w in words}
    )
)
_OPTION: Final = re.compile(
    rf"--(?P<name>[a-z]+(?:-[a-z]+)*)(?![\w-])(?: (?P<word>{_WORDS})(?![\w-]))?"
)
_FLAGS: Final = {
    *("latest", "percent", "lower_is_better", "monitored"),
    *("accept_other_score", "skip_malformed"),
}


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

    @property
    def for_command(self) -> str:
        """The message as the command line spells it, whatever `str` says."""
        return str(self.args[0]) if self.args else ""


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

    def __str__(self) -> str:
        return _in_python(self.for_command)


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
    settings : mapping, optional
        Options of reading with which it can be used, which the message adds to the remedy.

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
        settings: Mapping[str, Setting] | None = None,
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.file = file
        self.model = model
        self.item = item
        self.settings = dict(settings or {})
        options = shlex.join(as_options(self.settings))
        super().__init__(self.message(f": {options}" if options else ""))

    def message(self, how: str) -> str:
        """Return place, problem and remedy, which ends in how to follow it."""
        place = {"file": self.file, "model": self.model, "item": self.item}
        return message_at(place, self.problem, f"{self.remedy}{how}")

    def __str__(self) -> str:
        set_to = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return _in_python(self.message(f": {set_to}" if set_to else ""))


def as_options(settings: Mapping[str, Setting]) -> list[str]:
    """Return settings as the words of a command line."""
    words: list[str] = []
    for name, value in settings.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(option)
        else:
            each = [value] if isinstance(value, str) else value
            words += [word for one in each for word in (option, one)]
    return words


def _in_python(message: str) -> str:
    """Spell the options of a message as the arguments are."""

    def spelled(option: re.Match[str]) -> str:
        name = option["name"].replace("-", "_")
        if option["word"]:
            return f"{name}={option['word']!r}"
        return f"{name}=True" if name in _FLAGS else name

    return _OPTION.sub(spelled, message)


def message_at(place: Mapping[str, str | None], problem: str, remedy: str) -> str:
    """Return one line that says where, as far as it is known, what, and what to do."""
    known = ", ".join(
        f"{label} {one_line(value)!r}" for label, value in place.items() if value is not None
    )
    where = f"{known}: " if known else ""
    return one_line(f"{where}{one_line(problem, 1200)}. Remedy: {remedy}.")


def one_line(text: str, limit: int = 2000) -> str:
    """Return `text` on one line, without control characters, cut at `limit` characters."""
    flat = "".join(c if c.isprintable() else " " for c in text)
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def grouped(number: float) -> str:
    """Return a whole number as text: in groups of three digits, or as 1.2e+24 if very large."""
    return f"{number:,.0f}" if abs(number) < 1e15 else f"{number:.3g}"


def counted(number: int, noun: str) -> str:
    """Return a number of things as text."""
    return f"{grouped(number)} {noun}" if number == 1 else f"{grouped(number)} {noun}s"


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Return the first few of `names` for a message."""
    return first_names(list(map(repr, names)), limit)


def first_names(names: Sequence[str], most: int = 5) -> str:
    """Return the first names of a list, and the number of the others."""
    hidden = len(names) - most
    shown = ", ".join(names[:most])
    return f"{shown} and {hidden:,} more" if hidden > 0 else shown
