"""Figure 7: required items of the frontier panel."""

from _drawing import save_drawing
from _exhibit import scores_provenance
from _job import load, logged, snakemake, write_csv

from llm_power.exhibits.figure_07 import draw, figure_07
from llm_power.render.figures import house_style

with logged(), house_style():
    frame = figure_07(load(snakemake.input.verdicts))
    write_csv(frame, snakemake.output.csv)
    save_drawing(draw(frame), scores_provenance(), "Frontier panel")
