"""Leave out the item of MMLU-Pro that the paper leaves out, and say which it can be."""

from pathlib import Path

from kotawala2026.adjacent_clusters import load_categories
from kotawala2026.exhibits.item_count import implied_item_count
from kotawala2026.findings import on_scores
from kotawala2026.missing import (
    in_their_place,
    leave_one_out,
    of_pairs,
    pairs_there,
    require_same_categories,
    what_is_absent,
)
from kotawala2026.witness.mmlu_pro import build_mmlu_pro, witness_scores
from llm_power._scores.store import TaskScores, read_task, write_task
from llm_power_audit.printed_tables import load_counts
from replication.constraints import load_board_scores, load_constraints
from replication.findings import Finding
from replication.job import logged, snakemake, write_csv

with logged(of_printed=True):
    inputs, params = snakemake.input, snakemake.params
    task = read_task(inputs.scores)
    for authors in inputs.authors:
        require_same_categories(task, read_task(authors))
    ranked = [one.model for one in load_board_scores(Path(inputs.board))["mmlu_pro"]]
    constraints = load_constraints(Path(inputs.printed[0]))["mmlu_pro"]
    is_whole = not what_is_absent([task], ranked)

    def evaluate(scores: TaskScores) -> list[Finding]:
        """Return the findings on all items but one."""
        if not is_whole:
            return pairs_there("mmlu_pro", [scores], ranked, seed=params.seed)
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
        constraints if is_whole else of_pairs(constraints, evaluate(task)),
        evaluate,
    )
    shown = kept
    if not is_whole:
        categories = load_categories(Path(inputs.categories))
        witness = build_mmlu_pro(constraints, categories, seed=params.seed)
        shown = in_their_place(witness_scores(witness, {}), kept)
    write_task(shown, snakemake.output.scores)
    write_task(kept, snakemake.output.there)
    write_csv(candidates, snakemake.output.candidates)
