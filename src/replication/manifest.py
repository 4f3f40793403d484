"""The manifest of a run: sources, versions, seed and time of every exhibit."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import psutil
from PIL import Image

from llm_power.provenance import SOURCE_KINDS, Provenance, provenance_kinds, provenance_line
from llm_power.report.score_provenance import score_provenance
from llm_power.scores.store import read_task
from replication.records import Ledger, Record

_PACKAGES: Final = (
    *("llm-power", "matplotlib", "numpy", "pandas", "pyarrow", "scipy", "seaborn"),
    *("snakemake", "statsmodels"),
)


def build_manifest(
    exhibits: Sequence[Mapping[str, Any]],
    boards: Sequence[Mapping[str, Any]],
    *,
    left_out: Sequence[str],
    jobs: Iterable[Record],
    paper: Mapping[str, str],
    config: Mapping[str, Any],
) -> dict[str, Any]:
    """Describe a run.

    Parameters
    ----------
    exhibits, boards : sequence of mapping
        What `describe` and `describe_board` returned of each.
    left_out : sequence of str
        What was not made, and why.
    jobs : iterable of Record
        All that these were made by. The run is from the begin of the first to the end of the last.
    paper : mapping of str to str
        Which paper they belong to.
    config : mapping
        The whole configuration, with the root of the random streams and the panels' source.

    Returns
    -------
    dict
        JSON-ready: ``run`` with ``start``, ``end`` and ``agent``, ``software``, ``paper``,
        ``seed``, ``source``, ``config``, ``exhibits``, ``boards`` and ``left_out``.
    """
    jobs = list(jobs)
    return {
        "run": {
            "start": min((job.began for job in jobs if job.began), default=None),
            "end": max((job.ended for job in jobs if job.ended), default=None),
            "agent": psutil.Process().username(),
        },
        "software": {"python": platform.python_version()}
        | {package: version(package) for package in _PACKAGES},
        "paper": dict(paper),
        "seed": config["seed"],
        "source": config["source"],
        "config": dict(config),
        "exhibits": list(exhibits),
        "boards": list(boards),
        "left_out": list(left_out),
    }


def describe(
    name: str,
    made: Record,
    provenance: Sequence[Provenance] | None = None,
    benchmark: Path | None = None,
    *,
    title: str = "",
) -> dict[str, Any]:
    """Describe an exhibit of a run.

    Parameters
    ----------
    name : str
        What it is called.
    made : Record
        Of the job that made it; the files exist.
    provenance : sequence of Provenance, optional
        Its sources; by default those that the metadata of its files name.
    benchmark : Path, optional
        Snakemake's benchmark of the job, for the wall time.
    title : str
        What it is, where the paper does not number it.

    Returns
    -------
    dict
        JSON-ready: ``name``, ``classes``, ``provenance``, ``outputs`` and ``inputs`` with their
        SHA-256, ``wall_seconds`` where they were measured, and ``title`` where there is one.
    """
    if provenance is None:
        line, kinds = _read_provenance(made)
    else:
        line, kinds = provenance_line(provenance), [*provenance_kinds(provenance)]
    return {
        "name": name,
        **({"title": title} if title else {}),
        "classes": kinds,
        "provenance": line,
        "wall_seconds": _wall_seconds(benchmark),
        "outputs": made.outputs,
        "inputs": made.inputs,
    }


def describe_board(
    name: str, title: str, outputs: Iterable[str], scores: Sequence[str], jobs: Ledger
) -> dict[str, Any]:
    """Describe a board of a run.

    Parameters
    ----------
    name, title : str
        What it is called.
    outputs : iterable of str
        The files that were made of it.
    scores : sequence of str
        The prepared scores of its tasks, which say where they come from.
    jobs : Ledger
        The records of the run.

    Returns
    -------
    dict
        JSON-ready, like that of an exhibit, and ``title``; its inputs are the files of scores.
    """
    provenance = score_provenance([read_task(path) for path in scores])
    read = {path: found for one in scores for path, found in jobs.makers[one].inputs.items()}
    return {
        "name": name,
        "title": title,
        "classes": [*provenance_kinds(provenance)],
        "provenance": provenance_line(provenance),
        "outputs": {path: jobs.makers[path].outputs[path] for path in outputs},
        "inputs": {path: found for path, found in read.items() if not path.endswith(".py")},
    }


def _read_provenance(made: Record) -> tuple[str, list[str]]:
    for path in map(Path, made.outputs):
        if path.name.endswith(".csv-metadata.json"):
            described = json.loads(path.read_text(encoding="utf-8"))
            return described["dc:provenance"], described[SOURCE_KINDS]
        if path.suffix == ".png":
            with Image.open(path) as picture:
                return picture.info["Description"], picture.info[SOURCE_KINDS].split()
    names = ", ".join(made.outputs)
    raise ValueError(f"none of these outputs says where its numbers come from: {names}")


def _wall_seconds(benchmark: Path | None) -> float | None:
    if benchmark is None or not benchmark.is_file():
        return None
    header, first, *_ = benchmark.read_text(encoding="utf-8").splitlines()
    return float(first.split("\t")[header.split("\t").index("s")])
