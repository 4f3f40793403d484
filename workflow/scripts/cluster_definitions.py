"""Resolve the pairs under other definitions of a cluster."""

import pandas as pd

from llm_power._board.cluster_robustness import cluster_definition_table
from llm_power._scores.store import read_task
from replication.job import logged, save, snakemake
from replication.stages import operating_point

with logged():
    tables = [
        cluster_definition_table(
            read_task(path),
            snakemake.params.cluster,
            snakemake.params.family,
            operating_point(snakemake.params.point),
            seed=snakemake.params.seed,
        )
        for path in snakemake.input.scores
    ]
    save(pd.concat(tables, ignore_index=True), snakemake.output[0])
