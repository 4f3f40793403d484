"""The lemma on its grid (Appendix A), and the e-process in simulation (Appendix C)."""

from _claims import printed_claims
from _exhibit import published_settings
from _job import logged, snakemake, write_csv

from kotawala2026.exhibits.prose_e_process import e_process_stopping
from kotawala2026.exhibits.prose_lemma import lemma_check

with logged():
    claims, settings = printed_claims(), published_settings()
    write_csv(lemma_check(claims), snakemake.output.lemma)
    frame = e_process_stopping(
        claims,
        deltas=settings["e_process_deltas"],
        n_stars=settings["e_process_n_stars"],
        n_trials=settings["e_process_trials"],
        n_trials_large=snakemake.params.n_trials_large,
        seed=snakemake.params.seed,
        alpha=settings["alpha"],
        power=settings["power"],
    )
    write_csv(frame, snakemake.output.e_process)
