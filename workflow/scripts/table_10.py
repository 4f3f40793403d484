"""Table 10: power at the prescribed number of items."""

from pathlib import Path

from _exhibit import published_settings, save_exhibit, scores_provenance
from _job import load, logged, snakemake

from kotawala2026.exhibits.table_10 import present, table_10
from replication.printed import (
    load_table,
)

with logged():
    settings = published_settings()
    trials = {"n_trials": settings["prospective_trials"], "seed": snakemake.params.seed}
    frame = table_10(
        load_table(Path(snakemake.input.printed)),
        load(snakemake.input.verdicts),
        alpha=settings["alpha"],
        **trials,
    )
    save_exhibit(present(frame, scores_provenance(), **trials))
