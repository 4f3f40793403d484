"""A hub on loopback: it answers huggingface.co's client, and github.com's raw files.

Headers and answers are those that the real client needs (seen with huggingface_hub 2.4.0). Faults
can be switched on, for so many requests or for all. As a program, it serves a witness in the
schemas of the two boards until it is stopped:

    python tests/replication/hub/stand_in.py --witness results/witness --data ../shared/data
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
import socket
import sys
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from llm_power._documents import read_yaml
from llm_power._scores.store import TaskScores, read_task
from replication.constraints import load_board_scores
from replication.hub.datasets import Dataset, listed_files, load_datasets
from replication.hub.matrices import block_labels

TOKEN = "hf_standInTokenThatMustNeverBeSeen"
COMMIT = "c" * 40
_ROOT = Path(__file__).resolve().parents[3]
_PAPER = _ROOT / "data" / "kotawala2026"
_RESOLVE = re.compile(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
_TREE = re.compile(r"/api/datasets/([^/]+/[^/]+)/tree/([^/]+)")
_REVISION = re.compile(r"/api/datasets/([^/]+/[^/]+)/revision/([^/]+)")
_RAW = re.compile(r"/([^/]+/[^/]+)/raw/([^/]+)/(.+)")


@dataclass
class Repo:
    """A repository: its files, its commit, and who may read them."""

    files: dict[str, bytes]
    commit: str = COMMIT
    gated: bool = False
    accepted: bool = True


@dataclass
class Fault:
    """What goes wrong, where, and how often.

    `kind` is one of: status, close, truncate, flip, drip, silent, longer, no_size, no_commit,
    page (HTML instead of an answer), elsewhere (a redirect to another host), no_range (the whole
    file, whatever part was asked for), other_range (another part than the one asked for), endless
    (a body without end, of that status), slow_headers (a byte of them now and then).
    """

    kind: str
    method: str = "GET"
    where: str = ""
    times: int | None = None
    status: int = 503
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def strikes(self, method: str, path: str) -> bool:
        if self.method not in {method, "ANY"} or self.where not in path or self.times == 0:
            return False
        if self.times is not None:
            self.times -= 1
        return True


@dataclass
class Request:
    """What somebody asked for."""

    method: str
    path: str
    host: str
    authorization: str | None
    range: str | None = None


class StandIn:
    """Repositories by name, and the server that hands them out."""

    def __init__(self, port: int = 0) -> None:
        self.repos: dict[str, Repo] = {}
        self.github: dict[str, Repo] = {}
        self.faults: list[Fault] = []
        self.requests: list[Request] = []
        self.page_size = 1000
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.01)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def fetched(self, method: str = "GET") -> list[str]:
        """Paths of the files' bodies that were asked for."""
        marks = ("/resolve/", "/raw/")
        return [
            r.path for r in self.requests if r.method == method and any(m in r.path for m in marks)
        ]

    def add_board(self, datasets: Sequence[Dataset], files: Sequence[bytes]) -> None:
        """Serve one file a model under the names that the register has for them."""
        for dataset, body in zip(datasets, files, strict=True):
            repos = self.repos if dataset.source == "hub" else self.github
            repo = repos.setdefault(dataset.repo, Repo({}, dataset.revision or COMMIT))
            repo.files[file_of(dataset)] = body

    def add_witness(self, folder: Path, register: Mapping[str, Dataset]) -> None:
        """Serve the witness of both boards, in every schema that they have."""
        for board, name in (
            *(("oll_v1", task) for task in ("arc", "hellaswag", "winogrande", "gsm8k")),
            ("mmlu_pro_top10", "mmlu_pro"),
        ):
            datasets = [d for d in register.values() if (d.board, d.task) == (board, name)]
            task = read_task(folder / board / f"{name}.parquet")
            if board == "mmlu_pro_top10":
                task = with_shared_item(task)
                self.add_matrices(task, register)
            if board == "oll_v1":
                # The last one in the older schema, which a board may hold beside the newer.
                last = task.n_models - 1
                files = [
                    details_v1(task, j, metric_of(name), old=j == last)
                    for j in range(task.n_models)
                ]
            else:
                files = [samples_v2(task, j, as_list=j % 2 == 1) for j in range(task.n_models)]
            self.add_board(datasets, files)
        for repo, served in self.repos.items():
            served.gated = repo.startswith("open-llm-leaderboard/")

    def add_matrices(self, task: TaskScores, register: Mapping[str, Dataset]) -> None:
        """Serve the items of MMLU-Pro's top ten as the two public repositories do."""
        for dataset in register.values():
            if dataset.board == "efficiently_evaluating":
                self.add_board([dataset], [matrix_zip(task)])
            elif dataset.board == "atlas":
                self.add_board([dataset], [matrix_of_category(task, dataset.model)])

    def add_zips(self, folder: Path) -> None:
        """Serve the real MMLU-Pro outputs as github.com does."""
        zips = files_of_board("mmlu_pro_authors")
        self.add_board(zips, [(folder / Path(one.file).name).read_bytes() for one in zips])


def entry_of_board(name: str) -> dict[str, Any]:
    """The one task of a board of this repository."""
    (task,) = read_yaml(_ROOT / f"config/boards/{name}.yaml")["tasks"].values()
    return dict(task)


def files_of_board(name: str) -> list[Dataset]:
    """The files that a board of this repository downloads."""
    (task,) = read_yaml(_ROOT / f"config/boards/{name}.yaml")["tasks"]
    return listed_files(name, task, {"source": "github"} | entry_of_board(name)["download"])


def file_of(dataset: Dataset) -> str:
    """The path at which a file is served: the register's, or one that its pattern matches."""
    if not dataset.is_pattern:
        return dataset.file
    folder = dataset.repo.partition("/")[2].removesuffix("-details")
    return f"{folder}/samples_leaderboard_mmlu_pro_2024-11-05T10-00-00.123456.json"


def metric_of(task: str) -> str:
    """The metric that the board displays."""
    return "acc_norm" if task in {"arc", "hellaswag"} else "acc"


def details_v1(task: TaskScores, model: int, metric: str, *, old: bool = False) -> bytes:
    """One model's details of one task on the first board.

    The metric that is not displayed is its opposite, so that to take it would be seen. The old
    schema has the metrics at the top and a struct of hashes; the new one has a struct of metrics.
    """
    scores = task.values[:, model]
    other = {"acc_norm": "acc", "acc": "acc_norm"}[metric]
    rows = range(task.n_items)
    example = [f"{task.task} question {i}" for i in rows]
    choices = [[f"{i} yes", f"{i} no"] for i in rows]
    metrics = {metric: scores, other: 1 - scores}
    columns: dict[str, Any] = {
        "example": example,
        "full_prompt": [f"Question: {text}\nAnswer:" for text in example],
        "choices": choices,
        "gold_index": [0] * task.n_items,
    }
    if old:
        columns |= metrics
        columns["hashes"] = [{"hash_examples": f"{i % 5:016x}"} for i in rows]
    else:
        names = sorted(metrics)
        columns["metrics"] = [
            dict(zip(names, (metrics[n][i] for n in names), strict=True)) for i in rows
        ]
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def samples_v2(task: TaskScores, model: int, *, as_list: bool = False) -> bytes:
    """One model's samples of MMLU-Pro on the second board, in the order they were finished in."""
    order = np.random.default_rng(model).permutation(task.n_items)
    scores = task.values[:, model]
    labels = task.clusters["category"]
    records = [
        {
            "doc_id": i,
            "doc": {
                "question_id": 70 + i,
                "question": f"Question {i}?",
                "options": ["yes", "no"],
                "answer": "A",
                "answer_index": 0,
                "cot_content": "",
                "category": labels[i],
                "src": "stand-in",
            },
            "target": "A",
            "resps": [[["-1.0", "True"]], [["-2.0", "False"]]],
            "filtered_resps": [["-1.0", "True"], ["-2.0", "False"]],
            "doc_hash": hashlib.sha256(f"doc {i}".encode()).hexdigest(),
            "prompt_hash": hashlib.sha256(f"prompt {i} {model}".encode()).hexdigest(),
            "target_hash": hashlib.sha256(b"A").hexdigest(),
            "acc": scores[i],
        }
        for i in map(int, order)
    ]
    if as_list:
        return json.dumps(records, indent=2).encode()
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def with_shared_item(task: TaskScores) -> TaskScores:
    """Add the item that a witness of the top ten lacks: all models solve it, as was displayed."""
    labels = block_labels(_PAPER / "mmlu_pro_categories.csv")
    here = task.clusters["category"]
    at = next(i for i, label in enumerate(labels) if i == len(here) or here[i] != label)
    return replace(
        task,
        item_ids=tuple(map(str, range(len(labels)))),
        values=np.insert(task.values, at, 1, axis=0),
        clusters={"category": labels},
    )


def hub_ids() -> dict[str, str]:
    """The full names of the models by the paper's."""
    scores = load_board_scores(_PAPER / "board_scores.csv")
    return {score.model: score.hub_id for score in scores["mmlu_pro"]}


def matrix_zip(task: TaskScores, *, n_others: int = 4) -> bytes:
    """The zip of efficiently-evaluating-llms: two halves by date, and what lies beside them.

    One model has a second row, of a run that was not displayed. A half that pandas once read with
    missing scores holds decimal numbers.
    """
    rng = np.random.default_rng(1)
    rows = [(hub_ids()[model], task.values[:, j]) for j, model in enumerate(task.models)]
    rows.insert(3, (rows[2][0], 1 - rows[2][1]))
    others = [(f"org/other-{i}", rng.integers(0, 2, task.n_items)) for i in range(n_others)]
    halves = {"M1": rows[::2] + others, "M2": others + rows[1::2]}
    header = ",".join(["model", "created_date", "sha", *map(str, range(task.n_items))])
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("mmlu-pro/M1_nfobs=0_p=0.1.csv", header + "\n")
        for name, half in halves.items():
            scores = {0: "0", 1: "1"} if name == "M1" else {0: "0.0", 1: "1.0"}
            lines = [
                ",".join(
                    [
                        model.replace("/", "__"),
                        "2024-06-26 15:35:12+00:00",
                        "f" * 40,
                        *(scores[int(value)] for value in values),
                    ]
                )
                for model, values in half
            ]
            archive.writestr(f"mmlu-pro/{name}.csv", "\n".join([header, *lines, ""]))
            archive.writestr(f"__MACOSX/mmlu-pro/._{name}.csv", b"\0")
    return sink.getvalue()


def matrix_of_category(task: TaskScores, category: str) -> bytes:
    """One of the 14 files of ATLAS."""
    items = [i for i, label in enumerate(task.clusters["category"]) if label == category]
    lines = [
        ",".join([hub_ids()[model], *(f"{task.values[i, j]:.1f}" for i in items)])
        for j, model in enumerate(task.models)
    ]
    return "\n".join([",".join(["", *map(str, items)]), *lines, ""]).encode()


class _Handler(BaseHTTPRequestHandler):
    hub: StandIn
    protocol_version = "HTTP/1.1"
    # Else a body waits 40 ms for the client to acknowledge its headers.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_HEAD(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def _serve(self) -> None:
        hub, path = self.hub, unquote(self.path)
        asked = Request(
            self.command,
            path,
            self.headers.get("Host", ""),
            self.headers.get("Authorization"),
            self.headers.get("Range"),
        )
        hub.requests.append(asked)
        fault = next((f for f in hub.faults if f.strikes(self.command, path)), None)
        if fault is not None and self._refuses(fault):
            return
        bare = urlsplit(path).path
        if match := _REVISION.fullmatch(bare):
            self._revision(match[1], match[2])
        elif match := _TREE.fullmatch(bare):
            self._tree(match[1], match[2])
        elif match := _RESOLVE.fullmatch(path):
            self._file(match[1], match[2], match[3], fault)
        elif match := _RAW.fullmatch(path):
            self._raw(match[1], match[2], match[3], fault)
        else:
            self._answer(404, {})

    def _refuses(self, fault: Fault) -> bool:
        """Answer with a fault that needs no file."""
        if fault.kind == "status":
            self._answer(fault.status, fault.headers, fault.body)
        elif fault.kind == "page":
            self._answer(200, {"Content-Type": "text/html"}, b"<html>Please log in</html>")
        elif fault.kind == "close":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fault.kind == "silent":
            time.sleep(3)
            self.close_connection = True
        elif fault.kind == "elsewhere":
            place = f"http://localhost:{self.hub.port}{self.path}"
            self._answer(302, {"Location": place, **fault.headers})
        elif fault.kind == "endless":
            self._endless(fault)
        elif fault.kind == "slow_headers":
            self._drip(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1000)
        else:
            return False
        return True

    def _endless(self, fault: Fault) -> None:
        """Send `body` again and again, for as long as anybody listens."""
        self.close_connection = True
        self.send_response(fault.status)
        for name, value in fault.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            while True:
                self.wfile.write(fault.body)
        except OSError:
            pass

    def _allowed(self, repo: str, revision: str) -> Repo | None:
        """Return the repository if this user may read that revision; answer otherwise."""
        found = self.hub.repos.get(repo)
        given = self.headers.get("Authorization")
        if given is not None and given != f"Bearer {TOKEN}":
            message = {"X-Error-Message": "Invalid credentials in Authorization header"}
            self._answer(401, message)
        elif found is None:
            # Without a token the hub does not say whether there is a hidden one.
            self._answer(404 if given else 401, {"X-Error-Code": "RepoNotFound"})
        elif found.gated and given is None:
            self._answer(401, {"X-Error-Code": "GatedRepo"})
        elif found.gated and not found.accepted:
            self._answer(403, {"X-Error-Code": "GatedRepo"})
        elif revision not in {"main", found.commit}:
            self._answer(404, {"X-Error-Code": "RevisionNotFound"})
        else:
            return found
        return None

    def _revision(self, repo: str, revision: str) -> None:
        if (found := self._allowed(repo, revision)) is not None:
            self._json({"id": repo, "sha": found.commit})

    def _tree(self, repo: str, revision: str) -> None:
        if (found := self._allowed(repo, revision)) is None:
            return
        entries = [
            {"type": "directory", "oid": "0" * 40, "size": 0, "path": folder}
            for folder in sorted({name.rpartition("/")[0] for name in found.files} - {""})
        ]
        for name, body in sorted(found.files.items()):
            oid = hashlib.sha256(body).hexdigest()
            lfs = {"oid": oid, "size": len(body), "pointerSize": 130}
            entries.append(
                {"type": "file", "oid": "0" * 40, "size": len(body), "path": name, "lfs": lfs}
            )
        cursor = re.search(r"cursor=(\d+)", self.path)
        start = int(cursor[1]) if cursor else 0
        stop = start + self.hub.page_size
        bare = self.path.partition("?")[0]
        link = f'<{self.hub.endpoint}{bare}?recursive=true&cursor={stop}>; rel="next"'
        self._json(entries[start:stop], {"Link": link} if stop < len(entries) else {})

    def _file(self, repo: str, revision: str, name: str, fault: Fault | None) -> None:
        if (found := self._allowed(repo, revision)) is None:
            return
        commit = {"X-Repo-Commit": found.commit}
        body = found.files.get(name)
        if body is None:
            self._answer(404, {"X-Error-Code": "EntryNotFound", **commit})
            return
        if fault is not None and fault.kind == "no_commit":
            commit = {}
        tag = hashlib.sha256(body).hexdigest()
        if fault is not None and fault.kind == "no_tag":
            tag = "etag"
        headers = {"ETag": f'"{tag}"', "X-Linked-Etag": f'"{tag}"', "X-Linked-Size": str(len(body))}
        self._body(body, headers | commit, fault)

    def _raw(self, repo: str, revision: str, name: str, fault: Fault | None) -> None:
        found = self.hub.github.get(repo)
        if found is None or revision != found.commit or name not in found.files:
            self._answer(404, {})
        else:
            self._body(found.files[name], {}, fault)

    def _body(self, body: bytes, headers: Mapping[str, str], fault: Fault | None) -> None:
        kind = "" if fault is None else fault.kind
        sent, status = body, 200
        if kind == "flip":
            middle = len(body) // 2
            sent = body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :]
        elif kind == "longer":
            sent = body + b"more"
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if asked and kind != "no_range":
            start = int(asked[1]) - (kind == "other_range")
            if start >= len(body):
                self._answer(416, {"Content-Range": f"bytes */{len(body)}"})
                return
            headers = {**headers, "Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
            sent, status = sent[start:], 206
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if kind == "no_size":
            self.close_connection = True
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if kind == "truncate":
            self.wfile.write(sent[: len(sent) // 2])
            self.close_connection = True
        elif kind == "drip":
            self._drip(sent)
        else:
            with suppress(OSError):
                self.wfile.write(sent)

    def _drip(self, body: bytes) -> None:
        """Send a byte now and then, so that no read ever times out."""
        try:
            for k in range(len(body)):
                self.wfile.write(body[k : k + 1])
                self.wfile.flush()
                time.sleep(0.01)
        except OSError:
            self.close_connection = True

    def _json(self, content: object, headers: Mapping[str, str] | None = None) -> None:
        kind = {"Content-Type": "application/json"}
        self._answer(200, kind | dict(headers or {}), json.dumps(content).encode())

    def _answer(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            with suppress(OSError):  # whoever asked may have read enough
                self.wfile.write(body)


@contextmanager
def running(port: int = 0) -> Iterator[StandIn]:
    """A stand-in that answers while the block runs."""
    hub = StandIn(port)
    thread = threading.Thread(target=hub.serve, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.stop()
        thread.join()


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve a witness until the program is stopped."""
    parser = argparse.ArgumentParser(description="A stand-in of the hub on loopback.")
    parser.add_argument("--witness", type=Path, default=_ROOT / "results" / "witness")
    parser.add_argument("--data", type=Path, help="folder with mmlu_pro/raw, the real zips")
    parser.add_argument("--register", type=Path, default=_ROOT / "data" / "datasets.csv")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments)
    register = load_datasets(options.register)
    hub = StandIn(options.port)
    hub.add_witness(options.witness, register)
    if options.data is not None:
        hub.add_zips(options.data / "mmlu_pro" / "raw")
    print(f"HF_ENDPOINT={hub.endpoint} LLM_POWER_GITHUB_ENDPOINT={hub.endpoint} HF_TOKEN={TOKEN}")
    sys.stdout.flush()
    try:
        hub.serve()
    except KeyboardInterrupt:
        hub.stop()


if __name__ == "__main__":
    main()
