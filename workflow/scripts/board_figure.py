"""Draw the figure of a board."""

from llm_power.report.board_figure import draw_board
from llm_power.report.figures import house_style, save_figure
from llm_power.report.score_provenance import score_provenance
from llm_power.scores.store import read_task
from replication.job import load, logged, snakemake

with logged(), house_style():
    title = snakemake.params.title
    figure = draw_board(load(snakemake.input.verdicts), title=title)
    sources = score_provenance([read_task(path) for path in snakemake.input.scores])
    save_figure(figure, snakemake.output.pdf.removesuffix(".pdf"), sources, title=title)
