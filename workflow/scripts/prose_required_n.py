"""Bootstrap intervals of N* for the seven close pairs, Section 6.1."""

from pathlib import Path

from _claims import printed_claims
from _exhibit import published_settings
from _job import logged, snakemake, write_csv

from kotawala2026.exhibits.prose_required_n_bootstrap import required_n_bootstrap
from replication.printed import (
    load_counts,
)

with logged():
    frame = required_n_bootstrap(
        load_counts(Path(snakemake.input.counts)),
        printed_claims(),
        n_resamples=published_settings()["oll_v1_bootstrap_resamples"],
        n_resamples_large=snakemake.params.n_resamples_large,
        seed=snakemake.params.seed,
    )
    write_csv(frame, snakemake.output[0])
