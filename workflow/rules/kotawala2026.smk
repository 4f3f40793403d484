# The witnesses of this paper's panels, and its quantities on every ground but its printed numbers.


rule witness_oll_v1:
    """Witness of Open LLM Leaderboard v1: scores fitted to Table 6 and the text, no real answers"""
    input:
        printed=PRINTED,
        board=PAPER.file("board_scores.csv"),
    output:
        scores=BOARDS.scores("oll_v1", "results/witness"),
        untilted=BOARDS.scores("oll_v1", "results/witness/untilted"),
        pairs="results/witness/oll_v1/pairs.csv",
        infeasible="results/witness/oll_v1/infeasible.csv",
    log:
        "logs/witness/oll_v1.log",
    benchmark:
        "benchmarks/workflow/witness_oll_v1.tsv"
    # Most of the run waits for it.
    priority: 10
    script:
        "../scripts/kotawala2026/witness_oll_v1.py"


rule witness_mmlu_pro:
    """Witness of MMLU-Pro: scores fitted to Tables 4, 7, 8 and 9, no real answers"""
    input:
        printed=PRINTED,
        categories=PAPER.file("mmlu_pro_categories.csv"),
    output:
        scores=BOARDS.scores("mmlu_pro_top10", "results/witness"),
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
        "../scripts/kotawala2026/witness_mmlu_pro.py"


rule witness_frontier:
    """Witness of Figure 7: scores fitted to what is printed, no real answers"""
    input:
        printed=PRINTED,
    output:
        scores=BOARDS.scores("frontier", "results/witness"),
        infeasible="results/witness/frontier/infeasible.csv",
    log:
        "logs/witness/frontier.log",
    # Most of the run waits for it.
    priority: 10
    params:
        seed=config["seed"],
    script:
        "../scripts/kotawala2026/witness_frontier.py"


rule displayed_scores:
    """Section 6.1: every correlation that the displayed scores admit"""
    input:
        printed=PAPER.data(),
    output:
        displayed_correlations="results/prose/displayed_correlations.csv",
    log:
        "logs/findings/displayed_scores.log",
    benchmark:
        "benchmarks/workflow/displayed_scores.tsv"
    script:
        "../scripts/kotawala2026/displayed_scores.py"


# A witness is never fitted to these items: no rule of one has them as an input.
rule raw_sample:
    """Section 6.1: real answers to some items, beside what is printed"""
    input:
        files=lambda wildcards: refused(RUN.sample),
        scores=PAPER.file("board_scores.csv"),
        witness=BOARDS.scores("oll_v1", "results/witness"),
        fixed="results/witness/oll_v1/pairs.csv",
        table_3=PAPER.printed(3),
    output:
        pairs=SAMPLE_PAIRS,
        evidence=SAMPLE_EVIDENCE,
    log:
        "logs/findings/raw_sample.log",
    params:
        tasks=PAPER.sample,
        seed=config["seed"],
    script:
        "../scripts/kotawala2026/raw_sample.py"


rule missing_item:
    """Table 7: which one of 12,032 items the paper leaves out, and the scores without it"""
    input:
        scores="results/scores/mmlu_pro_top10/mmlu_pro.parquet",
        # Their categories are held against those of the test.
        authors=(
            BOARDS.scores("mmlu_pro_authors")
            if BOARDS.is_there("mmlu_pro_authors")
            else []
        ),
        table_7=PAPER.printed(7),
        table_8=PAPER.printed(8),
        printed=PRINTED,
        board=PAPER.file("board_scores.csv"),
        categories=PAPER.file("mmlu_pro_categories.csv"),
    output:
        scores="results/missing_item/mmlu_pro.parquet",
        # The same, unless a model has no items: then those of the others.
        there="results/missing_item/there.parquet",
        candidates="results/missing_item.csv",
    log:
        "logs/missing_item.log",
    benchmark:
        "benchmarks/workflow/missing_item.tsv"
    params:
        settings=PAPER.settings,
        seed=config["seed"],
    script:
        "../scripts/kotawala2026/missing_item.py"


rule shown_oll_v1:
    """Section 6.1: the scores of the five models; of a task that not all have, a witness"""
    input:
        scores=BOARDS.scores("oll_v1", "results/scores"),
        witness=BOARDS.scores("oll_v1", "results/witness"),
    output:
        BOARDS.scores("oll_v1", "results/shown"),
    log:
        "logs/shown_oll_v1.log",
    script:
        "../scripts/kotawala2026/shown_oll_v1.py"


rule findings_simulated:
    """Section 6.5: statements of the text about the e-process, simulated"""
    input:
        simulated=PAPER.simulated("findings_simulated"),
        printed=PRINTED,
    output:
        findings="results/findings/simulated.csv",
        e_process="results/prose/e_process.csv",
    log:
        "logs/findings/simulated.log",
    benchmark:
        "benchmarks/workflow/findings_simulated.tsv"
    params:
        settings=PAPER.settings,
        numbers=PAPER.prose["findings_simulated"].numbers(config),
    script:
        "../scripts/kotawala2026/findings_simulated.py"


rule findings_boards:
    """Section 6: statements of the text about the panels"""
    input:
        oll_v1="results/boards/oll_v1/verdicts.parquet",
        oll_v1_scores=BOARDS.scores("oll_v1"),
        mmlu_pro="results/boards/mmlu_pro_top10/verdicts.parquet",
        mmlu_pro_scores=BOARDS.scores("mmlu_pro_top10"),
        definitions="results/boards/mmlu_pro_top10/cluster_definitions.parquet",
        distribution="results/boards/mmlu_pro_top10/category_bootstrap_counts.parquet",
        frontier="results/boards/frontier/verdicts.parquet",
        frontier_scores=BOARDS.scores("frontier"),
        printed=PRINTED,
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
        "../scripts/kotawala2026/findings_boards.py"


rule findings_items:
    """Section 6: every printed number of the panels, from their items"""
    input:
        oll_v1=BOARDS.scores("oll_v1", "results/scores"),
        mmlu_pro=rules.missing_item.output.there,
        table_8=PAPER.printed(8),
        printed=PRINTED,
        board=PAPER.file("board_scores.csv"),
    output:
        oll_v1="results/items/oll_v1.csv",
        mmlu_pro="results/items/mmlu_pro_top10.csv",
    log:
        "logs/findings/items.log",
    benchmark:
        "benchmarks/workflow/findings_items.tsv"
    params:
        settings=PAPER.settings,
        # The paper's names of the tasks.
        tasks={name: how.board_scores for (_, name), how in PAPER.hub.items()},
        seed=config["seed"],
    script:
        "../scripts/kotawala2026/findings_items.py"


rule findings_witness:
    """Section 6: every printed number of a panel beside its witness"""
    input:
        scores=lambda wildcards: BOARDS.scores(wildcards.witness, "results/witness"),
        # The same before anything but exact counts was put in, where there is such a step.
        untilted=branch(
            lambda wildcards: wildcards.witness == "oll_v1",
            then=BOARDS.scores("oll_v1", "results/witness/untilted"),
            otherwise=[],
        ),
        leave_one_out=PAPER.printed(8),
        printed=PRINTED,
        board=PAPER.file("board_scores.csv"),
    output:
        findings="results/findings/witness/{witness}.csv",
        roles="results/witness/{witness}/roles.csv",
    log:
        "logs/findings/witness_{witness}.log",
    benchmark:
        "benchmarks/workflow/findings_witness_{witness}.tsv"
    wildcard_constraints:
        witness=one_of(PAPER.panels),
    params:
        settings=PAPER.settings,
        # What the register of printed numbers calls the panel.
        panel=lambda wildcards: wildcards.witness.removesuffix("_top10"),
        seed=config["seed"],
    script:
        "../scripts/kotawala2026/findings_witness.py"


rule witness_report:
    """Witnesses: numbers fitted, numbers held out, and printed numbers in conflict"""
    input:
        roles=collect("results/witness/{panel}/roles.csv", panel=list(PAPER.panels)),
        infeasible=collect(
            "results/witness/{panel}/infeasible.csv", panel=list(PAPER.panels)
        ),
    output:
        roles="results/witness/roles.csv",
        infeasible="results/witness/infeasible.csv",
    log:
        "logs/witness/report.log",
    script:
        "../scripts/kotawala2026/witness_report.py"
