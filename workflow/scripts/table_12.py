"""Table 12: the reporting checklist, filled in for the HellaSwag pair."""

from pathlib import Path

from _exhibit import published_settings, save_exhibit
from _job import logged, snakemake

from kotawala2026.exhibits.table_12 import present, table_12
from replication.printed import (
    load_counts,
    load_table,
)

with logged():
    settings = published_settings()
    counts = load_counts(Path(snakemake.input.counts))
    hellaswag = list(counts.label).index("HS")
    resampling = {
        "n_resamples": settings["oll_v1_bootstrap_resamples"],
        "seed": snakemake.params.seed,
    }
    frame = table_12(
        load_table(Path(snakemake.input.checklist)),
        counts,
        hellaswag,
        family=settings["oll_v1_pairs"],
        **resampling,
    )
    save_exhibit(present(frame, counts, hellaswag, **resampling))
