"""The interface of an exhibit's module: ``make(inputs: Inputs) -> Exhibit``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from llm_power._provenance import Provenance
from llm_power._report.tables import Table, write_described_csv
from llm_power_audit.printed_tables import PublishedCounts, load_counts, load_table
from replication.settings import level_and_power
from replication.simulations import Chunks, gathered
from replication.stages import UndeclaredInput, read_stage
from replication.table_files import write_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Inputs:
    """The inputs of an exhibit. Each file is read when it is asked for."""

    exhibit: str
    # Paths by their names: printed/6, data/PATH, data_root/NAME, simulated, PANEL/STAGE and
    # provenance.
    files: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def printed(self, number: int) -> pd.DataFrame:
        """Load a printed table."""
        return load_table(self._file(f"printed/{number}"))

    def counts(self, number: int, *, n_items: int | None = None) -> PublishedCounts:
        """Load a printed table of discordant counts."""
        return load_counts(self._file(f"printed/{number}"), n_items=n_items)

    @property
    def point(self) -> dict[str, float]:
        """The paper's ``alpha`` and ``power``."""
        return level_and_power(self.settings)

    def file_of_data(self, path: str) -> Path:
        """Return the path of another file of data."""
        return self._file(f"data/{path}")

    def data_root(self, name: str) -> Path:
        """Return the path of a file below the data root."""
        return self._file(f"data_root/{name}")

    def stage(self, panel: str, name: str) -> pd.DataFrame:
        """Load a stage of a panel."""
        return read_stage(str(self._file(f"{panel}/{name}")))

    def panel(self, panel: str, *stages: str) -> pd.DataFrame:
        """Load stages of a panel that have one row a pair, joined on the pair."""
        first, *others = (self.stage(panel, name) for name in stages)
        for other in others:
            # The columns that two stages share name the pair.
            first = first.merge(other, validate="one_to_one")
        return first

    def has(self, panel: str, stage: str) -> bool:
        """Return whether a stage of a panel is among the inputs."""
        return f"{panel}/{stage}" in self.files

    def simulated(self, chunks: Chunks) -> dict[str, pd.DataFrame]:
        """Load what jobs simulated for it, or simulate it here: a table a chunk, in their order."""
        return gathered(self.files.get("simulated", ()), chunks)

    def provenance(self) -> list[Provenance]:
        """Return where the scores of all its panels came from."""
        texts = [Path(path).read_bytes() for path in self.files["provenance"]]
        return [Provenance(**source) for text in texts for source in json.loads(text)]

    def _file(self, name: str) -> Path:
        if name not in self.files:
            raise UndeclaredInput(
                f"{self.exhibit} asks for {name}, which its entry in paper.yaml does not name"
            )
        return Path(self.files[name])


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure that is yet to be drawn."""

    title: str
    provenance: Sequence[Provenance]
    draw: Callable[[], Figure]
    # Sentences of the caption: what is shown, and what the paper prints beside it.
    caption: str = ""
    # What is seen, in one sentence: the caption begins with it, and whoever sees no picture has it.
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """The result of an exhibit's module."""

    numbers: Table | pd.DataFrame
    drawing: Drawing | None = None
    # Text of what else is written beside the CSV, by the end of its name.
    files: Mapping[str, str] = field(default_factory=dict)


def write_numbers(exhibit: Exhibit, stem: str) -> None:
    """Write all of an exhibit but its drawing, at a path without an ending."""
    kind, _, number = Path(stem).name.partition("_")
    if isinstance(exhibit.numbers, Table):
        # What is behind a figure has no number.
        of_paper = str(int(number)) if kind == "table" and number.isdigit() else None
        write_table(replace(exhibit.numbers, number=of_paper), Path(stem))
    elif exhibit.drawing is not None:
        drawing = exhibit.drawing
        write_described_csv(
            exhibit.numbers,
            Path(f"{stem}.csv"),
            title=drawing.title,
            provenance=drawing.provenance,
        )
    for end, text in exhibit.files.items():
        Path(f"{stem}{end}").write_text(text, encoding="utf-8")
