"""Table 9: bootstrap of the subjects."""

from pathlib import Path

from _exhibit import save_exhibit, scores_provenance
from _job import load, logged, snakemake

from kotawala2026.exhibits.table_09 import present, table_09
from replication.printed import (
    load_table,
)

with logged():
    n_resamples = snakemake.params.n_resamples
    frame = table_09(
        load_table(Path(snakemake.input.printed)),
        load(snakemake.input.verdicts),
        load(snakemake.input.intervals),
        n_resamples=n_resamples,
    )
    table = present(
        frame,
        load(snakemake.input.distribution),
        scores_provenance(),
        n_resamples=n_resamples,
        seed=snakemake.params.seed,
    )
    save_exhibit(table)
