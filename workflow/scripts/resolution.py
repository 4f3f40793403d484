"""Resolve every pair: required items, resolution ratio, minimum detectable effect, tests."""

import pandas as pd
from _job import logged, operating_point, save, snakemake

from llm_power.pairs.verdicts import add_resolution

with logged():
    counts = pd.read_parquet(snakemake.input.counts)
    save(add_resolution(counts, operating_point()), snakemake.output[0])
