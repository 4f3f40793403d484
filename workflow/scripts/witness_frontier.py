"""Build the witness of the frontier panel."""

from pathlib import Path

from _job import file_sums, logged, snakemake, write_csv

from kotawala2026.witness.frontier import build_frontier, witness_scores
from llm_power.scores.store import write_task
from replication.constraints import load_constraints
from replication.witness.infeasible import contradictions_frame

with logged():
    register, *_ = map(Path, snakemake.input.printed)
    constraints = load_constraints(register, ["frontier"])["frontier"]
    witness = build_frontier(constraints, seed=snakemake.params.seed)
    write_task(
        witness_scores(witness, file_sums(*snakemake.input.printed)), snakemake.output.scores[0]
    )
    contradictions = contradictions_frame(witness.contradictions)
    write_csv(contradictions, snakemake.output.infeasible)
