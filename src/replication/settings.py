"""Checks of config.yaml before any job, so that no job fails by a wrong setting."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from llm_power.documents import DocumentError, first_violation, read_yaml
from llm_power.errors import one_line

# To JSON Schema 1e30 is an integer, and NaN a number that is neither too small nor too large.
_TYPES: Final = Draft202012Validator.TYPE_CHECKER.redefine_many(
    {
        "integer": lambda _, value: type(value) is int,
        "number": lambda _, value: type(value) in (int, float) and math.isfinite(value),
    }
)
_Validator: Final = extend(Draft202012Validator, type_checker=_TYPES)  # type: ignore[no-untyped-call]


def check_file(file: str) -> None:
    """Refuse a file that Snakemake would read otherwise than it is written.

    Of a key that occurs twice it takes the last, and aliases of aliases it would read for ever.

    Raises
    ------
    DocumentError
        If the file is not YAML without either.
    """
    read_yaml(Path(file))


def check_settings(settings: Mapping[str, Any], schema: str, file: str) -> None:
    """Check the settings by their schema; numbers must be finite, and whole where it says so.

    Parameters
    ----------
    settings : mapping of str to object
        What Snakemake made of the file and of its command line.
    schema : str
        Its descriptions are shown as the remedy of a violation.
    file : str
        For messages.

    Raises
    ------
    DocumentError
        At the first violation; the message names file, key and remedy.
    """
    found = first_violation(settings, read_yaml(Path(schema)), _Validator)
    if found is not None:
        rule = found.schema if isinstance(found.schema, Mapping) else {}
        described = rule.get("description", f"see {schema}").rstrip(".")
        raise DocumentError(
            one_line(found.message, 300),
            remedy=f"correct it. What is expected: {one_line(described, 400)}",
            file=file,
            key=one_line("/".join(map(str, found.absolute_path)), 300) or None,
        )
