# A board from its files to its verdicts: every stage cached, the same for every board.

BOARD_TABLES = ["overview", "procedures", "gaps", "ladder"]
TABLE_SUFFIXES = ["csv", "csv-metadata.json", "md", "tex"]
FIGURE_SUFFIXES = ["pdf", "png", "svg"]


def board_files():
    """Return the results of every board whose files are there; say which are not, and why."""
    files = []
    for board in config["boards"]:
        if board_is_there(board):
            files += results_of_board(board)
        else:
            logger.warning(f"Board {board} is left out: its files are not there. {_how_to_get(board)}")
    return files


def results_of_board(board):
    panels = [panel for panel, (name, _) in PANELS.items() if name == board]
    return (
        collect("results/pairs/{panel}.{suffix}", panel=panels, suffix=["parquet", "csv"])
        + collect(
            "results/boards/{panel}/{table}.{suffix}",
            panel=panels,
            table=BOARD_TABLES,
            suffix=TABLE_SUFFIXES,
        )
        + collect(
            "results/boards/{panel}/{stage}.parquet",
            panel=panels,
            stage=["leave_one_out", "category_bootstrap", "cluster_definitions"],
        )
        + collect("figures/boards/{panel}.{suffix}", panel=panels, suffix=FIGURE_SUFFIXES)
    )


for board in config["boards"]:

    rule:
        name:
            f"board_{board}"
        localrule: True
        input:
            results_of_board(board),


rule scores:
    input:
        files=lambda wildcards: score_files(wildcards.board, wildcards.task),
        code=package_sources("scores.readers", "pairs.ranking"),
    output:
        "results/scores/{board}/{task}.parquet",
    params:
        task=lambda wildcards: config["boards"][wildcards.board]["tasks"][wildcards.task],
        missing=lambda wildcards: config["boards"][wildcards.board]["missing"],
        top=lambda wildcards: config["boards"][wildcards.board]["top"],
    log:
        "logs/scores/{board}/{task}.log",
    benchmark:
        "benchmarks/workflow/scores/{board}.{task}.tsv"
    script:
        "../scripts/scores.py"


rule pairs:
    input:
        scores=lambda wildcards: collect(
            "results/scores/{board}/{task}.parquet",
            board=panel_of(wildcards)[0],
            task=config["boards"][panel_of(wildcards)[0]]["tasks"],
        ),
        code=package_sources("pairs.verdicts"),
    output:
        counts="results/boards/{panel}/counts.parquet",
        clusters="results/boards/{panel}/cluster_sums.parquet",
    params:
        family=lambda wildcards: panel_of(wildcards)[1],
        cluster=from_board("cluster"),
    log:
        "logs/boards/{panel}/pairs.log",
    benchmark:
        "benchmarks/workflow/pairs/{panel}.tsv"
    script:
        "../scripts/pairs.py"


rule resolution:
    input:
        counts=rules.pairs.output.counts,
        code=package_sources("pairs.verdicts"),
    output:
        "results/boards/{panel}/resolution.parquet",
    params:
        alpha=config["alpha"],
        power=config["power"],
    log:
        "logs/boards/{panel}/resolution.log",
    script:
        "../scripts/resolution.py"


rule multiplicity:
    input:
        counts=rules.pairs.output.counts,
        resolution=rules.resolution.output,
        code=package_sources("pairs.verdicts"),
    output:
        "results/boards/{panel}/multiplicity.parquet",
    params:
        alpha=config["alpha"],
        power=config["power"],
    log:
        "logs/boards/{panel}/multiplicity.log",
    script:
        "../scripts/multiplicity.py"


rule clusters:
    input:
        counts=rules.pairs.output.counts,
        clusters=rules.pairs.output.clusters,
        code=package_sources("pairs.verdicts"),
    output:
        "results/boards/{panel}/clusters.parquet",
    params:
        alpha=config["alpha"],
        power=config["power"],
    log:
        "logs/boards/{panel}/clusters.log",
    script:
        "../scripts/clusters.py"


rule leave_one_out:
    input:
        clusters=rules.pairs.output.clusters,
        code=package_sources("pairs.cluster_robustness"),
    output:
        "results/boards/{panel}/leave_one_out.parquet",
    params:
        alpha=config["alpha"],
        power=config["power"],
    log:
        "logs/boards/{panel}/leave_one_out.log",
    script:
        "../scripts/leave_one_out.py"


rule category_bootstrap:
    input:
        clusters=rules.pairs.output.clusters,
        code=package_sources("pairs.cluster_robustness"),
    output:
        intervals="results/boards/{panel}/category_bootstrap.parquet",
        distribution="results/boards/{panel}/category_bootstrap_counts.parquet",
    params:
        alpha=config["alpha"],
        power=config["power"],
        seed=config["seed"],
        n_resamples=config["category_bootstrap"]["resamples"],
    log:
        "logs/boards/{panel}/category_bootstrap.log",
    benchmark:
        "benchmarks/workflow/category_bootstrap/{panel}.tsv"
    script:
        "../scripts/category_bootstrap.py"


rule cluster_definitions:
    input:
        scores=rules.pairs.input.scores,
        code=package_sources("pairs.cluster_robustness"),
    output:
        "results/boards/{panel}/cluster_definitions.parquet",
    params:
        alpha=config["alpha"],
        power=config["power"],
        seed=config["seed"],
        family=lambda wildcards: panel_of(wildcards)[1],
        cluster=from_board("cluster"),
    log:
        "logs/boards/{panel}/cluster_definitions.log",
    script:
        "../scripts/cluster_definitions.py"


rule sequential:
    input:
        counts=rules.pairs.output.counts,
        code=package_sources("pairs.verdicts"),
    output:
        "results/boards/{panel}/sequential.parquet",
    params:
        alpha=config["alpha"],
        power=config["power"],
    log:
        "logs/boards/{panel}/sequential.log",
    script:
        "../scripts/sequential.py"


rule verdicts:
    input:
        counts=rules.pairs.output.counts,
        stages=[
            rules.resolution.output,
            rules.multiplicity.output,
            rules.clusters.output,
            rules.sequential.output,
        ],
        code=package_sources("pairs.verdicts"),
    output:
        parquet="results/pairs/{panel}.parquet",
        csv="results/pairs/{panel}.csv",
    log:
        "logs/boards/{panel}/verdicts.log",
    script:
        "../scripts/verdicts.py"


rule board_tables:
    input:
        counts=rules.pairs.output.counts,
        verdicts=rules.verdicts.output.parquet,
        multiplicity=rules.multiplicity.output,
        scores=rules.pairs.input.scores,
        code=package_sources("exhibits.board", "render.tables"),
    output:
        collect(
            "results/boards/{{panel}}/{table}.{suffix}",
            table=BOARD_TABLES,
            suffix=TABLE_SUFFIXES,
        ),
    params:
        title=from_board("title"),
        family=lambda wildcards: panel_of(wildcards)[1],
        alpha=config["alpha"],
        power=config["power"],
    log:
        "logs/boards/{panel}/tables.log",
    script:
        "../scripts/board_tables.py"


rule board_figure:
    input:
        verdicts=rules.verdicts.output.parquet,
        scores=rules.pairs.input.scores,
        code=package_sources("render.board_figure"),
    output:
        pdf="figures/boards/{panel}.pdf",
        png="figures/boards/{panel}.png",
        svg="figures/boards/{panel}.svg",
    params:
        title=from_board("title"),
        family=lambda wildcards: panel_of(wildcards)[1],
    log:
        "logs/boards/{panel}/figure.log",
    script:
        "../scripts/board_figure.py"
