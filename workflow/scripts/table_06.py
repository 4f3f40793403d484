"""Table 6: the seven close pairs of Open LLM Leaderboard v1, printed and recomputed."""

from pathlib import Path

from _exhibit import save_exhibit
from _job import logged, snakemake

from kotawala2026.exhibits._counts_table import label_and_gap
from kotawala2026.exhibits.table_06 import present, table_06
from replication.printed import (
    load_counts,
    load_table,
)

with logged():
    gaps = [gap for _, gap in map(label_and_gap, load_table(Path(snakemake.input.gaps))["pair"])]
    counts = load_counts(Path(snakemake.input.counts))
    save_exhibit(present(table_06(counts, gaps)))
