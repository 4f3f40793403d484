"""Gather the parts of a board into what is shown of it: tables, page, figure and adjacent pairs."""

from pathlib import Path

from llm_power._board.columns import PAIRS_COLUMNS
from llm_power._board.page_data import page_data
from llm_power._board.pair_store import read_family
from llm_power._board.resolve import board_of
from llm_power._board.stream import Keep, Tally, shown_pairs
from llm_power._board.summary import describe_board
from llm_power._report.board_figure import save_board_figure
from llm_power._report.board_tables import streamed_tables
from llm_power._report.landscape import landscape_tables
from llm_power._report.tables import score_provenance
from llm_power._scores.store import read_task
from replication.board_pairs import board_pairs, read_p_values
from replication.index_page import write_page
from replication.job import logged, save, snakemake, write_csv
from replication.table_files import write_table

with logged():
    given, output = snakemake.params, snakemake.output
    tasks = [read_task(path) for path in snakemake.input.scores]
    pairs = board_pairs(tasks, given.settings)
    tally = Tally.empty(pairs.tasks)
    for path in snakemake.input.tallies:
        tally.merge(Tally.from_json(Path(path).read_text(encoding="utf-8")))
    family, ends = read_family(
        Path(snakemake.input.family[0]), *read_p_values(snakemake.input.parts)
    )
    board = board_of(shown_pairs(pairs, family, ends, tally, Keep()), pairs)
    sources = score_provenance(tasks)
    summary = describe_board(board, tasks, missing=given.missing)
    tables = streamed_tables(board, tasks, title=given.title) | landscape_tables(
        summary["landscape"], sources, title=given.title, point=board.point
    )
    for name, table in tables.items():
        write_table(table, Path(output[0]).with_name(name))
    save(board.verdicts[PAIRS_COLUMNS], output.parquet)
    write_csv(board.verdicts[PAIRS_COLUMNS], output.csv)
    data = page_data(board.verdicts, summary, title=given.title, result=given.result)
    write_page(output, data, summary)
    save_board_figure(board.verdicts, data, output.pdf.removesuffix(".pdf"), sources)
