"""Download of one file of the register, unless it is there already."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from replication.hub.access import Access
from replication.hub.datasets import Dataset, download_path
from replication.hub.errors import HubError, about
from replication.hub.lock import Locked, LockFile
from replication.hub.requests import Patience, network_errors, persistently
from replication.hub.servers import locate
from replication.hub.transfer import Remote, Transfer, called, only_writer, sum_like
from replication.stages import undefined_among, write_undefined

_log = logging.getLogger("replication.hub")


def download(
    dataset: Dataset,
    folder: Path,
    lock: LockFile,
    *,
    access: Access,
    patience: Patience | None = None,
) -> Path:
    """Return the path of a data set's file, fetching it if it is missing or wrong."""
    path = download_path(folder, access.endpoint(dataset.source), dataset)
    with about(dataset.name, dataset.file):
        known, there = _compared(dataset, path, lock, access)
        if known is not None and there == known.sha256:
            _log.info("%s: is there, and its %s is right", dataset.name, called(known.sha256))
            return path
        if access.offline:
            raise _offline(path, known, there)
        with only_writer(path):
            _fetch(dataset, path, lock, access, patience or Patience())
    return path


def download_if_there(dataset: Dataset, folder: Path, lock: LockFile, *, access: Access) -> None:
    """Fetch a model's file; where the hub has none, write in its place what the model has."""
    path = download_path(folder, access.endpoint(dataset.source), dataset)
    if undefined_among([str(path)]):
        if access.offline:
            return
        path.unlink()
    try:
        download(dataset, folder, lock, access=access)
    except HubError as error:
        if dataset.listed_in or not error.fault:
            raise
        _log.warning("%s", error)
        write_undefined([str(path)], error.fault)


def _fetch(
    dataset: Dataset, path: Path, lock: LockFile, access: Access, patience: Patience
) -> None:
    # Looked at again: another process may have fetched the file while this one waited.
    known, there = _compared(dataset, path, lock, access)
    if known is not None and there == known.sha256:
        _log.info("%s: was fetched by another process, and is right", dataset.name)
        return
    if there is not None:
        why = "nothing says what it should be" if known is None else f"its sum is {there}"
        _log.warning("%s: the file that is there is fetched again, for %s", dataset.name, why)
    wanted, endpoint = dataset, access.endpoint(dataset.source)
    if known is not None:
        wanted = replace(dataset, revision=known.revision, file=known.file)
    listed_in = (dataset.listed_in or "the register") if dataset.sum else str(lock.path)

    def fetch() -> tuple[Remote, int, str]:
        with network_errors(endpoint, patience):
            remote = locate(wanted, access, patience)
            with about(dataset.name, remote.file):
                transfer = Transfer(dataset.name, remote, patience, known, listed_in)
                return remote, *transfer.receive(path)

    remote, size, sha256 = persistently(fetch, patience)
    _log.info("%s: %d bytes, SHA-256 %s", dataset.name, size, sha256)
    if known is None:
        time = datetime.now(UTC).isoformat(timespec="seconds")
        place = (remote.revision, remote.file)
        lock.record(Locked(dataset.name, endpoint, *place, size, sha256, time))
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
        with about(dataset.name, str(path)):
            known, there = _compared(dataset, path, lock, access)
            if known is None:
                raise HubError(
                    f"neither the register nor {lock.path} says what its file is",
                    remedy="download it first; if it is there, remove it and start again",
                )
            if there != known.sha256:
                one = f"the one of {called(known.sha256)} {known.sha256}"
                raise HubError(
                    f"the file that is here is not {one}",
                    remedy="it was changed since it was downloaded: remove it and start again",
                )
        every.append(known)
    return every


def _compared(
    dataset: Dataset, path: Path, lock: LockFile, access: Access
) -> tuple[Locked | None, str | None]:
    """Return what a board or the lock file says of a file, and the sum of the one that is there."""
    endpoint = access.endpoint(dataset.source)
    if dataset.sum is not None:
        place = (dataset.revision or "", dataset.file)
        known: Locked | None = Locked(dataset.name, endpoint, *place, None, dataset.sum, "")
    elif dataset.listed_in:
        raise HubError(
            "nobody has verified its sum",
            remedy=f"take its id from a clone of {dataset.page} (git rev-parse "
            f"{dataset.revision}:{dataset.file}), or the SHA-256 of a copy that you trust, and "
            f"write it beside the file in {dataset.listed_in}/files",
            file=dataset.file,
        )
    else:
        known = lock.find(dataset, endpoint)
    like = known.sha256 if known else "?" * 64
    return known, sum_like(path, like) if path.is_file() else None


def _offline(path: Path, known: Locked | None, there: str | None) -> HubError:
    if there is None:
        problem = "the file is not here"
    elif known is None:
        problem = "nothing says what the file that is here should be"
    else:
        problem = f"the file that is here has the {called(known.sha256)} {there} instead of "
        problem += known.sha256
    return HubError(
        f"{problem}, and the network is not to be used",
        remedy="run once with hub: offline: false in config.yaml and without HF_HUB_OFFLINE",
        file=str(path),
    )


def log_to_terminal() -> None:
    """Send messages to the log, and warnings to the terminal too."""
    messages = logging.getLogger("replication.hub")
    messages.setLevel(logging.INFO)
    messages.addHandler(logging.StreamHandler(sys.stderr))
    terminal = logging.StreamHandler(sys.__stderr__)
    terminal.setLevel(logging.WARNING)
    messages.addHandler(terminal)
