# What several rules need: the paper, the boards, and the modules that a script uses.

import re
from dataclasses import asdict
from functools import partial

from snakemake.logging import logger

from llm_power.errors import LLMPowerError
from replication import sources
from replication.boards import Boards, table_files
from replication.hub.plan import Downloads, placed_by_hand
from replication.paper import Paper
from replication.registers import audited_results
from replication.registers import printed_numbers as numbers_of

HUB_REGISTER = str(ROOT / "data/datasets.csv")
HUB_LOCK = "datasets.lock.csv"
DATA_ROOT = config["data_root"] or os.environ.get("LLM_POWER_DATA")
POINT = {name: config[name] for name in ("alpha", "power")}

try:
    PAPER = Paper.load(ROOT, config["paper"], source=config["source"])
    BOARDS = Boards.of(
        PAPER.panels,
        config["boards"],
        data_root=DATA_ROOT,
        downloads=(
            Downloads.planned(HUB_REGISTER, config["hub"])
            if config["source"] == "hub"
            else Downloads()
        ),
    )
except LLMPowerError as error:
    raise WorkflowError(f"error: {error}")

CLAIMS = PAPER.file("claims.yaml")
REGISTERS = [PAPER.file("constraints.yaml"), PAPER.file("prose.yaml")]
WITNESSES = list(PAPER.panels)
TABLES = sorted({n for exhibit in PAPER.exhibits.values() for n in exhibit.printed})
# What sets the paper beside a board of the user's needs that board, and the paper's own point.
COMPARISONS = [
    comparison
    for comparison in PAPER.comparisons.values()
    if POINT == PAPER.point
    and all(panel in BOARDS.panels for panel in comparison.panels)
]

package_sources = partial(sources.package_sources, ROOT)
published = PAPER.printed
panel_scores = BOARDS.scores


def printed_numbers(*panels, registers=REGISTERS):
    """Return the registers, and the tables that their entries on these panels point at."""
    return numbers_of(registers, panels)


def refused(function, *arguments):
    """Return what a function returns; what it refuses ends the run in one line."""
    try:
        return function(*arguments)
    except LLMPowerError as error:
        raise WorkflowError(f"error: {error}")


def exhibit_files():
    files = [
        *PAPER.results(),
        *collect(
            "results/audit/{name}", name=["claims.csv", "claims.md", "report.html"]
        ),
        "results/manifest.json",
    ]
    if config["source"] == "published" and WITNESSES:
        files += ["results/witness/roles.csv", "results/witness/infeasible.csv"]
        if os.path.isfile(real_arc_items()):
            files.append("results/witness/realism.csv")
    for comparison in PAPER.comparisons.values():
        boards = [panel.split(".")[0] for panel in comparison.panels]
        if all(map(BOARDS.is_there, boards)):
            if comparison in COMPARISONS:
                files += comparison.outputs().values()
            else:
                logger.warning(
                    f"{comparison.name} is left out: alpha and power are not the paper's."
                )
    return files


def board_files():
    """Return the results of every board whose files are there; say which are not, and why."""
    files = []
    for board in BOARDS.boards:
        if BOARDS.is_there(board):
            files += BOARDS.results(board)
        else:
            logger.warning(
                f"Board {board} is left out: its files are not there. {BOARDS.how_to_get(board)}"
            )
    return files


def real_arc_items():
    """Return the file of real answers that a witness is held against, where it is at hand."""
    return os.path.join(DATA_ROOT or "DATA_ROOT", PAPER.realism or "")


def board_of(wildcards):
    return BOARDS.of_panel(wildcards.panel)


def family_of(wildcards):
    return BOARDS.panels[wildcards.panel].pairs


def operating_point(wildcards):
    """Return level and power of a panel: the paper's own for its panels, else the user's."""
    return PAPER.point if board_of(wildcards).is_panel else POINT


def exhibit_rules():
    return [*PAPER.exhibits, *(prose.name for prose in PAPER.prose)]


def audited_files():
    """Return the results that the register of claims names, and what says where they come from."""
    named = audited_results(CLAIMS)
    described = {
        str(path)
        for name in exhibit_rules()
        for path in getattr(rules, name).output
        if str(path).removesuffix("-metadata.json") in named
    }
    return sorted((named | described) - {"results/audit/evidence.csv"})


def makers():
    """Return the name of the rule that makes each audited file, by its path in results/."""
    return {
        str(path).removeprefix("results/"): name
        for name in [*exhibit_rules(), "audit_evidence", "witness_report"]
        for path in getattr(rules, name).output
    }


def rule_files():
    """Return the file that each rule whose results are audited is written in."""
    return {
        name: os.path.relpath(getattr(rules, name).rule.snakefile)
        for name in sorted(set(makers().values()))
    }


if config["source"] == "hub":
    for panel in WITNESSES:
        for task in BOARDS[panel].tasks:
            if placed_by_hand(DATA_ROOT, panel, task):
                logger.warning(
                    f"{panel}/{task}: {placed_by_hand(DATA_ROOT, panel, task)} is used, "
                    "nothing is downloaded."
                )


wildcard_constraints:
    panel="|".join(map(re.escape, BOARDS.panels)),
    board="|".join(BOARDS.boards),
    download="|".join(map(re.escape, BOARDS.downloads.datasets)) or "none",
