"""Simulate one part of a simulation: a function of its name says what each chunk is."""

from importlib import import_module

from replication.job import logged, snakemake, write_stage
from replication.simulations import simulate_part

with logged(of_printed=True):
    params = snakemake.params
    chunks_of = getattr(import_module(params.module), snakemake.wildcards.simulation)
    part = int(snakemake.wildcards.part)
    chunks = chunks_of(params.settings, params.numbers)
    write_stage(simulate_part(chunks, part, params.parts), snakemake.output[0])
