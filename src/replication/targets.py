"""The targets of a run: made by default, left out, and read by the audit."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from llm_power._documents import read_yaml
from llm_power._errors import LLMPowerError, message_at
from replication.boards import Board, BoardNotThere, Boards
from replication.hub.datasets import listed_files
from replication.hub.plan import Downloads
from replication.paper import ExhibitPlan, Paper, folders_of
from replication.settings import level_and_power

# The audit makes it beside the results of exhibits, and it is no result of one.
_EVIDENCE: Final = "results/audit/evidence.csv"
SAMPLE_PAIRS: Final = "results/sample/pairs.csv"
SAMPLE_EVIDENCE: Final = "results/sample/evidence.csv"
# The scores of panels that were fitted to printed numbers.
WITNESSES: Final = "results/witness/"
_SET_ROOT: Final = "and set data_root in config.yaml or LLM_POWER_DATA"
# At the top of the folder, which is the crate.
CRATE: Final = ("ro-crate-metadata.json", "codemeta.json")
# What this process has shown of what is absent.
_SHOWN: Final[set[str]] = set()


class ResultsOfAnother(LLMPowerError):
    """The folder holds the results of another paper, which have the same names."""


@dataclass(frozen=True)
class Run:
    """A paper and boards, from one source, at the level and power of the user's boards."""

    paper: Paper
    boards: Boards
    source: str
    # The user's alpha and power.
    point: Mapping[str, float]
    # What the paths of each paper's results begin with: nothing, or papers/NAME/.
    folders: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def planned(cls, root: Path, config: Mapping[str, Any]) -> Run:
        """Plan the run that a checked configuration asks for; `root` has data, src and workflow."""
        folders = config.get("folders") or folders_of(root, config["paper"])
        source, hub = config["source"], config["hub"]
        paper = Paper.load(root, config["paper"], source=source, matrices=hub["matrices"])
        boards = Boards.of(
            paper.panels,
            config["boards"],
            data_root=config["data_root"] or os.environ.get("LLM_POWER_DATA"),
            downloads=Downloads.planned(
                hub,
                listed=[
                    file
                    for board, entry in config["boards"].items()
                    for task, how in entry["tasks"].items()
                    if "download" in how
                    for file in listed_files(board, task, how["download"])
                ],
                register=None if source == "printed" else root / "data/datasets.csv",
                tasks=paper.hub,
            ),
        )
        run = cls(paper, boards, source, level_and_power(config), folders)
        refuse_results_of_another(paper.name, run.results)
        return run

    @property
    def folder(self) -> str:
        """What the paths of its results begin with."""
        return self.folders.get(self.paper.name, "")

    @property
    def results(self) -> Path:
        """The folder of its results."""
        return Path(self.folder, "results")

    def settings(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Return the configuration as its user has it."""
        return {name: value for name, value in config.items() if name != "folders"}

    def point_of(self, board: Board) -> Mapping[str, float]:
        """Return level and power of a board: the paper's own for its panels, else the user's."""
        return self.paper.point if board.is_panel else self.point

    def audited_rules(self) -> list[str]:
        """Return the names of the rules whose results claims are held against."""
        return [
            *self.paper.exhibit_rules,
            "findings_printed",
            *(["witness_report"] if self.paper.panels else []),
            *(["raw_sample"] if self.paper.sample else []),
            *(["findings_items"] if self.item_findings() else []),
        ]

    def comparisons(self) -> list[ExhibitPlan]:
        """Return what sets the paper beside the user's boards, and can: they have its point."""
        return [
            plan
            for plan in self.paper.comparisons.values()
            if self.point == self.paper.point and plan.panels.keys() <= self.boards.panels.keys()
        ]

    def exhibit_files(self, kind: str) -> list[str]:
        """Return the files of the exhibits of a kind that can be made."""
        there = self.exhibits_there()
        plans = [plan for name, plan in self.paper.exhibits.items() if name in there]
        return [path for plan in plans if plan.kind == kind for path in plan.outputs().values()]

    def data_file(self, name: str) -> str:
        """Return the path of a file below the data root, which is there."""
        path, how = self.paper.data_file(name, self.boards), self.paper.data_files[name].how_to_get
        if not os.path.isfile(path):
            raise BoardNotThere(f"{path} is not there. Remedy: {how}, {_SET_ROOT}.")
        return path

    def missing_files(self) -> dict[str, list[ExhibitPlan]]:
        """Return the files of the data root that are not there, and what is made from each."""
        return {
            name: [plan for plan in self.paper.exhibits.values() if name in plan.data_root]
            for name in self.paper.data_files
            if not os.path.isfile(self.paper.data_file(name, self.boards))
        }

    def exhibits_there(self) -> list[str]:
        """Return the exhibits that are made by default, and the numbers of the text."""
        missing = [plan.name for plans in self.missing_files().values() for plan in plans]
        return [name for name in self.paper.exhibit_rules if name not in missing]

    def boards_there(self) -> list[str]:
        """Return the boards whose files are there, which are made by default."""
        return [*filter(self.boards.is_there, self.boards.boards)]

    def board_results(self) -> list[str]:
        """Return the files of these boards."""
        return [path for board in self.boards_there() for path in self.boards.results(board)]

    def comparisons_there(self) -> list[ExhibitPlan]:
        """Return the comparisons whose boards are there."""
        there = self.boards_there()
        return [
            plan
            for plan in self.comparisons()
            if all(self.boards.panels[name].board in there for name in plan.panels)
        ]

    def item_findings(self) -> list[str]:
        """Return the files with what the panels' items give for the printed numbers."""
        if self.source == "printed":
            return []
        return [
            f"results/items/{board}.csv" for board in dict.fromkeys(b for b, _ in self.paper.hub)
        ]

    def rests_on(self, plan: ExhibitPlan) -> str:
        """Say in a word or two what the numbers of an exhibit are made from."""
        if not plan.panels:
            counts = "published scores" if plan.data_root else "printed numbers"
            return {"simulated": "simulation"}.get(plan.caption, counts)
        boards = {self.boards.panels[panel].board for panel in plan.panels}
        kinds = {self.board_rests_on(board) for board in boards}
        return "witness" if "witness" in kinds else "items"

    def board_rests_on(self, board: str) -> str:
        """Say whether any of the scores of a board are a witness."""
        paths = [str(task.get("path", "")) for task in self.boards[board].tasks.values()]
        return "witness" if any(path.startswith(WITNESSES) for path in paths) else "items"

    def unit_of(self, rule: str, wildcards: Mapping[str, str]) -> str | None:
        """Return what a job makes a part of, as a reader calls it; None if it is several."""
        name = wildcards.get("simulation", rule)
        if name in self._pages:
            return self._pages[name]
        panel = self.boards.panels.get(wildcards.get("panel") or wildcards.get("streamed", ""))
        board = panel.board if panel else wildcards.get("board")
        return f"Board {board}" if board in self.boards.boards else None

    @cached_property
    def _pages(self) -> dict[str, str]:
        plans = [*self.paper.exhibits.values(), *self.paper.comparisons.values()]
        return {plan.name: plan.label for plan in plans} | {"audit": "Audit of the claims"}

    def sample_left_out(self) -> list[str]:
        """Say why the sample of real items is not made, if it is not."""
        if not self.paper.sample or self.has_sample:
            return []
        return [
            "The sample of real items is left out: its files are not there. To include it, "
            f"{self.paper.how_to_get_sample}, {_SET_ROOT}."
        ]

    def exhibits_left_out(self) -> list[str]:
        """Say of each file that is not there which exhibits are not made, and how it is had."""
        return [
            f"{', '.join(plan.label for plan in plans)}: left out, for "
            f"{self.paper.data_files[name].path} is not there. To include them, "
            f"{self.paper.data_files[name].how_to_get}, {_SET_ROOT}."
            for name, plans in self.missing_files().items()
        ]

    def boards_left_out(self) -> list[str]:
        """Say of each board why it is not made; a line each."""
        return [
            f"Board {board} is left out: its files are not there. {self.boards.how_to_get(board)}"
            for board in self.boards.boards
            if not self.boards.is_there(board)
        ]

    def left_out(self) -> list[str]:
        """Say of all that is not made why; a line each."""
        comparisons = self.comparisons()
        return [
            *self.sample_left_out(),
            *self.exhibits_left_out(),
            *self.boards_left_out(),
            *(
                f"{plan.name} is left out: it takes {', '.join(plan.panels)} at the paper's alpha "
                "and power."
                for plan in self.paper.comparisons.values()
                if plan not in comparisons
                and all(self.boards.is_there(name.split(".")[0]) for name in plan.panels)
            ),
        ]

    def sample(self) -> list[str]:
        """Return the files of real answers to some items of a panel, task by task."""
        for line in self.sample_left_out():
            raise BoardNotThere(line)
        return self._sample

    @property
    def _sample(self) -> list[str]:
        root = self.boards.data_root or "DATA_ROOT"
        return [os.path.join(root, file) for files in self.paper.sample.values() for file in files]

    @property
    def has_sample(self) -> bool:
        """Whether all of these files are at hand."""
        return bool(self.paper.sample) and all(map(os.path.isfile, self._sample))

    def absent(self) -> set[str]:
        """Return the results that a register may name and this run does not make."""
        missing = (plan for plans in self.missing_files().values() for plan in plans)
        without_files = {path for plan in missing for path in plan.outputs().values()}
        return without_files | (set() if self.has_sample else {SAMPLE_EVIDENCE})

    def not_audited(self) -> list[str]:
        """Return these as a register names them."""
        return sorted(os.path.relpath(path, "results") for path in self.absent())

    def pages_beside(self) -> dict[str, str]:
        """Return the pages of the other papers by title; addresses relative to this one's."""
        return {
            read_yaml(self.paper.folder.with_name(name) / "paper.yaml")["title"]: os.path.relpath(
                f"{folder}results/index.html", self.results
            )
            for name, folder in self.folders.items()
            if name != self.paper.name
        }


def not_yet_shown(lines: Iterable[str]) -> list[str]:
    """Return the lines that this process has not shown, which the caller shows."""
    new = [line for line in dict.fromkeys(lines) if line not in _SHOWN]
    _SHOWN.update(new)
    return new


def refuse_results_of_another(paper: str, results: Path) -> None:
    """Refuse to mix the results of a paper with those of another."""
    manifest = results / "manifest.json"
    try:
        there = json.loads(manifest.read_bytes())["config"]["paper"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if there != paper:
        problem = f"the results here are of the paper {there}, not of {paper}"
        remedy = (
            f"with `paper: {there}` in config.yaml, make reproduce PAPER={paper} makes it in "
            f"papers/{paper}; or move results and figures away (make clean removes them)"
        )
        raise ResultsOfAnother(message_at({"file": str(manifest)}, problem, remedy))


def unit_of(runs: Mapping[str, Run], rule: str, wildcards: Mapping[str, str]) -> str | None:
    """Return what a job of one of these runs, by the prefixes of their rules, is a part of."""
    named = (prefix for prefix in runs if rule.startswith(prefix))
    prefix = max(named, key=len, default="")
    unit = runs[prefix].unit_of(rule.removeprefix(prefix), wildcards)
    return f"{prefix.rstrip('_')}: {unit}" if unit and prefix else unit


def audited_files(claims: str, made: Iterable[str], absent: Collection[str] = ()) -> list[str]:
    """Return the results that a register of claims names, their descriptions, and what it shows."""
    text = Path(claims).read_text(encoding="utf-8")
    named, linked = (
        {f"results/{name}" for name in re.findall(rf"\b{field}: ([\w./-]+)", text)}
        for field in ("result", "file")
    )
    shown = {
        path
        for path in made
        if path.removesuffix("-metadata.json") in named or path in linked or path.endswith(".png")
    }
    return sorted((named | shown) - {_EVIDENCE, *absent})
