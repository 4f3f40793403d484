"""Show the items of Open LLM Leaderboard v1; of a task that not all models have, a witness."""

from kotawala2026.missing import in_their_place, what_is_absent
from llm_power._scores.store import read_task, write_task
from replication.job import logged, snakemake

with logged(of_printed=True):
    inputs = snakemake.input
    for items, fitted, shown in zip(inputs.scores, inputs.witness, snakemake.output, strict=True):
        task, witness = read_task(items), read_task(fitted)
        if what_is_absent([task], witness.models):
            task = in_their_place(witness, task)
        write_task(task, shown)
