"""The screen of a quiet run: what lands and fails while it runs, and what it says at its end."""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from logging import CRITICAL, WARNING, LogRecord
from pathlib import Path
from textwrap import TextWrapper
from typing import Any, Final

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from tqdm import tqdm

from llm_power._errors import first_names
from llm_power_audit.written_verdicts import counted, verdicts_by_claim
from replication.records import job_name

# How the process of a job ended, in what Snakemake says of it.
_ENDED: Final = re.compile(r"died with <.*?>|returned non-zero exit status \d+")
# A record that has it names the jobs of each unit that is about to be made.
PLAN: Final = "units_to_make"
# A record that has it is repeated at the end of the run.
REPEATED_LATER: Final = "repeated_later"
_BAR: Final = "{n_fmt} of {total_fmt} jobs |{bar:24}| {elapsed}, {remaining} to go "
# What the last finished run made of a paper, manifest and verdicts, in the folder of that name
# here; beside Snakemake's own state, for it is no result.
LAST: Final = Path(".snakemake/last_run")
_SHOWN: Final = 6
_KINDS: Final = ("table", "figure", "board")


class Screen(LogHandlerBase):
    """Show what lands and what fails, and nothing else of what Snakemake says."""

    # It replaces Snakemake's own screen, and writes its own lines into no file.
    writes_to_stream = has_filter = has_formatter = True
    writes_to_file = needs_rulegraph = False

    def __post_init__(self) -> None:
        # An exhibit, a board or a page lands with the last of its jobs.
        self._units: dict[str, set[int]] = {}
        self._began = time.time()
        # What each job is called, and when it first began.
        self._jobs: dict[int, tuple[str, float]] = {}
        self._done: set[int] = set()
        # What Snakemake says of an error before it says whose job it is.
        self._error = ""
        self._failed = False
        self._bar: tqdm[Any] | None = None

    def emit(self, record: LogRecord) -> None:
        """Show what a record says, if it is for the screen."""
        try:
            self._show(record, record.__dict__)
        except Exception:
            self.handleError(record)

    def _show(self, record: LogRecord, event: Mapping[str, Any]) -> None:
        match event.get("event"):
            case LogEvent.JOB_INFO:
                name = job_name(event["rule_name"], event["wildcards"])
                self._jobs.setdefault(event["jobid"], (name, record.created))
            case LogEvent.JOB_FINISHED:
                self._finish(event["job_id"], record.created)
            case LogEvent.PROGRESS:
                self._progress(event["done"], event["total"])
            case LogEvent.JOB_ERROR:
                self._failed = True
                job, _ = self._jobs.get(event["jobid"], (event["rule_name"], 0.0))
                self._write(_job_error(job, event["log"], self._error))
                self._error = ""
            case LogEvent.ERROR:
                self._error = _one_line(record)
            case None if PLAN in event:
                self._units = {name: set(jobs) for name, jobs in event[PLAN].items()}
            # What Snakemake adds to an error is in its log.
            case None if record.levelno >= (CRITICAL if self._failed or self._error else WARNING):
                if REPEATED_LATER not in event:
                    self._write(_one_line(record))

    def _finish(self, job: int, now: float) -> None:
        self._done.add(job)
        for name, jobs in self._units.items():
            if job in jobs <= self._done:
                landed = sum(one <= self._done for one in self._units.values())
                of = f"{landed:{len(str(len(self._units)))}} of {len(self._units)}"
                since = tqdm.format_interval(now - self._began)
                began = min((self._jobs[one][1] for one in jobs & self._jobs.keys()), default=now)
                seconds = now - began
                self._write(f"{of}  {since}  {name:<30} {seconds:6.1f} s")

    def _progress(self, done: int, total: int) -> None:
        if self._bar is None:
            # On a terminal alone.
            options: Any = {"disable": None, "leave": False, "bar_format": _BAR}
            self._bar = tqdm(total=total, file=sys.stderr, **options)
            self._bar.start_t = self._began
        self._bar.n, self._bar.total = done, total
        self._bar.refresh()

    def _write(self, line: str) -> None:
        tqdm.write(line, file=sys.stderr)

    def close(self) -> None:
        """Take the line of progress away, and say the error that was no job's."""
        if self._bar is not None:
            self._bar.close()
        if self._error and not self._failed:
            self._write(self._error)
        self._error = ""
        super().close()


def _job_error(job: str, logs: Iterable[str], exception: str) -> str:
    """Return the one line of a job that failed: its own error, and where its log is."""
    texts = [Path(log).read_text("utf-8", "replace") for log in logs if Path(log).is_file()]
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("error: ")]
    ended = _ENDED.search(exception)
    last = lines[-1] if lines else ended[0] if ended else exception
    where = "".join(f"; log: {log}" for log in logs)
    return f"error: {(own or [last])[0].removeprefix('error: ')} (job {job}{where})"


def _one_line(record: LogRecord) -> str:
    """Return a message of Snakemake in one line: that of the refused input, if it is one."""
    lines = [line.strip() for line in record.getMessage().splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("error: ")]
    level = f"{record.levelname.lower()}: "
    return own[0] if own else level + " ".join(lines).removeprefix(level)


def last_screen(folders: Sequence[str], *, seconds: float, log: Path | None) -> list[str]:
    """Return the lines with which a run ends that made the papers of these folders whole."""
    rows = [row for folder in folders for row in (*_of_paper(folder), ("", ""))]
    if log is not None:
        rows.append(("Log", str(log)))
    rows.append(("Took", took(seconds)))
    return [line for label, text in rows for line in _wrapped(label, text)]


def _of_paper(folder: str) -> Iterator[tuple[str, str]]:
    """Give the rows of a paper, and let the next run be compared with this one."""
    results = Path(folder, "results")
    made = json.loads((results / "manifest.json").read_bytes())
    made["verdicts"] = verdicts_by_claim(results)
    whole = [one for one in made["exhibits"] if "undefined" not in one]
    kinds = Counter(one["name"].split("_")[0] for one in whole)
    kinds["board"] = len(made["boards"])
    numbers = [f"{kinds[one]} {one}{'s' * (kinds[one] != 1)}" for one in _KINDS]
    yield "Paper", made["paper"]["citation"]
    yield "Made", ", ".join(numbers)
    yield from (("Left out", line) for line in made["left_out"])
    claims = ", ".join(text for _, text in counted(made["verdicts"].values()))
    yield "Claims", f"{len(made['verdicts']):,}: {claims}"
    yield "Changed", _since_the_last(LAST / folder / "made.json", made)
    yield "Look at", str((results / "index.html").resolve())


def _since_the_last(place: Path, made: Mapping[str, Any]) -> str:
    """Say what changed since the run that is remembered there, and remember this one."""
    try:
        before = json.loads(place.read_bytes())
        changes = "; ".join(_changes(before, made)) or "nothing"
        changed = f"{changes} (since the run of {before['run']['end']})"
    except (OSError, ValueError, TypeError, KeyError):
        changed = "no earlier run is known here"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(made), encoding="utf-8")
    return changed


def _changes(before: Mapping[str, Any], made: Mapping[str, Any]) -> Iterator[str]:
    """Say what is new, gone or different between two runs, kind by kind."""
    then, now = (
        {one["name"]: one["outputs"] for one in (*run["exhibits"], *run["boards"])}
        for run in (before, made)
    )
    verdicts = before["verdicts"]
    changes = {
        "new": [name for name in now if name not in then],
        "gone": [name for name in then if name not in now],
        "other bytes": [name for name, files in now.items() if then.get(name, files) != files],
        "other verdicts": [
            f"{claim} {verdicts[claim]} → {verdict}".replace("_", " ")
            for claim, verdict in made["verdicts"].items()
            if verdicts.get(claim, verdict) != verdict
        ],
    }
    for kind, names in changes.items():
        if names:
            yield f"{kind}: {first_names(names, _SHOWN)}"


def took(seconds: float) -> str:
    """Return a time as a reader says it."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _wrapped(label: str, text: str) -> list[str]:
    """Return the lines of a row; a path or an address stays whole, to be copied."""
    width = max(60, min(100, shutil.get_terminal_size().columns))
    wrapper = TextWrapper(width, f"{label:<10}", " " * 10, break_long_words=False)
    wrapper.break_on_hyphens = False
    return wrapper.wrap(text) or [""]
