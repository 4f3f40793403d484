"""Build the witness of the MMLU-Pro top ten."""

from pathlib import Path

from kotawala2026.adjacent_clusters import load_categories
from kotawala2026.witness.mmlu_pro import build_mmlu_pro, witness_scores
from llm_power._scores.store import write_task
from replication.constraints import digest_of_fitted, load_constraints
from replication.contradictions import contradictions_frame
from replication.job import file_sums, logged, snakemake, write_csv

with logged(of_printed=True):
    printed = load_constraints(Path(snakemake.input.printed[0]))
    constraints = printed["mmlu_pro"]
    categories = load_categories(Path(snakemake.input.categories))
    witness = build_mmlu_pro(constraints, categories, seed=snakemake.params.seed)
    sums = digest_of_fitted(constraints) | file_sums(snakemake.input.categories)
    write_task(witness_scores(witness, sums), snakemake.output.scores[0])
    contradictions = contradictions_frame(witness.panel.contradictions)
    write_csv(contradictions, snakemake.output.infeasible)
