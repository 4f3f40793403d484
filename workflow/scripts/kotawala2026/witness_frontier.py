"""Build the witness of the frontier panel."""

from pathlib import Path

from kotawala2026.witness.frontier import build_frontier, witness_scores
from llm_power._scores.store import write_task
from replication.constraints import digest_of_fitted, load_constraints
from replication.contradictions import contradictions_frame
from replication.job import logged, snakemake, write_csv

with logged(of_printed=True):
    printed = load_constraints(Path(snakemake.input.printed[0]))
    constraints = printed["frontier"]
    witness = build_frontier(constraints, seed=snakemake.params.seed)
    write_task(witness_scores(witness, digest_of_fitted(constraints)), snakemake.output.scores[0])
    contradictions = contradictions_frame(witness.contradictions)
    write_csv(contradictions, snakemake.output.infeasible)
