"""Recompute what the printed numbers decide by themselves."""

from pathlib import Path

from _job import logged, snakemake, write_csv

from kotawala2026.evidence.printed import printed_evidence

with logged():
    folder = Path(snakemake.input.settings[0]).parent
    write_csv(printed_evidence(folder), snakemake.output[0])
