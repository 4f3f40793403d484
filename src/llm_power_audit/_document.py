"""Read a register from YAML that is not trusted, and check it by its schema."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from llm_power._documents import DocumentError, first_violation, overflows, read_yaml
from llm_power._errors import one_line
from llm_power_audit._errors import AuditError
from llm_power_audit._templates import entries_of_pattern, refuse_excess_of_patterns

if TYPE_CHECKING:
    from jsonschema import ValidationError


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
