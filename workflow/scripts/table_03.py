"""Table 3: unresolved pairs of Open LLM Leaderboard v1 by size of gap."""

from pathlib import Path

from _exhibit import save_exhibit, scores_provenance
from _job import load, logged, snakemake

from kotawala2026.exhibits.table_03 import present, table_03
from replication.printed import (
    load_table,
)

with logged():
    printed = load_table(Path(snakemake.input.printed))
    frame = table_03(printed, load(snakemake.input.verdicts))
    save_exhibit(present(frame, scores_provenance()))
