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
        dataset=lambda wildcards: HUB_DOWNLOADS[wildcards.download].name,
        pins=lambda wildcards: asdict(HUB_DOWNLOADS[wildcards.download]),
        register=HUB_REGISTER,
        lock=HUB_LOCK,
        folder=config["hub"]["folder"],
        offline=config["hub"]["offline"],
    script:
        "../scripts/hub_download.py"


rule hub_scores:
    input:
        files=hub_files,
        displayed=[
            "data/kotawala2026/board_scores.csv",
            "data/kotawala2026/printed/table_07.csv",
        ],
        code=package_sources("llm_power.scores.readers", "replication.hub.panels"),
    output:
        "results/hub/{board}/{task}.parquet",
    log:
        "logs/hub/{board}/{task}.log",
    benchmark:
        "benchmarks/workflow/hub_scores/{board}.{task}.tsv"
    params:
        cluster=lambda wildcards: config["boards"][wildcards.board]["cluster"],
        settings=hub_settings,
        register=HUB_REGISTER,
        lock=HUB_LOCK,
    script:
        "../scripts/hub_scores.py"
