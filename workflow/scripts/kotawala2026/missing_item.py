"""Leave out the item of MMLU-Pro that the paper leaves out, and say which it can be."""

from pathlib import Path

from audit.printed_tables import load_counts
from kotawala2026.exhibits.item_count import implied_item_count
from kotawala2026.missing_item import leave_one_out, require_same_categories
from kotawala2026.quantities.evaluated import on_scores
from llm_power._scores.store import TaskScores, read_task, write_task
from replication.constraints import load_constraints
from replication.findings import Finding
from replication.job import logged, snakemake, write_csv

with logged(of_printed=True):
    inputs, params = snakemake.input, snakemake.params
    task = read_task(inputs.scores)
    for authors in inputs.authors:
        require_same_categories(task, read_task(authors))

    def evaluate(scores: TaskScores) -> list[Finding]:
        """Return the findings on all items but one."""
        return on_scores(
            "mmlu_pro",
            [scores],
            settings=params.settings,
            table_8=Path(inputs.table_8),
            seed=params.seed,
        )

    counts = load_counts(Path(inputs.table_7), n_items=params.settings["mmlu_pro_n_items"])
    kept, candidates = leave_one_out(
        task,
        implied_item_count(counts).n_items,
        load_constraints(Path(inputs.printed[0]))["mmlu_pro"],
        evaluate,
    )
    write_task(kept, snakemake.output.scores)
    write_csv(candidates, snakemake.output.candidates)
