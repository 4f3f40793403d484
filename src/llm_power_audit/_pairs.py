"""Claims about a pair of models of one's own board, in few words.

``{claim: falcon beats heron, pair: [falcon, heron], states: {verdict: better}}`` is an entry of its
own: what is said of the pair, seen from the model that is named first, whichever ranks better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from llm_power_audit._errors import AuditError

_RESULT: Final = "pairs.csv"
_SWAPPED: Final = {
    **{"rank_a": "rank_b", "model_a": "model_b", "p_a": "p_b", "b": "c"},
    **{"gap_low": "gap_high", "gap_low_single": "gap_high_single", "gap_lowest": "gap_highest"},
}
_OTHER: Final = _SWAPPED | {second: first for first, second in _SWAPPED.items()}
_NEGATED: Final = frozenset({"delta", "gap", "direction"}) | {
    f"gap_{end}" for end in ("low", "high", "low_single", "high_single", "lowest", "highest")
}


def written_out(entry: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """Return an entry about a pair as the claim that it stands for; another one as it is."""
    if "pair" not in entry:
        return entry
    states = entry["states"]
    if len(states) != 1:
        raise AuditError(
            f"a claim of a pair states one column, got {', '.join(states) or 'none'}",
            remedy="write a claim for each",
            claim=entry.get("id", f"number {number}"),
            field="states",
        )
    ((column, statement),) = states.items()
    check = {"result": entry.get("result", _RESULT), "pair": entry["pair"], "column": column}
    if "task" in entry:
        check["rows"] = {"task": entry["task"]}
    if "evidence" in entry:
        check["evidence"] = entry["evidence"]
    return {
        "id": entry.get("id", f"pair-{number}"),
        "section": "",
        "place": "",
        "claim": entry["claim"],
        "quantity": f"{column} of {' and '.join(entry['pair'])}",
        "printed": _in_words(column, statement),
        "states": _stated(statement),
        "note": entry.get("note", ""),
        "checks": [check],
    }


def _stated(statement: Any) -> Mapping[str, Any]:
    if isinstance(statement, Mapping):
        return statement
    if isinstance(statement, str):
        return {"text": statement}
    return {"value": float(statement)}


def _in_words(column: str, statement: Any) -> str:
    if isinstance(statement, Mapping):
        return f"{column} {', '.join(f'{name} {value}' for name, value in statement.items())}"
    if isinstance(statement, bool):
        return column if statement else f"not {column}"
    return str(statement)


def seen_from(row: Mapping[str, str], first: str) -> dict[str, str]:
    """Return a row of a board's pairs with `first` as its model A.

    Its verdict is then better or worse where the two are different.
    """
    turned = dict(row)
    if row["model_a"] != first:
        turned = {
            name: row[_OTHER.get(name, name)] for name in row if _OTHER.get(name, name) in row
        }
        turned |= {name: _negative(turned[name]) for name in _NEGATED & turned.keys()}
    if turned.get("verdict") == "different" and "direction" in turned:
        turned["verdict"] = "worse" if turned["direction"].startswith("-") else "better"
    return turned


def _negative(cell: str) -> str:
    text = cell.strip()
    if not text or text in {"0", "0.0"}:
        return cell
    return text.removeprefix("-") if text.startswith("-") else f"-{text}"
