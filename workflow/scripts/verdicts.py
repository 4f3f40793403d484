"""Join the stages into the verdict table."""

import pandas as pd
from _job import logged, save, snakemake

from llm_power.pairs.verdicts import verdict_table

with logged():
    stages = [pd.read_parquet(path) for path in snakemake.input.stages]
    table = verdict_table(pd.read_parquet(snakemake.input.counts), *stages)
    save(table, snakemake.output.parquet)
    table.to_csv(snakemake.output.csv, index=False, lineterminator="\n")
