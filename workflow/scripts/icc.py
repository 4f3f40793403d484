"""Work out the cluster N* and the ICC of every pair."""

from llm_power.board.operating_point import OperatingPoint
from llm_power.board.clusters import add_clusters
from replication.job import load, logged, save, snakemake

with logged():
    point = OperatingPoint(**snakemake.params.point)
    save(
        add_clusters(load(snakemake.input.discordance), load(snakemake.input.by_cluster), point),
        snakemake.output[0],
    )
