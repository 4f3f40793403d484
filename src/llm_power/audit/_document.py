"""Read a register from YAML that anybody may have written, and hold it against its schema."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import yaml
from jsonschema import Draft202012Validator, TypeChecker, ValidationError, validators

from llm_power.audit._errors import AuditError
from llm_power.errors import one_line

# No register written by hand comes near these.
_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_LEVELS: Final = 50


def read_document(path: Path) -> Any:
    """Read a YAML file into plain data.

    Parameters
    ----------
    path : Path
        UTF-8, no larger than 16 MiB, without aliases and without a key twice in one mapping.

    Returns
    -------
    Any
        Mappings, lists and scalars; nothing is run.

    Raises
    ------
    AuditError
        If the file cannot be read or is not such YAML.
    """
    remedy = "give a YAML file in UTF-8"
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise AuditError(
                f"the file is larger than {_MOST_BYTES} bytes",
                remedy="split the register",
                file=str(path),
            )
        return _construct(data.decode("utf-8"), str(path))
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise AuditError(problem, remedy=remedy, file=str(path)) from error
    except UnicodeDecodeError as error:
        raise AuditError("is not UTF-8", remedy=remedy, file=str(path)) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f", line {mark.line + 1}" if mark else ""
        problem = f"is not usable YAML{place}: {error.problem}"
        raise AuditError(problem, remedy="correct that line", file=str(path)) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        problem = f"is not usable YAML: {error}"
        raise AuditError(problem, remedy="quote texts", file=str(path)) from error


def validate(document: Any) -> None:
    """Hold a document against ``register.schema.yaml``.

    Raises
    ------
    AuditError
        At the first violation in the order of the file; the message names claim and field.
    """
    schema = yaml.safe_load(
        files("llm_power.audit").joinpath("register.schema.yaml").read_text(encoding="utf-8")
    )
    errors = _Validator(schema).iter_errors(document)
    first = min(errors, key=_place_in_file, default=None)
    if first is not None:
        raise _violation(document, first)


def _overflows(value: object) -> bool:
    """Whether a value is an integer, which has no bounds, that floating point cannot hold."""
    return isinstance(value, int) and abs(value) > sys.float_info.max


def _is_number(checker: TypeChecker, value: object) -> bool:
    return Draft202012Validator.TYPE_CHECKER.is_type(value, "number") and not _overflows(value)


_Validator: Final = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("number", _is_number),
)


def _place_in_file(error: ValidationError) -> list[tuple[bool, int, str]]:
    return [
        (isinstance(part, int), part if isinstance(part, int) else 0, str(part))
        for part in error.absolute_path
    ]


def _violation(document: Any, error: ValidationError) -> AuditError:
    path = list(error.absolute_path)
    claim = ""
    if len(path) >= 2 and path[0] == "claims" and isinstance(path[1], int):
        entry = document["claims"][path[1]]
        named = isinstance(entry, dict) and isinstance(entry.get("id"), str)
        claim = entry["id"] if named else f"number {path[1] + 1}"
        path = path[2:]
    schema = error.schema if isinstance(error.schema, dict) else {}
    too_large = _overflows(error.instance)
    return AuditError(
        "the number is too large" if too_large else one_line(error.message, 300),
        remedy=f"expected is {schema.get('description', 'what register.schema.yaml describes')}",
        claim=claim,
        field="/".join(str(part) for part in path),
    )


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Plain data only; a key that occurs twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Construct a mapping whose keys differ."""
        keys: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str | int | float | bool | None):
                problem = "a key must be a plain text"
            elif key in keys:
                problem = f"the key {key!r} occurs twice in one mapping"
            else:
                keys.add(key)
                continue
            raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
        return dict(super().construct_mapping(node, deep=deep))


def _construct(text: str, file: str) -> Any:
    _refuse_bombs(text, file)
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            raise AuditError("the file is empty", remedy="list `claims`", file=file)
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _refuse_bombs(text: str, file: str) -> None:
    """Look at the file event by event, before anything is composed of it."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent):
            # A handful of aliases of aliases is billions of entries.
            raise AuditError(
                f"line {line} repeats another by an alias",
                remedy="write it out, or repeat the entry with `over`",
                file=file,
            )
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_LEVELS:
            # The composer calls itself once a level, and has no limit of its own.
            raise AuditError(
                f"line {line} is nested more than {_MOST_LEVELS} levels deep",
                remedy="write it flat",
                file=file,
            )
