"""Resolve a board whose pairs are held, and write what is shown of it."""

from dataclasses import replace

from llm_power._board.resolve import resolve_board
from llm_power._scores.store import read_task
from replication.board_files import write_board
from replication.board_pairs import asked, require_held
from replication.job import logged, save, snakemake

with logged():
    given = snakemake.params
    tasks = [read_task(path) for path in snakemake.input.scores]
    require_held(tasks, given.settings["family"])
    board = resolve_board(tasks, **asked(given.settings))
    if not given.has_average:
        board = replace(board, average=None)
    save(board.verdicts, snakemake.output.table)
    write_board(snakemake.output, board, tasks, title=given.title, missing=given.missing)
