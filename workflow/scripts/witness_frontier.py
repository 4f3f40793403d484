"""Build the witness of the frontier panel, and hold it against every printed number."""

from pathlib import Path

from _job import file_sums, logged, snakemake

from llm_power.scores.store import write_task
from llm_power.witness.constraints import load_constraints
from llm_power.witness.frontier import build_frontier, frontier_roles, witness_scores
from llm_power.witness.infeasible import contradictions_frame

with logged():
    register, *_ = map(Path, snakemake.input.printed)
    constraints = load_constraints(register)["frontier"]
    witness = build_frontier(constraints, seed=snakemake.params.seed)
    write_task(
        witness_scores(witness, file_sums(*snakemake.input.printed)), snakemake.output.scores[0]
    )
    report = frontier_roles(constraints, witness)
    report.to_csv(snakemake.output.roles, index=False, lineterminator="\n")
    contradictions = contradictions_frame(witness.contradictions)
    contradictions.to_csv(snakemake.output.infeasible, index=False, lineterminator="\n")
