"""Adjust the verdicts for clusters of items."""

from _job import load, logged, save, snakemake
from _stage import operating_point

from llm_power.board.clusters import add_clusters

with logged():
    counts = load(snakemake.input.counts)
    clusters = load(snakemake.input.clusters)
    save(add_clusters(counts, clusters, operating_point()), snakemake.output[0])
