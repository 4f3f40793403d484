"""Read the per-item data of one of the paper's panels as somebody put them into the data root."""

from _job import logged, snakemake

from llm_power.scores.options import ReadOptions
from llm_power.scores.readers import read_scores
from llm_power.scores.store import write_task

with logged():
    cluster = snakemake.params.cluster
    options = ReadOptions(task=snakemake.wildcards.task, clusters=(cluster,) if cluster else ())
    write_task(read_scores(snakemake.input.file, options), snakemake.output[0])
