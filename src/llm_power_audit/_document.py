"""A register as it is written: YAML that is not trusted, its schema, short entries and patterns.

Patterns of entries and texts with names in braces may come to a limited size. An entry about a pair
of models of one's own board, ``{claim: falcon beats heron, pair: [falcon, heron], states: {verdict:
better}}``, is a claim in few words: what is said of the pair, seen from the model that is named
first, whichever ranks better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from llm_power._documents import DocumentError, first_violation, overflows, read_yaml
from llm_power._errors import one_line
from llm_power_audit._errors import AuditError, within
from llm_power_audit.claims import Scalar

if TYPE_CHECKING:
    from jsonschema import ValidationError

# The result of a claim about a pair of models.
_RESULT: Final = "pairs.csv"
_BRACES = re.compile(r"\{\{|\}\}|\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}|[{}]")
# No register written by hand comes near these.
_MOST_CLAIMS: Final = 100_000
_MOST_CHARACTERS: Final = 128 * 1024 * 1024

# What a number, a text or a list takes by itself, in characters.
_OVERHEAD: Final = 50
# Lists of which each subject takes one entry.
_SHARED_OUT: Final = ("printed", "states", "printed_standard_error")
# Filled in after judging, and only in derivations.
RESULT_PLACEHOLDERS: Final = ("value", "printed", "discrepancy")

Subjects = Mapping[str, Sequence[Mapping[str, Scalar]]]


def read_document(path: Path) -> Any:
    """Read a register by `llm_power._documents.read_yaml`; its errors become `AuditError`."""
    try:
        return read_yaml(path)
    except DocumentError as error:
        raise AuditError(error.problem, remedy=error.remedy, file=error.file) from error


def validate(document: Any) -> None:
    """Hold a document against ``register.schema.yaml``."""
    first = first_violation(document, _schema())
    if first is not None:
        raise _violation(document, first)


def with_patterns_written_out(document: Any) -> Any:
    """Return a document with the entries of each pattern (``each``) in the pattern's place."""
    if not isinstance(document, dict) or not isinstance(document.get("claims"), list):
        return document
    refuse_excess_of_patterns(document["claims"])
    fields = _schema()["$defs"]["claim"]["properties"].keys()
    parts = (entries_of_pattern(entry, fields) for entry in document["claims"])
    return {**document, "claims": list(chain.from_iterable(parts))}


@cache
def _schema() -> Any:
    text = files("llm_power_audit").joinpath("register.schema.yaml").read_text(encoding="utf-8")
    # Where it is there, the loader in C takes a tenth of the time.
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _violation(document: Any, error: ValidationError) -> AuditError:
    path = list(error.absolute_path)
    claim = ""
    if len(path) >= 2 and path[0] == "claims" and isinstance(path[1], int):
        entry = document["claims"][path[1]]
        named = isinstance(entry, dict) and isinstance(entry.get("id"), str)
        claim = entry["id"] if named else f"number {path[1] + 1}"
        path = path[2:]
    schema = error.schema if isinstance(error.schema, dict) else {}
    too_large = overflows(error.instance)
    return AuditError(
        "the number is too large" if too_large else one_line(error.message, 300),
        remedy=f"expected is {schema.get('description', 'what register.schema.yaml describes')}",
        claim=claim,
        field="/".join(str(part) for part in path),
    )


def placeholders(text: str) -> list[str]:
    """Return the names in braces, each as often as it occurs."""
    return [match["name"] for match in _BRACES.finditer(text) if match["name"]]


def fill_braces(text: str, values: Mapping[str, str]) -> str:
    """Replace ``{name}`` by its value and a doubled brace by a single one."""

    def replace(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if match["name"] in values:
            return values[match["name"]]
        known = ", ".join(f"{{{name}}}" for name in values) or "none here"
        problem = f"unknown placeholder or single brace {match[0]!r} in {one_line(text, 80)!r}"
        remedy = f"use a known placeholder ({known}), or double the brace to print it"
        raise AuditError(problem, remedy=remedy)

    return _BRACES.sub(replace, text)


def entries_of_pattern(entry: Any, fields: Collection[str]) -> Iterator[Any]:
    """Yield the entries of a pattern, one for each row of its ``each``; another entry as it is."""
    rows = entry.get("each") if isinstance(entry, dict) else None
    if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
        yield entry  # what is wrong with it, the schema says
        return
    shared = {name: value for name, value in entry.items() if name != "each"}
    used = set(_placeholders_of(shared))
    for row in rows:
        words = {name: value for name, value in row.items() if name not in fields}
        with within(claim=str(row.get("id", ""))):
            for name, value in words.items():
                if name not in used or not isinstance(value, (str, int, float)):
                    problem = f"{name!r} is neither a field nor a text or number for a {{{name}}}"
                    remedy = "correct its name, or use it in what the rows share"
                    raise AuditError(problem, remedy=remedy, field="each")
        yield {**_with_words(shared, words), **{name: row[name] for name in row if name in fields}}


def _placeholders_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from placeholders(value)
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _placeholders_of(part)


def _with_words(entry: Any, words: Mapping[str, str | float]) -> Any:
    """Fill in a row's words; one that is all of a text keeps its type, other braces stay."""

    def fill(text: str, _: str) -> str | float:
        whole = _BRACES.fullmatch(text)
        if whole and whole["name"] in words:
            return words[whole["name"]]
        return _BRACES.sub(lambda match: str(words.get(match["name"], match[0])), text)

    return _each_text(entry, fill)


def _each_text(value: Any, change: Callable[[str, str], Any], field: str = "") -> Any:
    """Return a value with every text in it changed, a function of the text and its field."""
    if isinstance(value, dict):
        below = f"{field}/" if field else ""
        return {name: _each_text(part, change, f"{below}{name}") for name, part in value.items()}
    if isinstance(value, list):
        return [_each_text(part, change, f"{field}/{i}") for i, part in enumerate(value)]
    return change(value, field) if isinstance(value, str) else value


def for_each_subject(entry: Mapping[str, Any], subjects: Subjects) -> Iterator[dict[str, Any]]:
    """Yield an entry once for each of its subjects, placeholders filled in; another one once."""
    over = entry.get("over")
    if over is not None and over not in subjects:
        known = ", ".join(subjects) or "none"
        problem = f"there is no list of subjects {over!r}"
        remedy = f"name one of those under `subjects` ({known})"
        raise AuditError(problem, remedy=remedy, field="over")
    if (over is None) == ("*" in entry["id"]):
        problem = "`over` needs a `*` in the id, and a `*` needs `over`"
        raise AuditError(problem, remedy="add or remove one of the two", field="id")
    rows = [{}] if over is None else subjects[over]
    for i, row in enumerate(rows):
        own = {
            name: _own(value, i, len(rows), name) if name in _SHARED_OUT else value
            for name, value in entry.items()
        }
        if "role" in (measures := entry.get("measures", {})):
            role = _own(measures["role"], i, len(rows), "measures/role")
            own["measures"] = {**measures, "role": role}
        number = str(i + 1)
        words = {"n": number, **{name: str(value) for name, value in row.items()}} if over else {}
        claim_id = own.pop("id").replace("*", number)
        yield {"id": claim_id, **_each_text(own, partial(_filled_in, words))}


def _own(value: Any, i: int, count: int, field: str) -> Any:
    """Return a subject's entry of a field that may be a list over all of them."""
    if not isinstance(value, list):
        return value
    if len(value) != count:
        problem = f"the list has {len(value)} entries for {count} subjects"
        remedy = "give one entry per subject, in their order, or `over` a list of subjects"
        raise AuditError(problem, remedy=remedy, field=field)
    return value[i]


def _filled_in(words: Mapping[str, str], text: str, field: str) -> str:
    """Fill in the placeholders of a text."""
    with within(field=field):
        if field != "derivation":
            return fill_braces(text, words)
        # What a subject says is filled in, the placeholders of the result stay. A doubled brace
        # must survive until the result is known.
        kept = {name: f"{{{name}}}" for name in RESULT_PLACEHOLDERS}
        escaped = {n: word.replace("{", "{{").replace("}", "}}") for n, word in words.items()}
        doubled = text.replace("{{", "{{{{").replace("}}", "}}}}")
        return fill_braces(doubled, kept | escaped)


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
        problem = f"the patterns come to more than {_MOST_CLAIMS} claims, or too much text"
        remedy = "split the register, or shorten the lists under `each`"
        raise AuditError(problem, remedy=remedy, field="each")


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
