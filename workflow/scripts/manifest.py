"""Write the manifest of the run."""

import json
from pathlib import Path

from _job import logged, snakemake

from llm_power.provenance import Provenance
from llm_power.report.score_provenance import score_provenance
from llm_power.scores.store import read_task
from replication.manifest import Exhibit, build_manifest
from replication.records import Ledger

with logged():
    config, jobs = snakemake.params.config, Ledger.read(Path())
    seed = f"seed {config['seed']}"
    inputs = jobs.of("findings_boards").inputs
    panels = [read_task(path) for path in inputs if path.startswith("results/scores/")]
    prose = {
        "findings_simulated": [
            Provenance.published("Table 6"),
            Provenance("simulated", f"{seed}; the lemma is computed on its grid"),
        ],
        "findings_boards": score_provenance(panels),
    }
    exhibits = [
        Exhibit(
            name=name,
            outputs=jobs.of(name).outputs,
            inputs=jobs.of(name).inputs,
            provenance=prose.get(name),
            benchmark=Path(benchmark),
        )
        for name, benchmark in snakemake.params.benchmarks.items()
    ]
    manifest = build_manifest(exhibits, seed=config["seed"], source=config["source"], config=config)
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    Path(snakemake.output[0]).write_text(text + "\n", encoding="utf-8")
