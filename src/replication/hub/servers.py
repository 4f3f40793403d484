"""Where huggingface.co and github.com have a file, and what they say of its contents.

Addresses, headers, session and errors are those of the hub's own client, but not the download:
`hf_hub_download` checks the size alone, and its attempts and waits cannot be set.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, NoReturn
from urllib.parse import quote

import httpx2
from huggingface_hub import (
    errors,
    get_hf_file_metadata,
    hf_hub_url,
    hf_raise_for_status,
)
from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

from replication.hub.access import Access
from replication.hub.datasets import Dataset
from replication.hub.errors import HubError, TransientError
from replication.hub.requests import Patience, by_deadline, opened, status_error
from replication.hub.transfer import Remote

TOKEN_PAGE: Final = "https://huggingface.co/settings/tokens"
_KIND: Final = "dataset"
# Faults: what a model has whose file is not to be had, though the hub is up.
_GATED: Final = "only_gated_files"
_NO_DATA_SET: Final = "no_data_set_on_the_hub"
_NO_FILE: Final = "no_file_of_the_displayed_run"
_OF_REFUSALS: Final = re.compile(r"x-|retry-after$")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_MOST_PAGES: Final = 20
# A page of the hub's list names a thousand files in less than 1 MB.
_MOST_METADATA: Final = 4 * 2**20


def locate(dataset: Dataset, access: Access, patience: Patience) -> Remote:
    """Return where the file of a data set is, and what the server says of its contents."""
    if dataset.source == "github":
        return _on_github(dataset, access)
    hub = _Hub(dataset, access, patience)
    with hub.client_errors():
        return hub.locate()


@dataclass(frozen=True, slots=True)
class _Hub:
    """A hub that is asked for one data set."""

    dataset: Dataset
    access: Access
    patience: Patience

    def locate(self) -> Remote:
        revision = self.dataset.revision or self._newest_revision()
        if not self.dataset.is_pattern:
            with suppress(errors.RemoteEntryNotFoundError):
                return self._describe(revision, self.dataset.file)
        return self._describe(revision, self._search(revision))

    def _describe(self, revision: str, file: str) -> Remote:
        hub, token = self.access.hub, self.access.token or False
        url = hf_hub_url(self.dataset.repo, file, repo_type=_KIND, revision=revision, endpoint=hub)
        metadata = by_deadline(
            lambda: get_hf_file_metadata(
                url, token=token, timeout=self.patience.silence, endpoint=hub
            ),
            self.patience,
        )
        if metadata.commit_hash != revision:
            served = metadata.commit_hash or "no revision"
            raise HubError(
                f"{self.access.endpoint('hub')} serves {served} where {revision} was asked for",
                remedy="check that HF_ENDPOINT is a hub",
                file=file,
            )
        etag = metadata.etag or ""
        return Remote(
            url=url,
            revision=revision,
            file=file,
            refuse=self._refuse,
            bytes=metadata.size,
            # The tag of a large file is the hash of its contents.
            sha256=etag if _SHA256.fullmatch(etag) else None,
            headers=build_hf_headers(token=token),
        )

    def _newest_revision(self) -> str:
        revision, _ = self._ask(f"{self._api}/revision/main")
        if not re.fullmatch(r"[0-9a-f]{40}", revision["sha"]):
            raise self._not_a_hub()
        return str(revision["sha"])

    def _search(self, revision: str) -> str:
        """Return the one file that is meant, among all that the repository has."""
        files = sorted(self._files(revision))
        matches = [path for path in files if self.dataset.means(path)]
        tree, fault = f"{self.dataset.page}/tree/{revision}", _NO_FILE
        if not matches:
            problem = f"no file of {self.dataset.repo} matches {self.dataset.file!r} at revision "
            problem += f"{revision}; of {len(files)} files the first are "
            problem += ", ".join(files[:5]) or "none"
            remedy = f"look at {tree} and correct the register's file"
        elif len(matches) > 1:
            problem = f"{len(matches)} files match: {', '.join(matches[:5])}"
            remedy = "write the one that the board displayed into the register's file"
            fault = "several_runs_on_the_hub"
        elif matches[0].isprintable():
            return matches[0]
        else:  # it would go into the lock file, and to the terminal
            problem = f"the name of the file holds control characters: {matches[0]!r}"
            remedy = f"look at {tree}, and ask its owner to rename it"
            fault = ""
        raise HubError(problem, remedy=remedy, fault=fault)

    def _files(self, revision: str) -> Iterator[str]:
        url = f"{self._api}/tree/{revision}?recursive=true&expand=false"
        for _ in range(_MOST_PAGES):
            entries, following = self._ask(url)
            if not isinstance(entries, list):
                raise self._not_a_hub()
            yield from (entry["path"] for entry in entries if entry["type"] == "file")
            if following is None:
                return
            if not following.startswith(f"{self.access.hub}/"):
                raise self._not_a_hub()  # the token stays with whom it was meant for
            url = following
        raise self._not_a_hub(" (its list of files does not end)")

    @property
    def _api(self) -> str:
        return f"{self.access.hub}/api/datasets/{self.dataset.repo}"

    def _ask(self, url: str) -> tuple[Any, str | None]:
        """Return what the hub says in JSON, and the address of the next page where there is one."""
        headers = build_hf_headers(token=self.access.token or False)

        def ask() -> tuple[Any, str | None]:
            body = bytearray()
            with closing(opened(url, headers, self.patience.silence)) as answer:
                self._raise_for_status(answer)
                for block in answer.iter_bytes():  # of a compressed body, at most 1 MiB at a time
                    body += block
                    if len(body) > _MOST_METADATA:
                        how = f" (its answer has more than {_MOST_METADATA >> 20} MB)"
                        raise self._not_a_hub(how)
                return json.loads(body), answer.links.get("next", {}).get("url")

        return by_deadline(ask, self.patience)

    def _refuse(self, answer: Any) -> NoReturn:
        self._raise_for_status(answer)
        raise self._not_a_hub()

    def _raise_for_status(self, answer: Any) -> None:
        # The kind of a refusal is in its headers, and the client would read the body whole.
        headers = {name: text for name, text in answer.headers.items() if _OF_REFUSALS.match(name)}
        bare = httpx2.Response(answer.status_code, headers=headers, request=answer.request)
        with self.client_errors():
            hf_raise_for_status(bare)

    def _not_a_hub(self, how: str = "") -> HubError:
        return HubError(
            f"{self.access.endpoint('hub')} does not answer as a hub does{how}",
            remedy="check HF_ENDPOINT, and that no login page of a network answers",
        )

    @contextmanager
    def client_errors(self) -> Iterator[None]:
        """Turn what an answer raises, but for the network's errors, into errors with a remedy."""
        try:
            yield
        except errors.HfHubHTTPError as error:
            raise _refusal(error, self.dataset, self.access) from error
        except (HubError, httpx2.HTTPError, httpx2.InvalidURL):
            raise
        except Exception as error:
            # On answers that are not a hub's, reading them fails in ways of its own.
            raise self._not_a_hub(f" ({type(error).__name__})") from error


def _refusal(error: errors.HfHubHTTPError, dataset: Dataset, access: Access) -> HubError:
    """Return the error for an answer of the hub; its kinds are subclasses of one another."""
    status, repo, page = error.response.status_code, dataset.repo, dataset.page
    has_token, revision = access.token is not None, dataset.revision or "main"
    fault = ""
    plain = status_error(status, error.response.headers, access.endpoint("hub"))
    if isinstance(plain, TransientError):  # whatever else the answer says
        return plain
    match error:
        case errors.GatedRepoError() if has_token:
            fault = _GATED
            problem = f"the terms of {repo} have not been accepted by the owner of the token"
            remedy = f"open {page} in the account that the token is of, accept the terms, and "
            remedy += "start again"
        case errors.GatedRepoError():
            fault = _GATED
            problem = f"{repo} is gated, and there is no token"
            remedy = f"accept its terms at {page}, make a token of type Read at {TOKEN_PAGE}, and "
            remedy += "set HF_TOKEN to it or run `hf auth login`"
        case _ if status == 401 and has_token:
            problem = "the hub refuses the token (401)"
            remedy = f"make a new one at {TOKEN_PAGE}, and set HF_TOKEN to it or run `hf auth "
            remedy += "login`"
        case errors.RevisionNotFoundError():
            fault = _NO_FILE
            problem = f"{repo} has no revision {revision}"
            remedy = f"look at {page}/commits/main and correct the register's revision"
        case errors.EntryNotFoundError():
            fault = _NO_FILE
            problem = f"{repo} has no such file at revision {revision}"
            remedy = f"look at {page}/tree/main and correct the register's file"
        case errors.RepositoryNotFoundError():
            # Without the hub's own word for it, a proxy or a login page may be who refuses.
            fault = _NO_DATA_SET if "X-Error-Code" in error.response.headers else ""
            problem = f"the hub has no data set {repo}, or shows it to its members only"
            remedy = f"open {page}; where it has moved, correct the register's repo"
            remedy += "" if has_token else "; where it is private, set HF_TOKEN"
        case errors.DisabledRepoError():
            fault = _NO_DATA_SET
            problem = f"the hub has disabled access to {repo}"
            remedy = f"open {page} and read why"
        case _ if status == 403:
            problem = f"the token may not read {repo} (403)"
            remedy = "give the token read access to public gated repositories at "
            remedy += f"{TOKEN_PAGE}, or use one of type Read"
        case _:
            return plain
    return HubError(problem, remedy=remedy, fault=fault)


def _on_github(dataset: Dataset, access: Access) -> Remote:
    """Return where a file is whose revision and path are known; no token is sent there."""
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
        raise status_error(answer.status_code, answer.headers, access.endpoint("github"))

    path = quote(f"{dataset.repo}/raw/{dataset.revision}/{dataset.file}")
    return Remote(f"{access.github}/{path}", dataset.revision, dataset.file, refuse)
