"""Join what the panels' witnesses report."""

import pandas as pd

from replication.job import logged, snakemake, write_csv

with logged(despite=True):
    for name in ("roles", "infeasible"):
        parts = [pd.read_csv(path, dtype=str) for path in snakemake.input[name]]
        # The evidence of a witness's numbers is their role.
        table = pd.concat(parts, ignore_index=True).drop(columns="evidence", errors="ignore")
        write_csv(table, snakemake.output[name])
