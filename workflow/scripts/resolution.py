"""Resolve every pair: required items, resolution ratio, minimum detectable effect, tests."""

from _job import load, logged, save, snakemake
from _stage import operating_point

from llm_power.board.resolution import add_resolution

with logged():
    counts = load(snakemake.input.counts)
    save(add_resolution(counts, operating_point()), snakemake.output[0])
