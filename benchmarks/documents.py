"""Where the documents hold what was measured."""

from __future__ import annotations

from pathlib import Path

_END = "<!-- end of what is measured -->\n"


def replace_measured(path: Path, text: str, *, made_by: str) -> None:
    """Put `text` where a document has what the last run of a target of make measured."""
    begin = f"<!-- measured by {made_by} -->\n"
    before, rest = path.read_text(encoding="utf-8").split(begin)
    after = rest.split(_END, maxsplit=1)[1]
    path.write_text(f"{before}{begin}\n{text}\n{_END}{after}", encoding="utf-8")
