"""Errors of downloads, and removal of secrets from their messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit

from llm_power._errors import LLMPowerError, message_at

_SECRETS: Final = (
    # Tokens of the hub and of GitHub, whoever they belong to.
    re.compile(r"\b(?:hf|api_org|gh[a-z]|github_pat)_[A-Za-z0-9_]{4,}"),
    re.compile(r"(?i)\bbearer\s+\S+"),
    # A redirect to storage carries its signature in the query; a proxy may carry a password.
    re.compile(r"(?<=\?)[^\s'\">]*(?:[Ss]ignature|[Tt]oken|[Cc]redential)[^\s'\">]*"),
    re.compile(r"(?<=://)[^\s/@]+(?=@)"),
)


class HubError(LLMPowerError):
    """A published file cannot be had, or is not what was declared."""

    def __init__(
        self,
        problem: str,
        *,
        remedy: str,
        dataset: str | None = None,
        file: str | None = None,
        fault: str = "",
    ) -> None:
        self.problem = scrub(problem)
        self.remedy = scrub(remedy)
        # What is recorded of the model that is absent for it; empty where the error says nothing of
        # the model, as of a server that is down.
        self.fault = fault
        self.dataset = dataset
        self.file = file
        super().__init__(self.problem)

    def __str__(self) -> str:
        named = {"data set": self.dataset, "file": self.file}
        # Scrubbed before a long message is cut, which might leave a part of a secret.
        place = {label: None if value is None else scrub(value) for label, value in named.items()}
        return message_at(place, self.problem, self.remedy)


class TransientError(HubError):
    """A failure that may pass by itself: worth another attempt."""

    wait: float | None = None


@contextmanager
def about(dataset: str, file: str | None = None) -> Iterator[None]:
    """Add to an error which data set and which file it is about, as far as it does not say so."""
    try:
        yield
    except HubError as error:
        error.dataset = error.dataset or dataset
        error.file = error.file or file
        raise


def scrub(text: str) -> str:
    """Return `text` without tokens, signatures and passwords."""
    for secret in _SECRETS:
        text = secret.sub("[removed]", text)
    return text


def address_of(endpoint: str) -> str:
    """Return scheme, host and port of an endpoint: what may be shown and recorded."""
    parts = urlsplit(endpoint)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"
