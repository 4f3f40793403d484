"""Build the witness of the MMLU-Pro top ten."""

from pathlib import Path

from _job import file_sums, logged, snakemake, write_csv

from kotawala2026.witness.mmlu_pro import build_mmlu_pro, load_categories, witness_scores
from llm_power.scores.store import write_task
from replication.constraints import load_constraints
from replication.witness.infeasible import contradictions_frame

with logged():
    register, *_ = map(Path, snakemake.input.printed)
    constraints = load_constraints(register, ["mmlu_pro"])["mmlu_pro"]
    categories = load_categories(Path(snakemake.input.categories))
    witness = build_mmlu_pro(constraints, categories, seed=snakemake.params.seed)
    sums = file_sums(*snakemake.input.printed, snakemake.input.categories)
    write_task(witness_scores(witness, sums), snakemake.output.scores[0])
    contradictions = contradictions_frame(witness.contradictions)
    write_csv(contradictions, snakemake.output.infeasible)
