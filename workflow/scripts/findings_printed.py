"""Evaluate every quantity on what the paper prints: the evidence for claims."""

from importlib import import_module
from pathlib import Path

from replication.findings import evidence_view, findings_frame
from replication.job import logged, snakemake, write_csv

with logged(of_printed=True):
    module = import_module(snakemake.params.module)
    findings = module.evaluate_printed(Path(snakemake.input.printed[0]).parent)
    write_csv(findings_frame(findings), snakemake.output.findings)
    write_csv(evidence_view(findings), snakemake.output.evidence)
