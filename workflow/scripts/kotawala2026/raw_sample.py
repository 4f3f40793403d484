"""Real answers to some items of Open LLM Leaderboard v1, and what they show of its pairs."""

from itertools import islice
from pathlib import Path

import pandas as pd

from kotawala2026.findings import on_grounds
from kotawala2026.quantities.raw_sample import (
    at_sample_rates,
    read_sample,
    sample_table,
    sampled_items,
    witness_beside_sample,
)
from llm_power._scores.store import read_task
from llm_power_audit.printed_tables import load_table
from replication.constraints import load_board_scores
from replication.findings import evidence_view
from replication.job import logged, snakemake, write_csv

with logged():
    scores = load_board_scores(Path(snakemake.input.scores))["oll_v1"]
    models = list(dict.fromkeys(score.hub_id for score in scores))
    files = map(Path, snakemake.input.files)
    samples = {
        task: read_sample(list(islice(files, len(listed))), models)
        for task, listed in snakemake.params.tasks.items()
    }
    items = sampled_items(scores, samples)
    witness = [read_task(path) for path in snakemake.input.witness]
    table = sample_table(items, witness, pd.read_csv(snakemake.input.fixed))
    write_csv(table, snakemake.output.pairs)
    of_board = at_sample_rates(items.board, table, seed=snakemake.params.seed)
    unresolved = sum(
        cell.count for cell in load_table(Path(snakemake.input.table_3))["unresolved"][:-1]
    )
    sentence = witness_beside_sample(table, of_board, unresolved)
    findings = [*on_grounds(items), *of_board, sentence]
    write_csv(evidence_view(findings), snakemake.output.evidence)
