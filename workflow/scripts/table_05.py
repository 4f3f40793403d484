"""Table 5: unresolved pairs by procedure, as far as printed counts decide it."""

from pathlib import Path

import numpy as np
from _job import logged, published_settings, save_exhibit, snakemake

from llm_power.exhibits.table_05 import present, table_05
from llm_power.published import load_counts, load_table

with logged():
    settings = published_settings()
    effects = load_table(Path(snakemake.input.clusters))["design_effect"]
    frame = table_05(
        load_table(Path(snakemake.input.printed)),
        load_counts(Path(snakemake.input.counts), n_items=settings["mmlu_pro_n_items"]),
        np.array([effect.value for effect in effects]),
        all_pairs_family=settings["mmlu_pro_all_pairs_family"],
        all_pairs_unresolved=settings["mmlu_pro_all_pairs_unresolved"],
        alpha=settings["alpha"],
        power=settings["power"],
    )
    save_exhibit(present(frame))
