"""Keep one comment on a pull request up to date: what the GitHub action runs after a comparison."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import numpy as np

from llm_power._board.measure import Measure, signed_gap
from llm_power._errors import one_line

_GAP: Final = ("gap_low", "gap_high", "gap")
_MOST_ROWS: Final = 20
_HALF: Final = 30  # characters of the picture on each side of no gap
_LONGEST: Final = 60_000  # GitHub takes 65,536 characters
_PAGE: Final = 100
_SECONDS: Final = 30
_NO_ANSWER: Final = "### No outcome: the scores could not be compared. The job's log says why."


def comment_body(name: str, reports: Path, about: str) -> str:
    """Return the comment of a comparison's reports, or that it had none."""
    text = _NO_ANSWER
    if (reports / "compare.json").exists():
        comparison = json.loads((reports / "compare.json").read_text(encoding="utf-8"))
        text = (reports / "compare.md").read_text(encoding="utf-8")
        if len(text) > _LONGEST:
            text = f"{text[:_LONGEST]}\n\n</details>\n\nThe job's summary has the rest."
        headline, _, rest = text.partition("\n")
        picture = interval_picture(comparison.get("tasks", [comparison]))
        text = f"{headline}\n\n```text\n{picture}\n```\n{rest.rstrip()}"
    # Nobody is called by the name of an item or a model.
    return f"{_marker(name)}\n{text}\n\n{about}".replace("@", "@\N{ZERO WIDTH SPACE}")


def interval_picture(tasks: Sequence[Mapping[str, Any]]) -> str:
    """Return the interval of each task's gap in characters, beside no gap and the margin."""
    unit, margin = tasks[0]["measure"], tasks[0]["margin"] or 0.0
    drawn = [task for task in tasks if task["measure"] == unit][:_MOST_ROWS]
    # A report writes infinity as text.
    gaps = [tuple(float(task[name]) for name in _GAP) for task in drawn]
    widest = max(margin, 1e-4, *(abs(gap) for three in gaps for gap in three if isfinite(gap)))
    right, left = (signed_gap(end, Measure(**unit)) for end in (widest, -widest))
    lines = [f"{left:<{_HALF}}0{right:>{_HALF}}  {unit['unit']}, candidate less baseline"]
    for task, three in zip(drawn, gaps, strict=True):
        row = [" "] * (2 * _HALF + 1)
        *margins, low, high, gap = (
            _HALF + int(np.rint(_HALF * np.clip(value / widest, -1, 1)))
            for value in (-margin, margin, *three)
        )
        row[low : high + 1] = "-" * (high + 1 - low)
        for at, mark in ((margins[0], ":"), (margins[1], ":"), (_HALF, "|")):
            row[at] = mark
        for at, mark, value in zip((low, high, gap), "[]o", three, strict=True):
            if isfinite(value):
                row[at] = mark
        lines.append(f"{''.join(row)}  {task['outcome']}, {one_line(task['task'], 40)}")
    hidden = len(tasks) - len(drawn)
    return "\n".join([*lines, *([f"and {hidden} more tasks"] if hidden else [])])


def comment(name: str, reports: Path, environment: Mapping[str, str]) -> str:
    """Write the comment of this name on the pull request, or update it; return its address."""
    if not re.fullmatch(r"[\w.-]{1,60}", name):
        return f"the comment's name must be letters, digits, . - and _, got {name!r}"
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    if "pull_request" not in event:
        return "no pull request: nothing to comment on"
    pull, repository = event["pull_request"], environment["GITHUB_REPOSITORY"]
    run = f"{environment['GITHUB_SERVER_URL']}/{repository}/actions/runs/"
    about = f"Commit {pull['head']['sha'][:10]}, [job]({run}{environment['GITHUB_RUN_ID']})."
    issues = f"{environment['GITHUB_API_URL']}/repos/{repository}/issues"
    token, body = environment["GITHUB_TOKEN"], {"body": comment_body(name, reports, about)}
    own = f"{issues}/{pull['number']}/comments"
    method, address = "POST", own
    for written in _comments(own, token):
        if str(written["body"]).startswith(_marker(name)):
            method, address = "PATCH", f"{issues}/comments/{written['id']}"
            break
    return str(_call(method, address, token, body)["html_url"])


def _marker(name: str) -> str:
    return f"<!-- llm-power gate: {name} -->"


def _comments(address: str, token: str) -> Iterator[Mapping[str, Any]]:
    page = 1
    while True:
        comments = _call("GET", f"{address}?per_page={_PAGE}&page={page}", token)
        yield from comments
        if len(comments) < _PAGE:
            return
        page += 1


def _call(method: str, address: str, token: str, body: Mapping[str, str] | None = None) -> Any:
    request = Request(
        address,
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "User-Agent": "llm-power",
        },
    )
    with urlopen(request, timeout=_SECONDS) as answer:
        return json.load(answer)


def main() -> None:
    """Comment as the arguments NAME and REPORTS say; what stands in the way is a warning."""
    name, reports = sys.argv[1:]
    try:
        print(comment(name, Path(reports), os.environ))
    except (URLError, OSError, ValueError) as error:
        remedy = ""
        if isinstance(error, HTTPError) and error.code in {401, 403, 404}:
            remedy = " Remedy: give the job `permissions: {pull-requests: write}`."
        print(f"::warning title=llm-power::no comment: {one_line(str(error))}.{remedy}")


if __name__ == "__main__":
    main()
