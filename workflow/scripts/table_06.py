"""Table 6: the seven close pairs of Open LLM Leaderboard v1, printed and recomputed."""

from pathlib import Path

from _exhibit import save_exhibit
from _job import logged, snakemake

from kotawala2026.exhibits.table_06 import present, table_06
from replication.printed import (
    load_counts,
    load_table,
)

with logged():
    labels = load_table(Path(snakemake.input.gaps))["pair"]
    counts = load_counts(Path(snakemake.input.counts))
    save_exhibit(present(table_06(counts, [label.gap_pp for label in labels])))
