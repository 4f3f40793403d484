"""Files of public repositories of github.com, at a pinned commit."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

import httpx2

from replication.hub.access import Access
from replication.hub.answers import network_errors, status_error
from replication.hub.datasets import Dataset
from replication.hub.errors import HubError
from replication.hub.patience import Patience
from replication.hub.transfer import Declared, Remote, Transfer


def fetch_from_github(
    dataset: Dataset, target: Path, declared: Declared, *, access: Access, patience: Patience
) -> tuple[Remote, int, str]:
    """Fetch the file of a data set, in one attempt.

    Parameters
    ----------
    dataset : Dataset
        What to fetch; revision and file are known.
    target : Path
        Final path.
    declared : Declared
        What the contents must be.
    access : Access
        Endpoint; no token is sent.
    patience : Patience
        How long to wait for an answer.

    Returns
    -------
    tuple of (Remote, int, str)
        What was fetched, its size and its SHA-256.

    Raises
    ------
    TransientError
        If another attempt may succeed.
    HubError
        If it cannot be had, or is not the declared one.
    """
    if dataset.revision is None or dataset.is_pattern:
        raise HubError(
            "a file on GitHub must be pinned by its commit and its path",
            remedy="write both into the register",
            dataset=dataset.name,
            file=dataset.file,
        )
    path = quote(f"{dataset.repo}/raw/{dataset.revision}/{dataset.file}")
    remote = Remote(f"{access.github}/{path}", dataset.revision, dataset.file)

    transfer = Transfer(dataset.name, remote, declared, patience)

    def refuse(answer: Any) -> NoReturn:
        if answer.status_code == 404:
            raise HubError(
                f"{dataset.repo} has no such file at commit {dataset.revision}",
                remedy=f"open {dataset.page}; where it has moved, correct the register",
                dataset=dataset.name,
                file=dataset.file,
            )
        raise status_error(
            answer.status_code, answer.headers, access.github, dataset.name, dataset.file
        )

    with (
        network_errors(access.github, patience, dataset.name, dataset.file),
        httpx2.Client() as client,
    ):
        size, sha256 = transfer.receive(client, target, refuse)
    return remote, size, sha256
