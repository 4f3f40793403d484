"""Give every pair of a panel its verdict on the average over tasks."""

from pathlib import Path

from llm_power._board.average import average_tasks
from llm_power._report.board_tables import average_tables
from llm_power._scores.store import read_task
from replication.board_pairs import board_pairs
from replication.job import logged, save, snakemake, write_csv
from replication.table_files import write_table

with logged():
    tasks = [read_task(path) for path in snakemake.input.scores]
    pairs = board_pairs(tasks, snakemake.params.settings)
    average = average_tasks(pairs, pairs.family)
    # The rule is for panels of several tasks.
    assert average is not None
    save(average.verdicts, snakemake.output.parquet)
    write_csv(average.verdicts, snakemake.output.csv)
    tables = average_tables(average, tasks, title=snakemake.params.title, point=pairs.point)
    for name, table in tables.items():
        write_table(table, Path(snakemake.output.tables[0]).with_name(name))
