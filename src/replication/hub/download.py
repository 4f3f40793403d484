"""Download of one file of the register, unless it is there already."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from replication.hub.access import Access
from replication.hub.answers import network_errors
from replication.hub.client import offered_by_hub
from replication.hub.datasets import Dataset
from replication.hub.disk import called, only_writer, sum_like
from replication.hub.errors import HubError, about
from replication.hub.github import offered_by_github
from replication.hub.layout import download_path
from replication.hub.lock import Locked, LockFile
from replication.hub.patience import Patience, persistently
from replication.hub.transfer import Declared, Remote, Transfer

_log = logging.getLogger("replication.hub")


def download(
    dataset: Dataset,
    folder: Path,
    lock: LockFile,
    *,
    access: Access,
    patience: Patience | None = None,
) -> Path:
    """Return the path of a data set's file, which is fetched if it is not there or is not right."""
    path = download_path(folder, access.endpoint(dataset.source), dataset)
    known, found = _compared(dataset, path, lock, access)
    if known is None or found != known.sha256:
        if access.offline:
            raise _offline(dataset, path, known, found)
        with about(dataset.name, dataset.file), only_writer(path):
            _fetch(dataset, path, lock, access, patience or Patience())
    else:
        _log.info("%s: is there, and its %s is right", dataset.name, called(known.sha256))
    return path


def _fetch(
    dataset: Dataset, path: Path, lock: LockFile, access: Access, patience: Patience
) -> None:
    # Looked at again: another process may have fetched the file while this one waited.
    known, found = _compared(dataset, path, lock, access)
    if known is not None and found == known.sha256:
        _log.info("%s: was fetched by another process, and is right", dataset.name)
        return
    if found is not None:
        why = "nothing says what it should be" if known is None else f"its sum is {found}"
        _log.warning("%s: the file that is there is fetched again, for %s", dataset.name, why)
    wanted, declared = _wanted(dataset, known, lock)
    endpoint = {"hub": access.hub, "github": access.github}[dataset.source]
    offered = {"hub": offered_by_hub, "github": offered_by_github}[dataset.source]

    def fetch() -> tuple[Remote, int, str]:
        with network_errors(endpoint, patience), offered(wanted, access, patience) as remote:
            transfer = Transfer(dataset.name, remote, declared, patience)
            with about(dataset.name, remote.file):
                return remote, *transfer.receive(path)

    remote, size, sha256 = persistently(fetch, patience)
    _log.info("%s: %d bytes, SHA-256 %s", dataset.name, size, sha256)
    if known is None:
        lock.record(
            Locked(
                name=dataset.name,
                endpoint=access.endpoint(dataset.source),
                revision=remote.revision,
                file=remote.file,
                bytes=size,
                sha256=sha256,
                retrieved=datetime.now(UTC).isoformat(timespec="seconds"),
            )
        )
        _log.warning(
            "%s: first download; revision %s and SHA-256 %s are now in %s, and must be so from "
            "now on",
            *(dataset.name, remote.revision, sha256, lock.path),
        )


def require_unchanged(
    datasets: Sequence[Dataset], paths: Sequence[Path], lock: LockFile, access: Access
) -> list[Locked]:
    """Return what is known of downloaded files, which have to be so still."""
    every = []
    for dataset, path in zip(datasets, paths, strict=True):
        known, found = _compared(dataset, path, lock, access)
        if known is None:
            raise HubError(
                f"neither the register nor {lock.path} says what its file is",
                remedy="download it first; if it is there, remove it and start again",
                dataset=dataset.name,
                file=str(path),
            )
        if found != known.sha256:
            raise HubError(
                f"the file that is here is not the one of {called(known.sha256)} {known.sha256}",
                remedy="it was changed since it was downloaded: remove it and start again",
                dataset=dataset.name,
                file=str(path),
            )
        every.append(known)
    return every


def _compared(
    dataset: Dataset, path: Path, lock: LockFile, access: Access
) -> tuple[Locked | None, str | None]:
    """Return what is known of a file, and the sum of the one that is there."""
    known = known_file(dataset, lock, access)
    if known is None and dataset.listed_in:
        raise HubError(
            "nobody has verified its sum",
            remedy=f"take its id from a clone of {dataset.page} (git rev-parse "
            f"{dataset.revision}:{dataset.file}), or the SHA-256 of a copy that you trust, and "
            f"write it beside the file in {dataset.listed_in}/files",
            dataset=dataset.name,
            file=dataset.file,
        )
    like = known.sha256 if known else "?" * 64
    return known, sum_like(path, like) if path.is_file() else None


def known_file(dataset: Dataset, lock: LockFile, access: Access) -> Locked | None:
    """Return what the register says of a file, or else the lock file; None if neither does."""
    endpoint = access.endpoint(dataset.source)
    locked = lock.find(dataset, endpoint)
    if dataset.sum is None:
        return locked
    if dataset.revision is not None and not dataset.is_pattern:
        size, retrieved = dataset.bytes or 0, dataset.retrieved
        locked = Locked(
            dataset.name, endpoint, dataset.revision, dataset.file, size, dataset.sum, retrieved
        )
    return None if locked is None else replace(locked, sha256=dataset.sum)


def _wanted(dataset: Dataset, known: Locked | None, lock: LockFile) -> tuple[Dataset, Declared]:
    """Return the data set with all that is known of it, and what its contents must be."""
    if known is None:
        return dataset, Declared(dataset.bytes, dataset.sum)
    wanted = replace(dataset, revision=known.revision, file=known.file)
    if dataset.sum is None:
        return wanted, Declared(known.bytes, known.sha256, str(lock.path))
    return wanted, Declared(dataset.bytes, dataset.sum, dataset.listed_in or "the register")


def _offline(dataset: Dataset, path: Path, known: Locked | None, found: str | None) -> HubError:
    if found is None:
        problem = "the file is not here, and the network is not to be used"
    elif known is None:
        problem = "nothing says what the file that is here should be, and the network is not to "
        problem += "be used"
    else:
        problem = f"the file that is here has the {called(known.sha256)} {found} instead of "
        problem += f"{known.sha256}, and "
        problem += "the network is not to be used"
    return HubError(
        problem,
        remedy="run once with hub: offline: false in config.yaml and without HF_HUB_OFFLINE",
        dataset=dataset.name,
        file=str(path),
    )
