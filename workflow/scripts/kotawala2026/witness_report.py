"""Join what the panels' witnesses report."""

import pandas as pd

from replication.job import logged, snakemake, write_csv

with logged():
    for name in ("roles", "infeasible"):
        parts = [pd.read_csv(path, dtype=str) for path in snakemake.input[name]]
        table = pd.concat(parts, ignore_index=True)
        write_csv(table, snakemake.output[name])
