"""Endpoints that files are requested from, and the token."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from llm_power._provenance import ScoresKind
from replication.hub.datasets import Dataset, Source
from replication.hub.errors import HubError, address_of

HUB: Final = "https://huggingface.co"
GITHUB: Final = "https://github.com"
_TRUE: Final = {"1", "on", "yes", "true"}


@dataclass(frozen=True, slots=True)
class Access:
    """Endpoints and the token."""

    hub: str = HUB
    github: str = GITHUB
    offline: bool = False
    token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for variable, endpoint in (
            ("HF_ENDPOINT", self.hub),
            ("LLM_POWER_GITHUB_ENDPOINT", self.github),
        ):
            if not _is_address(endpoint):
                raise HubError(
                    f"{variable} is not the address of a server",
                    remedy=f"write it like {HUB}, or leave the variable unset",
                )
        if self.token is not None and not (self.token.isascii() and self.token.isprintable()):
            raise HubError(
                "the token of the hub is none: it holds characters that no token has",
                remedy="set HF_TOKEN to the token as the hub shows it, or log in again",
            )

    @classmethod
    def from_environment(cls, *, offline: bool = False, with_token: bool = True) -> Access:
        """Read HF_ENDPOINT, LLM_POWER_GITHUB_ENDPOINT, HF_HUB_OFFLINE and the hub's own login."""
        offline = offline or os.environ.get("HF_HUB_OFFLINE", "").lower() in _TRUE
        return cls(
            hub=os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB,
            github=os.environ.get("LLM_POWER_GITHUB_ENDPOINT", "").rstrip("/") or GITHUB,
            offline=offline,
            token=None if offline or not with_token else _token(),
        )

    def endpoint(self, source: Source) -> str:
        """Return the address of a source, as it may be shown and recorded."""
        return address_of({"hub": self.hub, "github": self.github}[source])

    def origin(self, dataset: Dataset) -> str:
        """Return what provenance says of a data set: the hub's name only where it is the hub."""
        if self.kind(dataset) == "raw":
            return dataset.page
        return f"{self.endpoint(dataset.source)}, {dataset.repo}"

    def kind(self, dataset: Dataset) -> ScoresKind:
        """Return ``raw`` where the owners' server is asked, ``stand_in`` where another one is."""
        return "raw" if self.endpoint(dataset.source) in {HUB, GITHUB} else "stand_in"


def _is_address(endpoint: str) -> bool:
    try:
        parts = urlsplit(endpoint)
        _ = parts.port  # a port that is no number is found only here
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _token() -> str | None:
    from huggingface_hub import get_token  # noqa: PLC0415 -- who only plans a run has no use for it

    try:
        return get_token()
    except Exception as error:
        # A login that cannot be renewed raises whatever the network does.
        raise HubError(
            f"the hub's own login cannot be used ({type(error).__name__})",
            remedy="log in again with `hf auth login`, or set HF_TOKEN",
        ) from error
