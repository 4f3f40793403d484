"""Work out the cluster N* and the ICC of every pair."""

from llm_power.board.clusters import add_clusters
from llm_power.board.operating_point import OperatingPoint
from replication.job import load, logged, save, snakemake

with logged():
    pairs, by_cluster = load(snakemake.input.discordance), load(snakemake.input.by_cluster)
    point = OperatingPoint(**snakemake.params.point)
    save(add_clusters(pairs, by_cluster, point), snakemake.output[0])
