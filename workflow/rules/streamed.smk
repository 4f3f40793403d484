# A board with more pairs than are held: as many jobs as it has parts, each with a fixed share of
# the pairs, gathered by name. The same rows and values as in one piece.

# Boards in parts whose several tasks have an average, with files of its own.
AVERAGED_IN_PARTS = [board for board in BOARDS.streamed() if BOARDS[board].has_average]


rule pair_p_values:
    """Boards in parts: the p-values of one part of all pairs"""
    input:
        scores=scores_of,
    output:
        "results/boards/{streamed}/p_values/{part}.parquet",
    log:
        "logs/boards/{streamed}/p_values-{part}.log",
    benchmark:
        "benchmarks/workflow/pair_p_values/{streamed}.{part}.tsv"
    threads: 2
    resources:
        mem_mb=4000,
    params:
        settings=board_settings,
    script:
        "../scripts/pair_p_values.py"


rule pair_family:
    """Boards in parts: how p-values are adjusted for all pairs together"""
    input:
        scores=scores_of,
        parts=parts_of("results/boards/{streamed}/p_values/{part}.parquet"),
    output:
        "results/boards/{streamed}/family.parquet",
    log:
        "logs/boards/{streamed}/family.log",
    benchmark:
        "benchmarks/workflow/pair_family/{streamed}.tsv"
    threads: 2
    resources:
        mem_mb=4000,
    params:
        settings=board_settings,
    script:
        "../scripts/pair_family.py"


rule pair_columns:
    """Boards in parts: every column of one part of all pairs"""
    input:
        scores=scores_of,
        p=rules.pair_p_values.output[0],
        family=rules.pair_family.output,
    output:
        pairs="results/pairs/{streamed}/part-{part}.parquet",
        tally="results/boards/{streamed}/tally/{part}.json",
    log:
        "logs/boards/{streamed}/columns-{part}.log",
    benchmark:
        "benchmarks/workflow/pair_columns/{streamed}.{part}.tsv"
    threads: 2
    resources:
        mem_mb=4000,
    params:
        settings=board_settings,
    script:
        "../scripts/pair_columns.py"


rule streamed_board:
    """Boards in parts: tables, page, figure and adjacent pairs"""
    input:
        scores=scores_of,
        parts=rules.pair_family.input.parts,
        family=rules.pair_family.output,
        tallies=parts_of("results/boards/{streamed}/tally/{part}.json"),
        # Whole before the board that is made of them lands.
        pairs=parts_of("results/pairs/{streamed}/part-{part}.parquet"),
    output:
        **board_outputs("{streamed}", "adjacent pairs", STREAMED_TABLES),
    log:
        "logs/boards/{streamed}/board.log",
    benchmark:
        "benchmarks/workflow/streamed_board/{streamed}.tsv"
    wildcard_constraints:
        streamed=one_of(x for x in BOARDS.streamed() if x not in AVERAGED_IN_PARTS),
    resources:
        mem_mb=4000,
    params:
        settings=board_settings,
        title=lambda wildcards: board_of(wildcards).title,
        missing=lambda wildcards: board_of(wildcards).missing,
        averaged=lambda wildcards: board_of(wildcards).has_average,
    script:
        "../scripts/streamed_board.py"


use rule streamed_board as averaged_streamed_board with:
    output:
        **board_outputs(
            "{streamed}", "adjacent pairs", STREAMED_TABLES + AVERAGE_TABLES
        ),
        **average_files("{streamed}"),
    wildcard_constraints:
        streamed=one_of(AVERAGED_IN_PARTS),
