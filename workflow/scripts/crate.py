"""Describe the run for other tools: a Workflow Run RO-Crate, and CodeMeta."""

import json
from pathlib import Path

from replication.crate import codemeta, run_crate
from replication.job import logged, snakemake

with logged(despite=True):
    place = Path(snakemake.output.crate).parent
    manifest = json.loads(Path(snakemake.input.manifest[0]).read_bytes())
    crate = run_crate(
        manifest,
        workflow=snakemake.params.workflow,
        settings=snakemake.input.settings,
        folder=f"{place}/" if place.name else "",
        beside=[*snakemake.input.manifest, *snakemake.input.pages],
    )
    written = {snakemake.output.crate: crate, snakemake.output.codemeta: codemeta(manifest)}
    for path, content in written.items():
        text = json.dumps(content, indent=2, ensure_ascii=False)
        Path(path).write_text(text + "\n", encoding="utf-8")
