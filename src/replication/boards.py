"""The boards of a run: where their scores are, and the files made of each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from llm_power._board.operating_point import Declared
from llm_power._choices import ClusterSampling, ClusterTest, Control, McNemarTest, Weighting
from llm_power._documents import DocumentError
from llm_power._errors import LLMPowerError
from replication.hub.plan import Downloads

# The ends of the names of a table's files, and of a figure's, by the names of a rule's outputs;
# a camera-ready figure has its provenance in its caption.
TABLE_ENDS: Final = {"csv": ".csv", "json": ".csv-metadata.json", "md": ".md", "tex": ".tex"}
FIGURE_ENDS: Final = {"pdf": ".pdf", "png": ".png", "svg": ".svg"}
CAMERA_READY_ENDS: Final = {"camera_ready": ".pdf", "camera_ready_caption": ".txt"}
BOARD_TABLES: Final = ("overview", "procedures", "gaps", "ladder", "ranks")
# Of a board whose pairs are not held: of some of them, and of all together.
STREAMED_TABLES: Final = (
    *("overview", "ladder", "ranks"),
    *("by_distance", "by_gap", "by_accuracy", "by_rank", "tiers", "by_items"),
)
AVERAGE_TABLES: Final = ("average", "average_ranks")
# The stages of a panel that are results of a board.
_SIDE_STAGES: Final = ("loso", "category_bootstrap", "cluster_definitions")


class BoardNotThere(LLMPowerError):
    """The scores of a board are not at hand; the message says how to get them."""


@dataclass(frozen=True, slots=True)
class Board:
    """One board: a file of config/boards, whose schema describes each setting, or a paper's own."""

    title: str
    tasks: Mapping[str, Mapping[str, Any]]
    # The first one names no file.
    families: Sequence[str] = ("adjacent",)
    missing: str = "error"
    cluster: str | None = None
    clusters: ClusterSampling = "random"
    cluster_test: ClusterTest = "cr2"
    test: McNemarTest = "exact"
    margin: float | None = None
    monitored: bool = False
    average: Weighting | Mapping[str, float] = "equal"
    control: Control = "max-t"
    only_best: int | None = None
    how_to_get: str = "see its source"
    is_panel: bool = False
    # Jobs and files that its pairs are spread over, where these are more than are held.
    parts: int | None = None

    @property
    def declared(self) -> Declared:
        """What its verdicts are about, as `llm-power resolve` takes it."""
        shared = {one.name for one in fields(Declared)} & {one.name for one in fields(self)}
        own: dict[str, Any] = {name: getattr(self, name) for name in shared}
        return Declared(**own, weighted=self.missing == "weighted", weights=self.average)

    @property
    def has_average(self) -> bool:
        """Whether its several tasks are averaged; a paper's are as the paper has them."""
        return len(self.tasks) > 1 and not self.is_panel


@dataclass(frozen=True, slots=True)
class Family:
    """One family of pairs of one board, which has one verdict table."""

    board: str
    pairs: str


@dataclass(frozen=True)
class Boards:
    """All boards of a run."""

    boards: Mapping[str, Board]
    data_root: str | None = None
    downloads: Downloads = field(default_factory=Downloads)

    @classmethod
    def of(
        cls,
        panels: Mapping[str, Board],
        configured: Mapping[str, Mapping[str, Any]],
        *,
        data_root: str | None,
        downloads: Downloads,
    ) -> Boards:
        """Join a paper's panels and the user's boards, whose names differ."""
        for name in configured:
            if name in panels:
                raise DocumentError(
                    "the paper has a panel of that name",
                    remedy="give the board another name",
                    file=f"config.yaml, config/boards/{name}.yaml",
                )
        own = {name: Board(**entry) for name, entry in configured.items()}
        for name, board in own.items():
            if board.declared.weighted and board.cluster is None:
                raise DocumentError(
                    "missing scores are weighted by cluster, and no cluster column is named",
                    remedy="name one as cluster, or choose another policy for missing scores",
                    file=f"config.yaml, config/boards/{name}.yaml",
                )
        return cls({**panels, **own}, data_root, downloads)

    def __getitem__(self, board: str) -> Board:
        return self.boards[board]

    @cached_property
    def panels(self) -> dict[str, Family]:
        """Each family of pairs, by the name that its files have."""
        return {
            (name if family == board.families[0] else f"{name}.{family}"): Family(name, family)
            for name, board in self.boards.items()
            for family in board.families
        }

    def of_panel(self, panel: str) -> Board:
        """Return the board of a family of pairs."""
        return self.boards[self.panels[panel].board]

    def scores(self, board: str, folder: str = "") -> list[str]:
        """Return the files of the scores of a board's tasks: in rank order, or in a folder."""
        of_board = self.boards[board]
        if of_board.is_panel and not folder:
            return [str(task["path"]) for task in of_board.tasks.values()]
        return [f"{folder or 'results/scores'}/{board}/{task}.parquet" for task in of_board.tasks]

    def source_of(self, board: str, task: str) -> str | list[str]:
        """Return the file or the folder of a task's items, or its downloads."""
        if (placed := self.placed(board, task)) is not None:
            return placed
        if downloads := self.downloads.of(board, task):
            return downloads
        raise BoardNotThere(f"the files of board {board} are not there. {self.how_to_get(board)}")

    def placed(self, board: str, task: str) -> str | None:
        """Return the file or the folder of a task that somebody put there; None if it is not."""
        path = str(self.boards[board].tasks[task].get("path", ""))
        if self.boards[board].is_panel:
            path = f"panels/{board}/{task}.parquet"
        elif is_result(path):
            return path
        below = os.path.join(self.data_root or "", path)
        is_place = path and (self.data_root or os.path.isabs(path))
        return below if is_place and os.path.exists(below) else None

    def files_of(self, board: str, task: str) -> list[str]:
        """Return the input files of a task: all files of a folder."""
        source = self.source_of(board, task)
        if isinstance(source, list):
            return source
        if not os.path.isdir(source):
            return [source]
        return sorted(str(file) for file in Path(source).rglob("[!.]*") if file.is_file())

    def reading(self, board: str, task: str) -> dict[str, Any]:
        """Return the files of a task and how they are read, as `read_files` takes it."""
        of_board, source = self.boards[board], self.source_of(board, task)
        settings = dict(of_board.tasks[task])
        if of_board.is_panel:
            settings = {"reader": "auto", "clusters": list(filter(None, [of_board.cluster]))}
        download = settings.pop("download", None)
        settings.pop("path", None)
        if not isinstance(source, list):
            return {"source": source, "settings": settings, "datasets": []}
        return {
            "source": source,
            "settings": settings,
            "datasets": [asdict(self.downloads.datasets[path]) for path in source],
            "download": download,
        }

    def is_there(self, board: str) -> bool:
        """Return whether the run has a board of this name, and its files are or will be there."""
        if board not in self.boards:
            return False
        if self.boards[board].is_panel:
            return True
        try:
            files = [self.files_of(board, task) for task in self.boards[board].tasks]
        except BoardNotThere:
            return False
        return all(names and all(map(self._will_be_there, names)) for names in files)

    def _will_be_there(self, path: str) -> bool:
        there = is_result(path) or os.path.isfile(path)
        return there or self.downloads.will_be_there(path)

    def how_to_get(self, board: str) -> str:
        """Say how a board gets its files."""
        how = self.boards[board].how_to_get
        by_hand = f"{how}, and set data_root in config.yaml or LLM_POWER_DATA"
        files = [
            path for task in self.boards[board].tasks for path in self.downloads.of(board, task)
        ]
        if not files:
            return f"To include it, {by_hand}."
        licences = ", ".join(dict.fromkeys(self.downloads.datasets[path].licence for path in files))
        return (
            f"`snakemake board_{board}` downloads them: {len(files)} files of "
            f"{self.downloads.datasets[files[0]].page}, licence: {licences}."
        )

    def results(self, board: str) -> list[str]:
        """Return every result of a board: verdicts, tables, page, figure, and other stages."""
        made: list[str] = []
        if self.boards[board].parts is not None:
            return self._streamed_results(board)
        for panel in (name for name, family in self.panels.items() if family.board == board):
            made += _flat(board_files(panel))
            made += self._average_results(board, panel)
            made += [stage_file(panel, stage) for stage in _SIDE_STAGES]
            made += figure_files(panel).values()
        return made

    def _streamed_results(self, board: str) -> list[str]:
        parts = range(self.boards[board].parts or 0)
        return [
            *(f"results/pairs/{board}/part-{part}.parquet" for part in parts),
            *_flat(board_files(board, STREAMED_TABLES)),
            *figure_files(board).values(),
            *self._average_results(board, board),
        ]

    def _average_results(self, board: str, name: str) -> list[str]:
        if not self.boards[board].has_average:
            return []
        return [*average_files(name).values(), *table_files(name, AVERAGE_TABLES)]

    def streamed(self) -> list[str]:
        """Return the boards whose pairs are not held."""
        return [name for name, board in self.boards.items() if board.parts is not None]


def board_files(panel: str, tables: Sequence[str] = BOARD_TABLES) -> dict[str, str | list[str]]:
    """Return the files of a panel but its figure, by the names of its rule's outputs."""
    return {
        "parquet": f"results/pairs/{panel}.parquet",
        "csv": f"results/pairs/{panel}.csv",
        "tables": table_files(panel, tables),
        "page": f"results/boards/{panel}/board.html",
        # The facts that the page and the index are drawn from.
        "summary": f"results/boards/{panel}/summary.json",
    }


def average_files(panel: str) -> dict[str, str]:
    """Return the files of the pairs of a panel's average, by the names of its rule's outputs."""
    return {f"average_{end}": f"results/pairs/{panel}.average.{end}" for end in ("parquet", "csv")}


def figure_files(panel: str) -> dict[str, str]:
    """Return the files of the figure of a panel, by the names of its rule's outputs."""
    return {name: f"figures/boards/{panel}{end}" for name, end in FIGURE_ENDS.items()}


def _flat(files: Mapping[str, str | list[str]]) -> list[str]:
    return [path for made in files.values() for path in ([made] if isinstance(made, str) else made)]


def table_files(panel: str, tables: Sequence[str]) -> list[str]:
    """Return the files of tables of a panel."""
    stems = [f"results/boards/{panel}/{name}" for name in tables]
    return [stem + end for stem in stems for end in TABLE_ENDS.values()]


def stage_file(panel: str, stage: str) -> str:
    """Return the file of a stage of a panel; ``verdicts`` is its verdict table."""
    return f"results/boards/{panel}/{stage}.parquet"


def provenance_file(panel: str) -> str:
    """Return the file that says where the scores of a panel came from."""
    return f"results/boards/{panel}/provenance.json"


def is_result(path: str) -> bool:
    """Return whether a path is one that jobs write."""
    return path.startswith("results/")
