"""The printed numbers that prose results stand beside."""

from pathlib import Path

from _job import snakemake

from llm_power.exhibits.prose import Claims, index_claims
from llm_power.witness.constraints import load_constraints


def printed_claims() -> Claims:
    """Return what the paper prints, by panel, quantity and subject."""
    return index_claims(*(load_constraints(Path(path)) for path in snakemake.input.registers))
