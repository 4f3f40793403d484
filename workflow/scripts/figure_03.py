"""Figure 3: required over available items of the nine adjacent MMLU-Pro pairs."""

from pathlib import Path

from _drawing import save_drawn
from _exhibit import published_settings
from _job import logged, snakemake

from kotawala2026.exhibits.figure_03 import draw, figure_03, provenance
from llm_power.report.figures import house_style
from replication.printed import (
    load_counts,
)

with logged(), house_style():
    settings = published_settings()
    counts = load_counts(Path(snakemake.input.counts), n_items=settings["mmlu_pro_n_items"])
    frame = figure_03(counts, alpha=settings["alpha"], power=settings["power"])
    save_drawn(frame, draw(frame), provenance(), "MMLU-Pro adjacent pairs")
