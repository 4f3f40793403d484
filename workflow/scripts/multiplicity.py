"""Adjust the p-values of the pairs for their number."""

from llm_power.board.multiplicity import add_multiplicity
from llm_power.board.operating_point import OperatingPoint
from replication.job import load, logged, save, snakemake

with logged():
    pairs, required = load(snakemake.input.discordance), load(snakemake.input.required_n)
    point = OperatingPoint(**snakemake.params.point)
    save(add_multiplicity(pairs, required, point), snakemake.output[0])
