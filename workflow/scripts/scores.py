"""Read the scores of one task, keep its best models, and settle what is missing."""

from llm_power.board.ranking import prepare_task
from llm_power.scores.options import ReadOptions
from llm_power.scores.readers import read_scores
from llm_power.scores.store import write_task
from replication.job import logged, snakemake

with logged():
    settings = dict(snakemake.params.task)
    reader = settings.pop("reader")
    del settings["path"]
    options = ReadOptions(task=snakemake.wildcards.task, **settings)
    task = read_scores(snakemake.params.path, options, reader=reader)
    prepared = prepare_task(task, top=snakemake.params.top, missing=snakemake.params.missing)
    write_task(prepared, snakemake.output[0])
