"""Work out N*, q, the detectable effect and the p-values of every pair."""

from llm_power.board.operating_point import OperatingPoint
from llm_power.board.resolution import add_resolution
from replication.job import load, logged, save, snakemake

with logged():
    point = OperatingPoint(**snakemake.params.point)
    save(add_resolution(load(snakemake.input.discordance), point), snakemake.output[0])
