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

from llm_power import __version__
from llm_power._provenance import SOURCE_KINDS, Provenance, provenance_kinds, provenance_line
from llm_power._report.tables import score_provenance
from llm_power._scores.store import read_task
from replication.records import Ledger, Record
from replication.stages import undefined_among

_PACKAGES: Final = (
    *("matplotlib", "numpy", "pandas", "pyarrow", "scipy", "seaborn"),
    *("snakemake", "statsmodels"),
)


def build_manifest(
    exhibits: Sequence[Mapping[str, Any]],
    boards: Sequence[Mapping[str, Any]],
    *,
    left_out: Sequence[str],
    jobs: Iterable[Record],
    paper: Mapping[str, Any],
    config: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what a run made and what it made it from, JSON-ready; its jobs give begin and end."""
    jobs = list(jobs)
    return {
        "run": {
            "start": min((job.began for job in jobs if job.began), default=None),
            "end": max((job.ended for job in jobs if job.ended), default=None),
            "agent": psutil.Process().username(),
        },
        "software": {"python": platform.python_version(), "llm-power": __version__}
        | {package: version(package) for package in _PACKAGES},
        "paper": dict(paper),
        "seed": config["seed"],
        "source": config["source"],
        "config": dict(config),
        "exhibits": list(exhibits),
        "boards": list(boards),
        "left_out": [
            *left_out,
            *(f"{one['name']}: {one['provenance']}" for one in exhibits if "undefined" in one),
        ],
    }


def describe(
    name: str,
    made: Record,
    provenance: Sequence[Provenance] | None = None,
    benchmark: Path | None = None,
    *,
    title: str = "",
) -> dict[str, Any]:
    """Describe an exhibit of a run; one that printed numbers leave undefined says why."""
    why = undefined_among(made.outputs)
    line, kinds = (f"not computed: {why}", []) if why else _sources(made, provenance)
    return {
        "name": name,
        **({"title": title} if title else {}),
        **({"undefined": why} if why else {}),
        "classes": kinds,
        "provenance": line,
        "wall_seconds": _wall_seconds(benchmark),
        "outputs": made.outputs,
        "inputs": made.inputs,
    }


def board_entry(
    name: str, title: str, outputs: Iterable[str], scores: Sequence[str], jobs: Ledger
) -> dict[str, Any]:
    """Describe a board of a run."""
    provenance = score_provenance([read_task(path) for path in scores])
    read = {path: sha256 for one in scores for path, sha256 in jobs.makers[one].inputs.items()}
    return {
        "name": name,
        "title": title,
        "classes": [*provenance_kinds(provenance)],
        "provenance": provenance_line(provenance),
        "outputs": {path: jobs.makers[path].outputs[path] for path in outputs},
        "inputs": {path: sha256 for path, sha256 in read.items() if not path.endswith(".py")},
    }


def _sources(made: Record, provenance: Sequence[Provenance] | None) -> tuple[str, list[str]]:
    if provenance is not None:
        return provenance_line(provenance), [*provenance_kinds(provenance)]
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
