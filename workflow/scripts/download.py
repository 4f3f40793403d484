"""Download one file of the register, unless it is there already or the hub has none."""

from pathlib import Path

from replication.hub.access import Access
from replication.hub.datasets import Dataset
from replication.hub.download import download_if_there, log_to_terminal
from replication.hub.lock import LockFile
from replication.job import logged, snakemake

with logged():
    log_to_terminal()
    params = snakemake.params
    download_if_there(
        Dataset(**params.dataset),
        Path(params.folder),
        LockFile(Path(params.lock)),
        access=Access.from_environment(offline=params.offline, with_token=params.with_token),
    )
