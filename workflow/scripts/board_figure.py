"""Draw the page and the figure of a board."""

from llm_power._board.all_pairs import p_values_between
from llm_power._board.average import average_tasks
from llm_power._board.cluster_robustness import cluster_readings
from llm_power._board.operating_point import Declared
from llm_power._board.page_data import page_data
from llm_power._board.resolve import board_of_tables, pairs_of_board
from llm_power._board.summary import describe_board
from llm_power._report.board_figure import save_board_figure
from llm_power._report.tables import score_provenance
from llm_power._scores.store import read_task
from replication.index_page import write_page
from replication.job import load, logged, snakemake
from replication.stages import operating_point

with logged():
    given = snakemake.params
    tasks = [read_task(path) for path in snakemake.input.scores]
    verdicts, ranks = load(snakemake.input.verdicts), load(snakemake.input.ranks)
    point, declared = operating_point(given.point), Declared(**given.declared)
    pairs = pairs_of_board(tasks, given.family, given.cluster, point, declared)
    average = None
    if given.average:
        average = average_tasks(
            pairs.tasks, family=given.family, cluster=given.cluster, point=point, declared=declared
        )
    readings = []
    if given.cluster is not None:
        family = pairs.adjusted(*p_values_between(pairs, 0, pairs.n_pairs))
        readings = cluster_readings(pairs, family)
    board = board_of_tables(pairs, verdicts, ranks, average, readings)
    summary = describe_board(board, tasks, missing=given.missing)
    data = page_data(
        verdicts,
        summary,
        title=given.title,
        average=average,
        result=given.result,
        average_result=given.average,
    )
    write_page(snakemake.output, data, summary)
    stem = snakemake.output.pdf.removesuffix(".pdf")
    save_board_figure(verdicts, data, stem, score_provenance(tasks))
