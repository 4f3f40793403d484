# A board from its files to its verdicts: every stage cached, the same for every board.


for board in BOARDS.boards:

    rule:
        name:
            f"board_{board}"
        input:
            BOARDS.results(board),
        localrule: True


rule discordance:
    input:
        scores=lambda wildcards: BOARDS.scores(BOARDS.panels[wildcards.panel].board),
    output:
        pairs="results/boards/{panel}/discordance.parquet",
        by_cluster="results/boards/{panel}/discordance_by_cluster.parquet",
    log:
        "logs/boards/{panel}/discordance.log",
    benchmark:
        "benchmarks/workflow/discordance/{panel}.tsv"
    params:
        code=package_sums("llm_power.board.tabulation", "llm_power.board.cluster_sums"),
        family=family_of,
        cluster=lambda wildcards: board_of(wildcards).cluster,
    script:
        "../scripts/discordance.py"


# The stages that one function makes of others: it is called with their tables, in this order.
STAGES = {
    "required_n": ("llm_power.board.resolution.add_resolution", ["discordance"]),
    "multiplicity": (
        "llm_power.board.multiplicity.add_multiplicity",
        ["discordance", "required_n"],
    ),
    "icc": (
        "llm_power.board.clusters.add_clusters",
        ["discordance", "discordance_by_cluster"],
    ),
    "e_process": ("llm_power.board.sequential.add_sequential", ["discordance"]),
    "loso": (
        "llm_power.board.cluster_robustness.leave_one_out_table",
        ["discordance_by_cluster"],
    ),
}

for stage, (function, tables) in STAGES.items():

    rule:
        name:
            stage
        input:
            tables=expand("results/boards/{{panel}}/{table}.parquet", table=tables),
        output:
            f"results/boards/{{panel}}/{stage}.parquet",
        log:
            f"logs/boards/{{panel}}/{stage}.log",
        params:
            code=package_sums(function.rpartition(".")[0]),
            point=operating_point,
            function=function,
        script:
            "../scripts/stage.py"


rule category_bootstrap:
    input:
        by_cluster=rules.discordance.output.by_cluster,
    output:
        intervals="results/boards/{panel}/category_bootstrap.parquet",
        distribution="results/boards/{panel}/category_bootstrap_counts.parquet",
    log:
        "logs/boards/{panel}/category_bootstrap.log",
    benchmark:
        "benchmarks/workflow/category_bootstrap/{panel}.tsv"
    params:
        code=package_sums("llm_power.board.cluster_robustness"),
        point=operating_point,
        seed=config["seed"],
        n_resamples=config["category_bootstrap"]["resamples"],
    script:
        "../scripts/category_bootstrap.py"


rule cluster_definitions:
    input:
        scores=rules.discordance.input.scores,
    output:
        "results/boards/{panel}/cluster_definitions.parquet",
    log:
        "logs/boards/{panel}/cluster_definitions.log",
    params:
        code=package_sums("llm_power.board.cluster_robustness"),
        point=operating_point,
        seed=config["seed"],
        family=family_of,
        cluster=lambda wildcards: board_of(wildcards).cluster,
    script:
        "../scripts/cluster_definitions.py"


rule decision:
    input:
        scores=rules.discordance.input.scores,
        discordance=rules.discordance.output.pairs,
        by_cluster=rules.discordance.output.by_cluster,
    output:
        pairs="results/boards/{panel}/decision.parquet",
        ranks="results/boards/{panel}/ranks.parquet",
    log:
        "logs/boards/{panel}/decision.log",
    benchmark:
        "benchmarks/workflow/decision/{panel}.tsv"
    params:
        code=package_sums("llm_power.board.decision", "llm_power.board.ranks"),
        point=operating_point,
        declared=declared,
        cluster=sampled_clusters,
    script:
        "../scripts/decision.py"


rule average:
    input:
        scores=rules.discordance.input.scores,
    output:
        tables=table_files("{panel}", AVERAGE_TABLES),
        parquet="results/pairs/{panel}.average.parquet",
        csv="results/pairs/{panel}.average.csv",
    log:
        "logs/boards/{panel}/average.log",
    params:
        code=package_sums("llm_power.board.average", "llm_power.report.board_tables"),
        title=lambda wildcards: board_of(wildcards).title,
        family=family_of,
        cluster=lambda wildcards: board_of(wildcards).cluster,
        point=operating_point,
        declared=declared,
    script:
        "../scripts/average.py"


rule verdicts:
    input:
        discordance=rules.discordance.output.pairs,
        stages=[
            rules.required_n.output,
            rules.multiplicity.output,
            rules.icc.output,
            rules.e_process.output,
            rules.decision.output.pairs,
        ],
    output:
        table="results/boards/{panel}/verdicts.parquet",
        parquet="results/pairs/{panel}.parquet",
        csv="results/pairs/{panel}.csv",
    log:
        "logs/boards/{panel}/verdicts.log",
    params:
        code=package_sums("llm_power.board.verdicts"),
    script:
        "../scripts/verdicts.py"


rule board_tables:
    input:
        verdicts=rules.verdicts.output.table,
        ranks=rules.decision.output.ranks,
        scores=rules.discordance.input.scores,
    output:
        table_files("{panel}"),
    log:
        "logs/boards/{panel}/tables.log",
    params:
        code=package_sums("llm_power.report.board_tables", "llm_power.report.tables"),
        title=lambda wildcards: board_of(wildcards).title,
        family=family_of,
        point=operating_point,
    script:
        "../scripts/board_tables.py"


rule board_figure:
    input:
        verdicts=rules.verdicts.output.table,
        ranks=rules.decision.output.ranks,
        scores=rules.discordance.input.scores,
        templates=sources.package_data(ROOT, "llm_power.report"),
    output:
        page=report(
            "results/boards/{panel}/board.html",
            caption="../report/board.rst",
            category="Boards",
            labels=partial(board_labels, "page, every pair"),
        ),
        pdf="figures/boards/{panel}.pdf",
        png="figures/boards/{panel}.png",
        svg=report(
            "figures/boards/{panel}.svg",
            caption="../report/board.rst",
            category="Boards",
            labels=partial(board_labels, "figure"),
        ),
    log:
        "logs/boards/{panel}/figure.log",
    params:
        code=package_sums(
            "llm_power.board.summary",
            "llm_power.report.board_figure",
            "llm_power.report.board_page",
            "llm_power.report.score_provenance",
        ),
        title=lambda wildcards: board_of(wildcards).title,
        family=family_of,
        point=operating_point,
        declared=declared,
        missing=lambda wildcards: board_of(wildcards).missing,
        cluster=lambda wildcards: board_of(wildcards).cluster,
        result="pairs/{panel}.csv",
        average=lambda wildcards: (
            f"pairs/{wildcards.panel}.average.csv"
            if board_of(wildcards).has_average
            else ""
        ),
    script:
        "../scripts/board_figure.py"
