"""Run the e-process of every pair over its items."""

from llm_power.board.operating_point import OperatingPoint
from llm_power.board.sequential import add_sequential
from replication.job import load, logged, save, snakemake

with logged():
    point = OperatingPoint(**snakemake.params.point)
    save(add_sequential(load(snakemake.input.discordance), point), snakemake.output[0])
