"""Drop each cluster in turn."""

from _job import load, logged, save, snakemake
from _stage import operating_point

from llm_power.board.cluster_robustness import leave_one_out_table

with logged():
    clusters = load(snakemake.input.clusters)
    save(leave_one_out_table(clusters, operating_point()), snakemake.output[0])
