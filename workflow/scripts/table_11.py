"""Table 11: four arbiters on the seven close pairs."""

from pathlib import Path

from _exhibit import save_exhibit
from _job import logged, snakemake

from kotawala2026.exhibits.table_11 import present, table_11
from replication.printed import (
    load_counts,
    load_table,
)

with logged():
    printed = load_table(Path(snakemake.input.printed))
    save_exhibit(present(table_11(printed, load_counts(Path(snakemake.input.counts)))))
