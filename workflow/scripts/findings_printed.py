"""Evaluate every quantity on what the paper prints: the evidence for claims."""

from pathlib import Path

from _job import logged, snakemake, write_csv

from kotawala2026.quantities.evaluated import on_printed_numbers
from kotawala2026.quantities.published_numbers import load_published
from replication.findings import findings_frame
from replication.views import evidence_view

with logged():
    folder = Path(snakemake.input.printed[0]).parent
    findings = on_printed_numbers(load_published(folder))
    write_csv(findings_frame(findings), snakemake.output.findings)
    write_csv(evidence_view(findings), snakemake.output.evidence)
