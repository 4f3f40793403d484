"""Resample the clusters."""

import pandas as pd
from _job import logged, operating_point, save, snakemake

from llm_power.pairs.cluster_robustness import category_bootstrap_tables

with logged():
    intervals, distribution = category_bootstrap_tables(
        pd.read_parquet(snakemake.input.clusters),
        operating_point(),
        n_resamples=snakemake.params.n_resamples,
        seed=snakemake.params.seed,
    )
    save(intervals, snakemake.output.intervals)
    save(distribution, snakemake.output.distribution)
