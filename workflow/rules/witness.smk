# Score matrices that agree with the printed numbers, for the panels whose items are not shipped.


rule witness_oll_v1:
    input:
        printed=PRINTED,
        board=PAPER.file("board_scores.csv"),
        code=package_sources(
            "kotawala2026.witness.oll_v1",
            "replication.witness.infeasible",
        ),
    output:
        scores=panel_scores("oll_v1", "results/witness"),
        untilted=panel_scores("oll_v1", "results/witness/untilted"),
        pairs="results/witness/oll_v1/pairs.csv",
        infeasible="results/witness/oll_v1/infeasible.csv",
    log:
        "logs/witness/oll_v1.log",
    benchmark:
        "benchmarks/workflow/witness_oll_v1.tsv"
    # Most of the run waits for it.
    priority: 10
    script:
        "../scripts/witness_oll_v1.py"


rule witness_mmlu_pro:
    input:
        printed=PRINTED,
        categories=PAPER.file("mmlu_pro_categories.csv"),
        code=package_sources("kotawala2026.witness.mmlu_pro"),
    output:
        scores=panel_scores("mmlu_pro_top10", "results/witness"),
        infeasible="results/witness/mmlu_pro_top10/infeasible.csv",
    log:
        "logs/witness/mmlu_pro_top10.log",
    benchmark:
        "benchmarks/workflow/witness_mmlu_pro.tsv"
    # Most of the run waits for it.
    priority: 10
    params:
        seed=config["seed"],
    script:
        "../scripts/witness_mmlu_pro.py"


rule witness_frontier:
    input:
        printed=PRINTED,
        code=package_sources("kotawala2026.witness.frontier"),
    output:
        scores=panel_scores("frontier", "results/witness"),
        infeasible="results/witness/frontier/infeasible.csv",
    log:
        "logs/witness/frontier.log",
    # Most of the run waits for it.
    priority: 10
    params:
        seed=config["seed"],
    script:
        "../scripts/witness_frontier.py"


rule witness_report:
    input:
        roles=collect("results/witness/{panel}/roles.csv", panel=WITNESSES),
        infeasible=collect("results/witness/{panel}/infeasible.csv", panel=WITNESSES),
    output:
        roles="results/witness/roles.csv",
        infeasible="results/witness/infeasible.csv",
    log:
        "logs/witness/report.log",
    script:
        "../scripts/witness_report.py"


rule witness_realism:
    input:
        real=real_arc_items(),
        witness="results/witness/oll_v1/arc.parquet",
        pairs="results/witness/oll_v1/pairs.csv",
        scores=PAPER.file("board_scores.csv"),
        code=package_sources(
            "replication.witness.realism",
            "replication.constraints",
            "llm_power.scores.wide",
        ),
    output:
        "results/witness/realism.csv",
    log:
        "logs/witness/realism.log",
    params:
        seed=config["seed"],
    script:
        "../scripts/witness_realism.py"
