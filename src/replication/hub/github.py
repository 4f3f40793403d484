"""Files of public repositories of github.com, at a pinned commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn
from urllib.parse import quote

import httpx2

from replication.hub.access import Access
from replication.hub.answers import status_error
from replication.hub.datasets import Dataset
from replication.hub.errors import HubError
from replication.hub.patience import Patience
from replication.hub.transfer import Remote


@contextmanager
def offered_by_github(dataset: Dataset, access: Access, _: Patience) -> Iterator[Remote]:
    """Say where the file of a data set is, whose revision and file are known."""
    # No token is sent.
    if dataset.revision is None or dataset.is_pattern:
        raise HubError(
            "a file on GitHub must be pinned by its commit and its path",
            remedy="write both into the register",
        )

    def refuse(answer: Any) -> NoReturn:
        if answer.status_code == 404:
            raise HubError(
                f"{dataset.repo} has no such file at commit {dataset.revision}",
                remedy=f"open {dataset.page}; where it has moved, correct the register",
            )
        raise status_error(answer.status_code, answer.headers, access.github)

    path = quote(f"{dataset.repo}/raw/{dataset.revision}/{dataset.file}")
    with httpx2.Client() as client:
        yield Remote(f"{access.github}/{path}", dataset.revision, dataset.file, client, refuse)
