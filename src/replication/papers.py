"""The papers of a clone, and the folder that each is made in.

The paper that config.yaml names is made in the clone, with the user's boards; every other one in
``papers/NAME``, a folder like that of a deployed copy: a Snakefile, a config.yaml, and what a run
makes of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from llm_power.documents import read_yaml
from llm_power.errors import LLMPowerError, message_at

FOLDER: Final = Path("papers")
_SETTINGS: Final = Path("config.yaml")
_INDEX: Final = Path("results/index.html")
_UP: Final = os.path.join(os.pardir, os.pardir)
# As in the clone: an included file has no say in what is made by default.
_SNAKEFILE: Final = f'include: "{_UP}/workflow/Snakefile"\n\n\nworkflow.default_target = "all"\n'
_WRITTEN: Final = "# Written before each run, from {} of the clone.\n"


def papers_of(root: Path) -> list[str]:
    """Return the papers of a clone by name: that of its config.yaml first, and the others."""
    first = _paper_of(root)
    names = sorted(file.parent.name for file in root.glob("data/*/paper.yaml"))
    return [first, *(name for name in names if name != first)]


def folder_of(root: Path, paper: str) -> Path:
    """Return the folder that a paper is made in."""
    return root if paper == _paper_of(root) else root / FOLDER / paper


def settle(root: Path, paper: str) -> Path:
    """Return the folder that a paper is made in, with all that Snakemake wants there.

    Raises
    ------
    LLMPowerError
        If there is no such paper.
    """
    known = papers_of(root)
    if paper not in known:
        remedy = f"name one of {', '.join(known)}, or write data/{paper}/paper.yaml"
        raise LLMPowerError(message_at({}, f"there is no paper {paper}", remedy))
    folder = folder_of(root, paper)
    # From then on the pages of the other papers name this one's.
    (folder / _INDEX.parent).mkdir(parents=True, exist_ok=True)
    if folder != root:
        settings = yaml.safe_dump(_settings(root, paper), allow_unicode=True, sort_keys=False)
        _write(folder / "Snakefile", _SNAKEFILE, "the Snakefile")
        _write(folder / _SETTINGS, settings, "config.yaml")
    return folder


def environment_of(root: Path, folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a run in a folder: a relative data root starts at the clone."""
    named = variables.get("LLM_POWER_DATA")
    if not named or folder == root:
        return dict(variables)
    return {**variables, "LLM_POWER_DATA": os.path.join(_UP, named)}


def pages_beside(root: Path) -> dict[str, str]:
    """Return the index pages of the clone's other papers, seen from the working folder.

    Parameters
    ----------
    root : Path
        The folder that ``data`` and ``src`` are in.

    Returns
    -------
    dict of str to str
        From the title of each paper that is made in this clone to the address of its page,
        relative to ``results``. None in a deployed copy.
    """
    here = Path().resolve()
    folders = {paper: folder_of(root, paper).resolve() for paper in papers_of(root)}
    if here not in folders.values():
        return {}
    return {
        read_yaml(file)["title"]: os.path.relpath(folder / _INDEX, here / _INDEX.parent)
        for paper, folder in folders.items()
        if folder != here
        and (folder / _INDEX.parent).is_dir()
        and (file := root / "data" / paper / "paper.yaml").is_file()
    }


def _paper_of(root: Path) -> str:
    return str(_settings_of(root).get("paper", ""))


def _settings_of(root: Path) -> dict[str, Any]:
    """Return the clone's settings; none where Snakemake will say what is wrong with them."""
    file = root / _SETTINGS
    settings = read_yaml(file) if file.is_file() else None
    return settings if isinstance(settings, dict) else {}


def _settings(root: Path, paper: str) -> dict[str, Any]:
    """Return the clone's settings as another paper has them: its paths start two folders up."""
    settings = _settings_of(root) | {"paper": paper, "boards": {}}
    if settings.get("data_root"):
        settings["data_root"] = os.path.join(_UP, settings["data_root"])
    if "folder" in settings.get("hub", {}):
        settings["hub"] = settings["hub"] | {"folder": os.path.join(_UP, settings["hub"]["folder"])}
    return settings


def _write(file: Path, text: str, source: str) -> None:
    """Write a file unless it is there as it is: a newer one would be a reason to run again."""
    content = _WRITTEN.format(source) + text
    if not file.is_file() or file.read_text(encoding="utf-8") != content:
        file.write_text(content, encoding="utf-8")
