"""The manifest of a run: sources, versions, seed and time of every exhibit."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from PIL import Image

from llm_power.provenance import SOURCE_KINDS, Provenance, provenance_kinds, provenance_line

_PACKAGES: Final = (
    *("llm-power", "matplotlib", "numpy", "pandas", "pyarrow", "scipy", "snakemake"),
    "statsmodels",
)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One exhibit of a run.

    Attributes
    ----------
    name : str
        Name of its target.
    outputs, inputs : mapping
        SHA-256 of each file by its path; of the inputs, data and code.
    provenance : sequence of Provenance or None
        Its sources; None to read them from the metadata of the outputs.
    benchmark : Path or None
        Snakemake's benchmark of the job, for the wall time.
    """

    name: str
    outputs: Mapping[str, str]
    inputs: Mapping[str, str]
    provenance: Sequence[Provenance] | None = None
    benchmark: Path | None = None


def build_manifest(
    exhibits: Sequence[Exhibit], *, paper: Mapping[str, str], config: Mapping[str, Any]
) -> dict[str, Any]:
    """Describe a run.

    Parameters
    ----------
    exhibits : sequence of Exhibit
        What was made; the files exist.
    paper : mapping of str to str
        Which paper they belong to.
    config : mapping
        The whole configuration, with the root of the random streams and the panels' source.

    Returns
    -------
    dict
        JSON-ready: ``software``, ``paper``, ``seed``, ``source``, ``config`` and ``exhibits``,
        each with ``classes``, ``provenance``, ``outputs`` and ``inputs`` with their SHA-256, and
        ``wall_seconds`` where they were measured.
    """
    return {
        "software": {"python": platform.python_version()}
        | {package: version(package) for package in _PACKAGES},
        "paper": dict(paper),
        "seed": config["seed"],
        "source": config["source"],
        "config": dict(config),
        "exhibits": [_describe(exhibit) for exhibit in exhibits],
    }


def _describe(exhibit: Exhibit) -> dict[str, Any]:
    line, kinds = _provenance(exhibit)
    return {
        "name": exhibit.name,
        "classes": kinds,
        "provenance": line,
        "wall_seconds": _wall_seconds(exhibit.benchmark),
        "outputs": dict(exhibit.outputs),
        "inputs": dict(exhibit.inputs),
    }


def _provenance(exhibit: Exhibit) -> tuple[str, list[str]]:
    if exhibit.provenance is not None:
        return provenance_line(exhibit.provenance), [*provenance_kinds(exhibit.provenance)]
    for path in map(Path, exhibit.outputs):
        if path.name.endswith(".csv-metadata.json"):
            described = json.loads(path.read_text(encoding="utf-8"))
            return described["dc:provenance"], described[SOURCE_KINDS]
        if path.suffix == ".png":
            with Image.open(path) as picture:
                return picture.info["Description"], picture.info[SOURCE_KINDS].split()
    names = ", ".join(map(str, exhibit.outputs))
    raise ValueError(f"none of these outputs says where its numbers come from: {names}")


def _wall_seconds(benchmark: Path | None) -> float | None:
    if benchmark is None or not benchmark.is_file():
        return None
    header, first, *_ = benchmark.read_text(encoding="utf-8").splitlines()
    return float(first.split("\t")[header.split("\t").index("s")])
