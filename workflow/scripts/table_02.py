"""Table 2: type-I error and power of five tests, simulated and exact."""

from pathlib import Path

from _exhibit import published_settings, save_exhibit
from _job import logged, snakemake

from kotawala2026.exhibits.table_02 import build, build_cells, compute, summarize
from llm_power.report.tables import to_csv
from replication.printed import (
    load_table,
)

with logged():
    settings, seed = published_settings(), snakemake.params.seed
    point = {"alpha": settings["alpha"], "power": settings["power"]}
    cells = compute(
        settings["calibration_p"],
        settings["calibration_rho_z"],
        settings["calibration_n"],
        n_trials=settings["calibration_trials"],
        seed=seed,
        **point,
    )
    summary = summarize(cells, load_table(Path(snakemake.input.printed)), seed=seed, **point)
    save_exhibit(build(summary, cells, alpha=settings["alpha"], seed=seed))
    Path(snakemake.output.cells).write_text(to_csv(build_cells(cells, seed=seed)), "utf-8")
