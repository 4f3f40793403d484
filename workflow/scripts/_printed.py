"""The printed numbers that findings are set beside."""

from itertools import chain
from pathlib import Path

from _job import snakemake

from replication.constraints import load_constraints
from replication.views import Printed, index_printed


def printed_numbers() -> Printed:
    """Return what the paper prints, by panel, quantity and subject."""
    loaded = load_constraints(Path(snakemake.input.printed[0]))
    return index_printed(chain.from_iterable(loaded.values()))
