# Every quantity of the paper, evaluated on each ground, and the views of what was found.


rule findings_printed:
    input:
        printed=PRINTED,
        scores=PAPER.file("board_scores.csv"),
        settings=PAPER.file("settings.yaml"),
        code=package_sources("kotawala2026.quantities.evaluated", "replication.views"),
    output:
        findings="results/findings/printed.csv",
        evidence="results/audit/evidence.csv",
    log:
        "logs/findings/printed.log",
    benchmark:
        "benchmarks/workflow/findings_printed.tsv"
    script:
        "../scripts/findings_printed.py"


rule findings_simulated:
    input:
        counts=published(6),
        printed=PRINTED,
        code=package_sources("kotawala2026.quantities.evaluated", "replication.views"),
    output:
        findings="results/findings/simulated.csv",
        required_n_bootstrap="results/prose/required_n_bootstrap.csv",
        lemma="results/prose/lemma.csv",
        e_process="results/prose/e_process.csv",
    log:
        "logs/findings/simulated.log",
    benchmark:
        "benchmarks/workflow/findings_simulated.tsv"
    params:
        settings=PAPER.settings,
        seed=config["seed"],
        n_trials_large=config["simulation"]["stopping_trials"],
        n_resamples_large=config["simulation"]["crossing_trials"],
    script:
        "../scripts/findings_simulated.py"


rule findings_boards:
    input:
        oll_v1="results/boards/oll_v1/verdicts.parquet",
        oll_v1_scores=panel_scores("oll_v1"),
        mmlu_pro="results/boards/mmlu_pro_top10/verdicts.parquet",
        mmlu_pro_scores=panel_scores("mmlu_pro_top10"),
        definitions="results/boards/mmlu_pro_top10/cluster_definitions.parquet",
        distribution="results/boards/mmlu_pro_top10/category_bootstrap_counts.parquet",
        frontier="results/boards/frontier/verdicts.parquet",
        frontier_scores=panel_scores("frontier"),
        printed=PRINTED,
        code=package_sources("kotawala2026.quantities.evaluated", "replication.views"),
    output:
        oll_v1_findings="results/findings/oll_v1.csv",
        mmlu_pro_findings="results/findings/mmlu_pro_top10.csv",
        frontier_findings="results/findings/frontier.csv",
        rho_sensitivity="results/prose/rho_sensitivity.csv",
        multiplicity_of_buckets="results/prose/multiplicity_of_buckets.csv",
        cluster_definitions="results/prose/cluster_definitions.csv",
        shortcut_ratios="results/prose/shortcut_ratios.csv",
        miller_gain="results/prose/miller_gain.csv",
    log:
        "logs/findings/boards.log",
    benchmark:
        "benchmarks/workflow/findings_boards.tsv"
    params:
        n_resamples=config["category_bootstrap"]["resamples"],
    script:
        "../scripts/findings_boards.py"


rule findings_witness:
    input:
        scores=lambda wildcards: panel_scores(wildcards.witness, "results/witness"),
        # The same before anything but exact counts was put in, where there is such a step.
        untilted=branch(
            lambda wildcards: wildcards.witness == "oll_v1",
            then=panel_scores("oll_v1", "results/witness/untilted"),
            otherwise=[],
        ),
        leave_one_out=published(8),
        printed=PRINTED,
        board=PAPER.file("board_scores.csv"),
        code=package_sources("kotawala2026.quantities.evaluated", "replication.views"),
    output:
        findings="results/findings/witness/{witness}.csv",
        roles="results/witness/{witness}/roles.csv",
    log:
        "logs/findings/witness_{witness}.log",
    benchmark:
        "benchmarks/workflow/findings_witness_{witness}.tsv"
    wildcard_constraints:
        witness="|".join(WITNESSES),
    params:
        settings=PAPER.settings,
        panel=lambda wildcards: register_panel(wildcards),
        seed=config["seed"],
    script:
        "../scripts/findings_witness.py"


def register_panel(wildcards):
    """Return what the register of printed numbers calls a witness's panel."""
    return wildcards.witness.removesuffix("_top10")
