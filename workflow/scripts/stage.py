"""Compute one stage of a panel: its module has the function of tables and operating point."""

from importlib import import_module

from llm_power._board.operating_point import OperatingPoint
from replication.job import load, logged, save, snakemake

with logged():
    params = snakemake.params
    compute = getattr(import_module(params.module), params.function)
    point = OperatingPoint(**params.point)
    save(compute(*map(load, snakemake.input), point), snakemake.output[0])
