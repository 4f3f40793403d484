"""Table 1: calculators on the worked example; statsmodels is called here, R was recorded."""

from pathlib import Path

import statsmodels
from _exhibit import published_settings, save_exhibit
from _job import logged, snakemake
from statsmodels.stats.power import NormalIndPower

from kotawala2026.exhibits.table_01 import StatsmodelsCall, present, table_01
from llm_power.statistics.shortcut import cohens_h
from replication.printed import (
    load_recorded_session,
    load_table,
)

with logged():
    settings = published_settings()
    example = {name: settings[f"calculator_{name}"] for name in ("p_a", "p_b", "rho")}
    point = {"alpha": settings["alpha"], "power": settings["power"]}
    per_arm = NormalIndPower().solve_power(
        float(cohens_h(example["p_a"], example["p_b"])), alternative="two-sided", **point
    )
    frame = table_01(
        load_table(Path(snakemake.input.printed)),
        **example,
        r_session=load_recorded_session(Path(snakemake.input.r_session)),
        statsmodels_call=StatsmodelsCall(statsmodels.__version__, float(per_arm)),
        **point,
    )
    save_exhibit(present(frame, **example))
