"""One small data set of each kind, and a desk to download them to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from stand_in import TOKEN, StandIn

from replication.hub.access import Access
from replication.hub.datasets import Dataset, download_path
from replication.hub.download import download
from replication.hub.errors import HubError
from replication.hub.lock import LockFile
from replication.hub.requests import Patience

BODY = bytes(range(256)) * 40
# Short between attempts alone: on a busy machine a stand-in that is well answers late too.
FAST = Patience(attempts=3, first_wait=0.01, longest_wait=0.05, slowest=1_000, window=0.2)
OPEN = Dataset(
    name="oll_v1/arc/gemma-7b",
    source="hub",
    repo="open-old/details_google__gemma-7b",
    revision="c" * 40,
    file="run/details_harness|arc:challenge|25_2024-02-16T08-54-11.99.parquet",
    licence="",
)
GATED = replace(
    OPEN,
    name="mmlu_pro_top10/mmlu_pro/Arcee-Blitz",
    repo="open/arcee-ai__Arcee-Blitz-details",
    revision=None,
    file="*/samples_leaderboard_mmlu_pro_*.json*",
)
ZIP = replace(
    OPEN,
    name="mmlu_pro_authors/mmlu_pro/Yi-6B",
    source="github",
    repo="TIGER-AI-Lab/MMLU-Pro",
    file="eval_results/model_outputs_Yi-6B_5shots.zip",
)
KINDS = {"open": OPEN, "gated": GATED, "zip": ZIP}


@dataclass
class Desk:
    """Where a test downloads to, and from."""

    hub: StandIn
    root: Path
    access: Access
    patience: Patience = FAST

    @property
    def folder(self) -> Path:
        return self.root / "downloads"

    @property
    def lock(self) -> LockFile:
        return LockFile(self.root / "datasets.lock.csv")

    def path(self, dataset: Dataset) -> Path:
        return download_path(self.folder, self.hub.endpoint, dataset)

    def fetch(self, dataset: Dataset) -> Path:
        return download(dataset, self.folder, self.lock, access=self.access, patience=self.patience)

    def refusal(self, dataset: Dataset) -> str:
        """Return the one line with which a download fails; it may leave no more than a part."""
        before = self.files()
        with pytest.raises(HubError) as caught:
            self.fetch(dataset)
        message = str(caught.value)
        assert type(caught.value) is HubError
        assert "\n" not in message
        assert TOKEN not in message
        assert dataset.name in message
        assert ". Remedy: " in message
        assert message.endswith(".")
        assert self.files() == before
        return message

    def files(self) -> dict[Path, bytes]:
        found = {path: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}
        return {path: content for path, content in found.items() if path.suffix != ".part"}

    def parts(self) -> list[bytes]:
        """What is kept of files that did not arrive whole."""
        return [path.read_bytes() for path in self.root.rglob("*.part")]
