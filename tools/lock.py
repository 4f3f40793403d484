"""Write the locks and environment.yml from pyproject.toml (``make lock``)."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]

# Python 3.14 is left out: one of Snakemake's dependencies has no wheel for it yet.
# What is conda's, by the lock's name for it; snakemake is in bioconda. The rest comes by pip.
OF_CONDA = {
    name: name
    for name in ("matplotlib", "numpy", "pandas", "pyarrow", "pytest", "scipy", "seaborn")
} | {"huggingface-hub": "huggingface_hub", "snakemake": "snakemake"}
ENVIRONMENT = """\
# Written by `make lock`: every version of requirements.lock, for those who prefer conda.
#   conda env create --file environment.yml
# In the folder of the clone; the package itself is installed by it. Unchecked: no solver of conda
# has tried it yet.
name: llm-power
channels:
  - conda-forge
  - bioconda
  - nodefaults
dependencies:
  - python >=3.11,<3.14
  - pip
"""


def main() -> None:
    """Resolve the newest versions that suit pyproject.toml and write the files."""
    lock, build_lock = ROOT / "requirements.lock", ROOT / "requirements-build.lock"
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    with TemporaryDirectory() as folder:
        # What suits the oldest Python binds the newer ones: one version of a package everywhere.
        oldest = Path(folder, "oldest.txt")
        everything = ["pyproject.toml", "--all-extras", "--group", "pyproject.toml:env"]
        resolve(*everything, output=oldest)
        pinned = ["--universal", "--generate-hashes", "--constraint", str(oldest)]
        resolve(*everything, *pinned, output=lock)
        resolve("--group", "pyproject.toml:build", *pinned, output=build_lock)
    # What the package needs and no extra: the part of the lock that action.yml installs.
    part = ["--universal", "--generate-hashes", "--constraint", str(lock)]
    resolve("pyproject.toml", *part, output=ROOT / "requirements-action.lock")

    versions = re.findall(r"^([\w.-]+==.+) \\$", lock.read_text(), re.MULTILINE)
    # A group comes beside what everyone has, at its versions: its lock has what that lacks.
    shared = [f"--no-emit-package={version.split('==')[0]}" for version in versions]
    beside = ["--universal", "--generate-hashes", "--constraint", str(lock), *shared]
    included = {"env", *(part["include-group"] for part in groups["env"])}
    for group in sorted(groups.keys() - included):
        named = ["--group", f"pyproject.toml:{group}"]
        resolve(*named, *beside, output=ROOT / f"requirements-{group}.lock")
    (ROOT / "environment.yml").write_text(environment(versions))


def environment(versions: Sequence[str]) -> str:
    """Return environment.yml: the packages of conda, those of pip, and this one."""
    of_conda = {version: OF_CONDA.get(version.partition("==")[0]) for version in versions}
    lines = [
        *(f"  - {name} =={v.partition('==')[2]}" for v, name in of_conda.items() if name),
        "  - pip:",
        *(f"      - {version}" for version, name in of_conda.items() if name is None),
        "      - --editable .",
    ]
    return ENVIRONMENT + "\n".join([*lines, ""])


def resolve(*sources: str, output: Path) -> None:
    """Let uv write exact versions of what sources require, by no local setting."""
    uv = str(Path(sys.executable).with_name("uv"))
    fixed = ["--python-version", "3.11", "--no-config", "--quiet", "--output-file", str(output)]
    header = ["--custom-compile-command", "make lock", "--no-annotate", "--no-emit-index-url"]
    output.unlink(missing_ok=True)  # uv would keep the versions it finds there
    subprocess.run([uv, "pip", "compile", *sources, *fixed, *header], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
