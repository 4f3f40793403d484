"""The manifest of a run: every exhibit, where its numbers come from, and what it was made with."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from PIL import Image

_PACKAGES: Final = (
    *("llm-power", "matplotlib", "numpy", "pandas", "pyarrow", "scipy", "snakemake"),
    "statsmodels",
)
_CLASSES: Final = {
    "from published counts": "published",
    "simulated": "simulated",
    "witness": "witness",
    "raw": "raw",
    "stand-in or mirror": "stand_in",
}


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One exhibit of a run.

    Attributes
    ----------
    name : str
        Name of its target.
    outputs, inputs : mapping
        SHA-256 of each file by its path; of the inputs, data and code.
    provenance : str or None
        Its line of provenance; None to read it from the metadata of the outputs.
    benchmark : Path or None
        Snakemake's benchmark of the job, for the wall time.
    """

    name: str
    outputs: Mapping[str, str]
    inputs: Mapping[str, str]
    provenance: str | None = None
    benchmark: Path | None = None


def build_manifest(
    exhibits: Sequence[Exhibit], *, seed: int, source: str, config: Mapping[str, Any]
) -> dict[str, Any]:
    """Describe a run.

    Parameters
    ----------
    exhibits : sequence of Exhibit
        What was made; the files exist.
    seed : int
        Root of the random streams.
    source : str
        Where the paper's panels came from.
    config : mapping
        The whole configuration.

    Returns
    -------
    dict
        JSON-ready: ``software``, ``seed``, ``source``, ``config`` and ``exhibits``, each with
        ``classes``, ``provenance``, ``outputs`` and ``inputs`` with their SHA-256, and
        ``wall_seconds`` where they were measured.
    """
    return {
        "software": {"python": platform.python_version()}
        | {package: version(package) for package in _PACKAGES},
        "seed": seed,
        "source": source,
        "config": dict(config),
        "exhibits": [_describe(exhibit) for exhibit in exhibits],
    }


def provenance_classes(line: str) -> list[str]:
    """Return the classes of provenance that a line names."""
    parts = [part.strip() for part in line.split("; ")]
    found = (_CLASSES[head] for part in parts for head in _CLASSES if part.startswith(head))
    return list(dict.fromkeys(found))


def _describe(exhibit: Exhibit) -> dict[str, Any]:
    line = exhibit.provenance or _read_provenance([*map(Path, exhibit.outputs)])
    return {
        "name": exhibit.name,
        "classes": provenance_classes(line),
        "provenance": line,
        "wall_seconds": _wall_seconds(exhibit.benchmark),
        "outputs": dict(exhibit.outputs),
        "inputs": dict(exhibit.inputs),
    }


def _read_provenance(outputs: Sequence[Path]) -> str:
    for path in outputs:
        if path.name.endswith(".csv-metadata.json"):
            return str(json.loads(path.read_text(encoding="utf-8"))["dc:provenance"])
        if path.suffix == ".png":
            with Image.open(path) as picture:
                return str(picture.info["Description"])
    names = ", ".join(map(str, outputs))
    raise ValueError(f"none of these outputs says where its numbers come from: {names}")


def _wall_seconds(benchmark: Path | None) -> float | None:
    if benchmark is None or not benchmark.is_file():
        return None
    header, first, *_ = benchmark.read_text(encoding="utf-8").splitlines()
    return float(first.split("\t")[header.split("\t").index("s")])
