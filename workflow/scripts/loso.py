"""Resolve every pair without each of its clusters."""

from llm_power.board.cluster_robustness import leave_one_out_table
from llm_power.board.operating_point import OperatingPoint
from replication.job import load, logged, save, snakemake

with logged():
    point = OperatingPoint(**snakemake.params.point)
    save(leave_one_out_table(load(snakemake.input.by_cluster), point), snakemake.output[0])
