"""Figure 7: required items of the frontier panel."""

from _drawing import save_drawn
from _exhibit import scores_provenance
from _job import load, logged, snakemake

from kotawala2026.exhibits.figure_07 import draw, figure_07
from llm_power.report.figures import house_style

with logged(), house_style():
    frame = figure_07(load(snakemake.input.verdicts))
    save_drawn(frame, draw(frame), scores_provenance(), "Frontier panel")
