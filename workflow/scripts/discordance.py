"""Count every pair of the panel, in the whole task and within each cluster."""

import json
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from llm_power._board.clusters import clustered, tabulate_clusters
from llm_power._board.resolution import tabulate_pairs
from llm_power._report.tables import score_provenance
from llm_power._scores.store import read_task
from replication.board_pairs import require_held
from replication.job import logged, snakemake, write_stage

with logged():
    tasks = [read_task(path) for path in snakemake.input.scores]
    family, cluster = snakemake.params.family, snakemake.params.cluster
    require_held(tasks, family)
    counts = [tabulate_pairs(task, family) for task in tasks]
    clusters = [tabulate_clusters(task, cluster, family) for task in clustered(tasks, cluster)]
    write_stage(pd.concat(counts, ignore_index=True), snakemake.output.pairs)
    write_stage(pd.concat(clusters, ignore_index=True), snakemake.output.by_cluster)
    sources = json.dumps([asdict(source) for source in score_provenance(tasks)], indent=1)
    Path(snakemake.output.provenance).write_text(sources, encoding="utf-8")
