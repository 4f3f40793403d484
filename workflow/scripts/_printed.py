"""The printed numbers that findings are set beside."""

from pathlib import Path

from _job import snakemake

from replication.constraints import Panel, load_constraints
from replication.views import Printed, index_printed


def printed_of(*panels: Panel) -> Printed:
    """Return what the paper prints about these panels, by panel, quantity and subject."""
    registers = [path for path in snakemake.input.printed if path.endswith(".yaml")]
    return index_printed(*(load_constraints(Path(path), panels) for path in registers))
