"""What the exhibits share: printed numbers in, provenance, tables out."""

from pathlib import Path
from typing import Any

from _job import snakemake

from llm_power.provenance import Provenance
from llm_power.report.score_provenance import score_provenance
from llm_power.report.tables import Table, write_table
from llm_power.scores.store import read_task
from replication.printed import (
    load_settings,
)


def published_settings() -> dict[str, Any]:
    """Return the settings that the paper states in prose and captions."""
    return load_settings(Path(snakemake.input.settings[0]))


def scores_provenance() -> list[Provenance]:
    """Return where the scores came from that the rule's exhibit was computed from."""
    return score_provenance([read_task(path) for path in snakemake.input.scores])


def save_exhibit(table: Table) -> None:
    """Write a table in all formats, at the stem of the rule's CSV."""
    write_table(table, Path(snakemake.output.csv).with_suffix(""))
