"""Make one table or figure of the paper: its module says how."""

from importlib import import_module

from replication.exhibits import Inputs, write_numbers
from replication.job import logged, snakemake

with logged(of_printed=True):
    params, made = snakemake.params, dict(snakemake.output.items())
    make = import_module(params.module).make
    files = dict(snakemake.input.items())
    exhibit = make(Inputs(snakemake.rule, files, params.settings, params.numbers, params.titles))
    write_numbers(exhibit, made["csv"].removesuffix(".csv"))
    if "pdf" in made:
        # The plotting library takes longer to load than a table to make.
        from replication.drawings import write_drawing

        paths = [made[name].removesuffix(".pdf") for name in ("pdf", "camera_ready")]
        write_drawing(exhibit.drawing, *paths)
