"""Simulate one part of a simulation: its module says what each chunk is."""

from importlib import import_module

from replication.job import logged, save, snakemake
from replication.simulations import simulate_part

with logged():
    params = snakemake.params
    chunks = import_module(params.module).chunks(params.settings, params.numbers)
    part = int(snakemake.wildcards.part)
    save(simulate_part(chunks, part, params.parts), snakemake.output[0])
