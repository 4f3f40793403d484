"""Set the paper's MMLU-Pro top ten beside the models of the MMLU-Pro authors."""

from pathlib import Path

from _exhibit import published_settings, save_exhibit
from _job import load, logged, snakemake

from kotawala2026.exhibits.mmlu_pro_comparison import (
    PrintedSummaries,
    mmlu_pro_comparison,
    present,
)
from llm_power.report.score_provenance import score_provenance
from llm_power.scores.store import read_task
from replication.printed import (
    load_table,
)

with logged():
    printed = PrintedSummaries(
        counts=load_table(Path(snakemake.input.printed_counts)),
        clusters=load_table(Path(snakemake.input.printed_clusters)),
        settings=published_settings(),
    )
    frame = mmlu_pro_comparison(
        load(snakemake.input.verdicts),
        load(snakemake.input.definitions),
        printed,
    )
    sources = score_provenance([read_task(snakemake.input.scores)])
    save_exhibit(present(frame, title=snakemake.params.title, provenance=sources))
