"""Whole processes that are timed: an import, or a program's help."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import mkdtemp

import pandas as pd
from drawn import Size, draw_scores
from ours import Answers

_BIN = Path(__file__).resolve().parents[1] / ".venv" / "bin"


class Command:
    """A process that is run to its end and says nothing."""

    def __init__(self, *arguments: str) -> None:
        self.arguments = arguments

    def __call__(self) -> Answers:
        """Run it."""
        subprocess.run(self.arguments, check=True, stdout=subprocess.DEVNULL)
        return {}

    def hot_spots(self) -> list[tuple[str, float]]:
        """Return the modules whose own import takes longest, with seconds."""
        environment = os.environ | {"PYTHONPROFILEIMPORTTIME": "1"}
        done = subprocess.run(
            self.arguments, check=True, capture_output=True, text=True, env=environment
        )
        imports = re.findall(r"^import time: +(\d+) \| +\d+ \| +(\S+)", done.stderr, re.MULTILINE)
        return sorted(
            ((f"import {name}", int(own) / 1e6) for own, name in imports), key=lambda x: -x[1]
        )


def importing(_size: Size, name: str) -> Command:
    """Start Python and import a module."""
    if find_spec(name) is None:
        raise ModuleNotFoundError(name=name)
    return Command(sys.executable, "-c", f"import {name}")


def resolving(size: Size) -> Command:
    """Resolve the adjacent pairs of a table of scores, from its file to its files."""
    folder = Path(mkdtemp())
    table = pd.DataFrame(draw_scores(size).astype(int)).add_prefix("m")
    table.insert(0, "item_id", [f"q{item}" for item in range(size.items)])
    table.to_csv(folder / "board.csv", index=False)
    program = str(_BIN / "llm-power")
    return Command(program, "resolve", str(folder / "board.csv"), "--out", str(folder / "out"))


def resolving_data(_size: Size, name: str, *options: str) -> Command:
    """Resolve a file of the folder LLM_POWER_DATA."""
    path = Path(os.environ.get("LLM_POWER_DATA", ""), name)
    if not path.is_file():
        raise FileNotFoundError(name)
    program = str(_BIN / "llm-power")
    return Command(program, "resolve", str(path), *options, "--out", mkdtemp())


def helping(_size: Size, program: str) -> Command:
    """Ask a program of this environment, or of the project's, for its help."""
    path = which(program, path=os.pathsep.join([str(Path(sys.executable).parent), str(_BIN)]))
    if path is None:
        raise ModuleNotFoundError(name=program)
    return Command(path, "--help")
