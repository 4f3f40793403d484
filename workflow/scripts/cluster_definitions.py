"""Resolve the pairs under other definitions of a cluster."""

import pandas as pd

from llm_power._board.cluster_robustness import cluster_definition_table
from llm_power._board.clusters import clustered
from llm_power._scores.store import read_task
from replication.job import logged, snakemake, write_stage
from replication.stages import operating_point

with logged():
    cluster, tasks = snakemake.params.cluster, map(read_task, snakemake.input.scores)
    tables = [
        cluster_definition_table(
            task,
            cluster,
            snakemake.params.family,
            operating_point(snakemake.params.point),
            seed=snakemake.params.seed,
        )
        for task in clustered([*tasks], cluster)
    ]
    write_stage(pd.concat(tables, ignore_index=True), snakemake.output[0])
