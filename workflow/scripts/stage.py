"""Compute stages of a panel: their module has the function of tables and operating point."""

from importlib import import_module

from llm_power._board.operating_point import OperatingPoint
from replication.job import load, logged, save, snakemake

with logged():
    params = snakemake.params
    compute = getattr(import_module(params.module), params.function)
    point = OperatingPoint(**params.point)
    made = compute(*map(load, snakemake.input), point, **params.get("numbers", {}))
    tables = made if isinstance(made, tuple) else (made,)
    for table, path in zip(tables, snakemake.output, strict=True):
        save(table, path)
