"""Evaluate every quantity on what was simulated from the paper's settings."""

from pathlib import Path

from kotawala2026.findings import on_grounds
from kotawala2026.quantities.grounds import Simulation
from kotawala2026.simulations import findings_simulated
from replication.findings import findings_frame, load_printed, prose_view
from replication.job import logged, snakemake, write_csv
from replication.simulations import gathered

with logged(of_printed=True):
    params = snakemake.params
    chunks = findings_simulated(params.settings, params.numbers)
    simulated = gathered(snakemake.input.simulated, chunks)
    large = params.numbers["n_trials_large"]
    findings = on_grounds(Simulation(params.settings, large, simulated))
    write_csv(findings_frame(findings), snakemake.output.findings)
    printed = load_printed(Path(snakemake.input.printed[0]))
    write_csv(prose_view(findings, printed), snakemake.output.e_process)
