"""Figure 2: required over available items of every pair."""

from _drawing import save_drawn
from _exhibit import scores_provenance
from _job import load, logged, snakemake

from kotawala2026.exhibits.figure_02 import draw, figure_02
from llm_power.report.figures import house_style

with logged(), house_style():
    frame = figure_02(load(snakemake.input.verdicts))
    save_drawn(frame, draw(frame), scores_provenance(), "Resolution of 40 pairs")
