"""Adjust the verdicts for clusters of items."""

import pandas as pd
from _job import logged, operating_point, save, snakemake

from llm_power.pairs.verdicts import add_clusters

with logged():
    counts = pd.read_parquet(snakemake.input.counts)
    clusters = pd.read_parquet(snakemake.input.clusters)
    save(add_clusters(counts, clusters, operating_point()), snakemake.output[0])
