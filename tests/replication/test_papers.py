"""The papers of a clone, and the folders that they are made in."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from llm_power.errors import LLMPowerError
from replication.papers import environment_of, folder_of, pages_beside, papers_of, settle

CONFIG = """paper: kite
seed: 3
data_root: ../data
hub: {folder: downloads}
boards:
  mine: {title: Mine, tasks: {exam: {path: x.csv}}}
"""


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config.yaml").write_text(CONFIG)
    for name in ("heron", "kite", "wren"):
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        (folder / "paper.yaml").write_text(f"title: On {name}s\n")
    (tmp_path / "data/recorded").mkdir()
    monkeypatch.chdir(tmp_path)
    return Path()


def test_the_papers_are_the_folders_of_data_that_describe_one(clone: Path) -> None:
    assert papers_of(clone) == ["kite", "heron", "wren"]
    assert folder_of(clone, "kite") == clone
    assert folder_of(clone, "wren") == Path("papers/wren")


def test_another_paper_has_a_folder_with_the_clones_settings_and_no_boards(clone: Path) -> None:
    folder = settle(clone, "wren")
    assert yaml.safe_load((folder / "config.yaml").read_text()) == {
        "paper": "wren",
        "seed": 3,
        "data_root": "../../../data",
        "hub": {"folder": "../../downloads"},
        "boards": {},
    }
    assert 'include: "../../workflow/Snakefile"\n' in (folder / "Snakefile").read_text()
    times = [file.stat().st_mtime_ns for file in sorted(folder.iterdir())]
    settle(clone, "wren")
    assert [file.stat().st_mtime_ns for file in sorted(folder.iterdir())] == times
    assert settle(clone, "kite") == clone
    assert Path("config.yaml").read_text() == CONFIG


def test_a_paper_that_is_not_there_is_one_line(clone: Path) -> None:
    with pytest.raises(LLMPowerError, match="no paper owl.*name one of kite, heron, wren"):
        settle(clone, "owl")


def test_a_relative_data_root_is_found_from_the_folder_of_another_paper(clone: Path) -> None:
    wren = settle(clone, "wren")
    for named, found in (("../data", "../../../data"), ("/data", "/data")):
        variables = {"LLM_POWER_DATA": named, "HOME": "/root"}
        assert environment_of(clone, clone, variables) == variables
        assert environment_of(clone, wren, variables)["LLM_POWER_DATA"] == found
    assert environment_of(clone, wren, {"HOME": "/root"}) == {"HOME": "/root"}


def test_the_page_of_a_paper_names_those_of_the_others(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(clone, "kite")
    assert pages_beside(clone) == {}
    settle(clone, "wren")
    assert pages_beside(clone) == {"On wrens": "../papers/wren/results/index.html"}
    monkeypatch.chdir("papers/wren")
    assert pages_beside(Path("../..")) == {"On kites": "../../../results/index.html"}
    # A deployed copy lies elsewhere.
    elsewhere = Path("elsewhere").absolute()
    elsewhere.mkdir()
    root = Path("../..").absolute()
    monkeypatch.chdir(elsewhere)
    assert pages_beside(root) == {}
