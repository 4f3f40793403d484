"""Join the stages into the verdict table."""

from llm_power.board.verdicts import verdict_table
from replication.job import load, logged, save, snakemake, write_csv

with logged():
    stages = [load(path) for path in snakemake.input.stages]
    table = verdict_table(load(snakemake.input.counts), *stages)
    save(table, snakemake.output.parquet)
    write_csv(table, snakemake.output.csv)
