"""Pictures and tables as they were when somebody looked at them: words, and sums over numbers."""

from __future__ import annotations

import csv
import hashlib
import re
from importlib.metadata import version
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from packaging.requirements import Requirement

from needed import ROOT

_LOOKED_AT: Final = Path(__file__).with_suffix(".csv")
# A picture's names for its own parts, which each run of matplotlib draws at random.
_NAMES: Final = re.compile(
    r' id="[^"]*"| xlink:href="[^"]*"|url\(#[^)]*\)|<metadata>.*?</metadata>', re.S
)
_NUMBER: Final = re.compile(r"(?<![\w.#])-?\d+(?:\.\d+)?")


def _is_locked(package: str) -> bool:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    named = [Requirement(line.split(" \\")[0]) for line in lines if line.startswith(f"{package}==")]
    return any(version(package) in one.specifier for one in named)


#: Other versions of matplotlib draw the same otherwise.
drawn_as_locked = pytest.mark.skipif(
    not _is_locked("matplotlib"), reason="pictures are compared in the locked matplotlib"
)


def check_looks(name: str, path: Path) -> None:
    """Assert that an SVG or a text is as in looked_at.csv; look at one that changed, and renew it.

    Its row has the name, a digest of its words, and the count and two sums of its numbers.
    """
    text = _NAMES.sub("", path.read_text(encoding="utf-8"))
    numbers = np.array([float(number) for number in _NUMBER.findall(text)])
    words = hashlib.sha256(_NUMBER.sub("", text).encode()).hexdigest()[:16]
    sums = (numbers.sum(), numbers @ np.arange(len(numbers)))
    with _LOOKED_AT.open(encoding="utf-8", newline="") as file:
        rows = {row[0]: row[1:] for row in csv.reader(file)}
    row = f"{name},{words},{len(numbers)},{sums[0]:.12g},{sums[1]:.12g}"
    assert name in rows, row
    assert rows[name][:2] == [words, str(len(numbers))], row
    assert sums == pytest.approx([float(x) for x in rows[name][2:]], rel=1e-9), row
