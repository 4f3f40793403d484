"""Make the scores of one task of the paper's panels from its downloads, or from a table by hand."""

from pathlib import Path

from llm_power.scores.options import ReadOptions
from llm_power.scores.readers import read_scores
from llm_power.scores.store import write_task
from replication.hub.access import Access
from replication.hub.datasets import load_register
from replication.hub.lock import LockFile
from replication.hub.panels import displayed_scores, read_panel
from replication.job import logged, snakemake

with logged():
    board, name = snakemake.wildcards.board, snakemake.wildcards.task
    settings, cluster = snakemake.params.settings, snakemake.params.cluster
    if settings["placed_by_hand"]:
        options = ReadOptions(task=name, clusters=(cluster,) if cluster else ())
        task = read_scores(settings["placed_by_hand"], options)
    else:
        register = load_register(Path(snakemake.params.register)).values()
        task = read_panel(
            snakemake.params.panel,
            [dataset for dataset in register if (dataset.board, dataset.task) == (board, name)],
            displayed_scores(Path(snakemake.params.paper), snakemake.params.panel),
            Path(settings["folder"]),
            LockFile(Path(snakemake.params.lock)),
            access=Access.from_environment(with_token=False),
            accepted=settings["accepted"],
        )
    write_task(task, snakemake.output[0])
