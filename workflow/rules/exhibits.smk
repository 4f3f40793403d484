# The paper's exhibits that its printed counts or a simulation decide, each a named target.


rule table_1:
    input:
        printed=published(1),
        settings=SETTINGS_FILES,
        r_session="data/recorded/r_pwr_2p_test.yaml",
        code=package_sources("kotawala2026.exhibits.table_01"),
    output:
        **table_files(1, "counts"),
    log:
        "logs/table_01.log",
    benchmark:
        "benchmarks/workflow/table_01.tsv"
    script:
        "../scripts/table_01.py"


rule table_2:
    input:
        printed=published(2),
        settings=SETTINGS_FILES,
        code=package_sources("kotawala2026.exhibits.table_02"),
    output:
        **table_files(2, "simulated"),
        cells="results/tables/table_02_cells.csv",
    log:
        "logs/table_02.log",
    benchmark:
        "benchmarks/workflow/table_02.tsv"
    params:
        seed=config["seed"],
    script:
        "../scripts/table_02.py"


rule table_6:
    input:
        counts=published(6),
        gaps=published(11),
        code=package_sources("kotawala2026.exhibits.table_06"),
    output:
        **table_files(6, "counts"),
    log:
        "logs/table_06.log",
    benchmark:
        "benchmarks/workflow/table_06.tsv"
    script:
        "../scripts/table_06.py"


rule table_7:
    input:
        counts=published(7),
        gaps=published(4),
        settings=SETTINGS_FILES,
        code=package_sources("kotawala2026.exhibits.table_07"),
    output:
        **table_files(7, "counts"),
    log:
        "logs/table_07.log",
    benchmark:
        "benchmarks/workflow/table_07.tsv"
    script:
        "../scripts/table_07.py"


rule table_11:
    input:
        printed=published(11),
        counts=published(6),
        code=package_sources("kotawala2026.exhibits.table_11"),
    output:
        **table_files(11, "counts"),
    log:
        "logs/table_11.log",
    benchmark:
        "benchmarks/workflow/table_11.tsv"
    script:
        "../scripts/table_11.py"


rule table_12:
    input:
        checklist=published(12),
        counts=published(6),
        settings=SETTINGS_FILES,
        code=package_sources("kotawala2026.exhibits.table_12"),
    output:
        **table_files(12, "counts"),
    log:
        "logs/table_12.log",
    benchmark:
        "benchmarks/workflow/table_12.tsv"
    params:
        seed=config["seed"],
    script:
        "../scripts/table_12.py"


rule figure_3:
    input:
        counts=published(7),
        settings=SETTINGS_FILES,
        code=package_sources(
            "kotawala2026.exhibits.figure_03", "llm_power.report.figures"
        ),
    output:
        **figure_files(3, "counts"),
    log:
        "logs/figure_03.log",
    benchmark:
        "benchmarks/workflow/figure_03.tsv"
    script:
        "../scripts/figure_03.py"


rule figure_4:
    input:
        settings=SETTINGS_FILES,
        code=package_sources(
            "kotawala2026.exhibits.figure_04", "llm_power.report.figures"
        ),
    output:
        **figure_files(4, "simulated"),
        **table_behind(4),
        trajectories="results/figures/figure_04_trajectories.csv",
    log:
        "logs/figure_04.log",
    benchmark:
        "benchmarks/workflow/figure_04.tsv"
    params:
        seed=config["seed"],
        n_trajectories=config["simulation"]["trajectories"],
        n_trials=config["simulation"]["crossing_trials"],
    script:
        "../scripts/figure_04.py"


rule figure_5:
    input:
        settings=SETTINGS_FILES,
        code=package_sources(
            "kotawala2026.exhibits.figure_05", "llm_power.report.figures"
        ),
    output:
        **figure_files(5, "simulated"),
        **table_behind(5),
        points="results/figures/figure_05_points.csv",
    log:
        "logs/figure_05.log",
    benchmark:
        "benchmarks/workflow/figure_05.tsv"
    params:
        seed=config["seed"],
        n_trials=config["simulation"]["power_trials"],
    script:
        "../scripts/figure_05.py"


rule figure_6:
    input:
        settings=SETTINGS_FILES,
        code=package_sources(
            "kotawala2026.exhibits.figure_06", "llm_power.report.figures"
        ),
    output:
        **figure_files(6, "simulated"),
        **table_behind(6),
        points="results/figures/figure_06_points.csv",
    log:
        "logs/figure_06.log",
    benchmark:
        "benchmarks/workflow/figure_06.tsv"
    params:
        seed=config["seed"],
        n_trials=config["simulation"]["graded_power_trials"],
        n_resamples=config["simulation"]["graded_resamples"],
    script:
        "../scripts/figure_06.py"


# The paper's top ten beside other models on the same items: there is one board that can tell.
if "mmlu_pro_authors" in config["boards"] and has_the_papers_point():

    rule mmlu_pro_comparison:
        input:
            verdicts="results/pairs/mmlu_pro_authors.adjacent.parquet",
            definitions="results/boards/mmlu_pro_authors.adjacent/cluster_definitions.parquet",
            scores="results/scores/mmlu_pro_authors/mmlu_pro.parquet",
            printed_counts=published(5),
            printed_clusters=published(4),
            settings=SETTINGS_FILES,
            code=package_sources(
                "kotawala2026.exhibits.mmlu_pro_comparison",
                "llm_power.report.score_provenance",
            ),
        output:
            csv="results/boards/mmlu_pro_comparison.csv",
            json="results/boards/mmlu_pro_comparison.csv-metadata.json",
            md="results/boards/mmlu_pro_comparison.md",
            tex="results/boards/mmlu_pro_comparison.tex",
        log:
            "logs/boards/mmlu_pro_comparison.log",
        params:
            title=config["boards"]["mmlu_pro_authors"]["title"],
        script:
            "../scripts/mmlu_pro_comparison.py"
