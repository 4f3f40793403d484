# A board from its files to its verdicts, and beside it each stage that exhibits show.

# Families whose several tasks have an average, with files of its own.
AVERAGED = [panel for panel in HELD if BOARDS.of_panel(panel).has_average]


for board in BOARDS.boards:

    rule:
        f"""Board: {BOARDS[board].title} ({RUN.board_rests_on(board).replace("witness", "fitted scores")})"""
        name:
            f"board_{board}"
        input:
            BOARDS.results(board),
        localrule: True


rule discordance:
    """Section 4, inputs of eq. (5): b, c, N and rho of every pair, whole and by cluster"""
    input:
        scores=scores_of,
    output:
        pairs="results/boards/{panel}/discordance.parquet",
        by_cluster="results/boards/{panel}/discordance_by_cluster.parquet",
        # Where the scores came from, which every exhibit of theirs says.
        provenance="results/boards/{panel}/provenance.json",
    log:
        "logs/boards/{panel}/discordance.log",
    benchmark:
        "benchmarks/workflow/discordance/{panel}.tsv"
    params:
        family=family_of,
        cluster=lambda wildcards: board_of(wildcards).cluster,
    script:
        "../scripts/discordance.py"


rule required_n:
    """Definition 1, eqs. (3), (4), (6): N*, q = N/N* and detectable gap of every pair; McNemar's p"""
    input:
        discordance=rules.discordance.output.pairs,
    output:
        "results/boards/{panel}/required_n.parquet",
    log:
        "logs/boards/{panel}/required_n.log",
    params:
        module="llm_power._board.resolution",
        function="add_resolution",
        point=operating_point,
    script:
        "../scripts/stage.py"


rule multiplicity:
    """Section 6.3: adjusted p-values, and N* at adjusted levels"""
    input:
        discordance=rules.discordance.output.pairs,
        required_n=rules.required_n.output[0],
    output:
        "results/boards/{panel}/multiplicity.parquet",
    log:
        "logs/boards/{panel}/multiplicity.log",
    params:
        module="llm_power._board.resolution",
        function="add_multiplicity",
        point=operating_point,
    script:
        "../scripts/stage.py"


rule icc:
    """Section 6.4: ICC, design effect and cluster N* of every pair (Table 4)"""
    input:
        discordance=rules.discordance.output.pairs,
        by_cluster=rules.discordance.output.by_cluster,
    output:
        "results/boards/{panel}/icc.parquet",
    log:
        "logs/boards/{panel}/icc.log",
    params:
        module="llm_power._board.clusters",
        function="add_clusters",
        point=operating_point,
    script:
        "../scripts/stage.py"


rule loso:
    """Appendix F: cluster N* without each subject in turn (leave one subject out)"""
    input:
        by_cluster=rules.discordance.output.by_cluster,
    output:
        "results/boards/{panel}/loso.parquet",
    log:
        "logs/boards/{panel}/loso.log",
    params:
        module="llm_power._board.cluster_robustness",
        function="leave_one_out_table",
        point=operating_point,
    script:
        "../scripts/stage.py"


rule category_bootstrap:
    """Appendix G: intervals of ICC and cluster N*, by resampling subjects"""
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
        module="llm_power._board.cluster_robustness",
        function="category_bootstrap_tables",
        point=operating_point,
        numbers={
            "seed": config["seed"],
            "n_resamples": config["category_bootstrap"]["resamples"],
        },
    script:
        "../scripts/stage.py"


rule cluster_definitions:
    """Section 6.4: cluster N* under other definitions of a cluster"""
    input:
        scores=scores_of,
    output:
        "results/boards/{panel}/cluster_definitions.parquet",
    log:
        "logs/boards/{panel}/cluster_definitions.log",
    params:
        point=operating_point,
        seed=config["seed"],
        family=family_of,
        cluster=lambda wildcards: board_of(wildcards).cluster,
    script:
        "../scripts/cluster_definitions.py"


rule e_process:
    """Section 6.5 and Appendix C, eq. (24): e-process of every pair, and its anytime N*"""
    input:
        discordance=rules.discordance.output.pairs,
    output:
        "results/boards/{panel}/e_process.parquet",
    log:
        "logs/boards/{panel}/e_process.log",
    params:
        module="llm_power._board.resolution",
        function="add_sequential",
        point=operating_point,
    script:
        "../scripts/stage.py"


rule held_board:
    """Boards: verdicts and ranks, tables, page and figure"""
    input:
        scores=scores_of,
    output:
        **board_outputs("{panel}", "every pair", BOARD_TABLES),
        table="results/boards/{panel}/verdicts.parquet",
    log:
        "logs/boards/{panel}/board.log",
    benchmark:
        "benchmarks/workflow/held_board/{panel}.tsv"
    wildcard_constraints:
        panel=one_of(panel for panel in HELD if panel not in AVERAGED),
    params:
        settings=board_settings,
        title=lambda wildcards: board_of(wildcards).title,
        missing=lambda wildcards: board_of(wildcards).missing,
        averaged=lambda wildcards: board_of(wildcards).has_average,
    script:
        "../scripts/held_board.py"


use rule held_board as averaged_board with:
    output:
        **board_outputs("{panel}", "every pair", BOARD_TABLES + AVERAGE_TABLES),
        **average_files("{panel}"),
        table="results/boards/{panel}/verdicts.parquet",
    wildcard_constraints:
        panel=one_of(AVERAGED),
