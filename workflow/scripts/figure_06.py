"""Figure 6: bootstrap power on graded pairs against the number of items."""

from _drawing import save_drawing
from _exhibit import published_settings, save_exhibit
from _job import logged, snakemake, write_csv

from kotawala2026.exhibits.figure_06 import build, compute, draw
from llm_power.report.figures import house_style

with logged(), house_style():
    settings, params = published_settings(), snakemake.params
    frame = compute(
        settings["figure_6_deltas"],
        settings["figure_5_rho"],
        n_reference=settings["figure_5_population"],
        n_trials=params.n_trials,
        n_resamples=params.n_resamples,
        tolerance=settings["figure_6_tolerance"],
        alpha=settings["alpha"],
        power=settings["power"],
        seed=params.seed,
    )
    write_csv(frame, snakemake.output.points)
    table = build(frame, tolerance=settings["figure_6_tolerance"], seed=params.seed)
    save_exhibit(table)
    figure = draw(frame, power=settings["power"])
    save_drawing(figure, table.provenance, "Bootstrap power, graded scores")
