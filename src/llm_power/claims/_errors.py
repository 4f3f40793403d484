"""The error of a register, or of a result that it names, that cannot be used."""

from __future__ import annotations

from llm_power.errors import LLMPowerError, one_line


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
    >>> from llm_power import AuditError
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

    def at(self, *, file: str, claim: str, field: str) -> AuditError:
        """Return the same error with its place in the register.

        Examples
        --------
        >>> from llm_power import AuditError
        >>> error = AuditError("there is no such column", remedy="correct its name")
        >>> print(error.at(file="claims.yaml", claim="pairs", field="rows"))
        claims.yaml, claim 'pairs', field rows: there is no such column. Remedy: correct its name.
        """
        within = f"{field}/{self.field}" if self.field else field
        return AuditError(self.problem, remedy=self.remedy, file=file, claim=claim, field=within)
