"""The wheel in an environment of its own, beside what it requires and nothing else.

Run as a program (``make wheel``) it runs the tests of its packages there.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]


def install_wheel(folder: Path, *extras: str, groups: tuple[str, ...] = ()) -> Path:
    """Build the wheel, install it into a new environment, and return that environment's Python.

    What the wheel requires, with these extras and groups of developers' tools, is linked from the
    running environment, so that nothing is fetched; what it does not require, the other houses
    among it, cannot be imported.
    """
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run([*build, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    environment = folder / "environment"
    venv.create(environment, symlinks=True)
    (site,) = environment.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (information,) = site.glob("*.dist-info")
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    tools = [line for group in groups for line in stated[group]]
    of_wheel = PathDistribution(information).requires or []
    link_required(site, [*of_wheel, *tools], extras)
    python = environment / "bin" / "python"
    for point in PathDistribution(information).entry_points.select(group="console_scripts"):
        program = python.with_name(point.name)
        program.write_text(f"#!{python}\nfrom {point.module} import {point.attr}\n{point.attr}()\n")
        program.chmod(0o755)
    return python


def link_required(site: Path, requirements: Iterable[str], extras: tuple[str, ...] = ()) -> None:
    """Link into `site` what is required, from the running environment."""
    for required in _closure(requirements, extras, set()):
        for name in {file.parts[0] for file in required.files or ()} - {"..", "__pycache__"}:
            link = site / name
            if not link.exists():
                link.symlink_to(Path(str(required.locate_file(name))))


def _closure(
    requirements: Iterable[str], extras: tuple[str, ...], seen: set[str]
) -> Iterator[Distribution]:
    """Every distribution that is required with these extras, and what those require."""
    for requirement in map(Requirement, requirements):
        marker = requirement.marker
        wanted = marker is None or any(marker.evaluate({"extra": e}) for e in ("", *extras))
        name = canonicalize_name(requirement.name)
        if wanted and name not in seen:
            seen.add(name)
            required = distribution(name)
            yield required
            yield from _closure(required.requires or (), tuple(requirement.extras), seen)


def main() -> int:
    """Run the tests of the library and of the audit on the wheel, with the extras they need."""
    with TemporaryDirectory() as folder:
        python = install_wheel(Path(folder), "excel", "frames", "report", groups=("test",))
        # What is slow by nature does not depend on how the library is installed.
        command = [str(python), "-m", "pytest", "tests/llm_power", "tests/audit", "-q"]
        command += ["-m", "not slow", "--numprocesses", "2"]
        return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
