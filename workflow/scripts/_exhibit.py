"""What the paper's prose is computed with."""

from pathlib import Path
from typing import Any

from _job import snakemake

from replication.printed import load_settings


def published_settings() -> dict[str, Any]:
    """Return the settings that the paper states in prose and captions."""
    return load_settings(Path(snakemake.input.settings))
