# The paper's exhibits that take per-item scores: the panels' witness, or the data behind them.


rule prose_panels:
    input:
        oll_v1="results/pairs/oll_v1.parquet",
        multiplicity="results/boards/oll_v1/multiplicity.parquet",
        mmlu_pro="results/pairs/mmlu_pro_top10.parquet",
        definitions="results/boards/mmlu_pro_top10/cluster_definitions.parquet",
        distribution="results/boards/mmlu_pro_top10/category_bootstrap_counts.parquet",
        frontier="results/pairs/frontier.parquet",
        oll_v1_scores=panel_scores("oll_v1"),
        mmlu_pro_scores=panel_scores("mmlu_pro_top10"),
        frontier_scores=panel_scores("frontier"),
        printed=printed_numbers("oll_v1", "mmlu_pro", "frontier", "general"),
        code=package_sources(
            "kotawala2026.exhibits.prose_rho_sensitivity",
            "kotawala2026.exhibits.prose_multiplicity",
            "kotawala2026.exhibits.prose_clusters",
            "kotawala2026.exhibits.prose_ratios",
            "llm_power.report.score_provenance",
        ),
    output:
        rho_sensitivity="results/prose/rho_sensitivity.csv",
        multiplicity_of_buckets="results/prose/multiplicity_of_buckets.csv",
        cluster_definitions="results/prose/cluster_definitions.csv",
        shortcut_ratios="results/prose/shortcut_ratios.csv",
        miller_gain="results/prose/miller_gain.csv",
    log:
        "logs/prose/panels.log",
    benchmark:
        "benchmarks/workflow/prose_panels.tsv"
    params:
        n_resamples=config["category_bootstrap"]["resamples"],
    script:
        "../scripts/prose_panels.py"
