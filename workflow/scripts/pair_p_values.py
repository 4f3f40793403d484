"""Work out the p-values of one part of a board's pairs, each as one named beforehand."""

import pandas as pd

from llm_power._board.all_pairs import p_values_between
from llm_power._scores.store import read_task
from replication.board_pairs import board_pairs
from replication.job import logged, snakemake, write_stage

with logged():
    settings = snakemake.params.settings
    pairs = board_pairs([*map(read_task, snakemake.input.scores)], settings)
    bounds = pairs.parts(settings["parts"])[int(snakemake.wildcards.part)]
    p, unadjusted = p_values_between(pairs, *bounds, threads=snakemake.threads)
    write_stage(pd.DataFrame({"p": p, "unadjusted": unadjusted}), snakemake.output[0])
