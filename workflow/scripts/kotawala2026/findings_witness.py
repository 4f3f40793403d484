"""Evaluate every quantity on a witness, and hold it against every printed number of its panel."""

from pathlib import Path

from kotawala2026.findings import on_scores
from llm_power._scores.store import read_task
from replication.constraints import load_board_scores, load_constraints, score_constraints
from replication.findings import Finding, findings_frame, roles_view
from replication.job import logged, snakemake, write_csv

with logged(of_printed=True):
    inputs, panel = snakemake.input, snakemake.params.panel

    def evaluate(paths: list[str]) -> list[Finding]:
        """Return the findings on the scores in these files."""
        return on_scores(
            panel,
            [read_task(path) for path in paths],
            settings=snakemake.params.settings,
            table_8=Path(inputs.leave_one_out),
            seed=snakemake.params.seed,
        )

    constraints = load_constraints(Path(inputs.printed[0]))[panel]
    if panel == "oll_v1":
        board = load_board_scores(Path(inputs.board))[panel]
        constraints = (*score_constraints(board, panel), *constraints)
    findings = evaluate(inputs.scores)
    untilted = evaluate(inputs.untilted) if inputs.untilted else None
    write_csv(findings_frame(findings), snakemake.output.findings)
    write_csv(roles_view(constraints, findings, untilted=untilted), snakemake.output.roles)
