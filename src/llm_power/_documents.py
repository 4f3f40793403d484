"""YAML that anybody may have written: read without running anything, held against a schema."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from llm_power._errors import LLMPowerError, message_at
from llm_power._files import open_file

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

# No file written by hand comes near these.
_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_EVENTS: Final = 1_000_000
_MOST_LEVELS: Final = 50

_REMEDY: Final = "give a YAML file in UTF-8"


class DocumentError(LLMPowerError):
    """A YAML file cannot be used as it is.

    Parameters
    ----------
    problem : str
        What is wrong, in one sentence.
    remedy : str
        What the user can do about it.
    file : str
        Where it is wrong.
    key : str, optional
        Where in the file.

    Examples
    --------
    >>> from llm_power import DocumentError
    >>> print(DocumentError("the file is empty", remedy="write something", file="claims.yaml"))
    file 'claims.yaml': the file is empty. Remedy: write something.
    """

    def __init__(self, problem: str, *, remedy: str, file: str, key: str | None = None) -> None:
        self.problem = problem
        self.remedy = remedy
        self.file = file
        super().__init__(message_at({"file": file, "key": key}, problem, remedy))


def read_yaml(path: Path) -> Any:
    """Read a YAML file into plain data."""
    try:
        with open_file(path) as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise DocumentError(
                f"the file is larger than {_MOST_BYTES} bytes",
                remedy="split the file",
                file=str(path),
            )
        return _construct(data.decode("utf-8"), str(path))
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise DocumentError(problem, remedy=_REMEDY, file=str(path)) from error
    except UnicodeDecodeError as error:
        raise DocumentError("is not UTF-8", remedy=_REMEDY, file=str(path)) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f", line {mark.line + 1}" if mark else ""
        problem = f"is not usable YAML{place}: {error.problem}"
        raise DocumentError(problem, remedy="correct that line", file=str(path)) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        problem = f"is not usable YAML: {error}"
        raise DocumentError(problem, remedy="quote texts", file=str(path)) from error


def overflows(value: object) -> bool:
    """Whether a value is an integer, which has no bounds, that floating point cannot hold."""
    return isinstance(value, int) and abs(value) > sys.float_info.max


@cache
def _validator() -> type[Validator]:
    """Return the validator by which 1e30 is no integer and NaN no number, unlike JSON Schema's."""
    # Imported here: most programs that read a document have no schema for it.
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415

    return validators.extend(  # type: ignore[no-untyped-call, no-any-return]
        Draft202012Validator,
        type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many(
            {
                "integer": lambda _, value: type(value) is int,
                "number": lambda _, value: (
                    type(value) in (int, float) and not (overflows(value) or math.isnan(value))
                ),
            }
        ),
    )


def first_violation(document: Any, schema: Mapping[str, Any]) -> ValidationError | None:
    """Return the first violation of a schema in the order of the file, None if there is none."""
    orders: dict[int, dict[Any, int]] = {}  # of the keys of each object, by its identity

    def place(error: ValidationError) -> list[Any]:
        places: list[Any] = []
        inner = document
        for part in error.absolute_path:
            if isinstance(inner, dict):
                if id(inner) not in orders:
                    orders[id(inner)] = {key: k for k, key in enumerate(inner)}
                places.append(orders[id(inner)][part])
            else:
                places.append(part)
            inner = inner[part]
        return places

    return min(_validator()(schema).iter_errors(document), key=place, default=None)


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
            raise DocumentError("the file is empty", remedy=_REMEDY, file=file)
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _refuse_bombs(text: str, file: str) -> None:
    """Look at the file event by event, before anything is composed of it."""
    depth = 0
    for number, event in enumerate(yaml.parse(text, Loader=_Loader), start=1):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent):
            # A handful of aliases of aliases is billions of entries.
            raise DocumentError(
                f"line {line} repeats another by an alias",
                remedy="write it out",
                file=file,
            )
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_LEVELS:
            # The composer calls itself once a level, and has no limit of its own.
            raise DocumentError(
                f"line {line} is nested more than {_MOST_LEVELS} levels deep",
                remedy="write it flat",
                file=file,
            )
        if number > _MOST_EVENTS:
            # Composed, each takes some hundred times the one letter that it may be written with.
            raise DocumentError(
                f"there are more than {_MOST_EVENTS} entries, the last of them in line {line}",
                remedy="split the file",
                file=file,
            )
