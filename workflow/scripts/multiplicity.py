"""Adjust the verdicts for the declared family."""

from _job import load, logged, save, snakemake
from _stage import operating_point

from llm_power.board.multiplicity import add_multiplicity

with logged():
    counts = load(snakemake.input.counts)
    resolution = load(snakemake.input.resolution)
    save(add_multiplicity(counts, resolution, operating_point()), snakemake.output[0])
