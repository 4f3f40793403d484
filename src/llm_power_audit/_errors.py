"""The error of a register, or of a result that it names, that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from llm_power._errors import LLMPowerError, one_line

# The quantity of a row that stands for all that its file would have, and says why it has not.
UNDEFINED: Final = "undefined"


class AuditError(LLMPowerError):
    """A register, or a result that it names, cannot be used as it is.

    Parameters
    ----------
    problem : str
        What is wrong, in one sentence.
    remedy : str
        What the user can do about it.
    file, claim, field : str
        Where it is wrong; whatever is known is part of the message.

    Examples
    --------
    >>> from llm_power_audit import AuditError
    >>> print(AuditError("there is no such column", remedy="correct its name", file="claims.yaml"))
    claims.yaml: there is no such column. Remedy: correct its name.
    """

    def __init__(
        self, problem: str, *, remedy: str, file: str = "", claim: str = "", field: str = ""
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.file = file
        self.claim = claim
        self.field = field
        place = [file, f"claim {one_line(claim, 200)!r}" if claim else "", f"field {field}"]
        where = ", ".join(part for part in place[: 3 if field else 2] if part)
        start = f"{where}: " if where else ""
        super().__init__(one_line(f"{start}{problem}. Remedy: {remedy}."))


class Undefined(AuditError):
    """A result that a check names has no value."""


@contextmanager
def within(*, file: str = "", claim: str = "", field: str = "") -> Iterator[None]:
    """Add to an error where in the register it is, as far as it does not say so itself."""
    try:
        yield
    except AuditError as error:
        raise type(error)(
            error.problem,
            remedy=error.remedy,
            file=error.file or file,
            claim=error.claim or claim,
            field="/".join(filter(None, [field, error.field])),
        ) from error
