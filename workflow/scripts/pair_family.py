"""Adjust the p-values of all pairs of a board."""

from pathlib import Path

from llm_power._board.pair_store import write_family
from llm_power._scores.store import read_task
from replication.board_pairs import board_pairs, read_p_values
from replication.job import logged, snakemake

with logged():
    pairs = board_pairs([*map(read_task, snakemake.input.scores)], snakemake.params.settings)
    family = pairs.adjusted(*read_p_values(snakemake.input.parts), threads=snakemake.threads)
    ends = pairs.rank_ends(family, threads=snakemake.threads)
    write_family(Path(snakemake.output[0]), family, ends)
