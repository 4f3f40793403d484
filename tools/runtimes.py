"""Print the table of runtimes of docs/running.md from the benchmark files of the last run."""

from __future__ import annotations

import csv
from pathlib import Path

from tabulate import tabulate

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "workflow"
LONGER_THAN = 2.5


def rows() -> list[list[str]]:
    """Return rule, wall seconds and peak memory of every job that took long, longest first."""
    measured = []
    for path in sorted(FOLDER.rglob("*.tsv")):
        with path.open(encoding="utf-8") as file:
            first = next(csv.DictReader(file, delimiter="\t"))
        name = path.relative_to(FOLDER).with_suffix("").as_posix()
        measured.append((float(first["s"]), name, float(first["max_rss"])))
    return [
        [name, f"{seconds:.1f}", f"{memory:.0f}"]
        for seconds, name, memory in sorted(measured, reverse=True)
        if seconds > LONGER_THAN
    ]


if __name__ == "__main__":
    headers = ["job", "wall, s", "peak memory, MB"]
    align = ("left", "right", "right")
    print(tabulate(rows(), headers, tablefmt="pipe", colalign=align, disable_numparse=True))
