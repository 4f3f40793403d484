"""Figure 1: what pairing gains."""

from _drawing import save_drawn
from _exhibit import scores_provenance
from _job import load, logged, snakemake

from kotawala2026.exhibits.figure_01 import draw, figure_01
from llm_power.report.figures import house_style

with logged(), house_style():
    frame = figure_01(load(snakemake.input.verdicts))
    save_drawn(
        frame, draw(frame), scores_provenance(), "Gain of the paired over the unpaired formula"
    )
