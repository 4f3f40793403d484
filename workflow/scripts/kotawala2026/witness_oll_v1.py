"""Build the witness of Open LLM Leaderboard v1, and the same before anything but counts."""

from pathlib import Path

from kotawala2026.witness.oll_v1 import build_witness, pair_freedom, witness_scores
from llm_power._scores.store import write_task
from replication.constraints import (
    digest_of_fitted,
    load_board_scores,
    load_constraints,
    score_constraints,
)
from replication.contradictions import contradictions_frame
from replication.job import file_sums, logged, snakemake, write_csv

with logged(of_printed=True):
    board = load_board_scores(Path(snakemake.input.board))["oll_v1"]
    printed = load_constraints(Path(snakemake.input.printed[0]))
    constraints = (*score_constraints(board, "oll_v1"), *printed["oll_v1"])
    witness = build_witness(board, constraints)
    sums = digest_of_fitted(printed["oll_v1"]) | file_sums(snakemake.input.board)
    for tilted, paths in ((True, snakemake.output.scores), (False, snakemake.output.untilted)):
        for task, path in zip(witness_scores(witness, sums, tilted=tilted), paths, strict=True):
            write_task(task, path)
    write_csv(pair_freedom(witness), snakemake.output.pairs)
    contradictions = contradictions_frame(witness.contradictions)
    write_csv(contradictions, snakemake.output.infeasible)
