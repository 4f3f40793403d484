"""Join what the panels' witnesses report."""

import pandas as pd
from _job import logged, snakemake

with logged():
    for name in ("roles", "infeasible"):
        parts = [pd.read_csv(path, dtype=str) for path in snakemake.input[name]]
        table = pd.concat(parts, ignore_index=True)
        table.to_csv(snakemake.output[name], index=False, lineterminator="\n")
