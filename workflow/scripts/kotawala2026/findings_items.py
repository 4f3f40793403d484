"""Evaluate every quantity on the items of the panels, for the claims that print it."""

from dataclasses import replace
from pathlib import Path

from kotawala2026.quantities.evaluated import on_scores
from llm_power._scores.store import read_task
from replication.constraints import load_constraints
from replication.job import logged, snakemake, write_csv
from replication.views import items_view

# An item is left out so that these come out: they are not the items' own.
PUT_IN = ("n_items", "mean_cluster_size")

with logged(of_printed=True):
    inputs, params = snakemake.input, snakemake.params
    constraints = load_constraints(Path(inputs.printed[0]))
    for panel in ("oll_v1", "mmlu_pro"):
        findings = on_scores(
            panel,
            [replace(task, task=params.tasks[task.task]) for task in map(read_task, inputs[panel])],
            settings=params.settings,
            table_8=Path(inputs.table_8),
            seed=params.seed,
        )
        by_items = [c for c in constraints[panel] if c.quantity not in PUT_IN]
        write_csv(items_view(by_items, findings), snakemake.output[panel])
