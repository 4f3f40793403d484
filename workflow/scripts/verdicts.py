"""Join the stages into the verdict table, and write what of it is for readers."""

from llm_power._board.columns import PAIRS_COLUMNS, verdict_table
from replication.job import load, logged, save, snakemake, write_csv

with logged():
    stages = [load(path) for path in snakemake.input.stages]
    table = verdict_table(load(snakemake.input.discordance), *stages)
    save(table, snakemake.output.table)
    save(table[PAIRS_COLUMNS], snakemake.output.parquet)
    write_csv(table[PAIRS_COLUMNS], snakemake.output.csv)
