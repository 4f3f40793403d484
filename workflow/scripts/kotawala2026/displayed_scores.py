"""Every pair of both boards over all correlations that its displayed scores admit."""

from pathlib import Path

from kotawala2026.quantities.displayed_scores import correlations_table
from kotawala2026.quantities.grounds import DisplayedScores, load_published
from replication.job import logged, snakemake, write_csv

with logged(of_printed=True):
    published = load_published(Path(snakemake.input.printed[0]).parent)
    write_csv(correlations_table(DisplayedScores(published)), snakemake.output[0])
