"""Build the witness of the frontier panel, and hold it against every printed number."""

from pathlib import Path

from _job import logged, snakemake, write_csv

from kotawala2026.witness.frontier import build_frontier, frontier_roles, witness_scores
from llm_power.scores.store import write_task
from replication.constraints import digest_of_fitted, load_constraints
from replication.witness.infeasible import contradictions_frame

with logged():
    printed = load_constraints(Path(snakemake.input.printed[0]))
    constraints = printed["frontier"]
    witness = build_frontier(constraints, seed=snakemake.params.seed)
    write_task(witness_scores(witness, digest_of_fitted(printed)), snakemake.output.scores[0])
    report = frontier_roles(constraints, witness)
    write_csv(report, snakemake.output.roles)
    contradictions = contradictions_frame(witness.contradictions)
    write_csv(contradictions, snakemake.output.infeasible)
