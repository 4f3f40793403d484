"""Table 4: clusters of the MMLU-Pro top ten."""

from pathlib import Path

from _exhibit import save_exhibit, scores_provenance
from _job import load, logged, snakemake

from kotawala2026.exhibits.table_04 import present, table_04
from replication.printed import (
    load_table,
)

with logged():
    printed = load_table(Path(snakemake.input.printed))
    frame = table_04(printed, load(snakemake.input.verdicts))
    save_exhibit(present(frame, scores_provenance()))
