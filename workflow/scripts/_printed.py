"""The printed numbers that findings are set beside."""

from itertools import chain
from pathlib import Path

from _job import snakemake

from replication.constraints import Panel, load_constraints
from replication.views import Printed, index_printed


def printed_of(*panels: Panel) -> Printed:
    """Return what the paper prints about these panels, by panel, quantity and subject."""
    registers = [path for path in snakemake.input.printed if path.endswith(".yaml")]
    loaded = [load_constraints(Path(path), panels) for path in registers]
    return index_printed(chain.from_iterable(c for one in loaded for c in one.values()))
