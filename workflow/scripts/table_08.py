"""Table 8: one subject left out."""

from pathlib import Path

from _exhibit import save_exhibit, scores_provenance
from _job import load, logged, snakemake

from kotawala2026.exhibits.table_08 import present, table_08
from replication.printed import (
    load_table,
)

with logged():
    printed = load_table(Path(snakemake.input.printed))
    frame = table_08(printed, load(snakemake.input.verdicts), load(snakemake.input.leave_one_out))
    save_exhibit(present(frame, scores_provenance()))
