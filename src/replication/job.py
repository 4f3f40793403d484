"""What every script of the workflow does around its one call: log, and fail in one line."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any, NoReturn

import __main__
from llm_power._errors import LLMPowerError
from replication.records import Ledger, forget, job_name, now, record, sum_of
from replication.stages import (
    REFUSALS,
    MisprintedPoint,
    UndeclaredInput,
    read_stage,
    reason_of,
    undefined_among,
    write_csv,
    write_stage,
    write_undefined,
)

__all__ = ["file_sums", "logged", "read_stage", "snakemake", "write_csv", "write_stage"]

# Snakemake puts this object into the script that it runs.
snakemake: Any = __main__.snakemake


@contextmanager
def logged(*, of_printed: bool = False, despite: bool = False) -> Iterator[None]:
    """Send messages to the rule's log; end the job with the one line of a refused input.

    Printed numbers that a job `of_printed` refuses contradict each other: its results say so, and
    so do those of all jobs that read them, but those that go on `despite` it.
    """
    # The job reads nothing that another job has not recorded, and is itself recorded at its end,
    # which is that of the process.
    code, began = 0, now()
    job, root = job_name(snakemake.rule, dict(snakemake.wildcards.items())), Path()
    with open(snakemake.log[0], "w", encoding="utf-8") as log, redirect_stderr(log):
        try:
            inputs = Ledger.before(snakemake.input, root).check(snakemake.input)
            # The code is a parameter of the rule, where it matters for what is made.
            inputs |= {path: sum_of(root / path) for path in snakemake.params.get("code", ())}
            forget(job, root)
            why = "" if despite else undefined_among(snakemake.input)
            if not why:
                try:
                    yield
                except REFUSALS as error:
                    is_printed = of_printed or isinstance(error, MisprintedPoint)
                    if not is_printed or isinstance(error, UndeclaredInput):
                        raise
                    why = reason_of(error)
                    print(f"{job} is undefined: {why} ({snakemake.log[0]})", file=sys.__stderr__)
            if why:
                write_undefined(snakemake.output, why)
                print(f"undefined: {why}", file=log)
            record(job, inputs, snakemake.output, root, began=began)
            if why:
                _end(code)
        except LLMPowerError as error:
            print(f"error: {error}", file=log)
            code = 1
    _end(code)


def _end(code: int) -> NoReturn:
    """End the process here: at an orderly exit Arrow's threads can abort (apache/arrow#34314)."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def file_sums(*paths: str) -> dict[str, str]:
    """Return the SHA-256 of each file by its name."""
    return {Path(path).name: sum_of(Path(path)) for path in paths}
