"""The manifest of a run: sources, versions, seed and time of every exhibit."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from PIL import Image

from llm_power.provenance import SOURCE_KINDS, Provenance, provenance_kinds, provenance_line
from replication.records import Record

_PACKAGES: Final = (
    *("llm-power", "matplotlib", "numpy", "pandas", "pyarrow", "scipy", "seaborn"),
    *("snakemake", "statsmodels"),
)


def build_manifest(
    exhibits: Sequence[Mapping[str, Any]], *, paper: Mapping[str, str], config: Mapping[str, Any]
) -> dict[str, Any]:
    """Describe a run.

    Parameters
    ----------
    exhibits : sequence of mapping
        What `describe` returned of each.
    paper : mapping of str to str
        Which paper they belong to.
    config : mapping
        The whole configuration, with the root of the random streams and the panels' source.

    Returns
    -------
    dict
        JSON-ready: ``software``, ``paper``, ``seed``, ``source``, ``config`` and ``exhibits``.
    """
    return {
        "software": {"python": platform.python_version()}
        | {package: version(package) for package in _PACKAGES},
        "paper": dict(paper),
        "seed": config["seed"],
        "source": config["source"],
        "config": dict(config),
        "exhibits": list(exhibits),
    }


def describe(
    made: Record, provenance: Sequence[Provenance] | None = None, benchmark: Path | None = None
) -> dict[str, Any]:
    """Describe an exhibit of a run.

    Parameters
    ----------
    made : Record
        Of the job that made it; the files exist.
    provenance : sequence of Provenance, optional
        Its sources; by default those that the metadata of its files name.
    benchmark : Path, optional
        Snakemake's benchmark of the job, for the wall time.

    Returns
    -------
    dict
        JSON-ready: ``name``, ``classes``, ``provenance``, ``outputs`` and ``inputs`` with their
        SHA-256, and ``wall_seconds`` where they were measured.
    """
    if provenance is None:
        line, kinds = _read_provenance(made)
    else:
        line, kinds = provenance_line(provenance), [*provenance_kinds(provenance)]
    return {
        "name": made.job,
        "classes": kinds,
        "provenance": line,
        "wall_seconds": _wall_seconds(benchmark),
        "outputs": made.outputs,
        "inputs": made.inputs,
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
