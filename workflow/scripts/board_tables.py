"""Write the tables of a board."""

from pathlib import Path

from llm_power._report.board_tables import board_tables
from llm_power._scores.store import read_task
from replication.job import load, logged, snakemake
from replication.stages import operating_point
from replication.table_files import write_table

with logged():
    tasks = [read_task(path) for path in snakemake.input.scores]
    point = operating_point(snakemake.params.point)
    tables = board_tables(
        load(snakemake.input.verdicts),
        load(snakemake.input.ranks),
        tasks,
        title=snakemake.params.title,
        family=snakemake.params.family,
        point=point,
    )
    for name, table in tables.items():
        write_table(table, Path(snakemake.output[0]).with_name(name))
