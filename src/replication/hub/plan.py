"""The downloads of a run: files, their tasks, and how each is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from replication.hub.access import Access
from replication.hub.datasets import Dataset, download_path, load_datasets
from replication.hub.errors import HubError


@dataclass(frozen=True, slots=True)
class PanelTask:
    """How the downloaded files of one task of a panel are read, and what was displayed for them."""

    task: str
    board_scores: str
    # Name of the reader; empty for response matrices.
    reader: str = ""
    metric: str = ""
    clusters: Sequence[str] = ()
    # First parts of the names, in the register, of the response matrices that are read instead of
    # a file a model.
    matrices: Sequence[str] = ()
    members: Sequence[str] = ()
    # File with the blocks of the test's items, whose labels are the clusters.
    blocks: str = ""

    @property
    def is_matrix(self) -> bool:
        """Whether response matrices are read."""
        return not self.reader


@dataclass(frozen=True, slots=True)
class Downloads:
    """The downloads of a run."""

    access: Access = field(default_factory=Access)
    datasets: Mapping[str, Dataset] = field(default_factory=dict)
    accepted: Sequence[str] = ()
    # Boards of the register that a task of a panel is taken from, where that is not its own.
    matrices: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    # Whether boards are downloaded for the default target, and not for their own alone.
    by_default: bool = False

    @classmethod
    def planned(
        cls,
        settings: Mapping[str, Any],
        *,
        listed: Sequence[Dataset] = (),
        register: Path | None = None,
        tasks: Mapping[tuple[str, str], PanelTask] | None = None,
    ) -> Downloads:
        """Plan the downloads of a run."""
        access = Access.from_environment(offline=settings["offline"], with_token=False)
        registered = load_datasets(register).values() if register else ()
        matrices = {key: task.matrices for key, task in (tasks or {}).items() if task.is_matrix}
        known = {dataset.board for dataset in registered}
        for name in (name for names in matrices.values() for name in names):
            if register and name not in known:
                raise HubError(
                    f"{register} has no file of the matrix {name!r}",
                    remedy="correct hub: matrices in config.yaml",
                )
        folder = Path(settings["folder"])
        return cls(
            access=access,
            datasets={
                str(download_path(folder, access.endpoint(one.source), one)): one
                for one in (*registered, *listed)
            },
            accepted=settings["accept_other_score"],
            matrices=matrices,
            by_default=register is not None and settings["boards"],
        )

    def of(self, board: str, task: str) -> list[str]:
        """Return the downloaded files of a task, in the order in which they are listed."""
        boards = self.matrices.get((board, task), (board,))
        return [
            path
            for name in boards
            for path, one in self.datasets.items()
            if (one.board, one.task) == (name, task)
        ]

    def will_be_there(self, path: str) -> bool:
        """Return whether the default target downloads a file, whose sum a board has to know."""
        one = self.datasets.get(path)
        return self.by_default and one is not None and bool(one.sum or not one.listed_in)
