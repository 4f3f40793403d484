# What several rules need: where data lie, which modules a script uses, which panels there are.

import ast
import os
import re
from dataclasses import asdict
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from llm_power.errors import LLMPowerError
from replication.hub.access import Access
from replication.hub.datasets import load_register
from replication.hub.layout import download_path
from replication.printed import (
    load_settings,
)

TABLES = range(1, 13)
FIGURES = range(1, 8)
TABLE_SUFFIXES = ["csv", "csv-metadata.json", "md", "tex"]
FIGURE_SUFFIXES = ["pdf", "png", "svg"]
CLAIMS = "data/kotawala2026/claims.yaml"
PROSE = [
    "required_n_bootstrap",
    "rho_sensitivity",
    "multiplicity_of_buckets",
    "lemma",
    "e_process",
    "cluster_definitions",
    "shortcut_ratios",
    "miller_gain",
]
PROSE_RULES = ["findings_simulated", "findings_boards"]
HUB_REGISTER = "data/datasets.csv"
HUB_LOCK = "datasets.lock.csv"
# The register, the tables whose cells it names, and the settings that name its claims.
PRINTED = [
    CLAIMS,
    *(f"data/kotawala2026/printed/table_{n:02d}.csv" for n in TABLES),
]
SETTINGS_FILES = ["data/kotawala2026/settings.yaml", *PRINTED]
SETTINGS = load_settings(Path(SETTINGS_FILES[0]))
BOARD_TABLES = ["overview", "procedures", "gaps", "ladder"]

# Where the paper's own panels come from, and those built to agree with printed numbers.
SOURCE = {"published": "witness", "hub": "hub"}[config["source"]]
WITNESSES = ["oll_v1", "mmlu_pro_top10", "frontier"]

# A panel is one family of pairs of one board, and has one verdict table.
PANELS = {
    (name if family == board["families"][0] else f"{name}.{family}"): (name, family)
    for name, board in config["boards"].items()
    for family in board["families"]
}


def exhibit_files():
    files = [
        *collect(
            "results/tables/table_{number:02d}.{suffix}",
            number=TABLES,
            suffix=TABLE_SUFFIXES,
        ),
        *collect(
            "figures/figure_{number:02d}.{suffix}",
            number=FIGURES,
            suffix=FIGURE_SUFFIXES,
        ),
        *collect("results/prose/{name}.csv", name=PROSE),
        *collect(
            "results/audit/{name}", name=["claims.csv", "claims.md", "report.html"]
        ),
        "results/manifest.json",
    ]
    if config["source"] == "published":
        files += ["results/witness/roles.csv", "results/witness/infeasible.csv"]
        if os.path.isfile(real_arc_items()):
            files.append("results/witness/realism.csv")
    if board_is_there("mmlu_pro_authors"):
        if has_the_papers_point():
            files.append("results/boards/mmlu_pro_comparison.md")
        else:
            logger.warning(
                "mmlu_pro_comparison is left out: alpha and power are not the paper's."
            )
    return files


def published(number):
    return f"data/kotawala2026/printed/table_{number:02d}.csv"


def table_files(number, caption):
    """Return the outputs of a table's rule; the CSV goes into the report."""
    stem = f"results/tables/table_{number:02d}"
    csv = report(
        f"{stem}.csv",
        caption=f"../report/{caption}.rst",
        category="Tables of the paper",
        labels={"exhibit": f"Table {number}"},
    )
    return {
        "csv": csv,
        "json": f"{stem}.csv-metadata.json",
        "md": f"{stem}.md",
        "tex": f"{stem}.tex",
    }


def figure_files(number, caption):
    """Return the outputs of a figure's rule; the SVG goes into the report."""
    stem = f"figures/figure_{number:02d}"
    svg = report(
        f"{stem}.svg",
        caption=f"../report/{caption}.rst",
        category="Figures of the paper",
        labels={"exhibit": f"Figure {number}"},
    )
    data = f"results/figures/figure_{number:02d}.csv"
    return {
        "svg": svg,
        "pdf": f"{stem}.pdf",
        "png": f"{stem}.png",
        "csv": data,
        "json": f"{data}-metadata.json",
    }


def table_behind(number):
    """Return the outputs of the table that a figure was drawn from, but for its data."""
    stem = f"results/figures/figure_{number:02d}"
    return {"md": f"{stem}.md", "tex": f"{stem}.tex"}


def package_sources(*modules):
    """Return the files of these modules and of all they import, relative to the repository.

    As an input of the rule, an edit of any of them re-runs exactly the rules that use it.
    Package files (__init__.py) only re-export names and are left out.
    """
    found, waiting = set(), {_source(module) for module in modules}
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= _imported_sources(path) - found
    return sorted(map(str, found))


# Each module is used by many rules, and Snakemake reads the rules again in every run.
@cache
def _imported_sources(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        source for name in _imported_names(tree) if (source := _source(name)).is_file()
    }


def _source(module):
    return Path("src", *module.split(".")).with_suffix(".py")


def _imported_names(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def data_root():
    return config["data_root"] or os.environ.get("LLM_POWER_DATA")


def score_path(board, task):
    """Return the file or the folder that holds the scores of one task, or the downloads."""
    path = config["boards"][board]["tasks"][task]["path"].format(source=SOURCE)
    if path.startswith("results/") or os.path.isabs(path):
        return path
    is_placed = data_root() and os.path.exists(os.path.join(data_root(), path))
    if not is_placed and downloads_of(board, task):
        return downloads_of(board, task)
    if not data_root():
        raise WorkflowError(f"board {board} has no data root. {_how_to_get(board)}")
    return os.path.join(data_root(), path)


def score_files(board, task):
    """Return the files whose change reads a task again: all of a folder, whatever its reader."""
    path = score_path(board, task)
    if isinstance(path, list):
        return path
    if path.startswith("results/") or not os.path.isdir(path):
        return [path]
    return sorted(str(file) for file in Path(path).rglob("[!.]*") if file.is_file())


def board_is_there(board):
    if board not in config["boards"]:
        return False
    try:
        files = [score_files(board, task) for task in config["boards"][board]["tasks"]]
    except WorkflowError:
        return False
    return all(names and all(map(_will_be_there, names)) for names in files)


def _will_be_there(path):
    return path.startswith("results/") or path in HUB_DOWNLOADS or os.path.isfile(path)


def reading(wildcards):
    """Return how a task is read; downloads are called after where they really come from."""
    task = config["boards"][wildcards.board]["tasks"][wildcards.task]
    files = score_files(wildcards.board, wildcards.task)
    if files[0] in HUB_DOWNLOADS:
        return task | {"source": HUB_ACCESS.origin(HUB_DOWNLOADS[files[0]])}
    return task


def _how_to_get(board):
    how = config["boards"][board]["how_to_get"]
    return f"To include it, {how}, and set data_root in config.yaml or LLM_POWER_DATA."


def panel_of(wildcards):
    return PANELS[wildcards.panel]


def point_of(settings):
    return {name: settings[name] for name in ("alpha", "power")}


def operating_point(wildcards):
    """Return level and power of a panel: the paper's own for its panels, else the user's."""
    board, _ = panel_of(wildcards)
    return point_of(SETTINGS if board in WITNESSES else config)


def has_the_papers_point():
    """Return whether the user's boards can be set beside the paper's numbers."""
    return point_of(config) == point_of(SETTINGS)


def from_board(key):
    """Return an input-independent parameter: a setting of the panel's board."""
    return lambda wildcards: config["boards"][panel_of(wildcards)[0]][key]


def board_files():
    """Return the results of every board whose files are there; say which are not, and why."""
    files = []
    for board in config["boards"]:
        if board_is_there(board):
            files += results_of_board(board)
        else:
            logger.warning(
                f"Board {board} is left out: its files are not there. {_how_to_get(board)}"
            )
    return files


def results_of_board(board):
    panels = [panel for panel, (name, _) in PANELS.items() if name == board]
    stages = ["leave_one_out", "category_bootstrap", "cluster_definitions"]
    return [
        *collect(
            "results/pairs/{panel}.{suffix}", panel=panels, suffix=["parquet", "csv"]
        ),
        *collect(
            "results/boards/{panel}/{table}.{suffix}",
            panel=panels,
            table=BOARD_TABLES,
            suffix=TABLE_SUFFIXES,
        ),
        *collect("results/boards/{panel}/{stage}.parquet", panel=panels, stage=stages),
        *collect(
            "figures/boards/{panel}.{suffix}", panel=panels, suffix=FIGURE_SUFFIXES
        ),
    ]


def hub_downloads():
    """Return where downloads come from, and the data set of each file by its path."""
    if config["source"] != "hub":
        return None, {}
    try:
        access = Access.from_environment(
            offline=config["hub"]["offline"], with_token=False
        )
        register = load_register(Path(HUB_REGISTER)).values()
    except LLMPowerError as error:
        raise WorkflowError(f"error: {error}")
    folder = Path(config["hub"]["folder"])
    return access, {
        str(download_path(folder, access.endpoint(dataset.source), dataset)): dataset
        for dataset in register
    }


def downloads_of(board, task):
    """Return the downloaded files of a task, in the order of the register."""
    return [
        path
        for path, dataset in HUB_DOWNLOADS.items()
        if (dataset.board, dataset.task) == (board, task)
    ]


def placed_by_hand(board, task):
    """Return the table of a panel's task that somebody put into the data root, or None."""
    path = os.path.join(data_root() or "", "panels", board, f"{task}.parquet")
    return path if data_root() and os.path.isfile(path) else None


def hub_files(wildcards):
    """Return what a task of a panel is made from: a table placed by hand, or else downloads."""
    placed = placed_by_hand(wildcards.board, wildcards.task)
    if placed is not None:
        return [placed]
    files = downloads_of(wildcards.board, wildcards.task)
    if not files:
        raise WorkflowError(
            f"{HUB_REGISTER} has no file of {wildcards.board}/{wildcards.task}: add its files, or "
            f"put panels/{wildcards.board}/{wildcards.task}.parquet into the data root."
        )
    return files


def hub_settings(wildcards):
    """Return where downloads come from and lie; a change of any of it makes the scores again."""
    return {
        "endpoint": HUB_ACCESS.endpoint("hub"),
        "folder": config["hub"]["folder"],
        "placed_by_hand": placed_by_hand(wildcards.board, wildcards.task),
        "accepted": config["hub"]["accept_other_score"],
        "pins": [
            asdict(HUB_DOWNLOADS[path])
            for path in downloads_of(wildcards.board, wildcards.task)
        ],
    }


def real_arc_items():
    """Return the file of the panel's real answers on some ARC items, where it is at hand."""
    return os.path.join(data_root() or "DATA_ROOT", "olv1_subset", "arc.parquet")


def panel_scores(board, folder="results/scores"):
    """Return the score files of every task of a board: prepared ones, or in another folder."""
    tasks = config["boards"][board]["tasks"]
    return collect(
        "{folder}/{board}/{task}.parquet", folder=folder, board=board, task=tasks
    )


def exhibit_rules():
    return [
        *(f"table_{n}" for n in TABLES),
        *(f"figure_{n}" for n in FIGURES),
        *PROSE_RULES,
    ]


def audited_files():
    """Return the results that the register of claims names, and what says where they come from."""
    text = Path(CLAIMS).read_text(encoding="utf-8")
    named = sorted(
        {f"results/{name}" for name in re.findall(r"\bresult: ([\w./-]+)", text)}
    )
    described = [
        str(path)
        for name in exhibit_rules()
        for path in getattr(rules, name).output
        if str(path).removesuffix("-metadata.json") in named
    ]
    return sorted({*named, *described} - {"results/audit/evidence.csv"})


def audit_templates():
    suffixes = {".j2", ".css", ".js", ".yaml"}
    files = Path("src/llm_power/claims").iterdir()
    return sorted(str(path) for path in files if path.suffix in suffixes)


def makers():
    """Return the name of the rule that makes each audited file, by its path in results/."""
    return {
        str(path).removeprefix("results/"): name
        for name in [*exhibit_rules(), "findings_printed", "witness_report"]
        for path in getattr(rules, name).output
    }


def rule_files():
    """Return the file that each rule whose results are audited is written in."""
    return {
        name: os.path.relpath(getattr(rules, name).rule.snakefile)
        for name in sorted(set(makers().values()))
    }


def say_what_was_placed_by_hand():
    for board in WITNESSES:
        for task in config["boards"][board]["tasks"]:
            if placed_by_hand(board, task) is not None:
                logger.warning(
                    f"{board}/{task}: {placed_by_hand(board, task)} is used, nothing is downloaded."
                )


HUB_ACCESS, HUB_DOWNLOADS = hub_downloads()
if config["source"] == "hub":
    say_what_was_placed_by_hand()


wildcard_constraints:
    panel="|".join(map(re.escape, PANELS)),
    board="|".join(config["boards"]),
    download="|".join(map(re.escape, HUB_DOWNLOADS)) or "none",
