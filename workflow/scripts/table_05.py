"""Table 5: unresolved pairs by procedure."""

from pathlib import Path

import numpy as np
import pandas as pd
from _exhibit import published_settings, save_exhibit, scores_provenance
from _job import load, logged, snakemake

from kotawala2026.exhibits.table_05 import present, table_05, table_05_oll_v1
from replication.printed import (
    load_counts,
    load_table,
)

with logged():
    settings = published_settings()
    printed = load_table(Path(snakemake.input.printed))
    effects = load_table(Path(snakemake.input.clusters))["design_effect"]
    oll_v1 = table_05_oll_v1(
        printed, load(snakemake.input.oll_v1), load(snakemake.input.multiplicity)
    )
    mmlu_pro = table_05(
        printed,
        load_counts(Path(snakemake.input.counts), n_items=settings["mmlu_pro_n_items"]),
        np.array([effect.value for effect in effects]),
        all_pairs_family=settings["mmlu_pro_all_pairs_family"],
        all_pairs_unresolved=settings["mmlu_pro_all_pairs_unresolved"],
        mmlu_pro=load(snakemake.input.mmlu_pro),
        alpha=settings["alpha"],
        power=settings["power"],
    )
    frame = pd.concat([oll_v1, mmlu_pro], ignore_index=True)
    save_exhibit(present(frame, scores_provenance()))
