"""JSON of any size, one record at a time: of a list, of lines, or of lists in an object."""

# Evaluation tools write JSON with Python, so NaN and Infinity are read: they occur among
# log-probabilities. An object that has a key twice is refused, for a parser would drop one value.
# Whole lines are read by orjson; what it refuses or would drop is left to the standard parser. To
# orjson a whole number beyond 64 bits is a float, which names no item.

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Callable, Container, Iterator
from typing import Any, Final

import orjson

from llm_power._errors import ScoreError
from llm_power._scores._source import SourceFile, StreamedFile

# Characters. The largest record seen holds the options, prompts and answers of one question, in
# some tens of thousands.
LARGEST_RECORD: Final = 32 * 2**20

# Bytes: what a processor keeps at hand, for a piece is gone through several times.
_PIECE: Final = 2**16
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_OF_NUMBER: Final = re.compile(r"[-+.eE0-9]*")


def json_records(source: StreamedFile | SourceFile) -> Iterator[Any]:
    """Yield the records of a file, which is a list if its first character is a bracket."""
    text = _Text(source)
    if text.peek() != "[":
        yield from _lines(text)
        return
    yield from _list(text)
    if text.peek():
        raise text.fault("the list has an end, but the file goes on")


def json_members(
    source: StreamedFile, lists: Container[str] | None = None
) -> Iterator[tuple[str, Any]]:
    """Yield the members of the one object in a file, of `lists` (by default all) each element."""
    text = _Text(source)
    if text.peek() != "{":
        raise text.fault("it does not begin as an object")
    names: set[str] = set()
    for _ in _places(text, "}", "object"):
        name = text.value() if text.peek() == '"' else None
        if name is None or text.take() != ":":
            raise text.fault("what follows is no named member")
        if name in names:
            raise text.fault(f"the object has the key {name!r} twice")
        names.add(name)
        if (lists is None or name in lists) and text.peek() == "[":
            yield from ((name, element) for element in _list(text))
        else:
            yield name, text.value()
    if text.peek():
        raise text.fault("the object has an end, but the file goes on")


def json_document(data: bytes, refuse: Callable[[str], Exception]) -> Any:
    """Return what a small file says as a whole, by the same rules, or `refuse` it by its fault."""
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except RecursionError as error:
        raise refuse("not JSON in UTF-8 (nested too deeply)") from error
    except ValueError as error:
        raise refuse(f"not JSON in UTF-8 ({error})") from error


def _list(text: _Text) -> Iterator[Any]:
    for _ in _places(text, "]", "list"):
        value = text.value()
        text.n_records += 1
        yield value


def _places(text: _Text, end: str, what: str) -> Iterator[None]:
    """Go to where each element of a list or an object begins, and behind its end."""
    mark = text.take()
    if text.peek() == end:
        mark = text.take()
    while mark != end:
        yield
        mark = text.take()
        if mark not in {",", end}:
            raise text.fault(f"it is followed by neither a comma nor the end of the {what}")


def _lines(text: _Text) -> Iterator[Any]:
    while text.peek():
        if text.n_records and not text.is_new_line:
            raise text.fault("another record follows on the same line")
        for value in text.whole_lines() or [text.value()]:
            text.n_records += 1
            yield value


class _Text:
    """The text of a file, held as far as it is read and not used."""

    def __init__(self, source: StreamedFile | SourceFile) -> None:
        self.at = 0
        self.n_records = 0
        self.is_new_line = False
        self._path = source.path
        held = io.BytesIO(source.data) if isinstance(source, SourceFile) else source
        self._read = held.read
        self._text = ""
        self._ended = False
        self._is_new = False  # no line of the text has been parsed
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._parse = json.JSONDecoder(object_pairs_hook=_unique).raw_decode

    def peek(self) -> str:
        """Return the next character that is not space, without using it; none at the end."""
        self.is_new_line = False
        while True:
            end = _SPACE.match(self._text, self.at).end()  # type: ignore[union-attr]
            self.is_new_line |= "\n" in self._text[self.at : end]
            self.at = end
            if end < len(self._text):
                return self._text[end]
            if not self._more():
                return ""

    def take(self) -> str:
        """Return the next character that is not space, and use it."""
        mark = self.peek()
        self.at += len(mark)
        return mark

    def value(self) -> Any:
        """Return the next value and use it."""
        self.peek()
        while True:
            try:
                value, end = self._parse(self._text, self.at)
            except RecursionError as error:
                raise self.fault("the next one is nested too deeply") from error
            except _RepeatedKey as error:
                raise self.fault(f"the next one has the key {error.args[0]!r} twice") from error
            except ValueError as error:
                # Not JSON, or the rest of it has not been read.
                if not self._more():
                    what = getattr(error, "msg", str(error))
                    raise self.fault(f"the next one is not JSON ({what})") from error
                continue
            # A number goes on where its text does, after a point or an exponent too.
            goes_on = _OF_NUMBER.match(self._text, end).end() == len(self._text)  # type: ignore[union-attr]
            if not goes_on or not self._more():
                self.at = end
                return value

    def whole_lines(self) -> list[Any]:
        """Return the values of the lines just read and use them; none where it takes the parser."""
        if self._text.find("\n", self.at) < 0:
            self._more()
        end = self._text.rfind("\n", self.at)
        values = _of_lines(self._text[self.at : end]) if self._is_new and end >= 0 else []
        self._is_new = False
        if values:
            self.at = end
        return values

    def fault(self, problem: str) -> ScoreError:
        """Return the error that names the place by the number of records before it."""
        return ScoreError(
            f"damaged after {self.n_records} records: {problem}",
            remedy="write or download the file again",
            file=str(self._path),
        )

    def _more(self) -> bool:
        """Read on, at least as much as is held, so that a long record takes few attempts."""
        if self._ended:
            return False
        rest = self._text[self.at :]
        if len(rest) > LARGEST_RECORD:
            raise self.fault(f"the next one is longer than {LARGEST_RECORD >> 20} million letters")
        data = self._read(max(_PIECE, len(rest)))
        self._ended = not data
        try:
            self._text = rest + self._decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            raise self.fault("what follows is not UTF-8") from error
        self.at = 0
        self._is_new = True
        return True


def _of_lines(text: str) -> list[Any]:
    """Return the value of each line, none at all where only the slow parser knows."""
    try:
        values = [*map(orjson.loads, text.split("\n"))]
    except ValueError:
        return []
    # Of a key that occurs twice one is dropped, and its colon with it.
    return values if orjson.dumps(values).count(b":") == text.count(":") else []


class _RepeatedKey(ValueError):
    def __str__(self) -> str:
        return f"an object has the key {self.args[0]!r} twice"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        raise _RepeatedKey(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return made


def inside(document: object, *names: str) -> Any:
    """Return a member of nested objects, None where one of them is not there."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


def list_inside(document: object, *names: str) -> list[Any]:
    """Return a list that is a member of nested objects, an empty one where there is none."""
    member = inside(document, *names)
    return member if isinstance(member, list) else []
