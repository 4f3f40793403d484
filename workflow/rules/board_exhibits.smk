# The paper's exhibits that take per-item scores: the panels' witness, or the data behind them.


rule table_3:
    input:
        printed=published(3),
        verdicts="results/pairs/oll_v1.parquet",
        scores=panel_scores("oll_v1"),
        code=package_sources(
            "kotawala2026.exhibits.table_03", "llm_power.report.score_provenance"
        ),
    output:
        **table_files(3, "panel"),
    log:
        "logs/table_03.log",
    benchmark:
        "benchmarks/workflow/table_03.tsv"
    script:
        "../scripts/table_03.py"


rule table_4:
    input:
        printed=published(4),
        verdicts="results/pairs/mmlu_pro_top10.parquet",
        scores=panel_scores("mmlu_pro_top10"),
        code=package_sources(
            "kotawala2026.exhibits.table_04", "llm_power.report.score_provenance"
        ),
    output:
        **table_files(4, "panel"),
    log:
        "logs/table_04.log",
    benchmark:
        "benchmarks/workflow/table_04.tsv"
    script:
        "../scripts/table_04.py"


rule table_5:
    input:
        printed=published(5),
        counts=published(7),
        clusters=published(4),
        settings=SETTINGS_FILES,
        oll_v1="results/pairs/oll_v1.parquet",
        multiplicity="results/boards/oll_v1/multiplicity.parquet",
        mmlu_pro="results/pairs/mmlu_pro_top10.parquet",
        scores=panel_scores("oll_v1") + panel_scores("mmlu_pro_top10"),
        code=package_sources(
            "kotawala2026.exhibits.table_05", "llm_power.report.score_provenance"
        ),
    output:
        **table_files(5, "panel"),
    log:
        "logs/table_05.log",
    benchmark:
        "benchmarks/workflow/table_05.tsv"
    script:
        "../scripts/table_05.py"


rule table_8:
    input:
        printed=published(8),
        verdicts="results/pairs/mmlu_pro_top10.parquet",
        leave_one_out="results/boards/mmlu_pro_top10/leave_one_out.parquet",
        scores=panel_scores("mmlu_pro_top10"),
        code=package_sources(
            "kotawala2026.exhibits.table_08", "llm_power.report.score_provenance"
        ),
    output:
        **table_files(8, "panel"),
    log:
        "logs/table_08.log",
    benchmark:
        "benchmarks/workflow/table_08.tsv"
    script:
        "../scripts/table_08.py"


rule table_9:
    input:
        printed=published(9),
        verdicts="results/pairs/mmlu_pro_top10.parquet",
        intervals="results/boards/mmlu_pro_top10/category_bootstrap.parquet",
        distribution="results/boards/mmlu_pro_top10/category_bootstrap_counts.parquet",
        scores=panel_scores("mmlu_pro_top10"),
        code=package_sources(
            "kotawala2026.exhibits.table_09", "llm_power.report.score_provenance"
        ),
    output:
        **table_files(9, "panel"),
    log:
        "logs/table_09.log",
    benchmark:
        "benchmarks/workflow/table_09.tsv"
    params:
        seed=config["seed"],
        n_resamples=config["category_bootstrap"]["resamples"],
    script:
        "../scripts/table_09.py"


rule table_10:
    input:
        printed=published(10),
        verdicts="results/pairs/oll_v1.parquet",
        scores=panel_scores("oll_v1"),
        settings=SETTINGS_FILES,
        code=package_sources(
            "kotawala2026.exhibits.table_10", "llm_power.report.score_provenance"
        ),
    output:
        **table_files(10, "panel"),
    log:
        "logs/table_10.log",
    benchmark:
        "benchmarks/workflow/table_10.tsv"
    params:
        seed=config["seed"],
    script:
        "../scripts/table_10.py"


rule figure_1:
    input:
        verdicts="results/pairs/oll_v1.parquet",
        scores=panel_scores("oll_v1"),
        code=package_sources(
            "kotawala2026.exhibits.figure_01",
            "llm_power.report.score_provenance",
            "llm_power.report.figures",
        ),
    output:
        **figure_files(1, "panel"),
    log:
        "logs/figure_01.log",
    benchmark:
        "benchmarks/workflow/figure_01.tsv"
    script:
        "../scripts/figure_01.py"


rule figure_2:
    input:
        verdicts="results/pairs/oll_v1.parquet",
        scores=panel_scores("oll_v1"),
        code=package_sources(
            "kotawala2026.exhibits.figure_02",
            "llm_power.report.score_provenance",
            "llm_power.report.figures",
        ),
    output:
        **figure_files(2, "panel"),
    log:
        "logs/figure_02.log",
    benchmark:
        "benchmarks/workflow/figure_02.tsv"
    script:
        "../scripts/figure_02.py"


rule figure_7:
    input:
        verdicts="results/pairs/frontier.parquet",
        scores=panel_scores("frontier"),
        code=package_sources(
            "kotawala2026.exhibits.figure_07",
            "llm_power.report.score_provenance",
            "llm_power.report.figures",
        ),
    output:
        **figure_files(7, "panel"),
    log:
        "logs/figure_07.log",
    benchmark:
        "benchmarks/workflow/figure_07.tsv"
    script:
        "../scripts/figure_07.py"
