"""Resample the clusters."""

from _job import load, logged, save, snakemake
from _stage import operating_point

from llm_power.board.cluster_robustness import category_bootstrap_tables

with logged():
    intervals, distribution = category_bootstrap_tables(
        load(snakemake.input.clusters),
        operating_point(),
        n_resamples=snakemake.params.n_resamples,
        seed=snakemake.params.seed,
    )
    save(intervals, snakemake.output.intervals)
    save(distribution, snakemake.output.distribution)
