"""Ask of every pair whether its e-process has crossed, and whether it is resolvable anytime."""

from _job import load, logged, save, snakemake
from _stage import operating_point

from llm_power.board.sequential import add_sequential

with logged():
    counts = load(snakemake.input.counts)
    save(add_sequential(counts, operating_point()), snakemake.output[0])
