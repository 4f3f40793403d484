"""What the claims of a register say of one another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from llm_power.claims._errors import AuditError
from llm_power.claims.claims import Claim
from llm_power.errors import one_line


def follow_patterns(claims: Sequence[Claim]) -> list[Claim]:
    """Replace each ``table/*/b`` that a claim follows from by the ids that it stands for.

    A ``*`` stands for one part of an id. A pattern without any match stays, to be refused.
    """
    ids = [claim.id for claim in claims]
    meant = {
        pattern: _matches(pattern, ids) or (pattern,)
        for claim in claims
        for pattern in claim.follows_from
        if "*" in pattern
    }
    return [
        replace(
            claim,
            follows_from=tuple(
                name for one in claim.follows_from for name in meant.get(one, (one,))
            ),
        )
        for claim in claims
    ]


def repeat_printed(claims: Sequence[Claim]) -> list[Claim]:
    """Give each claim that repeats another's printed number that number, and what it says.

    Raises
    ------
    AuditError
        If the other claim is not there, or has no printed number of its own.
    """
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


def _matches(pattern: str, ids: Sequence[str]) -> tuple[str, ...]:
    form = re.compile("[^/]+".join(map(re.escape, pattern.split("*"))))
    return tuple(name for name in ids if form.fullmatch(name))


def check_references(claims: Sequence[Claim], exhibits: Mapping[str, Any] | None) -> None:
    """Raise unless every exhibit and every claim that is referred to is there, and no loop is."""
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
            (f"checks/{i}/claim", check.claim)
            for i, check in enumerate(claim.checks)
            if check.claim
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
    done: set[str] = set()
    for start in claims:
        path: list[str] = []
        stack = [(start, False)]
        while stack:
            name, leaving = stack.pop()
            if leaving:
                path.pop()
                done.add(name)
            elif name in path:
                loop = " -> ".join([*path[path.index(name) :], name])
                raise AuditError(
                    f"the claims are checked by one another: {one_line(loop, 300)}",
                    remedy="let the later one check the earlier one only",
                    claim=name,
                    field="checks",
                )
            elif name not in done:
                path.append(name)
                stack.append((name, True))
                stack.extend((check.claim, False) for check in claims[name].checks if check.claim)
