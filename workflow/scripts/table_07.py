"""Table 7: the nine adjacent pairs of the MMLU-Pro top ten, printed and recomputed."""

from pathlib import Path

from _exhibit import published_settings, save_exhibit
from _job import logged, snakemake

from kotawala2026.exhibits.table_07 import present, table_07
from replication.printed import (
    load_counts,
    load_table,
)

with logged():
    n_items = published_settings()["mmlu_pro_n_items"]
    counts = load_counts(Path(snakemake.input.counts), n_items=n_items)
    gaps = load_table(Path(snakemake.input.gaps))["gap_pp"]
    save_exhibit(present(table_07(counts, list(gaps))))
