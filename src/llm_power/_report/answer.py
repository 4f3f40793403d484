"""An answer of a command, and how it is shown: on a terminal, as Markdown, JSON or HTML."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill, wrap
from typing import Any, ClassVar, Final

from llm_power._errors import InvalidArgument, counted, one_line
from llm_power._files import REPORT_ENDINGS, write_whole
from llm_power._plugins import installed, left_out
from llm_power._report.text_tables import (
    escape_markdown,
    markdown_table,
    number_columns,
    plain_table,
)

_WIDTH: Final = 100
_MOST_NAMES: Final = 20


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text, the header first."""

    rows: Sequence[Sequence[str]]
    title: str = ""
    more: str = ""  # what is not shown, as "3 more models"

    @property
    def numbers(self) -> list[int]:
        """The columns of numbers, which stand to the right."""
        return number_columns(self.rows)


@dataclass(frozen=True, slots=True)
class Notes:
    """Sentences, each on a line of its own."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture in characters under its finding; `lines` gives none where the screen is narrow."""

    finding: str
    lines: Callable[[int], Sequence[str]]

    def block(self, width: int) -> str:
        """Return both as text."""
        drawn = self.lines(width)
        return "\n".join([*wrap(self.finding, width), *(["", *drawn] if drawn else [])])


@dataclass(frozen=True, slots=True)
class Items:
    """Items that something happened to; a screen names the first twenty."""

    what: str
    names: Sequence[str]

    @property
    def listed(self) -> str:
        """The names that are shown, and the number of the others."""
        hidden = len(self.names) - _MOST_NAMES
        shown = ", ".join(self.names[:_MOST_NAMES]) or "none"
        return f"{shown}, and {hidden:,} more" if hidden > 0 else shown


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command answers: the headline first, and for programs every value by its name."""

    headline: str
    values: Mapping[str, Any]
    about: tuple[str, ...] = ()  # sentences that belong to the headline
    items: tuple[Items, ...] = ()
    parts: tuple[Table | Notes | Drawing | Answer, ...] = ()


def as_text(answer: Answer) -> str:
    """Return an answer for a terminal."""
    lines = [*_filled(answer.headline, *answer.about)]
    lines += [
        one_line(f"{each.what} ({len(each.names):,}): {each.listed}") for each in answer.items
    ]
    return "\n\n".join(["\n".join(lines), *map(_part_as_text, answer.parts)])


def as_markdown(answer: Answer, *, level: int = 3) -> str:
    """Return an answer for a summary of a job, or the comment on a pull request."""
    parts = [
        f"{'#' * level} {escape_markdown(answer.headline)}",
        *map(escape_markdown, answer.about),
        *(_folded(each) for each in answer.items),
        *(_part_as_markdown(part, level) for part in answer.parts),
    ]
    return "\n\n".join(parts)


def as_dict(answer: Answer) -> dict[str, Any]:
    """Return the headline and the values; no number is None, an infinite one "inf" or "-inf"."""
    return {"headline": answer.headline, **{k: _plain(v) for k, v in answer.values.items()}}


def as_json(answer: Answer) -> str:
    """Return what `as_dict` does as JSON."""
    return json.dumps(as_dict(answer), indent=2, ensure_ascii=False, allow_nan=False)


def as_html(answer: Answer) -> str:
    """Return an answer as a page that loads nothing."""
    from llm_power._report.page import page_environment, page_parts  # noqa: PLC0415

    template = page_environment("llm_power._report").get_template("answer.html.j2")
    return template.render(answer=answer, **page_parts("llm_power._report", "answer.css"))


_BY_SUFFIX: Final[Mapping[str, Callable[[Answer], str]]] = dict(
    zip(REPORT_ENDINGS["--report"], (as_text, as_markdown, as_json, as_html), strict=True)
)


@dataclass(frozen=True, slots=True, repr=False)
class Reply:
    """What a call answers: its repr is the headline, `print` shows the screen of the command."""

    _height: ClassVar[int] = 360  # of the page in a notebook, in pixels

    answer: Answer

    @property
    def headline(self) -> str:
        """Return the answer in one sentence."""
        return self.answer.headline

    def __repr__(self) -> str:
        return self.headline

    def __str__(self) -> str:
        return as_text(self.answer)

    def _repr_html_(self) -> str | None:
        """Show the page of the answer inside a notebook; without the extra, its repr."""
        if not installed("jinja2"):
            return None
        page = html.escape(self.to_html(), quote=True)
        style = f"width:100%;height:{self._height}px;border:0"
        return (
            f'<p>{html.escape(self.headline)}</p><iframe srcdoc="{page}" style="{style}"></iframe>'
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the headline and every value, as --format json prints them."""
        return as_dict(self.answer)

    def to_markdown(self) -> str:
        """Return the answer as Markdown."""
        return as_markdown(self.answer)

    def to_html(self) -> str:
        """Return the answer as a page that loads nothing."""
        return as_html(self.answer)


def report_writer(
    reports: Sequence[Path], *, inputs: Sequence[Path] = ()
) -> Callable[[Answer], None]:
    """Return what writes an answer to files, none of which holds the input."""
    for path in reports:
        require_report(path, inputs=inputs)
        if path.suffix == ".html" and not installed("jinja2"):
            raise InvalidArgument(left_out({path.name: "jinja2"}))

    def write(answer: Answer) -> None:
        for path in reports:
            write_whole(path, _BY_SUFFIX[path.suffix](answer) + "\n")

    return write


def require_report(path: Path, option: str = "--report", *, inputs: Sequence[Path]) -> None:
    """Refuse a report of another ending, or one that would replace an input."""
    if path.suffix not in REPORT_ENDINGS[option]:
        ends = ", ".join(REPORT_ENDINGS[option])
        raise InvalidArgument(f"{option} must be a file that ends in {ends}, got {str(path)!r}")
    if any(path.exists() and given.exists() and path.samefile(given) for given in inputs):
        raise InvalidArgument(f"{path} holds the scores: name another file for the report")


def _filled(*sentences: str) -> Iterator[str]:
    for sentence in sentences:
        yield fill(one_line(sentence), _WIDTH, break_on_hyphens=False, break_long_words=False)


def _part_as_text(part: Table | Notes | Drawing | Answer) -> str:
    if isinstance(part, Drawing):
        return part.block(min(_WIDTH, get_terminal_size((_WIDTH, 0)).columns))
    if isinstance(part, Table):
        more = f"... and {part.more}" if part.more else ""
        return "\n".join(filter(None, [one_line(part.title), plain_table(part.rows), more]))
    return as_text(part) if isinstance(part, Answer) else "\n".join(_filled(*part.texts))


def _part_as_markdown(part: Table | Notes | Drawing | Answer, level: int) -> str:
    if isinstance(part, Drawing):
        return f"```text\n{part.block(_WIDTH)}\n```"
    if isinstance(part, Table):
        title = f"**{escape_markdown(part.title)}**" if part.title else ""
        more = f"... and {part.more}" if part.more else ""
        return "\n\n".join(filter(None, [title, markdown_table(part.rows), more]))
    if isinstance(part, Answer):
        return as_markdown(part, level=level + 1)
    return "\n".join(f"- {escape_markdown(text)}" for text in part.texts)


def _folded(items: Items) -> str:
    # The word before the names keeps one like "- a" from opening a list.
    return (
        f"<details><summary>{counted(len(items.names), 'item')} {items.what}</summary>\n\n"
        f"Items: {escape_markdown(items.listed)}\n\n</details>"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    return value
