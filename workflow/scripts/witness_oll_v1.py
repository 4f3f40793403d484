"""Build the witness of Open LLM Leaderboard v1, and hold it against every printed number."""

from pathlib import Path

from _job import file_sums, logged, snakemake, write_csv

from kotawala2026.witness.oll_v1 import build_witness, pair_freedom, witness_scores
from kotawala2026.witness.oll_v1_values import OllV1Values
from llm_power.scores.store import write_task
from replication.constraints import (
    digest_of_fitted,
    displayed_scores,
    load_board_scores,
    load_constraints,
)
from replication.roles import roles_report
from replication.witness.infeasible import contradictions_frame

with logged():
    board = load_board_scores(Path(snakemake.input.board))
    printed = load_constraints(Path(snakemake.input.printed[0]))
    constraints = (*displayed_scores(board, "oll_v1"), *printed["oll_v1"])
    witness = build_witness(board, constraints)
    sums = digest_of_fitted(printed) | file_sums(snakemake.input.board)
    tasks, untilted = (witness_scores(witness, sums, tilted=tilted) for tilted in (True, False))
    for task, path in zip(tasks, snakemake.output.scores, strict=True):
        write_task(task, path)
    values, before = (
        OllV1Values.of(panel, seed=snakemake.params.seed) for panel in (tasks, untilted)
    )
    write_csv(pair_freedom(witness), snakemake.output.pairs)
    report = roles_report(constraints, values, untilted=before)
    write_csv(report, snakemake.output.roles)
    contradictions = contradictions_frame(witness.contradictions)
    write_csv(contradictions, snakemake.output.infeasible)
