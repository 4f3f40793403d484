"""Files of data sets on huggingface.co, by the hub's own client.

The client's addresses, headers, session and errors are used, but not its `hf_hub_download`: that
checks the size alone, and its attempts and waits cannot be set.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NoReturn

import httpx2
from huggingface_hub import (
    errors,
    get_hf_file_metadata,
    get_session,
    hf_hub_url,
    hf_raise_for_status,
)
from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

from replication.hub.access import Access
from replication.hub.answers import may_pass, network_errors, status_error
from replication.hub.asking import TooLarge, body_of, by_deadline, opened
from replication.hub.datasets import Dataset
from replication.hub.errors import HubError
from replication.hub.patience import Patience
from replication.hub.transfer import Declared, Remote, Transfer

TOKEN_PAGE: Final = "https://huggingface.co/settings/tokens"
_KIND: Final = "dataset"
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_MOST_PAGES: Final = 20
# A page of the hub's list names a thousand files in less than 1 MB.
_MOST_METADATA: Final = 4 * 2**20
_NOT_THERE: Final = (errors.RevisionNotFoundError, errors.EntryNotFoundError)


def fetch_from_hub(
    dataset: Dataset, target: Path, declared: Declared, *, access: Access, patience: Patience
) -> tuple[Remote, int, str]:
    """Fetch the file of a data set, in one attempt.

    Parameters
    ----------
    dataset : Dataset
        What to fetch; a revision or a file that it leaves open is looked up.
    target : Path
        Final path.
    declared : Declared
        What the contents must be.
    access : Access
        Endpoint and token.
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

    def refuse(answer: Any) -> NoReturn:
        _raise_for_status(answer, dataset, access)
        raise _not_a_hub(dataset, access)

    with network_errors(access.hub, patience, dataset.name, dataset.file):
        with _client_errors(dataset, access):
            remote = _locate(dataset, access, patience)
        transfer = Transfer(dataset.name, remote, declared, patience)
        size, sha256 = transfer.receive(get_session(), target, refuse)
    return remote, size, sha256


def _locate(dataset: Dataset, access: Access, patience: Patience) -> Remote:
    revision = dataset.revision or _newest_revision(dataset, access, patience)
    if dataset.is_pattern:
        found = _search(dataset, revision, access, patience)
        return _describe(dataset, revision, found, access, patience)
    try:
        return _describe(dataset, revision, dataset.file, access, patience)
    except errors.RemoteEntryNotFoundError:
        found = _search(dataset, revision, access, patience)
        return _describe(dataset, revision, found, access, patience)


def _describe(
    dataset: Dataset, revision: str, file: str, access: Access, patience: Patience
) -> Remote:
    token = access.token or False
    url = hf_hub_url(dataset.repo, file, repo_type=_KIND, revision=revision, endpoint=access.hub)
    metadata = by_deadline(
        lambda: get_hf_file_metadata(
            url, token=token, timeout=patience.silence, endpoint=access.hub
        ),
        patience,
    )
    if metadata.commit_hash != revision:
        served = metadata.commit_hash or "no revision"
        raise HubError(
            f"{access.endpoint('hub')} serves {served} where {revision} was asked for",
            remedy="check that HF_ENDPOINT is a hub",
            dataset=dataset.name,
            file=file,
        )
    etag = metadata.etag or ""
    return Remote(
        url=url,
        revision=revision,
        file=file,
        bytes=metadata.size,
        # The tag of a large file is the hash of its contents.
        sha256=etag if _SHA256.fullmatch(etag) else None,
        headers=build_hf_headers(token=token),
    )


def _newest_revision(dataset: Dataset, access: Access, patience: Patience) -> str:
    url = f"{access.hub}/api/datasets/{dataset.repo}/revision/main"
    revision, _ = _ask(url, dataset, access, patience)
    sha = revision.get("sha") if isinstance(revision, dict) else None
    if not isinstance(sha, str) or not re.fullmatch(r"[0-9a-f]{40}", sha):
        raise _not_a_hub(dataset, access)
    return sha


def _search(dataset: Dataset, revision: str, access: Access, patience: Patience) -> str:
    """Return the one file that is meant, among all that the repository has."""
    files = list(_files(dataset, revision, access, patience))
    found = [path for path in files if dataset.means(path)]
    if len(found) == 1:
        if not found[0].isprintable():  # it would go into the lock file, and to the terminal
            raise HubError(
                f"the name of the file holds control characters: {found[0]!r}",
                remedy=f"look at {dataset.page}/tree/{revision}, and ask its owner to rename it",
                dataset=dataset.name,
                file=dataset.file,
            )
        return found[0]
    if not found:
        near = ", ".join(sorted(files)[:5]) or "none"
        raise HubError(
            f"no file of {dataset.repo} matches {dataset.file!r} at revision {revision}; of "
            f"{len(files)} files the first are {near}",
            remedy=f"look at {dataset.page}/tree/{revision} and correct the register's file",
            dataset=dataset.name,
            file=dataset.file,
        )
    raise HubError(
        f"{len(found)} files match: {', '.join(sorted(found)[:5])}",
        remedy="write the one that the board displayed into the register's file",
        dataset=dataset.name,
        file=dataset.file,
    )


def _files(dataset: Dataset, revision: str, access: Access, patience: Patience) -> Iterator[str]:
    url = f"{access.hub}/api/datasets/{dataset.repo}/tree/{revision}?recursive=true&expand=false"
    for _ in range(_MOST_PAGES):
        entries, following = _ask(url, dataset, access, patience)
        if not isinstance(entries, list):
            raise _not_a_hub(dataset, access)
        for entry in entries:
            if isinstance(entry, dict) and entry.get("type") == "file":
                yield str(entry.get("path"))
        if following is None:
            return
        if not following.startswith(f"{access.hub}/"):
            raise _not_a_hub(dataset, access)  # the token stays with whom it was meant for
        url = following
    raise _not_a_hub(dataset, access, " (its list of files does not end)")


def _ask(url: str, dataset: Dataset, access: Access, patience: Patience) -> tuple[Any, str | None]:
    """Return what the hub says in JSON, and the address of the next page where there is one."""
    headers = build_hf_headers(token=access.token or False)

    def ask() -> tuple[Any, str | None]:
        with closing(opened(get_session(), url, headers, patience.silence)) as answer:
            _raise_for_status(answer, dataset, access)
            said = json.loads(body_of(answer, _MOST_METADATA))
            return said, answer.links.get("next", {}).get("url")

    try:
        return by_deadline(ask, patience)
    except TooLarge as error:
        how = f" (its answer has more than {_MOST_METADATA >> 20} MB)"
        raise _not_a_hub(dataset, access, how) from error


def _raise_for_status(answer: Any, dataset: Dataset, access: Access) -> None:
    status = answer.status_code
    if may_pass(status):  # whatever the body is, which the client would look into
        raise status_error(status, answer.headers, access.hub, dataset.name, dataset.file)
    # The kind of a refusal is in its headers, and the client would read the body whole.
    said = {name: text for name, text in answer.headers.items() if name.startswith("x-")}
    bare = httpx2.Response(status, headers=said, request=answer.request)
    with _client_errors(dataset, access):
        hf_raise_for_status(bare)


def _not_a_hub(dataset: Dataset, access: Access, how: str = "") -> HubError:
    return HubError(
        f"{access.endpoint('hub')} does not answer as a hub does{how}",
        remedy="check HF_ENDPOINT, and that no login page of a network answers",
        dataset=dataset.name,
    )


@contextmanager
def _client_errors(dataset: Dataset, access: Access) -> Iterator[None]:
    """Turn what the client raises, but for the network's errors, into errors with a remedy."""
    try:
        yield
    except errors.HfHubHTTPError as error:
        raise _refusal(error, dataset, access) from error
    except (HubError, httpx2.HTTPError, httpx2.InvalidURL):
        raise
    except Exception as error:
        # On answers that are not a hub's, the client fails in ways of its own.
        raise _not_a_hub(dataset, access, f" ({type(error).__name__})") from error


def _refusal(error: errors.HfHubHTTPError, dataset: Dataset, access: Access) -> HubError:
    """Return the error for an answer of the hub; its kinds are subclasses of one another."""
    status, headers = error.response.status_code, error.response.headers
    if isinstance(error, errors.GatedRepoError):
        problem, remedy = _gated(dataset, access)
    elif status == 401 and access.token is not None:
        problem = "the hub refuses the token (401)"
        remedy = f"make a new one at {TOKEN_PAGE}, and set HF_TOKEN to it or run `hf auth login`"
    elif isinstance(error, (errors.RepositoryNotFoundError, *_NOT_THERE)):
        problem, remedy = _missing(error, dataset, access)
    elif isinstance(error, errors.DisabledRepoError):
        problem = f"the hub has disabled access to {dataset.repo}"
        remedy = f"open {dataset.page} and read why"
    elif status == 403:
        problem = f"the token may not read {dataset.repo} (403)"
        remedy = "give the token read access to public gated repositories at "
        remedy += f"{TOKEN_PAGE}, or use one of type Read"
    else:
        return status_error(status, headers, access.hub, dataset.name, dataset.file)
    return HubError(problem, remedy=remedy, dataset=dataset.name, file=dataset.file)


def _gated(dataset: Dataset, access: Access) -> tuple[str, str]:
    if access.token is None:
        return (
            f"{dataset.repo} is gated, and there is no token",
            f"accept its terms at {dataset.page}, make a token of type Read at {TOKEN_PAGE}, "
            "and set HF_TOKEN to it or run `hf auth login`",
        )
    return (
        f"the terms of {dataset.repo} have not been accepted by the owner of the token",
        f"open {dataset.page} in the account that the token is of, accept the terms, and start "
        "again",
    )


def _missing(error: Exception, dataset: Dataset, access: Access) -> tuple[str, str]:
    revision = dataset.revision or "main"
    if isinstance(error, errors.RevisionNotFoundError):
        return (
            f"{dataset.repo} has no revision {revision}",
            f"look at {dataset.page}/commits/main and correct the register's revision",
        )
    if isinstance(error, errors.EntryNotFoundError):
        return (
            f"{dataset.repo} has no such file at revision {revision}",
            f"look at {dataset.page}/tree/main and correct the register's file",
        )
    private = "" if access.token else "; where it is private, set HF_TOKEN"
    return (
        f"the hub has no data set {dataset.repo}, or shows it to its members only",
        f"open {dataset.page}; where it has moved, correct the register's repo{private}",
    )
