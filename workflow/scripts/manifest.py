"""Write the manifest of the run."""

import json
from pathlib import Path

from _job import logged, snakemake

from llm_power.provenance import Provenance
from llm_power.report.score_provenance import score_provenance
from llm_power.scores.store import read_task
from replication.manifest import Exhibit, build_manifest

with logged():
    config = snakemake.params.config
    seed = f"seed {config['seed']}"
    inputs = snakemake.params.exhibits["prose_panels"]["inputs"]
    panels = [read_task(path) for path in inputs if path.startswith("results/scores/")]
    prose = {
        "prose_required_n": [Provenance.published("Table 6"), Provenance("simulated", seed)],
        "prose_theory": [Provenance("simulated", f"{seed}; the lemma is computed on its grid")],
        "prose_panels": score_provenance(panels),
    }
    exhibits = [
        Exhibit(
            name=name,
            outputs=tuple(map(Path, entry["outputs"])),
            inputs=tuple(map(Path, entry["inputs"])),
            provenance=prose.get(name),
            benchmark=Path(entry["benchmark"]),
        )
        for name, entry in snakemake.params.exhibits.items()
    ]
    manifest = build_manifest(exhibits, seed=config["seed"], source=config["source"], config=config)
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    Path(snakemake.output[0]).write_text(text + "\n", encoding="utf-8")
