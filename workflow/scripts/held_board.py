"""Resolve a board whose pairs are held, and write what is shown of it."""

from llm_power._board.resolve import board_of, held_pairs
from llm_power._scores.store import read_task
from replication.board_files import write_board
from replication.board_pairs import board_pairs, require_held
from replication.job import logged, snakemake, write_stage

with logged():
    given = snakemake.params
    tasks = [read_task(path) for path in snakemake.input.scores]
    require_held(tasks, given.settings["family"])
    pairs = board_pairs(tasks, given.settings)
    board = board_of(held_pairs(pairs), pairs, averaged=given.averaged)
    write_stage(board.verdicts, snakemake.output.table)
    write_board(snakemake.output, board, tasks, title=given.title, missing=given.missing)
