"""Figure 4: trajectories of the mixture e-process."""

from _drawing import save_drawing
from _exhibit import published_settings, save_exhibit
from _job import logged, snakemake, write_csv

from kotawala2026.exhibits.figure_04 import build, calibrate, compute, draw, provenance
from llm_power.report.figures import house_style

# The paper states no horizon; three times the required N of the pair shows the crossings.
HORIZON = 3

with logged(), house_style():
    settings, params = published_settings(), snakemake.params
    common = {
        "delta": settings["figure_4_delta"],
        "n_star": settings["figure_4_n_star"],
        "horizon": HORIZON * settings["figure_4_n_star"],
        "alpha": settings["figure_4_alpha"],
        "power": settings["power"],
        "seed": params.seed,
    }
    trajectories = compute(**common, n_trajectories=params.n_trajectories)
    calibration = calibrate(
        **common, n_trials=params.n_trials, window=settings["figure_4_first_crossing"]
    )
    write_csv(trajectories, snakemake.output.trajectories)
    sources = provenance(
        seed=params.seed, n_trajectories=params.n_trajectories, n_trials=params.n_trials
    )
    save_exhibit(build(calibration, sources, alpha=settings["figure_4_alpha"]))
    figure = draw(trajectories, calibration, alpha=settings["figure_4_alpha"])
    save_drawing(figure, sources, "Mixture e-process trajectories")
