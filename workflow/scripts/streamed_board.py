"""Gather the parts of a board into what is shown of it: tables, page, figure and adjacent pairs."""

from pathlib import Path

from llm_power._board.pair_store import read_family
from llm_power._board.resolve import board_of
from llm_power._board.stream import Keep, Tally, shown_pairs
from llm_power._scores.store import read_task
from replication.board_files import write_board
from replication.board_pairs import board_pairs, read_p_values
from replication.job import logged, snakemake

with logged():
    given = snakemake.params
    tasks = [read_task(path) for path in snakemake.input.scores]
    pairs = board_pairs(tasks, given.settings)
    tally = Tally.empty(pairs.tasks)
    for path in snakemake.input.tallies:
        tally.merge(Tally.from_json(Path(path).read_text(encoding="utf-8")))
    family, ends = read_family(
        Path(snakemake.input.family[0]), *read_p_values(snakemake.input.parts)
    )
    shown = shown_pairs(pairs, family, ends, tally, Keep())
    board = board_of(shown, pairs, averaged=given.averaged)
    write_board(snakemake.output, board, tasks, title=given.title, missing=given.missing)
