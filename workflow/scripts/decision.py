"""Give every pair of a panel its verdict and every model its ranks, from the scores themselves."""

import numpy as np
import pandas as pd

from llm_power._board.all_pairs import BoardPairs, p_values_between
from llm_power._board.clusters import clustered
from llm_power._board.decision import decide_pairs
from llm_power._board.evidence import PairTests
from llm_power._board.operating_point import Declared
from llm_power._board.ranks import rank_table, with_leaders
from llm_power._scores.store import read_task
from replication.job import load, logged, save, snakemake
from replication.stages import operating_point

with logged():
    given = snakemake.params
    tasks = clustered([read_task(path) for path in snakemake.input.scores], given.cluster)
    counts = load(snakemake.input.discordance)
    point, declared = operating_point(given.point), Declared(**given.declared)
    pairs = BoardPairs(tasks, given.family, given.cluster, point, declared)
    family = pairs.adjusted(*p_values_between(pairs, 0, pairs.n_pairs))
    decisions = [
        decide_pairs(
            counts.iloc[block.rows],
            PairTests.of(block.evidence, declared, known_p=family.decided.single[block.rows]),
            tasks[block.task],
            point,
            family=family.decided.of(block.rows),
        )
        for block in pairs.blocks(np.arange(pairs.n_pairs))
    ]
    save(pd.concat(decisions), snakemake.output.pairs)
    ranks = rank_table(tasks, point, pairs.rank_ends(family))
    save(with_leaders(ranks, pairs), snakemake.output.ranks)
