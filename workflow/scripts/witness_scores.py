"""Put the models of a witness in rank order, under the board's name of the task."""

from dataclasses import replace

from llm_power._scores.selection import prepare_task
from llm_power._scores.store import read_task, write_task
from replication.job import logged, snakemake

with logged():
    task = replace(read_task(snakemake.input[0]), task=snakemake.wildcards.task)
    write_task(prepare_task(task), snakemake.output[0])
