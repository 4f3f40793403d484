"""Where a paper prints one number more than once, by the comparisons of its register."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from llm_power_audit.claims import Claim
from llm_power_audit.evaluate import Judged
from llm_power_audit.mutants import with_number
from llm_power_audit.printed import as_decimal


@dataclass(frozen=True, slots=True)
class Printings:
    """One number, wherever it is printed: ids of claims, with the factor to the first's units."""

    claims: Mapping[str, Decimal]

    def shifted(
        self, printed: Mapping[str, Claim], change: Callable[[Decimal, Decimal], Decimal]
    ) -> list[Claim]:
        """Return the claims that state another number if the first is changed, each in its digits.

        Empty where the first has no digits, or the change leaves it as it is.
        """
        first, *others = self.claims
        changed = with_number(printed[first], change)
        if changed is None:
            return []
        by = as_decimal(changed.statement.value) - as_decimal(printed[first].statement.value)
        found = [changed]
        for name in others:
            other = with_number(printed[name], _moved_by(by / self.claims[name], printed[name]))
            found += [other] if other else []
        return found


def _moved_by(step: Decimal, claim: Claim) -> Callable[[Decimal, Decimal], Decimal]:
    half_unit = as_decimal(claim.statement.half_unit)

    def change(number: Decimal, unit: Decimal) -> Decimal:
        # The statement is in other units than the digits where these are per cent.
        scale = unit / (2 * half_unit) if half_unit else Decimal(1)
        return number + step * scale

    return change


def printings(judged: Iterable[Judged]) -> list[Printings]:
    """Return each printed number once, with all its printings, in the order of the register.

    What a cross-check holds against results is printed where a claim has it.
    """
    held = {one.claim.id: one for one in judged}
    claims = {name: one.claim for name, one in held.items()}
    near: dict[str, dict[str, Decimal]] = {}
    for one in held.values():
        for check in one.claim.checks:
            own = one.claim.printed_of or one.claim.id
            agree = one.verdict == "holds" and one.claim.kind == "cross_check"
            if check.claim and agree and not check.independent and check.scale > 0:
                scale = as_decimal(check.scale)
                other = claims[check.claim].printed_of or check.claim
                near.setdefault(own, {})[other] = scale
                near.setdefault(other, {})[own] = 1 / scale
    found, seen = [], set[str]()
    for name, claim in claims.items():
        again = claim.kind == "cross_check" and not any(check.claim for check in claim.checks)
        if claim.printed_of or again or name in seen or not claim.statement.is_number:
            continue
        factors, waiting = {name: Decimal(1)}, [name]
        while waiting:
            at = waiting.pop()
            for other, scale in near.get(at, {}).items():
                if other not in factors and claims[other].statement.is_number:
                    factors[other] = factors[at] * scale
                    waiting.append(other)
        seen |= factors.keys()
        found.append(Printings(factors))
    return found
