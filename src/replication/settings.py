"""Settings before any job: those of config.yaml are checked, those of a paper are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from llm_power._documents import DocumentError, first_violation, read_yaml
from llm_power._errors import one_line
from llm_power_audit.printed import Printed, as_decimal, parse_printed
from llm_power_audit.register import load_statements

Setting = float | list[int] | list[float]
# What every paper's settings give.
OPERATING_POINT: Final = ("alpha", "power")


def level_and_power(settings: Mapping[str, Any]) -> dict[str, float]:
    """Return the level and the power of some settings."""
    return {name: float(settings[name]) for name in OPERATING_POINT}


def settings_file() -> str:
    """Return the file of settings: at the top, or in ``config`` of a deployed copy."""
    return "config.yaml" if Path("config.yaml").is_file() else "config/config.yaml"


def check_settings(settings: Mapping[str, Any], schema: str, file: str) -> None:
    """Check the settings by their schema; numbers are whole where it says so."""
    violation = first_violation(settings, read_yaml(Path(schema)))
    if violation is not None:
        rule = violation.schema if isinstance(violation.schema, Mapping) else {}
        described = rule.get("description", f"see {schema}").rstrip(".")
        raise DocumentError(
            one_line(violation.message, 300),
            remedy=f"correct it. What is expected: {one_line(described, 400)}",
            file=file,
            key=one_line("/".join(map(str, violation.absolute_path)), 300) or None,
        )


def add_boards(settings: dict[str, Any], folder: Path, schema: str) -> None:
    """Add the boards of a folder, a file each and called after it, to those of config.yaml."""
    boards = settings.setdefault("boards", {})
    for file in sorted(folder.glob("*.yaml")):
        board = {file.stem: read_yaml(file)}
        check_settings({"paper": "any", "boards": board}, schema, str(file))
        if file.stem in boards:
            raise DocumentError(
                f"config.yaml has a board {file.stem} as well",
                remedy="keep one of the two, or call one otherwise",
                file=str(file),
            )
        boards |= board


def load_settings(path: Path) -> dict[str, Setting]:
    """Load the numbers that a paper's exhibits are computed with."""
    entries = read_yaml(path)
    if not isinstance(entries, dict):
        raise DocumentError("no mapping", remedy="map names to entries", file=str(path))
    named = [one for entry in entries.values() for one in _claims_of(entry)]
    stated = load_statements(path.with_name("claims.yaml"), named)
    settings: dict[str, Setting] = {}
    for name, entry in entries.items():
        try:
            settings[name] = _setting(entry, [stated[one] for one in _claims_of(entry)])
        except (ValueError, KeyError) as error:
            raise DocumentError(
                f"neither claims of numbers nor a number: {error}",
                remedy="name claims of numbers, or give exactly value, printed and where",
                file=str(path),
                key=str(name),
            ) from error
    for name in OPERATING_POINT:
        if name not in settings:
            raise DocumentError(
                f"no {name}",
                remedy="give it: {value: ..., printed: the words, where: the place}",
                file=str(path),
                key=name,
            )
    return settings


def _claims_of(entry: Any) -> list[str]:
    if isinstance(entry, dict):
        entry = entry.get("half_width_of", [])
    return [entry] if isinstance(entry, str) else entry if isinstance(entry, list) else []


def _setting(entry: Any, stated: list[Printed]) -> Setting:
    if isinstance(entry, dict) and set(entry) == {"half_width_of"}:
        (statement,) = stated
        return float((as_decimal(statement.upper) - as_decimal(statement.value)) / 2)
    if isinstance(entry, dict) and set(entry) == {"value", "printed", "where"}:
        value: Setting = entry["value"]
        return value
    if not isinstance(entry, str | list):
        raise ValueError(f"got {entry!r}")
    numbers = [number for statement in stated for number in _numbers(statement)]
    return numbers if isinstance(entry, list) or len(numbers) > 1 else numbers[0]


def _numbers(statement: Printed) -> list[int] | list[float]:
    """Return the number of a statement, the ends of its range, or those its text lists."""
    if statement.relation == "text":
        numbers = [parse_printed(text).value for text in statement.text.split(", ")]
    elif statement.relation == "between":
        numbers = [statement.value, statement.upper]
    else:
        numbers = [statement.value]
    return [int(x) for x in numbers] if all(x.is_integer() for x in numbers) else numbers
