"""Evaluate every quantity on the verdicts of the paper's boards: numbers of prose."""

from pathlib import Path

from kotawala2026.findings import PROSE_OF_BOARDS, on_grounds
from kotawala2026.quantities.grounds import Board, ClusterStages
from llm_power._report.tables import basis_of
from llm_power._scores.store import read_task
from replication.findings import findings_frame, load_printed, prose_view
from replication.job import logged, read_stage, snakemake, write_csv

with logged(of_printed=True):
    inputs, outputs = snakemake.input, snakemake.output
    panels = ("oll_v1", "mmlu_pro", "frontier")
    boards = {
        panel: Board(
            panel=panel,
            basis=basis_of([read_task(path) for path in inputs[f"{panel}_scores"]]),
            verdicts=read_stage(inputs[panel]),
        )
        for panel in panels
    }
    stages = ClusterStages(
        basis=boards["mmlu_pro"].basis,
        verdicts=boards["mmlu_pro"].verdicts,
        definitions=read_stage(inputs.definitions),
        distribution=read_stage(inputs.distribution),
        n_resamples=snakemake.params.n_resamples,
    )
    by_panel = {panel: on_grounds(board) for panel, board in boards.items()}
    by_panel["mmlu_pro"] += on_grounds(stages)
    for panel, findings in by_panel.items():
        write_csv(findings_frame(findings), outputs[f"{panel}_findings"])
    printed = load_printed(Path(snakemake.input.printed[0]))
    for name, (topic, chosen) in PROSE_OF_BOARDS.items():
        of_topic = [f for panel in chosen for f in by_panel[panel] if f.topic == topic]
        write_csv(prose_view(of_topic, printed), outputs[name])
