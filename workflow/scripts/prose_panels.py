"""Numbers about the panels that stand in prose only."""

import pandas as pd
from _claims import printed_claims
from _job import load, logged, snakemake, write_csv

from kotawala2026.exhibits.prose_clusters import cluster_sensitivity
from kotawala2026.exhibits.prose_multiplicity import multiplicity_of_buckets
from kotawala2026.exhibits.prose_ratios import miller_gain, shortcut_ratios
from kotawala2026.exhibits.prose_rho_sensitivity import rho_sensitivity
from llm_power.report.score_provenance import basis_of
from llm_power.scores.store import read_task
from replication.constraints import Panel

with logged():
    claims, inputs, outputs = (
        printed_claims(),
        snakemake.input,
        snakemake.output,
    )
    oll_v1, mmlu_pro = load(inputs.oll_v1), load(inputs.mmlu_pro)
    boards: dict[Panel, pd.DataFrame] = {
        "oll_v1": oll_v1,
        "mmlu_pro": mmlu_pro,
        "frontier": load(inputs.frontier),
    }
    basis = {
        panel: basis_of([read_task(path) for path in inputs[f"{panel}_scores"]]) for panel in boards
    }
    ranked: tuple[Panel, ...] = ("oll_v1", "mmlu_pro")
    sensitivity = [rho_sensitivity(boards[p], claims, panel=p, basis=basis[p]) for p in ranked]
    ratios = [shortcut_ratios(boards[p], claims, panel=p, basis=basis[p]) for p in boards]
    write_csv(pd.concat(sensitivity, ignore_index=True), outputs.rho_sensitivity)
    write_csv(pd.concat(ratios, ignore_index=True), outputs.shortcut_ratios)
    write_csv(miller_gain(oll_v1, claims, basis=basis["oll_v1"]), outputs.miller_gain)
    buckets = multiplicity_of_buckets(
        oll_v1, load(inputs.multiplicity), claims, basis=basis["oll_v1"]
    )
    write_csv(buckets, outputs.multiplicity_of_buckets)
    definitions = cluster_sensitivity(
        mmlu_pro,
        load(inputs.definitions),
        load(inputs.distribution),
        claims,
        n_resamples=snakemake.params.n_resamples,
        basis=basis["mmlu_pro"],
    )
    write_csv(definitions, outputs.cluster_definitions)
