"""The downloads of a run: files, their tasks, and how each is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from replication.hub.access import Access
from replication.hub.datasets import Dataset, load_register
from replication.hub.errors import HubError
from replication.hub.layout import download_path


@dataclass(frozen=True, slots=True)
class PanelTask:
    """How the downloaded files of one task of a panel are read, and what was displayed for them.

    Attributes
    ----------
    task : str
        Its name.
    board_scores : str
        Name of the task in ``board_scores.csv``.
    reader : str
        Name of the reader; empty for response matrices.
    metric : str
        The metric that the board displays.
    clusters : sequence of str
        Fields that group the items.
    matrices : sequence of str
        First parts of the names, in the register, of the response matrices that are read instead
        of a file a model.
    members : sequence of str
        Members of their zips that are read.
    blocks : str
        File with the blocks of the test's items, whose labels are the clusters.
    """

    task: str
    board_scores: str
    reader: str = ""
    metric: str = ""
    clusters: Sequence[str] = ()
    matrices: Sequence[str] = ()
    members: Sequence[str] = ()
    blocks: str = ""

    @property
    def is_matrix(self) -> bool:
        """Whether response matrices are read."""
        return not self.reader


@dataclass(frozen=True, slots=True)
class Downloads:
    """The downloads of a run.

    Attributes
    ----------
    folder : str
        Folder of all downloads.
    access : Access
        Where they come from.
    datasets : mapping of str to Dataset
        The published file by the path of its download.
    accepted : sequence of str
        Names of data sets whose items may add up to another score than the displayed one.
    matrices : mapping of (str, str) to sequence of str
        Boards of the register that a task of a panel is taken from, where that is not its own.
    by_default : bool
        Whether boards are downloaded for the default target, and not for their own alone.
    """

    folder: str = ""
    access: Access = field(default_factory=Access)
    datasets: Mapping[str, Dataset] = field(default_factory=dict)
    accepted: Sequence[str] = ()
    matrices: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
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
        """Plan the downloads of a run.

        Parameters
        ----------
        settings : mapping of str to object
            Those under ``hub`` in config.yaml.
        listed : sequence of Dataset
            The files that boards list.
        register : Path, optional
            The list of the panels' files, where these are taken from items.
        tasks : mapping of (str, str) to PanelTask, optional
            The panels' tasks.
        """
        access = Access.from_environment(offline=settings["offline"], with_token=False)
        registered = load_register(register).values() if register else ()
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
            folder=settings["folder"],
            access=access,
            datasets={
                str(download_path(folder, access.endpoint(one.source), one)): one
                for one in (*registered, *listed)
            },
            accepted=settings["accept_other_score"],
            matrices=matrices,
            by_default=register is not None,
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
