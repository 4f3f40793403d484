"""Resample the clusters."""

from llm_power._board.cluster_robustness import category_bootstrap_tables
from llm_power._board.operating_point import OperatingPoint
from replication.job import load, logged, save, snakemake

with logged():
    intervals, distribution = category_bootstrap_tables(
        load(snakemake.input.by_cluster),
        OperatingPoint(**snakemake.params.point),
        n_resamples=snakemake.params.n_resamples,
        seed=snakemake.params.seed,
    )
    save(intervals, snakemake.output.intervals)
    save(distribution, snakemake.output.distribution)
