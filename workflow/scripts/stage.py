"""Compute stages of a panel: their module has the function of tables and operating point."""

from importlib import import_module

from replication.job import logged, read_stage, snakemake, write_stage
from replication.stages import operating_point

with logged():
    params = snakemake.params
    compute = getattr(import_module(params.module), params.function)
    point = operating_point(params.point)
    made = compute(*map(read_stage, snakemake.input), point, **params.get("numbers", {}))
    tables = made if isinstance(made, tuple) else (made,)
    for table, path in zip(tables, snakemake.output, strict=True):
        write_stage(table, path)
