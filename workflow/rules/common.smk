# What several rules need: the paper, the boards, and what labels both.

import os
import re
from dataclasses import asdict
from functools import partial
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from llm_power._errors import LLMPowerError
from replication.boards import (
    AVERAGE_TABLES,
    BOARD_TABLES,
    STREAMED_TABLES,
    average_files,
    board_files,
    figure_files,
)
from llm_power_audit.written_verdicts import claims_by_exhibit, counted
from replication.screen import REPEATED_LATER
from replication.settings import settings_file
from replication.targets import (
    CRATE,
    SAMPLE_EVIDENCE,
    SAMPLE_PAIRS,
    Run,
    audited_files,
    not_yet_shown,
)


def refused(function, *arguments):
    """Return what a function returns; what it refuses ends the run in one line."""
    try:
        return function(*arguments)
    except LLMPowerError as error:
        raise WorkflowError(f"error: {error}")


# The folder of workflow, data and src, from where the run is: "." in the clone, elsewhere in a
# deployed copy. Relative, so that a clone can be moved.
ROOT = Path(
    os.path.relpath(
        os.path.join(
            workflow.current_basedir.get_path_or_uri(secret_free=True), "../.."
        )
    )
)
RUN = refused(Run.planned, ROOT, config)
PAPER, BOARDS = RUN.paper, RUN.boards
HUB_LOCK = "datasets.lock.csv"
CLAIMS = PAPER.file("claims.yaml")
# The register, and the tables whose cells it names.
PRINTED = [CLAIMS, *PAPER.printed_tables()]


# Families of pairs that are held.
HELD = [panel for panel in BOARDS.panels if panel not in BOARDS.streamed()]


def one_of(names):
    """Return the pattern of these names."""
    return "|".join(map(re.escape, names)) or "none"


def panel_of(wildcards):
    return wildcards.get("panel") or wildcards.streamed


def board_of(wildcards):
    return BOARDS.of_panel(panel_of(wildcards))


def scores_of(wildcards):
    return BOARDS.scores(BOARDS.panels[panel_of(wildcards)].board)


def family_of(wildcards):
    return BOARDS.panels[panel_of(wildcards)].pairs


def operating_point(wildcards):
    return RUN.point_of(board_of(wildcards))


def board_settings(wildcards):
    """Return the settings of all jobs of a board, in a form that jobs are compared by."""
    board = board_of(wildcards)
    return {
        "family": family_of(wildcards),
        "cluster": board.cluster,
        "point": operating_point(wildcards),
        "declared": asdict(board.declared),
        "parts": board.parts,
    }


def warning_of(lines, files):
    """Return an input function: the files of a target, with a warning of what it leaves out."""

    of = f"{PAPER.citation}: " if RUN.folder else ""

    def warned(wildcards):
        for line in not_yet_shown(of + line for line in lines):
            logger.warning(line, extra={REPEATED_LATER: True})
        return files

    return warned


def exhibit_labels(exhibit, label, wildcards):
    """Return what the report says of an exhibit beside its picture or its numbers."""
    claims = claims_by_exhibit(RUN.results).get(exhibit.name, ())
    verdicts = (claim["verdict"] for claim in claims)
    return {
        "exhibit": label,
        "rests on": RUN.rests_on(exhibit),
        "claims": ", ".join(text for _, text in counted(verdicts)) or "none",
    }


def exhibit_outputs(exhibit):
    """Return the outputs of an exhibit's rule, with those that go into the report marked."""
    outputs = exhibit.outputs()
    labels = {exhibit.shown: exhibit.label}
    if exhibit.drawing:
        labels["camera_ready"] = f"{exhibit.label}, camera-ready"
    if exhibit.caption:
        for name, label in labels.items():
            outputs[name] = report(
                outputs[name],
                caption=f"../report/{exhibit.caption}.rst",
                category=f"{exhibit.kind.capitalize()}s of {PAPER.citation}",
                labels=partial(exhibit_labels, exhibit, label),
            )
    return outputs


def board_labels(shown, wildcards):
    """Return what the report says of a board beside its page or its figure."""
    family = BOARDS.panels[panel_of(wildcards)]
    return {
        "board": f"{board_of(wildcards).title} ({family.pairs} pairs)",
        "rests on": RUN.board_rests_on(family.board),
        "shown": shown,
    }


def board_outputs(panel, pairs, tables):
    """Return the outputs of a board's rule, with those that go into the report marked."""
    made = board_files(panel, tables) | figure_files(panel)
    for name, shown in {"page": f"page, {pairs}", "svg": "figure"}.items():
        made[name] = report(
            made[name],
            caption="../report/board.rst",
            category="Boards",
            labels=partial(board_labels, shown),
        )
    return made


def reading(wildcards):
    """Return how the files of a task are read; those of a panel by what the paper says of them."""
    return refused(BOARDS.reading, wildcards.board, wildcards.task)


def panel_task(wildcards):
    """Return how the downloads of a panel's task are read; None if it is no panel's."""
    if not (BOARDS[wildcards.board].is_panel and reading(wildcards)["datasets"]):
        return None
    return refused(PAPER.panel_task, wildcards.board, wildcards.task)


def parts_of(pattern):
    """Return an input function: the files of all parts of a board."""
    return lambda wildcards: [
        pattern.format(streamed=wildcards.streamed, part=part)
        for part in range(board_of(wildcards).parts)
    ]


wildcard_constraints:
    panel=one_of(HELD),
    streamed=one_of(BOARDS.streamed()),
    part=r"\d+",
    simulation=one_of(PAPER.simulations),
    board=one_of(BOARDS.boards),
    download=one_of(BOARDS.downloads.datasets),
