"""Adjust the p-values of all pairs of a board."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from llm_power.board.all_pairs import family_of
from llm_power.board.pair_store import write_family
from replication.job import load, logged, snakemake

with logged():
    parts = [load(path) for path in snakemake.input.parts]
    ends = np.cumsum([0, *map(len, parts)]).tolist()
    p, unadjusted = (np.concatenate([part[name] for part in parts]) for name in parts[0])
    alpha = snakemake.params.settings["point"]["alpha"]
    family = family_of(p, unadjusted, alpha=alpha)
    write_family(Path(snakemake.output[0]), family, list(pairwise(ends)))
