"""The comment of the action on a pull request, against a stand-in of GitHub's interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest

from llm_power import compare
from llm_power._gate.comment import comment, interval_picture, main
from llm_power._report.answer import as_json

PULL = {"pull_request": {"number": 7, "head": {"sha": "0123456789abcdef"}}}


@dataclass
class GitHub:
    """Comments of one pull request, and the calls that were made."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    address: str = ""
    status_of_strangers: int = 403

    def answer(self, method: str, path: str, token: str, body: dict[str, str]) -> tuple[int, Any]:
        self.calls.append(method)
        url = urlsplit(path)
        if token != "Bearer secret":
            return self.status_of_strangers, {"message": "Resource not accessible by integration"}
        if method == "POST":
            assert url.path == "/repos/owner/repo/issues/7/comments"
            self.comments.append(
                {"id": 1000 + len(self.comments), **body, "html_url": "http://new"}
            )
            return 201, self.comments[-1]
        if method == "PATCH":
            (one,) = [one for one in self.comments if url.path.endswith(f"/comments/{one['id']}")]
            one |= {**body, "html_url": "http://updated"}
            return 200, one
        asked = {name: int(value) for name, (value,) in parse_qs(url.query).items()}
        start = (asked["page"] - 1) * asked["per_page"]
        return 200, self.comments[start : start + asked["per_page"]]


@pytest.fixture
def github() -> Iterator[GitHub]:
    service = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def reply(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or "{}")
            token = self.headers["Authorization"]
            status, answer = service.answer(self.command, self.path, token, body)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_GET = do_POST = do_PATCH = reply  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield service
    server.shutdown()
    server.server_close()


@pytest.fixture
def job(github: GitHub, tmp_path: Path) -> dict[str, str]:
    event = tmp_path / "event.json"
    event.write_text(json.dumps(PULL))
    return {
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_API_URL": github.address,
        "GITHUB_SERVER_URL": "https://github.example",
        "GITHUB_REPOSITORY": "owner/repo",
        "GITHUB_RUN_ID": "42",
        "GITHUB_TOKEN": "secret",
    }


def reports(folder: Path, n_mended: int, *, margin: float | None = None) -> Path:
    """What the comparing step writes."""
    folder.mkdir(exist_ok=True)
    old, new = [0] * 100 + [1] * 100, [1] * n_mended + [0] * (100 - n_mended) + [1] * 97 + [0] * 3
    items = [f"@item {k}" for k in range(200)]
    table = {"item": items, "old": old, "new": new}
    found = compare(table, baseline="old", candidate="new", margin=margin)
    (folder / "compare.json").write_text(json.dumps(found.to_dict()))
    (folder / "compare.md").write_text(found.to_markdown())
    return folder


def test_one_comment_is_kept_up_to_date(
    github: GitHub, job: dict[str, str], tmp_path: Path
) -> None:
    github.comments = [{"id": k, "body": f"> <!-- llm-power gate: gate -->{k}"} for k in range(130)]
    assert comment("gate", reports(tmp_path / "first", 4), job) == "http://new"
    assert comment("other", tmp_path, job) == "http://new"
    assert comment("gate", reports(tmp_path / "second", 40), job) == "http://updated"
    assert len(github.comments) == 132
    *_, own, other = (one["body"] for one in github.comments)
    assert own.startswith("<!-- llm-power gate: gate -->\n### better: new against old")
    assert "Commit 0123456789, [job](https://github.example/owner/repo/actions/runs/42)." in own
    assert "<details><summary>40 items mended</summary>" in own
    assert "@item" not in own
    # An outcome of an earlier commit does not stay where this one has none.
    assert "### No outcome" in other
    comment("gate", tmp_path / "none", job)
    assert "### No outcome" in github.comments[-2]["body"]
    assert github.calls.count("POST") == 2


def test_a_long_comment_is_cut(github: GitHub, job: dict[str, str], tmp_path: Path) -> None:
    folder = reports(tmp_path / "first", 4)
    (folder / "compare.md").write_text("### better\n" + "x" * 100_000)
    comment("gate", folder, job)
    assert len(github.comments[0]["body"]) < 65_536
    assert "The job's summary has the rest." in github.comments[0]["body"]


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_what_stands_in_the_way_is_a_warning(
    status: int,
    github: GitHub,
    job: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["comment", "gate", "reports"])
    for name, value in (job | {"GITHUB_TOKEN": "none"}).items():
        monkeypatch.setenv(name, value)
    github.status_of_strangers = status
    main()
    said = capsys.readouterr().out
    assert said.startswith(f"::warning title=llm-power::no comment: HTTP Error {status}")
    assert ("pull-requests: write" in said) == (status != 500)
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")
    main()
    assert capsys.readouterr().out.startswith("::warning title=llm-power::no comment: <urlopen")
    assert "secret" not in said


def test_nothing_is_commented_without_a_pull_request_or_a_plain_name(
    github: GitHub, job: dict[str, str], tmp_path: Path
) -> None:
    assert "letters" in comment("--> <b>", tmp_path, job)
    Path(job["GITHUB_EVENT_PATH"]).write_text("{}")
    assert comment("gate", tmp_path, job).startswith("no pull request")
    assert github.calls == []


def test_the_picture_has_gap_interval_margin_and_no_gap(tmp_path: Path) -> None:
    found = json.loads((reports(tmp_path / "one", 8, margin=0.04) / "compare.json").read_text())
    header, row = interval_picture([found]).splitlines()
    assert (header[0], header[30]) == ("-", "0")
    assert "points" in header
    scale = max(found["gap_high"], -found["gap_low"], 0.04) / 30
    for mark, value in (("o", found["gap"]), ("[", found["gap_low"]), ("]", found["gap_high"])):
        assert row.index(mark) == pytest.approx(30 + value / scale, abs=0.5001)
    assert row[30] == "|" or row.index("o") == 30
    assert row.count(":") in {1, 2}
    # What is written of it begins where the header says the unit.
    assert row[61:] == f"  {found['outcome']}, scores"


def test_an_interval_without_ends_is_drawn_without_brackets() -> None:
    """Of real scores that differ on one item."""
    tables = [pd.DataFrame({"item_id": range(9), "m": [x, *range(2, 10)]}) for x in (3, 2)]
    found = json.loads(as_json(compare(*tables, kind="real").answer))
    assert (found["gap_low"], found["gap_high"]) == ("-inf", "inf")
    row = interval_picture([found]).splitlines()[1]
    assert row[:61].strip("-") in {"o" + 29 * "-" + "|", "|" + 29 * "-" + "o"}
