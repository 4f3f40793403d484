"""The wheel holds the library and the audit, and works with its nine dependencies alone."""

from __future__ import annotations

import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from installed_wheel import install_wheel

# An environment of its own, of which `make wheel` makes another.
pytestmark = pytest.mark.slow

SCORES = "item_id,a,b\n" + "".join(f"i{i},{int(i % 3 > 0)},{int(i % 4 > 1)}\n" for i in range(60))
CLAIMS = """
claims:
  - id: pairs
    section: Board
    place: front page
    claim: number of pairs
    quantity: number
    printed: "1"
    checks: [{result: pairs.csv, rows: {}, aggregate: count}]
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel and its nine dependencies."""
    return install_wheel(tmp_path_factory.mktemp("wheel"))


def run(python: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command of that environment in a folder that is not the clone."""
    where = python.parents[2]
    return subprocess.run(
        [python.with_name(str(command[0])), *command[1:]],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_requires_nine_packages(python: Path) -> None:
    (wheel,) = python.parents[2].glob("*.whl")
    with ZipFile(wheel) as archive:
        (described,) = [name for name in archive.namelist() if name.endswith("METADATA")]
        text = archive.read(described).decode()
    required = [line for line in text.splitlines() if line.startswith("Requires-Dist: ")]
    assert len([line for line in required if "extra ==" not in line]) <= 9


def test_every_public_name_is_importable_without_the_other_houses(python: Path) -> None:
    code = (
        "import importlib.util as u, llm_power_audit, llm_power\n"
        "for door in (llm_power_audit, llm_power): [getattr(door, name) for name in dir(door)]\n"
        "others = ['replication', 'kotawala2026', 'tabulate', 'jinja2', 'tqdm']\n"
        "print([name for name in others if u.find_spec(name)], llm_power.__file__)"
    )
    done = run(python, "python", "-I", "-c", code)
    assert done.stderr == ""
    assert done.stdout.startswith(f"[] {python.parents[1]}")


def test_commands_say_in_one_line_what_they_left_out(python: Path) -> None:
    where = python.parents[2]
    (where / "scores.csv").write_text(SCORES)
    (where / "claims.yaml").write_text(CLAIMS)
    done = run(python, "llm-power", "resolve", "scores.csv", "--plot", "png", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "left out: board.html, board.md, board.png, card.png, for want of jinja2 and tabulate and "
        "matplotlib. Remedy: in the clone, pip install '.[report]'.\n"
    )
    assert {path.name for path in (where / "out").iterdir()} == {
        *("error_bars.md", "summary.json"),
        *("pairs.csv", "pairs.csv-metadata.json", "pairs.parquet"),
    }
    shown = "import llm_power as power; print(power.resolve('scores.csv')._repr_html_())"
    done = run(python, "python", "-I", "-c", shown)
    assert (done.stderr, done.stdout) == ("", "None\n")
    options = ["--results", "out", "--out", "audit"]
    done = run(python, "llm-power", "audit", "claims.yaml", *options)
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "left out: report.html, for want of jinja2. "
        "Remedy: in the clone, pip install '.[report]'.\n"
    )
    assert {path.name for path in (where / "audit").iterdir()} == {
        "claims.csv",
        "claims.md",
        "corrections.json",
    }
