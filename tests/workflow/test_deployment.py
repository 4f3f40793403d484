"""The workflow as Snakemake's catalog deploys it: a module in a folder of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from installed_wheel import link_required
from needed import ROOT
from repository import copy_repository, run_workflow

pytestmark = pytest.mark.slow

SNAKEDEPLOY = Path(sys.executable).with_name("snakedeploy")


def declared(clone: Path, to: Path) -> Path:
    """Deploy by hand what snakedeploy writes, but for the title of the file."""
    (to / "workflow").mkdir(parents=True)
    (to / "config").mkdir()
    (to / "config/config.yaml").write_bytes((clone / "config/config.yaml").read_bytes())
    (to / "workflow/Snakefile").write_text(
        'configfile: "config/config.yaml"\n'
        'module llm_power:\n    snakefile: "workflow/Snakefile"\n    config: config\n'
        "use rule * from llm_power\n"
    )
    return to


def deployed(clone: Path, to: Path) -> Path:
    options = ["--branch", "main", "--name", "llm_power"]
    command: list[str | Path] = [SNAKEDEPLOY, "deploy-workflow", clone, to, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return to


@pytest.mark.parametrize("deploy", [declared, deployed])
def test_a_deployed_copy_makes_an_exhibit(
    deploy: Callable[[Path, Path], Path], whole_run: Path, tmp_path: Path
) -> None:
    clone = copy_repository(tmp_path / "clone")
    where = deploy(clone, tmp_path / "run")
    snakefile = where / "workflow" / "Snakefile"
    text = snakefile.read_text()
    # Of a local source the module's declaration names the file relative to the source.
    assert text.count('"workflow/Snakefile"') == 1
    snakefile.write_text(text.replace('"workflow/Snakefile"', f'"{clone / "workflow/Snakefile"}"'))

    done = run_workflow(where, "table_06")
    assert done.returncode == 0, done.stdout + done.stderr
    made = sorted((where / "results" / "tables").iterdir())
    assert len(made) == 4
    for path in made:
        assert path.read_bytes() == (whole_run / path.relative_to(where)).read_bytes()
    assert not (clone / "results").exists()

    again = run_workflow(where, "table_06")
    assert "Nothing to be done" in again.stdout + again.stderr


def test_a_snakemake_of_its_own_says_what_it_lacks_and_works_with_it(
    whole_run: Path, tmp_path: Path
) -> None:
    clone = copy_repository(tmp_path / "clone")
    where = declared(clone, tmp_path / "run")
    snakefile = where / "workflow" / "Snakefile"
    snakefile.write_text(
        snakefile.read_text().replace("workflow/Snakefile", str(clone / "workflow/Snakefile"))
    )
    venv.create(tmp_path / "alone", symlinks=True)
    (site,) = (tmp_path / "alone").glob("lib/python*/site-packages")
    link_required(site, ["snakemake"])
    python = tmp_path / "alone/bin/python"

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [python, "-m", *arguments]
        return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)

    done = run("snakemake", "--cores", "1", "table_06")
    assert done.returncode == 1
    assert "error: this Snakemake cannot import the code of llm-power. Remedy: " in done.stderr
    assert "No module named" not in done.stderr
    assert not (where / "results").exists()

    # What pip would fetch is linked from here, with what builds.
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = stated["project"]["optional-dependencies"]
    required = [*stated["project"]["dependencies"], *extras["report"], *extras["workflow"]]
    link_required(site, [*required, *stated["dependency-groups"]["build"], "pip"])
    offline = ["--no-deps", "--no-build-isolation", "--no-index"]
    done = run("pip", "install", *offline, "--editable", f"{clone}[report,workflow]")
    assert done.returncode == 0, done.stderr
    done = run("snakemake", "--cores", "1", "table_06")
    assert done.returncode == 0, done.stderr
    for path in (where / "results/tables").iterdir():
        assert path.read_bytes() == (whole_run / path.relative_to(where)).read_bytes()


def test_the_default_of_a_deployed_copy_is_the_whole_run(tmp_path: Path) -> None:
    clone = copy_repository(tmp_path / "clone")
    where = declared(clone, tmp_path / "run")
    snakefile = where / "workflow" / "Snakefile"
    snakefile.write_text(
        snakefile.read_text().replace("workflow/Snakefile", str(clone / "workflow/Snakefile"))
    )
    done = run_workflow(where, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "rule manifest:" in done.stdout + done.stderr


def test_the_configuration_at_the_top_is_the_one_in_its_folder() -> None:
    assert (ROOT / "config.yaml").samefile(ROOT / "config" / "config.yaml")


def test_the_catalog_finds_how_the_workflow_is_used() -> None:
    described = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())
    usage = described.pop("usage")
    # The keys that the catalog documents and reads; it passes over any other.
    assert described == {}
    assert usage.keys() == {"mandatory-flags", "software-stack-deployment", "report"}
    assert usage["mandatory-flags"].keys() == {"desc", "flags"}
    assert usage["software-stack-deployment"] == dict.fromkeys(
        ["conda", "apptainer", "apptainer+conda"], False
    )
    assert usage["report"] is True
    assert (ROOT / "config" / "README.md").is_file()
    assert (ROOT / "workflow" / "Snakefile").is_file()
