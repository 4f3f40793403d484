"""The printed numbers that prose results stand beside."""

from pathlib import Path

from _job import snakemake

from kotawala2026.exhibits.prose import Claims, index_claims
from replication.constraints import Panel, load_constraints


def printed_claims(*panels: Panel) -> Claims:
    """Return what the paper prints about these panels, by quantity and subject."""
    registers = [path for path in snakemake.input.printed if path.endswith(".yaml")]
    return index_claims(*(load_constraints(Path(path), panels) for path in registers))
