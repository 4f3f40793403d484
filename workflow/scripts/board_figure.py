"""Draw the figure of a board."""

from _job import load, logged, snakemake

from llm_power.report.board_figure import draw_board
from llm_power.report.figures import house_style, save_figure
from llm_power.report.score_provenance import score_provenance
from llm_power.scores.store import read_task

with logged(), house_style():
    title = snakemake.params.title
    figure = draw_board(load(snakemake.input.verdicts), title=title)
    sources = score_provenance([read_task(path) for path in snakemake.input.scores])
    save_figure(figure, snakemake.output.pdf.removesuffix(".pdf"), sources, title=title)
