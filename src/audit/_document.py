"""Read a register from YAML that is not trusted, and check it by its schema."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from audit._errors import AuditError
from llm_power.documents import DocumentError, first_violation, overflows, read_yaml
from llm_power.errors import one_line

if TYPE_CHECKING:
    from jsonschema import ValidationError


def read_document(path: Path) -> Any:
    """Read a register by `llm_power.documents.read_yaml`; its errors become `AuditError`."""
    try:
        return read_yaml(path)
    except DocumentError as error:
        raise AuditError(error.problem, remedy=error.remedy, file=error.file) from error


def validate(document: Any) -> None:
    """Hold a document against ``register.schema.yaml``."""
    text = files("audit").joinpath("register.schema.yaml").read_text(encoding="utf-8")
    # Where it is there, the loader in C takes a tenth of the time.
    schema = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    first = first_violation(document, schema)
    if first is not None:
        raise _violation(document, first)


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
