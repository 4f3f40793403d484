# What several rules need: where data lie, which modules a script uses, which panels there are.

import ast
import os
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# A panel is one family of pairs of one board, and has one verdict table.
PANELS = {
    (name if family == board["families"][0] else f"{name}.{family}"): (name, family)
    for name, board in config["boards"].items()
    for family in board["families"]
}


def package_sources(*modules):
    """Return the files of these modules and of all they import, relative to the repository.

    As an input of the rule, an edit of any of them re-runs exactly the rules that use it.
    Package files (__init__.py) only re-export names and are left out.
    """
    found, waiting = set(), [f"llm_power.{module}" for module in modules]
    while waiting:
        path = "src/" + waiting.pop().replace(".", "/") + ".py"
        if path not in found and os.path.isfile(path):
            found.add(path)
            waiting += _imported_names(path)
    return sorted(found)


def _imported_names(path):
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def data_root():
    return config["data_root"] or os.environ.get("LLM_POWER_DATA")


def score_files(board, task):
    """Return the files that hold the scores of one task: one file, or the zips of a folder."""
    path = config["boards"][board]["tasks"][task]["path"]
    if not os.path.isabs(path):
        if not data_root():
            raise WorkflowError(f"board {board} has no data root. {_how_to_get(board)}")
        path = os.path.join(data_root(), path)
    return sorted(map(str, Path(path).glob("*.zip"))) if os.path.isdir(path) else [path]


def board_is_there(board):
    try:
        files = [score_files(board, task) for task in config["boards"][board]["tasks"]]
    except WorkflowError:
        return False
    return all(names and all(map(os.path.isfile, names)) for names in files)


def _how_to_get(board):
    how = config["boards"][board]["how_to_get"]
    return f"To include it, {how}, and set data_root in config.yaml or LLM_POWER_DATA."


def panel_of(wildcards):
    return PANELS[wildcards.panel]


def from_board(key):
    """Return an input-independent parameter: a setting of the panel's board."""
    return lambda wildcards: config["boards"][panel_of(wildcards)[0]][key]


wildcard_constraints:
    panel="|".join(map(re.escape, PANELS)),
    board="|".join(config["boards"]),
