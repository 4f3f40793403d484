"""What the stages of a board share."""

from _job import snakemake

from llm_power.board.operating_point import OperatingPoint


def operating_point() -> OperatingPoint:
    """Return level and power of the rule's panel."""
    return OperatingPoint(**snakemake.params.point)
