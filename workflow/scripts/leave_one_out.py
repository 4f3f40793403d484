"""Drop each cluster in turn."""

import pandas as pd
from _job import logged, operating_point, save, snakemake

from llm_power.pairs.cluster_robustness import leave_one_out_table

with logged():
    clusters = pd.read_parquet(snakemake.input.clusters)
    save(leave_one_out_table(clusters, operating_point()), snakemake.output[0])
