"""Adjust the p-values of all pairs of a board."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from llm_power._board.pair_store import write_family
from replication.board_pairs import board_pairs
from replication.job import load, logged, snakemake

with logged():
    parts = [load(path) for path in snakemake.input.parts]
    ends = np.cumsum([0, *map(len, parts)]).tolist()
    p, unadjusted = (np.concatenate([part[name] for part in parts]) for name in parts[0])
    pairs = board_pairs(snakemake.input.scores, snakemake.params.settings)
    family = pairs.adjusted(p, unadjusted, threads=snakemake.threads)
    ends_of_ranks = pairs.rank_ends(family, threads=snakemake.threads)
    write_family(Path(snakemake.output[0]), family, ends_of_ranks, list(pairwise(ends)))
