"""Judge the register again with each of its numbers misprinted."""

from pathlib import Path

from llm_power_audit.mutation import mutation_trials, write_mutation
from llm_power_audit.register import load_register
from replication.job import logged, snakemake

with logged(despite=True):
    register = load_register(Path(snakemake.input.register))
    # An optional result may be there from an earlier run.
    register = register.without(register.optional & {*snakemake.params.absent})
    trials = mutation_trials(register, Path(snakemake.output.csv).parents[1])
    write_mutation(trials, Path(snakemake.output.csv), Path(snakemake.output.md))
