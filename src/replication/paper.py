"""A paper in the workflow: its panels, its exhibits, and the inputs of each."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, Final

from llm_power._documents import DocumentError, read_yaml
from replication.boards import (
    CAMERA_READY_ENDS,
    FIGURE_ENDS,
    TABLE_ENDS,
    Board,
    Boards,
    provenance_file,
    stage_file,
)
from replication.hub.errors import HubError
from replication.hub.plan import PanelTask
from replication.settings import check_settings, level_and_power, load_settings

_NUMBERED: Final = re.compile(r"(table|figure)_(\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """What takes numbers that the paper does not print."""

    title: str = ""
    # Place in the configuration, category_bootstrap/resamples, of numbers it takes.
    config: Mapping[str, str] = field(default_factory=dict)
    # How much it simulates where the paper does not say.
    simulated: Mapping[str, int] = field(default_factory=dict)
    # Number of jobs that simulate for it, each some of its chunks; 0 if it does so itself.
    parts: int = 0

    def numbers(self, config: Mapping[str, Any]) -> dict[str, int]:
        """Return its numbers: from the configuration, and of what it simulates."""
        configured: dict[str, Any] = {
            name: reduce(getitem, at.split("/"), config) for name, at in self.config.items()
        }
        return configured | dict(self.simulated)


@dataclass(frozen=True, slots=True)
class ExhibitPlan(Numbered):
    """The inputs and the outputs of an exhibit."""

    name: str
    caption: str = ""
    # Numbers of the printed tables it is made from.
    printed: Sequence[int] = ()
    # Other files of data it is made from, by their paths there.
    files_of_data: Sequence[str] = ()
    # Names of files below the data root it is made from.
    data_root: Sequence[str] = ()
    # Stages that it takes of each panel.
    panels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # Ends of the names of what else it makes beside its CSV.
    files: Sequence[str] = ()

    @property
    def kind(self) -> str:
        """What it is: table, figure, or comparison of the paper with a board of the user's."""
        numbered = _NUMBERED.fullmatch(self.name)
        return numbered[1] if numbered else "comparison"

    @property
    def label(self) -> str:
        """What the paper calls it, ``Table 6``."""
        if self.kind == "comparison":
            return f"Comparison {self.name.removesuffix('_comparison')}"
        return f"{self.kind.capitalize()} {int(self.name.rpartition('_')[2])}"

    @property
    def data(self) -> str:
        """Path of its CSV without the ending."""
        folder = {"table": "tables", "figure": "figures", "comparison": "boards"}[self.kind]
        return f"results/{folder}/{self.name}"

    @property
    def drawing(self) -> str | None:
        """Path of its drawing without the ending; None if it is a table."""
        return f"figures/{self.name}" if self.kind == "figure" else None

    @property
    def shown(self) -> str:
        """Which of its files the report shows."""
        return "svg" if self.drawing else "csv"

    def outputs(self) -> dict[str, str]:
        """Return the path of each file that it makes, by a name of its kind."""
        shown = dict(TABLE_ENDS)
        made = {end.strip("._").replace(".", "_"): self.data + end for end in self.files}
        if self.drawing:
            shown = {name: TABLE_ENDS[name] for name in ("csv", "json")}
            made |= {name: self.drawing + end for name, end in FIGURE_ENDS.items()}
            stem = f"figures/camera_ready/{self.name}"
            made |= {name: stem + end for name, end in CAMERA_READY_ENDS.items()}
        return made | {name: self.data + end for name, end in shown.items()}


@dataclass(frozen=True, slots=True)
class ProsePlan(Numbered):
    """A job that recomputes numbers of the text."""

    results: Sequence[str]
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file below the data root: its path there, and how it is to be had."""

    path: str
    how_to_get: str


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: ``data/NAME/paper.yaml``, and the package of that name."""

    name: str
    root: Path
    title: str
    citation: str
    settings: Mapping[str, Any]
    # What the words and symbols of its exhibits mean.
    terms: Mapping[str, str]
    panels: Mapping[str, Board]
    # How the downloaded files of a panel's task are read; the others are always witnesses.
    hub: Mapping[tuple[str, str], PanelTask]
    exhibits: Mapping[str, ExhibitPlan]
    comparisons: Mapping[str, ExhibitPlan]
    # What recomputes numbers of its text, by the name of its rule.
    prose: Mapping[str, ProsePlan]
    # Files below the data root with real answers to some items of a task, by task.
    sample: Mapping[str, Sequence[str]]
    how_to_get_sample: str
    data_files: Mapping[str, DataFile]

    @classmethod
    def load(cls, root: Path, name: str, *, source: str, matrices: Sequence[str] = ()) -> Paper:
        """Read ``data/NAME/paper.yaml``."""
        file = root / "data" / name / "paper.yaml"
        entry = read_yaml(file)
        check_settings(entry, str(root / "workflow/schemas/paper.schema.yaml"), str(file))
        panels = entry.get("panels", {})
        settings = load_settings(file.with_name("settings.yaml"))
        return cls(
            name=name,
            root=root,
            title=entry["title"],
            citation=entry["citation"],
            settings=settings,
            terms=_terms(entry.get("terms", {}), settings, str(file)),
            panels={board: _board(board, panel, source) for board, panel in panels.items()},
            hub={
                (board, task): _hub_task(task, how, panel.get("cluster"), source, matrices)
                for board, panel in panels.items()
                for task, how in panel["tasks"].items()
                if "hub" in how
            },
            exhibits={key: _exhibit(key, one, source) for key, one in entry["exhibits"].items()},
            comparisons={
                key: ExhibitPlan(key, **one) for key, one in entry.get("comparisons", {}).items()
            },
            prose={key: ProsePlan(**one) for key, one in entry.get("prose", {}).items()},
            sample=entry.get("sample", {}).get("tasks", {}),
            how_to_get_sample=entry.get("sample", {}).get("how_to_get", ""),
            data_files={
                key: DataFile(**one) for key, one in entry.get("files_of_data_root", {}).items()
            },
        )

    @property
    def point(self) -> dict[str, float]:
        """Its alpha and its power."""
        return level_and_power(self.settings)

    @property
    def folder(self) -> Path:
        """The folder of its printed numbers."""
        return self.root / "data" / self.name

    def file(self, name: str) -> str:
        """Return the path of a file of its folder."""
        return str(self.folder / name)

    def printed(self, number: int) -> str:
        """Return the path of a printed table."""
        return self.file(f"printed/table_{number:02d}.csv")

    def printed_tables(self) -> list[str]:
        """Return the paths of all its printed tables."""
        return sorted(map(str, (self.folder / "printed").glob("table_*.csv")))

    def data(self) -> list[str]:
        """Return the paths of what its quantities are evaluated on: all that it prints."""
        files = [self.file(name) for name in ("claims.yaml", "settings.yaml")]
        return [*files, *sorted(map(str, self.folder.glob("*.csv"))), *self.printed_tables()]

    def misprints(self) -> list[str]:
        """Return the path of the misprints that its audit was tried with, where it was."""
        path = self.root / "data/recorded/audit_power" / f"{self.name}.csv"
        return [str(path)] if path.is_file() else []

    @property
    def quantities(self) -> str:
        """The module whose ``evaluate_printed(folder)`` finds what follows from what it prints."""
        return f"{self.name}.findings"

    @property
    def exhibit_rules(self) -> list[str]:
        """Names of the rules that make its exhibits, and the numbers of its text."""
        return [*self.exhibits, *self.prose]

    @property
    def rules(self) -> str:
        """Path of the rules that are its own; there need be none."""
        return str(self.root / "workflow" / "rules" / f"{self.name}.smk")

    def panel_task(self, board: str, task: str) -> PanelTask:
        """Return how the downloaded files of a task of a panel are read."""
        if (board, task) not in self.hub:
            raise HubError(
                f"nothing says how {board}/{task} is read, or what was displayed for it",
                remedy=f"add it to {self.file('paper.yaml')}; your own board needs no panel: give "
                "its files in config.yaml",
            )
        return self.hub[board, task]

    def displayed(self, board: str, task: str) -> list[str]:
        """Return the files with what is known of a task of a panel beside its items."""
        blocks = self.panel_task(board, task).blocks
        return [self.file(name) for name in ("board_scores.csv", blocks) if name]

    @property
    def simulations(self) -> dict[str, Numbered]:
        """What is simulated in parts, by the name of its function and of its folder."""
        plans = {**self.exhibits, **self.prose}
        return {name: plan for name, plan in plans.items() if plan.parts}

    @property
    def simulator(self) -> str:
        """The module whose ``NAME(settings, numbers)`` returns the chunks of a simulation."""
        return f"{self.name}.simulations"

    def simulated(self, name: str) -> list[str]:
        """Return the file of each part of a simulation; none if it has no parts."""
        parts = self.simulations[name].parts if name in self.simulations else 0
        return [f"results/simulations/{name}/part-{part}.parquet" for part in range(parts)]

    def module(self, exhibit: ExhibitPlan) -> str:
        """Return the module that makes an exhibit."""
        return f"{self.name}.exhibits.{exhibit.name}"

    def summary(self, exhibit: ExhibitPlan) -> str:
        """Return the first line of the module that makes an exhibit."""
        module = self.root / "src" / self.name / "exhibits" / f"{exhibit.name}.py"
        if not module.is_file():
            raise DocumentError(
                f"there is no module src/{self.name}/exhibits/{module.name}",
                remedy="write it, with make(inputs), or remove the entry",
                file=f"data/{self.name}/paper.yaml",
                key=f"exhibits/{exhibit.name}",
            )
        first, _, _ = module.read_text(encoding="utf-8").partition("\n")
        return first.strip('".')

    def inputs(self, exhibit: ExhibitPlan) -> dict[str, str | list[str]]:
        """Return the paths of what an exhibit is made from but for files below the data root."""
        return {
            **{f"printed/{number}": self.printed(number) for number in exhibit.printed},
            **{f"data/{path}": str(self.root / "data" / path) for path in exhibit.files_of_data},
            "simulated": self.simulated(exhibit.name),
            **{
                f"{panel}/{stage}": stage_file(panel, stage)
                for panel, stages in exhibit.panels.items()
                for stage in stages
            },
            "provenance": [provenance_file(panel) for panel in exhibit.panels],
        }

    def data_file(self, name: str, boards: Boards) -> str:
        """Return the path of a file below the data root."""
        if name not in self.data_files:
            raise DocumentError(
                f"an exhibit is made from {name}, and files_of_data_root does not name it",
                remedy="name its path there, and how it is to be had",
                file=self.file("paper.yaml"),
            )
        return os.path.join(boards.data_root or "DATA_ROOT", self.data_files[name].path)

    def results(self) -> list[str]:
        """Return every file that its exhibits and its prose make for the reader."""
        return [
            *(path for exhibit in self.exhibits.values() for path in exhibit.outputs().values()),
            *(
                f"results/prose/{name}.csv"
                for prose in self.prose.values()
                for name in prose.results
            ),
        ]


def folders_of(root: Path, first: str) -> dict[str, str]:
    """Return what the paths of each paper's results begin with, by the paper's name."""
    # Nothing for the first, which config.yaml names, ``papers/NAME/`` for every other folder of
    # ``data`` that describes one.
    names = sorted(file.parent.name for file in root.glob("data/*/paper.yaml"))
    return {first: ""} | {name: f"papers/{name}/" for name in names if name != first}


def _terms(terms: Mapping[str, str], settings: Mapping[str, Any], file: str) -> dict[str, str]:
    try:
        return {term: meaning.format(**settings) for term, meaning in terms.items()}
    except (KeyError, IndexError, ValueError) as error:
        raise DocumentError(
            f"a meaning has braces around what settings.yaml does not name: {error}",
            remedy="name a number of settings.yaml there, or double the braces",
            file=file,
            key="terms",
        ) from error


def _exhibit(name: str, entry: Mapping[str, Any], source: str) -> ExhibitPlan:
    """Return the plan of an exhibit; with items, the stages of its `items` are its panels' too."""
    plan = dict(entry)
    items = plan.pop("items", {})
    if items and source != "printed":
        plan["caption"] = "panel"
        panels = plan.get("panels", {})
        more = {panel: [*panels.get(panel, ()), *stages] for panel, stages in items.items()}
        plan["panels"] = panels | more
    return ExhibitPlan(name, **plan)


def _board(name: str, panel: Mapping[str, Any], source: str) -> Board:
    return Board(
        title=panel["title"],
        families=tuple(panel["families"]),
        cluster=panel.get("cluster"),
        tasks={
            task: {"path": _scores_of(name, task, how, source)}
            for task, how in panel["tasks"].items()
        },
        is_panel=True,
    )


def _scores_of(name: str, task: str, how: Mapping[str, Any], source: str) -> str:
    """Return the path of the scores of a panel's task."""
    if source == "printed" or "hub" not in how:
        return f"results/witness/ranked/{name}/{task}.parquet"
    return str(how.get("scores", f"results/scores/{name}/{task}.parquet"))


def _hub_task(
    task: str,
    how: Mapping[str, Any],
    cluster: str | None,
    source: str,
    matrices: Sequence[str],
) -> PanelTask:
    clusters = (cluster,) if cluster else ()
    if source == "items" and "items" in how:
        return PanelTask(task=task, clusters=clusters, matrices=matrices, **how["items"])
    return PanelTask(task=task, clusters=clusters, **how["hub"])
