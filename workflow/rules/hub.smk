# The per-item data behind the paper's panels: downloaded, or placed by hand.


rule hub_download:
    output:
        # What is there and hashes right is not fetched again, whatever made the job run.
        update("{download}"),
    log:
        "logs/hub/{download}.log",
    localrule: True
    resources:
        downloads=1,
    params:
        dataset=lambda wildcards: asdict(BOARDS.downloads.datasets[wildcards.download]),
        lock=HUB_LOCK,
        folder=config["hub"]["folder"],
        offline=config["hub"]["offline"],
        with_token=config["source"] == "hub",
    script:
        "../scripts/hub_download.py"


rule hub_scores:
    input:
        files=lambda wildcards: refused(
            BOARDS.downloads.files, wildcards.board, wildcards.task, BOARDS.data_root
        ),
        known=lambda wildcards: refused(
            PAPER.displayed, wildcards.board, wildcards.task
        ),
    output:
        "results/hub/{board}/{task}.parquet",
    log:
        "logs/hub/{board}/{task}.log",
    benchmark:
        "benchmarks/workflow/hub_scores/{board}.{task}.tsv"
    params:
        code=package_sums("llm_power.scores.readers", "replication.hub.panels"),
        cluster=lambda wildcards: BOARDS[wildcards.board].cluster,
        panel=lambda wildcards: PAPER.panel_task(wildcards.board, wildcards.task),
        paper=str(PAPER.folder),
        settings=lambda wildcards: BOARDS.downloads.settings(
            wildcards.board, wildcards.task, BOARDS.data_root
        ),
        lock=HUB_LOCK,
    script:
        "../scripts/hub_scores.py"
