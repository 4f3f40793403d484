"""Read the scores of one task, keep its best models, and settle what is missing."""

from pathlib import Path

from llm_power._scores.selection import prepare_task
from llm_power._scores.store import write_task
from replication.hub.access import Access
from replication.hub.datasets import Dataset
from replication.hub.download import log_to_terminal
from replication.hub.lock import LockFile
from replication.hub.matrices import block_labels
from replication.hub.panels import displayed_scores, read_files, read_panel
from replication.job import logged, snakemake

# A model whose file is absent costs its own pairs.
with logged(despite=True):
    log_to_terminal()
    given, name = snakemake.params, snakemake.wildcards.task
    lock, access = LockFile(Path(given.lock)), Access.from_environment(with_token=False)
    if given.panel is None:
        task = read_files(name, given.reading, lock, access)
    else:
        paper, panel = Path(given.paper), given.panel
        task = read_panel(
            panel,
            [Dataset(**dataset) for dataset in given.reading["datasets"]],
            displayed_scores(paper, panel),
            Path(given.folder),
            lock,
            access=access,
            accepted=given.accepted,
            labels=block_labels(paper / panel.blocks) if panel.is_matrix else (),
        )
    prepared = prepare_task(task, only_best=given.only_best, missing=given.missing)
    write_task(prepared, snakemake.output[0])
