"""The printed numbers that prose results stand beside."""

from pathlib import Path

from _job import snakemake

from kotawala2026.exhibits.prose import Claims, index_claims
from replication.constraints import load_constraints


def printed_claims() -> Claims:
    """Return what the paper prints, by panel, quantity and subject."""
    return index_claims(load_constraints(Path(snakemake.input.printed[0])))
