"""Give every pair of a panel its verdict and every model its ranks, from the scores themselves."""

from llm_power.board.decision import decide_pairs
from llm_power.board.leader import with_leaders
from llm_power.board.operating_point import Declared, OperatingPoint
from llm_power.board.ranks import rank_table
from llm_power.scores.store import read_task
from replication.job import load, logged, save, snakemake

with logged():
    tasks = [read_task(path) for path in snakemake.input.scores]
    counts, clusters = map(load, (snakemake.input.discordance, snakemake.input.by_cluster))
    point = OperatingPoint(**snakemake.params.point)
    declared = Declared(**snakemake.params.declared)
    save(decide_pairs(counts, clusters, tasks, point, declared), snakemake.output.pairs)
    cluster = snakemake.params.cluster
    ranks = with_leaders(
        rank_table(tasks, point, cluster), tasks, cluster=cluster, point=point, declared=declared
    )
    save(ranks, snakemake.output.ranks)
