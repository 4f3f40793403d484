"""Run the tests of library and audit on the wheel, beside the lowest or the newest packages.

The versions are those that pyproject.toml allows and that have a wheel for the Python at hand;
`make floors` and `make newest` call this, once for each Python that PYTHONS names.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
RESOLUTIONS: Final = {"lowest": "lowest-direct", "newest": "highest"}
EXTRAS: Final = ("excel", "frames", "report")


def main(arguments: list[str] | None = None) -> int:
    """Make an environment, print its versions, run the tests there and return their exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=RESOLUTIONS)
    parser.add_argument("--python", default=sys.executable, help="a Python to make it with")
    parser.add_argument("tests", nargs="*", default=["tests/llm_power", "tests/audit"])
    asked = parser.parse_intermixed_args(arguments)
    with TemporaryDirectory() as folder:
        python = environment(Path(folder), asked.which, asked.python)
        command = [python, "-m", "pytest", "-q", "-m", "not slow", "--numprocesses", "2"]
        kept = {name: at for name, at in os.environ.items() if name != "VIRTUAL_ENV"}
        return subprocess.run([*command, *asked.tests], cwd=ROOT, env=kept, check=False).returncode


def environment(folder: Path, which: str, interpreter: str) -> str:
    """Return the Python of a new environment that holds the wheel and what its tests need."""
    python, constraints = str(folder / "environment/bin/python"), folder / "constraints.txt"
    _uv("venv", "--quiet", "--python", interpreter, str(folder / "environment"))
    constraints.write_text(_resolved(which, python))
    print(constraints.read_text(), flush=True)
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run([*build, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    wanted = [f"{wheel}[{','.join(EXTRAS)}]", "--requirements", str(constraints)]
    _uv("pip", "install", "--quiet", "--python", python, "--only-binary", ":all:", *wanted)
    return python


def _resolved(which: str, python: str) -> str:
    """Return the exact versions, one a line."""
    extras = [part for extra in EXTRAS for part in ("--extra", extra)]
    options = ["--resolution", RESOLUTIONS[which], "--only-binary", ":all:", "--python", python]
    plain = ["--no-config", "--no-annotate", "--no-header", "--no-emit-index-url", "--quiet"]
    sources = ["pyproject.toml", *extras, "--group", "pyproject.toml:test"]
    return _uv("pip", "compile", *sources, *options, *plain)


def _uv(*arguments: str) -> str:
    uv = Path(sys.executable).with_name("uv")
    return subprocess.run(
        [uv, *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
