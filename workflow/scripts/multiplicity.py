"""Adjust the verdicts for the declared family."""

import pandas as pd
from _job import logged, operating_point, save, snakemake

from llm_power.pairs.verdicts import add_multiplicity

with logged():
    counts = pd.read_parquet(snakemake.input.counts)
    resolution = pd.read_parquet(snakemake.input.resolution)
    save(add_multiplicity(counts, resolution, operating_point()), snakemake.output[0])
