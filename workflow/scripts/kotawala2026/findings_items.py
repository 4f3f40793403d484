"""Evaluate every quantity on the items of the panels, for the claims that print it."""

from dataclasses import replace
from pathlib import Path

from kotawala2026.findings import on_scores
from kotawala2026.missing import (
    pairs_there,
    what_is_absent,
    what_is_judged,
    without_value,
)
from llm_power._scores.store import read_task
from replication.constraints import load_board_scores, load_constraints
from replication.findings import items_view
from replication.job import logged, snakemake, write_csv

# An item is left out so that these come out: they are not the items' own.
PUT_IN = ("n_items", "mean_cluster_size")

with logged(of_printed=True):
    inputs, params = snakemake.input, snakemake.params
    constraints = load_constraints(Path(inputs.printed[0]))
    displayed = load_board_scores(Path(inputs.board))
    files = {"oll_v1": inputs.oll_v1, "mmlu_pro": [inputs.mmlu_pro]}
    for panel, paths in files.items():
        tasks = [replace(task, task=params.tasks[task.task]) for task in map(read_task, paths)]
        by_items = [c for c in constraints[panel] if c.quantity not in PUT_IN]
        ranked = list(dict.fromkeys(one.model for one in displayed[panel]))
        if absent := what_is_absent(tasks, ranked):
            findings = pairs_there(panel, tasks, ranked, seed=params.seed)
            findings += without_value(by_items, findings, absent)
        else:
            findings = on_scores(
                panel,
                tasks,
                settings=params.settings,
                table_8=Path(inputs.table_8),
                seed=params.seed,
            )
        remark = what_is_judged(panel, tasks, ranked)
        write_csv(items_view(by_items, findings, remark=remark), snakemake.output[panel])
