"""References between the claims of a register."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from audit._errors import AuditError
from audit.claims import Claim
from llm_power._errors import one_line

# Ids held against patterns, and ids that all claims together follow from: some seconds of work.
_MOST_REFERENCES: Final = 5_000_000


def follow_patterns(claims: Sequence[Claim]) -> list[Claim]:
    """Replace each pattern ``table/*/b`` in ``follows_from`` by the ids that match it.

    A ``*`` stands for one part of an id, or for some letters of one. A pattern without any match
    stays, to be refused.
    """
    ids = [claim.id for claim in claims]
    meant = _meant({name for claim in claims for name in claim.follows_from}, ids)
    _refuse_too_many(sum(len(meant[name]) for claim in claims for name in claim.follows_from))
    return [
        replace(
            claim, follows_from=tuple(one for name in claim.follows_from for one in meant[name])
        )
        for claim in claims
    ]


def matching_ids(names: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Replace each pattern among `names` by the ids that match it; one without any stays."""
    meant = _meant(names, ids)
    return list(dict.fromkeys(one for name in names for one in meant[name]))


def repeat_printed(claims: Sequence[Claim]) -> list[Claim]:
    """Copy the printed number, and its statement, to each claim that repeats another's."""
    own = {claim.id: claim for claim in claims if not claim.printed_of}
    return [_with_printed(claim, own) if claim.printed_of else claim for claim in claims]


def _with_printed(claim: Claim, own: Mapping[str, Claim]) -> Claim:
    other = own.get(claim.printed_of)
    if other is None:
        raise AuditError(
            f"there is no claim {claim.printed_of!r} with a printed number of its own",
            remedy="name the id of a claim that has `printed`",
            claim=claim.id,
            field="printed_of",
        )
    return replace(
        claim,
        printed=other.printed,
        statement=other.statement,
        printed_standard_error=other.printed_standard_error,
        follows_from=tuple(dict.fromkeys((*claim.follows_from, other.id))),
    )


def _refuse_too_many(references: int) -> None:
    if references > _MOST_REFERENCES:
        raise AuditError(
            f"the patterns of `follows_from` stand for more than {_MOST_REFERENCES} ids",
            remedy="name the ids that a claim follows from, or split the register",
            field="follows_from",
        )


def _meant(names: Collection[str], ids: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the ids that each name stands for: those that match a pattern, or else itself."""
    patterns = [name for name in names if "*" in name]
    _refuse_too_many(len(patterns) * len(ids))
    matching = {name: list(filter(_compiled(name).fullmatch, ids)) for name in patterns}
    return {name: matching.get(name) or [name] for name in names}


def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern as a regular expression in which nothing is tried twice.

    To take each piece at its first place leaves the most room for those after it.
    """
    first, *inner, last = map(re.escape, pattern.split("*"))
    return re.compile(f"{first}{''.join(f'(?>[^/]+?{piece})' for piece in inner)}[^/]+{last}")


def check_references(claims: Sequence[Claim], exhibits: Mapping[str, Any] | None) -> None:
    """Raise if a reference names no exhibit or claim of the register, or if references loop."""
    by_id = {claim.id: claim for claim in claims}
    for claim in claims:
        if exhibits is not None and claim.exhibit is not None and claim.exhibit not in exhibits:
            raise AuditError(
                f"there is no exhibit {claim.exhibit!r}",
                remedy="name one of those under `exhibits`",
                claim=claim.id,
                field="exhibit",
            )
        references = [("follows_from", name) for name in claim.follows_from]
        references += [
            (f"checks/{i}/{field}", name)
            for i, check in enumerate(claim.checks)
            for field, name in (("claim", check.claim), ("role_of", check.role_of))
            if name
        ]
        for place, name in references:
            if name not in by_id:
                raise AuditError(
                    f"there is no claim {name!r}",
                    remedy="name the id of a claim of this register",
                    claim=claim.id,
                    field=place,
                )
    _refuse_cycles(by_id)


def _refuse_cycles(claims: Mapping[str, Claim]) -> None:
    checked_by = {name: [c.claim for c in one.checks if c.claim] for name, one in claims.items()}
    try:
        TopologicalSorter(checked_by).prepare()
    except CycleError as error:
        loop: list[str] = error.args[1][::-1]
        raise AuditError(
            f"the claims are checked by one another: {one_line(' -> '.join(loop), 300)}",
            remedy="let the later one check the earlier one only",
            claim=loop[0],
            field="checks",
        ) from error
