"""Write the manifest of the run."""

import json
from pathlib import Path

from llm_power._provenance import Provenance
from llm_power._report.tables import score_provenance
from llm_power._scores.store import read_task
from replication.findings import left_open
from replication.job import logged, snakemake
from replication.manifest import board_entry, build_manifest, describe
from replication.records import Ledger

with logged(despite=True):
    given, ledger = snakemake.params, Ledger.read(Path())
    made = {name: ledger.of(rule) for name, rule in given.jobs.items()}
    prose = {}
    for name, sources in given.prose.items():
        stated = [
            Provenance(kind, text.format(seed=given.config["seed"]))
            for kind, text in sources.items()
        ]
        scores = [path for path in made[name].inputs if path in given.scores]
        prose[name] = stated + score_provenance([read_task(path) for path in scores])
    exhibits = [
        describe(
            name,
            made[name],
            prose.get(name),
            Path(benchmark),
            title=given.titles.get(name, ""),
        )
        for name, benchmark in given.benchmarks.items()
    ]
    manifest = build_manifest(
        exhibits,
        [board_entry(name, **board, jobs=ledger) for name, board in given.boards.items()],
        left_out=[*given.left_out, *left_open(snakemake.input.item_findings)],
        jobs=ledger.behind(snakemake.input),
        paper=given.paper,
        config=given.config,
    )
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    Path(snakemake.output[0]).write_text(text + "\n", encoding="utf-8")
